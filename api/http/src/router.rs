//! The router: finds the endpoints of a path.
//!
//! The framework would try one regular expression after another, some seventy for the last paths of the table. Comparing
//! the segments of paths instead made every uncached response a tenth faster.

use std::{ops::Range, sync::Arc};

use actix_web::http::header::HeaderValue;

use super::{endpoint::Endpoint, route::Method, telemetry::Meter};

/// The endpoints of one path.
pub(super) struct Resource {
    pub(super) endpoints: Vec<&'static Endpoint>,
    /// Value of the header `Allow`.
    pub(super) allow: HeaderValue,
    pub(super) meter: Meter,
    /// The path as routes declare it; empty for all paths that no route declares.
    pub(super) path: &'static str,
}

impl Resource {
    pub(super) fn new(path: &'static str, endpoints: Vec<&'static Endpoint>) -> Self {
        let mut methods: Vec<_> = endpoints.iter().map(|endpoint| endpoint.route.method.as_str()).collect();
        if endpoints.iter().any(|endpoint| endpoint.route.method == Method::Get) {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        let allow = HeaderValue::from_str(&methods.join(", ")).unwrap_or(HeaderValue::from_static(""));
        Self { endpoints, allow, meter: Meter::new(path), path }
    }
}

/// Resources by path, and one resource for all unknown paths.
pub(super) struct Router {
    known: Vec<(Vec<Segment>, Arc<Resource>)>,
    unknown: Arc<Resource>,
}

/// The part of a declared path between two slashes.
#[derive(Debug, PartialEq, Eq)]
enum Segment {
    /// Fixed text.
    Text(&'static str),
    /// A parameter by its name, and the text after it.
    Param(&'static str, &'static str),
}

impl Segment {
    fn new(text: &'static str) -> Self {
        let param = text.strip_prefix('{').and_then(|param| param.split_once('}'));
        param.map_or(Self::Text(text), |(name, end)| Self::Param(name, end))
    }
}

/// The ranges of the parameters in a path.
#[derive(Debug, Default)]
pub(super) struct PathParams(Vec<(&'static str, Range<usize>)>);

impl PathParams {
    /// The value of a parameter in the path that was looked up.
    pub(super) fn get<'p>(&self, path: &'p str, name: &str) -> Option<&'p str> {
        let (_, range) = self.0.iter().find(|(known, _)| *known == name)?;
        path.get(range.clone())
    }
}

impl Router {
    /// A router of these endpoints. If several paths match, the first one wins.
    pub(super) fn new(endpoints: impl Iterator<Item = &'static Endpoint>) -> Self {
        let mut paths: Vec<(&'static str, Vec<&'static Endpoint>)> = Vec::new();
        for endpoint in endpoints {
            match paths.iter_mut().find(|(path, _)| *path == endpoint.route.path) {
                Some((_, same)) => same.push(endpoint),
                None => paths.push((endpoint.route.path, vec![endpoint])),
            }
        }
        let resource = |(path, endpoints): (&'static str, _)| {
            (path.split('/').map(Segment::new).collect(), Arc::new(Resource::new(path, endpoints)))
        };
        Self { known: paths.into_iter().map(resource).collect(), unknown: Arc::new(Resource::new("", Vec::new())) }
    }

    /// The resource of a path, with the ranges of its parameters.
    pub(super) fn find(&self, path: &str) -> (&Arc<Resource>, PathParams) {
        let found = self.known.iter().find_map(|(segments, resource)| Some((resource, path_params(segments, path)?)));
        found.unwrap_or_else(|| (&self.unknown, PathParams::default()))
    }
}

/// The parameters of a path, if it matches these segments.
fn path_params(segments: &[Segment], path: &str) -> Option<PathParams> {
    let mut params = PathParams::default();
    let (mut texts, mut start) = (path.split('/'), 0);
    for segment in segments {
        let text = texts.next()?;
        match segment {
            Segment::Text(known) if *known == text => {}
            Segment::Text(_) => return None,
            Segment::Param(name, end) => {
                let value = text.strip_suffix(*end).filter(|value| !value.is_empty())?;
                params.0.push((*name, start..start + value.len()));
            }
        }
        start += text.len() + 1;
    }
    texts.next().is_none().then_some(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &'static str, path: &str, expected: Option<&[(&str, &str)]>) {
        let segments: Vec<_> = pattern.split('/').map(Segment::new).collect();
        let found = path_params(&segments, path).map(|found| {
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
