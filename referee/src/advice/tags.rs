//! Names of tags that are close to a known one.

use quipu_notation::{
    games::{GAMES, SideNotation},
    record::{Record, is_shared_tag, plain_name, tag_named, tag_names},
};

use crate::spelling;

/// Tags of PGN that have no meaning here and are often written.
const OF_PGN: [&str; 4] = ["Annotator", "Mode", "PlyCount", "Section"];

/// True for a tag that has a meaning in records of any game, and for a usual one of PGN.
pub(super) fn is_known(name: &str) -> bool {
    // The usual ones first: every tag of every record is checked.
    matches!(name, "Game" | "Event" | "Site" | "Date" | "Round" | "Result")
        || is_shared_tag(name)
        || OF_PGN.contains(&name)
        || GAMES.iter().flat_map(|game| &game.sides).any(|side| side.tag == name)
}

/// The known tag that was likely meant by a name, unless the record has that tag too.
#[cold]
pub(super) fn likely(record: &Record<'_>, name: &str) -> Option<&'static str> {
    let name = plain_name(name);
    let game = record.game();
    let sides = GAMES.iter().filter(|row| game.is_none_or(|game| game.id == row.id)).flat_map(|game| &game.sides);
    let sides = sides.map(|SideNotation { tag, name, .. }| (*tag, *name));
    let exact = tag_named(&name).filter(|tag| !is_side(tag) || sides.clone().any(|(side, _)| side == *tag));
    let near = || spelling::nearest(&name, tag_names().chain(sides.clone()));
    exact.or_else(near).filter(|tag| record.tag(tag).is_none())
}

fn is_side(tag: &str) -> bool {
    GAMES.iter().flat_map(|game| &game.sides).any(|side| side.tag == tag)
}

#[cfg(test)]
mod tests {
    use quipu_notation::record::Chunk;

    use super::*;

    #[track_caller]
    fn check(tags: &str, name: &str, expected: Option<&str>) {
        let text = format!("{tags}\n*\n");
        let chunk = Chunk::new(text.as_bytes());
        let record = chunk.records().next().expect("a record").expect("it can be read");
        assert_eq!(likely(&record, name), expected, "{name}");
    }

    #[test]
    fn names_are_taken_for_known_ones() {
        let andes = "[Game \"andes\"]\n";
        for (name, tag) in [
            ("Soll", "Sol"),
            ("sol", "Sol"),
            ("Termiation", "Termination"),
            ("Terminación", "Termination"),
            ("Juego", "Game"),
            ("game", "Game"),
            ("Ronda", "Round"),
            ("Rond", "Round"),
            ("Reuslt", "Result"),
            ("Time_Control", "TimeControl"),
            ("Evnet", "Event"),
        ] {
            let tags = if tag == "Game" { "[Event \"x\"]\n" } else { andes };
            check(tags, name, Some(tag));
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        let andes = "[Game \"andes\"]\n[Luna \"x\"]\n";
        for name in ["Annotator", "Time", "Rated", "Arbiter", "ECO", "Opening", "Mode", "PlyCount", "A", "7", "Lunna"] {
            check(andes, name, None);
        }
        // The sides of another game are its own tags.
        assert!(is_known("Norte"));
        check(andes, "Nortee", None);
    }
}
