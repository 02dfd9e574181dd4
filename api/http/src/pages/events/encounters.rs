//! The encounters of an event: a table that narrow screens show as cards. Its roles are written out, because an element
//! that is no table on the screen is none for screen readers either.

use maud::{Markup, html};
use quipu_referee::competition::{Encounter, Irregularity, State};

use super::data::EventData;
use crate::pages::frame::{View, fraction, scrollable_table};

/// Encounters on a page, at most. A page of this many stays below 120 KiB.
const SHOWN: usize = 130;

pub(super) fn encounters(data: &EventData, view: &View) -> Markup {
    let (caption, all) = (view.say("event.encounters"), &data.encounters);
    let column = |key: &str| html! { th scope="col" role="columnheader" { (view.say(key)) } };
    let number = |key: &str| html! { th.number scope="col" role="columnheader" { (view.say(key)) } };
    let table = html! {
        table.encounters role="table" {
            caption { (caption) }
            thead role="rowgroup" {
                tr role="row" {
                    (column("figure.round"))
                    @for _ in 0..2 { (column("figure.player")) (number("figure.points")) (number("figure.bonus")) }
                    (column("event.outcome"))
                    (column("nav.records"))
                }
            }
            tbody role="rowgroup" { @for one in all.iter().take(SHOWN) { (encounter(data, view, one)) } }
        }
    };
    html! {
        @if let Some(round) = &data.choice.round { p.note { (view.fill("event.until-round", &[("round", round)])) } }
        @if all.is_empty() { p { (view.say("event.no-encounters")) } }
        @else { (scrollable_table(caption, &table)) }
        @if all.len() > SHOWN { (data.cut(view, "encounters", [SHOWN, all.len()], None)) }
    }
}

fn encounter(data: &EventData, view: &View, one: &Encounter) -> Markup {
    let outcome = match one.state {
        State::Won(index) => {
            let name = &one.players[index];
            view.fill("event.won", &[("name", name)])
        }
        State::Tied | State::Open => view.word(one.state.word()).to_owned(),
        State::Irregular(why) => {
            format!("{}: {}", view.word(one.state.word()), view.word(Irregularity::word(why)))
        }
    };
    let (bonus, [first, second]) = (one.bonus(), &one.players);
    html! {
        tr role="row" {
            td.round role="cell" {
                span.said aria-hidden="true" { (view.say("figure.round")) " " } (one.round.as_deref().unwrap_or("–"))
            }
            @for side in 0..2 {
                @let name = data.name(view, &one.players[side]);
                @if side == 0 { th scope="row" role="rowheader" { (name) } } @else { td.name role="cell" { (name) } }
                td.number role="cell" { (one.sums[side].points) }
                td.number.bonus role="cell" { (fraction(bonus[side])) }
            }
            td.outcome role="cell" { (outcome) }
            td.legs role="cell" {
                @for (index, place) in one.games.iter().enumerate() {
                    @if index > 0 { " " }
                    @let number = (index + 1).to_string();
                    @let said = view.fill("event.leg", &[("one", first), ("two", second), ("number", &number)]);
                    (data.game(view, *place, &number, &said))
                }
            }
        }
    }
}
