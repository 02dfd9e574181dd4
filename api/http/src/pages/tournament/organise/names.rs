//! A pasted list of names: one in each line, with a rating after a semicolon or a tab; or an entry list in CSV with headings.

use std::collections::BTreeSet;

use quipu_tournament::{
    exchange::csv::entries,
    fault::{self, Fault},
    model::{Change, MAX_RATING, Player, Tournament},
};

/// A list as it was read.
pub(super) struct NameList {
    /// The players who are not in the tournament yet, each once.
    pub(super) new: Vec<Player>,
    /// Names that are in the tournament already, or in the list before.
    pub(super) known: Vec<String>,
    /// New names that end with a number after a comma, which may be a rating.
    pub(super) numbered: Vec<String>,
    /// Lines that cannot be read, and columns that are not used.
    pub(super) faults: Vec<Fault>,
    /// True if a line cannot be read.
    pub(super) is_broken: bool,
}

impl NameList {
    /// Reads a list for a tournament.
    pub(super) fn of(text: &str, tournament: &Tournament) -> Self {
        let (players, faults, is_broken) = read(text);
        let mut names: BTreeSet<String> =
            tournament.entrants.iter().map(|entrant| entrant.player.name.clone()).collect();
        let (new, known): (Vec<_>, Vec<_>) = players.into_iter().partition(|player| names.insert(player.name.clone()));
        let is_numbered =
            |name: &&String| name.rsplit_once(',').is_some_and(|(_, last)| last.trim().parse::<u32>().is_ok());
        let numbered = new.iter().map(|player| &player.name).filter(is_numbered).cloned().collect();
        Self { new, known: known.into_iter().map(|player| player.name).collect(), numbered, faults, is_broken }
    }

    /// The same with the reason that the tournament would refuse it, such as a name that is too long.
    pub(super) fn tried(mut self, tournament: &Tournament) -> Self {
        let (mut trial, first) = (tournament.clone(), tournament.next_round());
        let mut enter = |player: &Player| trial.apply(&Change::Enter { player: player.clone(), first });
        self.faults.extend(self.new.iter().try_for_each(&mut enter).err());
        self
    }

    /// The changes that enter the new players, from the next round on.
    pub(super) fn changes(self, first: u32) -> Vec<Change> {
        self.new.into_iter().map(|player| Change::Enter { player, first }).collect()
    }
}

fn read(text: &str) -> (Vec<Player>, Vec<Fault>, bool) {
    match entries(text, 1) {
        Ok((changes, remarks)) => {
            let player = |change| if let Change::Enter { player, .. } = change { Some(player.trimmed()) } else { None };
            (changes.into_iter().filter_map(player).collect(), remarks, false)
        }
        // Without headings each line is a name.
        Err(fault) if fault.code == fault::NO_COLUMN => {
            let (mut players, mut faults) = (Vec::new(), Vec::new());
            for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
                match player(line, text) {
                    Ok(player) => players.push(player),
                    Err(fault) => faults.push(fault),
                }
            }
            let is_broken = !faults.is_empty();
            (players, faults, is_broken)
        }
        Err(fault) => (Vec::new(), vec![fault], true),
    }
}

/// A player in a line: a name, and a rating if there is a second cell.
fn player(line: u32, text: &str) -> Result<Player, Fault> {
    let wrong = |code, found: &str| Fault::new(code).with("line", line).with("found", found);
    let mut cells = text.split([';', '\t']).map(str::trim);
    let name = cells.next().unwrap_or_default();
    let rating = cells.next().filter(|cell| !cell.is_empty());
    if let Some(extra) = cells.find(|cell| !cell.is_empty()) {
        return Err(wrong(fault::EXTRA_CELL, extra));
    }
    if name.is_empty() {
        return Err(wrong(fault::UNREADABLE, text).with("field", "field.name"));
    }
    let number = |text: &str| text.parse().ok().filter(|rating| *rating <= MAX_RATING);
    let rating =
        rating.map(|text| number(text).ok_or_else(|| wrong(fault::UNREADABLE, text).with("field", "field.rating")));
    Ok(Player { name: name.to_owned(), rating: rating.transpose()?, ..Player::default() })
}

#[cfg(test)]
mod tests {
    use quipu_tournament::model::TournamentSettings;

    use super::*;

    #[track_caller]
    fn check(text: &str, names: &[&str], known: &[&str], faults: &[&str]) {
        let settings = r#"{"name":"Copa","system":{"kind":"swiss"},"rounds":2,"encounter":{"kind":"single"}}"#;
        let settings: TournamentSettings = serde_json::from_str(settings).expect("settings");
        let mut tournament = Tournament::new(settings).expect("they are good");
        let player = Player { name: "Rosa".to_owned(), ..Player::default() };
        tournament.apply(&Change::Enter { player, first: 1 }).expect("a new player");
        let list = NameList::of(text, &tournament);
        assert_eq!(list.new.iter().map(|player| &player.name).collect::<Vec<_>>(), names, "{text}");
        assert_eq!(list.known, known, "{text}");
        assert_eq!(list.faults.iter().map(|fault| fault.code.id).collect::<Vec<_>>(), faults, "{text}");
    }

    #[test]
    fn lists_of_names() {
        check("Ana\nQuispe, Luis\n\n  Inés \n", &["Ana", "Quispe, Luis", "Inés"], &[], &[]);
        check("Ana;1800\nLuis\t1900\nRosa\nAna", &["Ana", "Luis"], &["Rosa", "Ana"], &[]);
        check(
            "Ana;x\nLuis;1900\n;1700\nEva;1;2",
            &["Luis"],
            &[],
            &["exchange.unreadable", "exchange.unreadable", "exchange.extra-cell"],
        );
        check("nombre,elo,mesa\nAna,1800,1\nRosa,,\n", &["Ana"], &["Rosa"], &["exchange.unused"]);
        check("nombre,elo\nAna,x\n", &[], &[], &["exchange.unreadable"]);
    }
}
