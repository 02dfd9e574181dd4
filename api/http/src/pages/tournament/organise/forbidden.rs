//! Pairs of players who must not meet: their list, and the fields for another one.

use maud::{Markup, html};
use quipu_tournament::model::PlayerId;

use super::{
    super::tournament_page::TournamentPage,
    change::Refused,
    fields::{DO, Fields},
};
use crate::pages::frame::View;

/// The fields for the players of a pair.
pub(super) const PLAYERS: [&str; 2] = ["pair-one", "pair-two"];
/// The button that forbids a pair, and the beginning of those that allow one again.
pub(super) const FORBID: &str = "forbid";
const ALLOW: &str = "allow ";

/// The pair that was chosen in the form.
pub(super) fn chosen(view: &View, fields: &Fields) -> Result<[PlayerId; 2], Refused> {
    match PLAYERS.map(|name| fields.number(name).map(PlayerId)) {
        [Some(one), Some(two)] if one != two => Ok(ordered([one, two])),
        _ => Err(Refused::Said(view.say("forbidden.incomplete").to_owned())),
    }
}

/// A pair in the order of the list.
fn ordered(mut pair: [PlayerId; 2]) -> [PlayerId; 2] {
    pair.sort_unstable();
    pair
}

/// The pair of a button that allows it again.
pub(super) fn allowed(button: &str) -> Option<[PlayerId; 2]> {
    let (one, two) = button.strip_prefix(ALLOW)?.split_once('-')?;
    Some(ordered([PlayerId(one.parse().ok()?), PlayerId(two.parse().ok()?)]))
}

/// The part of the form. The pairings of a round robin and a knock-out follow from their players.
pub(super) fn section(cup: &TournamentPage<'_>, fields: &Fields) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    html! {
        @if !tournament.has_fixed_field() || !tournament.forbidden.is_empty() {
            section aria-labelledby="forbidden" {
                h2 #forbidden { (view.say("forbidden.title")) }
                @if tournament.forbidden.is_empty() { p { (view.say("forbidden.none")) } }
                ul.names {
                    @for pair in &tournament.forbidden {
                        @let [one, two] = pair.map(|id| tournament.name(id));
                        @let allow = view.say("forbidden.allow");
                        li {
                            (one) " – " (two) " "
                            button name=(DO) value={ (ALLOW) (pair.map(|id| id.to_string()).join("-")) } aria-label={ (allow) ": " (one) " – " (two) } { (allow) }
                        }
                    }
                }
                div.fields {
                    @for (name, key) in PLAYERS.into_iter().zip(["forbidden.one", "forbidden.two"]) {
                        div {
                            label for=(name) { (view.say(key)) }
                            select id=(name) name=(name) {
                                option value="" { "–" }
                                @for (id, entrant) in tournament.ids().zip(&tournament.entrants) {
                                    option value=(id.0) selected[fields.raw(name) == id.to_string()] { (id.0) ". " (entrant.player.name) }
                                }
                            }
                        }
                    }
                }
                p { button name=(DO) value=(FORBID) { (view.say("forbidden.forbid")) } }
            }
        }
    }
}
