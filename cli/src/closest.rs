//! Names that are close to one that does not exist.

/// Least Jaro similarity of a suggested name: 1 for equal names, 0 for names without anything in common.
const ALIKE: f64 = 0.7;

/// Suggestions, at most.
pub(crate) const MANY: usize = 5;

/// The names close to a wanted one, the closest first.
pub(crate) fn of<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &str| strsim::jaro(&wanted, &name.to_lowercase());
    let mut close: Vec<_> =
        names.into_iter().map(|name| (likeness(name), name)).filter(|(is, _)| *is > ALIKE).collect();
    close.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    close.into_iter().map(|(_, name)| name).take(MANY).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_closest_name_is_first() {
        let names = ["verify", "version", "view", "fmt"];
        assert_eq!(super::of("verfy", names)[0], "verify");
        assert_eq!(super::of("VIEW", names)[0], "view");
        assert!(super::of("x", names).is_empty());
    }
}
