//! Names that are close to one that does not exist.

/// Least Jaro similarity of a suggested name: 1 for equal names, 0 for names without anything in common.
const MIN_SIMILARITY: f64 = 0.7;

/// Maximum number of suggestions.
pub(crate) const MAX_MATCHES: usize = 5;

/// The names close to a wanted one, the closest first.
pub(crate) fn matches<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = wanted.to_lowercase();
    let similarity = |name: &str| strsim::jaro(&wanted, &name.to_lowercase());
    let mut close: Vec<_> =
        names.into_iter().map(|name| (similarity(name), name)).filter(|(is, _)| *is > MIN_SIMILARITY).collect();
    close.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    close.into_iter().map(|(_, name)| name).take(MAX_MATCHES).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_closest_name_is_first() {
        let names = ["verify", "version", "view", "fmt"];
        assert_eq!(super::matches("verfy", names)[0], "verify");
        assert_eq!(super::matches("VIEW", names)[0], "view");
        assert!(super::matches("x", names).is_empty());
    }
}
