//! The standings of an event: the criteria in their order, then all other figures.

use maud::{Markup, html};
use quipu_referee::competition::{Half, Quarter, Standings, StandingsRow, Tally, TieBreak};

use super::data::{EventData, ROWS};
use crate::pages::frame::{View, captioned_table, fraction, game_name};

/// The figure of a row in a column, if it has one.
type Figure = Box<dyn Fn(&StandingsRow) -> Option<Quarter>>;

/// A column of figures.
struct Column {
    heading: &'static str,
    figure: Figure,
}

impl Column {
    fn new(heading: &'static str, figure: impl Fn(&StandingsRow) -> Option<Quarter> + 'static) -> Self {
        Self { heading, figure: Box::new(figure) }
    }

    fn counted(heading: &'static str, count: impl Fn(&StandingsRow) -> u64 + 'static) -> Self {
        Self::new(heading, move |row| Some(whole(count(row))))
    }

    fn tallied(heading: &'static str, figure: impl Fn(&Tally) -> Quarter + 'static) -> Self {
        Self::new(heading, move |row| row.tally.as_ref().map(&figure))
    }
}

fn whole(count: u64) -> Quarter {
    Half::whole(count).into()
}

/// The columns of a table. A figure that is a criterion is not there a second time.
fn columns(view: &View, table: &Standings) -> Vec<Column> {
    let criteria = TieBreak::with_score(&table.order);
    let criterion = |one: &TieBreak| {
        let heading = view.word(one.word());
        match table.order.iter().position(|known| known == one) {
            Some(index) => Column::new(heading, move |row| row.figures[index]),
            None => Column::new(heading, |row| Some(row.score.into())),
        }
    };
    let mut columns: Vec<_> = criteria.iter().map(criterion).collect();
    let mut more = |same: Option<TieBreak>, column: Column| {
        if same.is_none_or(|same| !criteria.contains(&same)) {
            columns.push(column);
        }
    };
    let word = |tie_break: TieBreak| view.word(tie_break.word());
    if table.rows.iter().any(|row| row.tally.is_some()) {
        let with_bonus = |tally: &Tally| tally.points_with_bonus().into();
        more(Some(TieBreak::PointsWithBonus), Column::tallied(word(TieBreak::PointsWithBonus), with_bonus));
        more(Some(TieBreak::Points), Column::tallied(word(TieBreak::Points), |tally| whole(tally.points)));
        more(None, Column::tallied(view.say("figure.bonus"), |tally| tally.bonus.into()));
        more(Some(TieBreak::Encounters), Column::tallied(word(TieBreak::Encounters), |tally| whole(tally.won)));
        more(None, Column::tallied(view.say("figure.encounters-tied"), |tally| whole(tally.tied)));
        more(None, Column::tallied(view.say("figure.encounters-lost"), |tally| whole(tally.lost)));
    }
    more(None, Column::counted(view.say("figure.games"), StandingsRow::games));
    more(Some(TieBreak::Wins), Column::counted(view.say("figure.wins"), |row| row.wins));
    more(None, Column::counted(view.say("figure.draws"), |row| row.draws));
    more(None, Column::counted(view.say("figure.losses"), |row| row.losses));
    columns
}

/// The criteria in words, and the round.
pub(super) fn order(data: &EventData, view: &View, table: &Standings) -> Markup {
    let words: Vec<_> = TieBreak::with_score(&table.order).iter().map(|one| view.word(one.word())).collect();
    html! {
        p.note {
            (view.fill("event.ordered", &[("order", &words.join(", "))]))
            @if let Some(round) = &data.choice.round { " " (view.fill("event.until-round", &[("round", round)])) }
        }
    }
}

pub(super) fn standings(data: &EventData, view: &View, table: &Standings) -> Markup {
    let caption = view.fill("event.standings-of", &[("game", &game_name(view, table.game))]);
    let columns = columns(view, table);
    let head = html! {
        th.number scope="col" { (view.say("figure.place")) }
        th.name scope="col" { (view.say("figure.player")) }
        @for column in &columns { th.number scope="col" { span.label { (column.heading) } } }
    };
    let body = html! {
        tbody {
            @for row in table.rows.iter().take(ROWS) {
                tr {
                    td.number { (row.place) }
                    th scope="row" { (data.name(view, &row.name)) }
                    @for column in &columns {
                        td.number { @if let Some(figure) = (column.figure)(row) { (fraction(figure)) } @else { "–" } }
                    }
                }
            }
        }
    };
    let query = data.choice.query_of_data(Some(table.game.id), Some(&table.order));
    let query: Vec<_> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let content = html! {
        (order(data, view, table))
        (captioned_table(&caption, &head, &body))
        ul.downloads {
            li { a href=(view.href(&format!("{}/standings.csv", data.path()), &query)) download { (view.say("event.csv")) } }
        }
    };
    data.section(view, table, "standings", ROWS, &content)
}
