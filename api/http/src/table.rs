//! The table of all endpoints: those of the API, then the pages.

use super::{endpoint::Endpoint, pages, route::Route, routes};

/// Every endpoint, in the order of the documentation.
pub(super) fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    routes::ROUTES.iter().chain(pages::ROUTES).copied().flatten()
}

/// The routes of the API, which are documented for programs.
pub(super) fn api() -> impl Iterator<Item = &'static Route> {
    routes::ROUTES.iter().copied().flatten().map(|endpoint| &endpoint.route)
}

/// The routes of pages and of what they load.
pub(super) fn pages() -> impl Iterator<Item = &'static Route> {
    pages::ROUTES.iter().copied().flatten().map(|endpoint| &endpoint.route)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quipu_referee::Lang;

    use super::*;
    use crate::{messages, openapi, params::Location, problem::CODES, route::Route};

    /// The names in braces of a path.
    fn places(path: &str) -> BTreeSet<&str> {
        path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).collect()
    }

    #[test]
    fn every_route_is_whole() {
        let mut routes = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for Endpoint { route, .. } in endpoints() {
            let Route { path, id, .. } = route;
            assert!(routes.insert((path, route.method.as_str())), "{path} is there twice");
            assert!(ids.insert(id), "the id {id} is there twice");
            let declared = route.params.iter().filter(|param| param.location == Location::Path);
            let declared: BTreeSet<_> = declared.map(|param| param.name).collect();
            assert_eq!(places(path), declared, "{path}");
            assert!(!route.responses.is_empty(), "{path} has no answer");
            for code in route.problems() {
                assert!(CODES.contains(&code), "{path}: {}", code.id);
            }
        }
    }

    #[test]
    fn every_route_has_words() {
        for lang in Lang::ALL {
            for route in api() {
                assert!(!messages::get(&format!("route.{}", route.id), lang).is_empty());
                assert!(!messages::get(&format!("group.{}", route.group), lang).is_empty());
                for param in route.params {
                    assert!(openapi::param_words(route, param, lang).is_some(), "{}: {}", route.id, param.name);
                }
            }
        }
    }

    #[test]
    fn every_code_has_words() {
        let places = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0.to_owned())).collect()
        };
        for code in CODES {
            let words = messages::code_words(code.id).unwrap_or_else(|| panic!("no words for {}", code.id));
            assert!(!words.detail.is_empty(), "{}", code.id);
            for text in [&words.title, &words.right].into_iter().chain(words.detail.values()) {
                assert!(!text.es.is_empty() && !text.en.is_empty(), "{}", code.id);
                assert_eq!(places(&text.es), places(&text.en), "{}: {}", code.id, text.en);
            }
        }
        for id in messages::codes() {
            assert!(CODES.iter().any(|code| code.id == id), "words for {id}, which is no code");
        }
    }
}
