//! `quipu tournament rate`: ratings of the entries from those of the archive, by which players are seeded.

use std::collections::HashMap;

use clap::ArgMatches;
use quipu_archive::store::{ReadTx, StoreError, StoredTournament};
use quipu_referee::games;
use quipu_tournament::model::{Change, MAX_RATING, Player};

use super::{NotDone, by, change, number, players, read_from};
use crate::{
    commands::archive::{self, failure, open_store},
    context::{CommandResult, Context, harmless, print_to_stderr},
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let date = archive::day(context, matches, "date")?;
    let by = by(context, matches, "rate", false)?;
    let store = open_store(context, matches)?;
    let stored = read_from(context, &store, number(matches))?;
    let found = store.read(|reading: &ReadTx<'_>| {
        let ratings = quipu_ratings::compute_ratings(reading, stored.game)?;
        let mut found = HashMap::new();
        for entrant in &stored.tournament.entrants {
            let name = &entrant.player.name;
            let Some(person) = reading.player_named(name)? else { continue };
            let standing = ratings.find(person.root()).and_then(|player| ratings.standing(player, date));
            found.extend(standing.map(|standing| (name.clone(), seed(standing.glicko.whole()))));
        }
        Ok(found)
    });
    let found: HashMap<String, u32> = found.map_err(|error: StoreError| failure(context, &error))?;
    store.close().map_err(|error| failure(context, &error))?;
    let names = stored.tournament.entrants.iter().map(|entrant| &entrant.player.name);
    let unrated: Vec<_> = names.filter(|name| !found.contains_key(*name)).map(|name| harmless(name)).collect();
    if found.is_empty() {
        let game = games::find(stored.game.id).map_or(stored.game.id, |game| context.word(game.name()));
        let facts = vec![("game", game.to_owned())];
        return NotDone::Unknown("tournament.rate.none", facts).tell(context, stored.number);
    }
    if !unrated.is_empty() {
        print_to_stderr(context.fill("tournament.rate.unrated", &[("names", &unrated.join("; "))]));
    }
    let steps = move |stored: &StoredTournament| Ok(edits(stored, &found));
    change(context, matches, by, steps, |stored| players::show(context, matches, stored))
}

/// The changes of entries whose rating is another one.
fn edits(stored: &StoredTournament, found: &HashMap<String, u32>) -> Vec<Change> {
    let tournament = &stored.tournament;
    let edit = |(id, player): (_, &Player)| {
        let rating = found.get(&player.name).copied().filter(|rating| player.rating != Some(*rating))?;
        Some(Change::Edit { id, player: Player { rating: Some(rating), ..player.clone() } })
    };
    tournament.ids().zip(tournament.entrants.iter().map(|entrant| &entrant.player)).filter_map(edit).collect()
}

/// A rating within the range of a tournament, where 0 is none.
fn seed(rating: i32) -> u32 {
    u32::try_from(rating).unwrap_or_default().clamp(1, MAX_RATING)
}
