//! From the path of a request to what answers it, by the table of routes.
//!
//! The framework would try one regular expression after the other, some seventy of them for the last paths of the table.
//! Here parts of paths are compared: that took a tenth off every answer that is not ready.

use std::{ops::Range, sync::Arc};

use super::server::Resource;

/// All paths of the table, and what answers those that are not in it.
pub(super) struct Router {
    known: Vec<(Vec<Part>, Arc<Resource>)>,
    unknown: Arc<Resource>,
}

/// What stands between two slashes of a path of the table.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// This text.
    Text(&'static str),
    /// A value by its name, and the text behind it.
    Value(&'static str, &'static str),
}

impl Part {
    fn new(text: &'static str) -> Self {
        let value = text.strip_prefix('{').and_then(|value| value.split_once('}'));
        value.map_or(Self::Text(text), |(name, end)| Self::Value(name, end))
    }
}

/// Where the values of a path stand in it.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<(&'static str, Range<usize>)>);

impl Places {
    /// The value of a name in the path that was looked up.
    pub(super) fn get<'p>(&self, path: &'p str, name: &str) -> Option<&'p str> {
        let (_, place) = self.0.iter().find(|(known, _)| *known == name)?;
        path.get(place.clone())
    }
}

impl Router {
    /// Of these, the first comes before others that fit too.
    pub(super) fn new(known: Vec<Arc<Resource>>, unknown: Resource) -> Self {
        let parts = |resource: &Resource| resource.path.split('/').map(Part::new).collect();
        let known = known.into_iter().map(|resource| (parts(&resource), resource)).collect();
        Self { known, unknown: Arc::new(unknown) }
    }

    /// What answers a path, and where its values stand.
    pub(super) fn find(&self, path: &str) -> (&Arc<Resource>, Places) {
        let found = self.known.iter().find_map(|(parts, resource)| Some((resource, places(parts, path)?)));
        found.unwrap_or_else(|| (&self.unknown, Places::default()))
    }
}

/// Where the values of a path stand, if it is one of these parts.
fn places(parts: &[Part], path: &str) -> Option<Places> {
    let mut found = Places::default();
    let (mut own, mut start) = (path.split('/'), 0);
    for part in parts {
        let text = own.next()?;
        match part {
            Part::Text(known) if *known == text => {}
            Part::Text(_) => return None,
            Part::Value(name, end) => {
                let value = text.strip_suffix(*end).filter(|value| !value.is_empty())?;
                found.0.push((*name, start..start + value.len()));
            }
        }
        start += text.len() + 1;
    }
    own.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &'static str, path: &str, expected: Option<&[(&str, &str)]>) {
        let parts: Vec<_> = pattern.split('/').map(Part::new).collect();
        let found = places(&parts, path).map(|found| {
            let names = found.0.iter().map(|(name, _)| *name);
            names.map(|name| (name, found.get(path, name).unwrap_or_default())).collect::<Vec<_>>()
        });
        assert_eq!(found.as_deref(), expected, "{pattern} {path}");
    }

    #[test]
    fn paths_and_their_values() {
        check("/", "/", Some(&[]));
        check("/", "", None);
        check("/v1/records", "/v1/records", Some(&[]));
        check("/v1/records", "/v1/records/", None);
        check("/v1/records", "/v1/record", None);
        check("/v1/records/{id}", "/v1/records/ab", Some(&[("id", "ab")]));
        check("/v1/records/{id}", "/v1/records/", None);
        check("/v1/records/{id}", "/v1/records/a/b", None);
        check("/v1/records/{id}", "/v1//records/a", None);
        check(
            "/v1/records/{id}/positions/{ply}.svg",
            "/v1/records/é/positions/7.svg",
            Some(&[("id", "é"), ("ply", "7")]),
        );
        check("/v1/records/{id}/positions/{ply}.svg", "/v1/records/a/positions/.svg", None);
        check("/v1/records/{id}/positions/{ply}.svg", "/v1/records/a/positions/7.png", None);
    }
}
