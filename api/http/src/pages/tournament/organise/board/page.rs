//! The records of a board as columns of a table: their facts, and their moves ply by ply.

use maud::{Markup, html};
use quipu_archive::model::{Attribution, Change, ChangeKind, RecordState};
use quipu_referee::{Status, repaired::MergedSheets};

use super::{
    super::{
        super::tournament_page::{Tab, TournamentPage},
        fields::{AUTHOR, DO, Fields, reason_field, token_field},
    },
    decide::{self, SEEN},
    page_state::PageState,
    sheets::{BoardSheets, Sheet, are_contradictory, different, seen},
};
use crate::pages::{
    check::{self, ChoiceForm},
    frame::{View, captioned_table, line, status, time},
    records,
};

const FORM: &str = "board";
/// Plies of a table.
const PLIES: usize = 1_000;
/// Sheets side by side, unless more of them are current.
const COLUMNS: usize = 8;

/// The title and the body of the page.
pub(super) fn whole(
    cup: &TournamentPage<'_>,
    board: &BoardSheets,
    fields: &Fields,
    shown: &PageState,
) -> (String, Markup) {
    let view = cup.view;
    let (round, number) = (board.round, board.number);
    let name = &cup.tournament().settings.name;
    let title = view.fill("board.title", &[("name", name), ("round", &round), ("board", &number)]);
    let players = board.board().map(|board| board.players).into_iter().flatten();
    let players: Vec<_> = players.map(|id| cup.name(id)).collect();
    let has_sheets = board.games.iter().any(|sheets| !sheets.is_empty());
    let can_decide = has_sheets || !board.decisions.is_empty();
    let body = html! {
        h1 { (title) }
        (cup.tabs(Tab::Other))
        p.lead { @for (place, player) in players.iter().enumerate() { @if place > 0 { " – " } (player) } }
        (line([
            Some(html! { a href=(cup.href(&format!("/rounds/{round}"))) { (view.fill("tournament.round", &[("round", &round)])) } }),
            Some(html! { a href=(cup.href("/files")) { (view.say("pile.link")) } }),
        ]))
        @if let Some(refusal) = &shown.refusal { p.notice role="alert" { (refusal) } }
        @if let Some(done) = shown.done { p.hint role="status" { (view.say(done)) } }
        @if board.is_cut { p.note { (view.say("board.not-all")) } }
        @if !has_sheets && board.others.is_empty() { p { (view.say("board.no-records")) } }
        form id=(FORM) action=(cup.href(&format!("/rounds/{round}/boards/{number}"))) method="post" data-resend[can_decide] {
            @if can_decide { (token_field(view)) }
            @for (game, sheets) in board.games.iter().enumerate() { (self::game(cup, board, game, sheets, shown)) }
            (others(view, &board.others))
            @if can_decide {
                section aria-labelledby="decide" {
                    h2 #decide { (view.say("board.decide")) }
                    p {
                        label for="author" { (view.say("board.author")) }
                        input #author name=(AUTHOR) value=(fields.raw(AUTHOR)) maxlength=(Attribution::AUTHOR) autocomplete="name";
                    }
                    (reason_field(view, fields))
                    (decisions(view, &board.decisions))
                }
            }
        }
    };
    (title, body)
}

fn game(cup: &TournamentPage<'_>, board: &BoardSheets, game: usize, sheets: &[Sheet], shown: &PageState) -> Markup {
    let view = cup.view;
    let result = board.board().and_then(|board| board.games.get(game)?.as_ref());
    let is_disputed = are_contradictory(sheets);
    let is_first = board.first_disputed() == Some(game);
    let merged = shown.merged.as_ref().filter(|(of, _)| *of == game).map(|(_, merged)| merged);
    let heading = format!("game-{}", game + 1);
    html! {
        section aria-labelledby=(heading) {
            h2 id=(heading) { @if board.games.len() > 1 { (cup.leg(game)) } @else { (view.say("board.game")) } }
            p { (view.say("records.result")) ": " (cup.result(result)) }
            @if is_disputed { p.notice { (view.say("board.contradicted")) } }
            @if !sheets.is_empty() {
                input type="hidden" name={ (SEEN) "-" (game) } value=(seen(sheets));
                (Columns::of(sheets, merged).table(view, is_disputed, game + 1))
            }
            @if is_first { (proposal(view, game, shown, merged)) }
            @else if is_disputed { p.note { (view.say("board.merge-later")) } }
        }
    }
}

/// The game that explains the sheets best, and the questions that are left.
fn proposal(view: &View, game: usize, shown: &PageState, merged: Option<&MergedSheets<'_>>) -> Markup {
    let form = ChoiceForm { id: FORM, action: None };
    html! {
        @if shown.is_paused { p.hint { (view.say("check.readings.paused")) } }
        @if shown.is_impossible { p.notice { (view.say("check.merged.impossible")) } }
        @if let Some(merged) = merged {
            section aria-labelledby="merged" {
                h3 #merged { (view.say("check.merged")) " " (status(view, merged.verdict.status)) }
                @if let Some(end) = merged.verdict.end { p { (view.say("records.result")) ": " span.result { (end.outcome.as_str()) } } }
                (check::disputed(view, merged, &shown.choice, Some(&form)))
                @if merged.verdict.status == Status::Verified {
                    p { button name=(DO) value={ "merge " (game) } { (view.say("board.merge")) } }
                }
            }
        } @else if !shown.is_paused { p { (view.say("board.not-merged")) } }
    }
}

/// Records side by side: those that count first.
struct Columns<'s> {
    sheets: Vec<&'s Sheet>,
    /// True if records are left out.
    is_cut: bool,
    /// The tokens of each sheet beside each ply; none where it has none.
    rows: Vec<Vec<Option<String>>>,
    /// All plies.
    plies: usize,
}

impl<'s> Columns<'s> {
    fn of(sheets: &'s [Sheet], merged: Option<&MergedSheets<'_>>) -> Self {
        let mut columns: Vec<_> = sheets.iter().filter(|sheet| sheet.is_current()).collect();
        columns.extend(sheets.iter().filter(|sheet| !sheet.is_current()));
        // A decision is about all current ones.
        columns.truncate(COLUMNS.max(sheets.iter().filter(|sheet| sheet.is_current()).count()));
        let is_cut = columns.len() < sheets.len();
        let moves: Vec<_> = columns.iter().map(|sheet| sheet.moves()).collect();
        let plies = moves.iter().map(Vec::len).max().unwrap_or_default();
        // Sheets that were merged are compared with the merged game: one that lacks a ply differs only there.
        let merged = merged.map(|merged| &merged.merged);
        let first = different(sheets);
        let aligned = |column: usize| {
            let place = first.iter().position(|sheet| sheet.card.id == columns[column].card.id)?;
            Some(&merged?.sheets.get(place)?.written)
        };
        let plies = merged.map_or(plies, |merged| plies.max(merged.moves.len()));
        let cell = |ply: usize, column: usize| match aligned(column) {
            Some(written) => moves[column].get((*written.get(ply)?)?).cloned(),
            None => moves[column].get(ply).cloned(),
        };
        let row = |ply: usize| (0..columns.len()).map(|column| cell(ply, column)).collect();
        let rows = (0..plies.min(PLIES)).map(row).collect();
        Self { sheets: columns, is_cut, rows, plies }
    }

    /// True if the current sheets differ at a ply.
    fn differs(&self, row: &[Option<String>]) -> bool {
        let mut current = row.iter().zip(&self.sheets).filter(|(_, sheet)| sheet.is_current()).map(|(cell, _)| cell);
        let first = current.next();
        current.any(|cell| Some(cell) != first)
    }

    fn table(&self, view: &View, is_disputed: bool, number: usize) -> Markup {
        let caption = view.say("board.side-by-side");
        let differing: Vec<_> =
            (1..).zip(&self.rows).filter(|(_, row)| self.differs(row)).map(|(ply, _)| ply).collect();
        let head = html! {
            th scope="col" { (view.say("board.sheet")) }
            @for (index, sheet) in (1..).zip(&self.sheets) {
                th scope="col" { (index) ". " (records::link(view, &sheet.card)) }
            }
        };
        let body = html! {
            tbody { (self.facts(view, is_disputed)) }
            tbody {
                @for (ply, row) in (1_usize..).zip(&self.rows) {
                    @let differs = differing.contains(&ply);
                    tr id={ "ply-" (number) "-" (ply) } {
                        th.number scope="row" { (ply) @if differs { " ≠" } }
                        @for cell in row {
                            td {
                                @match cell {
                                    Some(token) if differs => mark { code { (token) } },
                                    Some(token) => code { (token) },
                                    None if differs => mark { "–" },
                                    None => "–",
                                }
                            }
                        }
                    }
                }
            }
        };
        html! {
            @if !differing.is_empty() {
                p {
                    (view.say("board.differing")) " "
                    @for (place, ply) in differing.iter().take(20).enumerate() {
                        @if place > 0 { ", " }
                        a href={ "#ply-" (number) "-" (ply) } { (ply) }
                    }
                    @if differing.len() > 20 { " …" }
                }
            }
            (captioned_table(caption, &head, &body))
            @if self.is_cut { p.note { (view.fill("board.columns", &[("columns", &COLUMNS)])) } }
            @if self.plies > self.rows.len() { p.note { (view.fill("board.cut", &[("plies", &PLIES)])) } }
        }
    }

    fn facts(&self, view: &View, is_disputed: bool) -> Markup {
        let row = |key: &str, cell: &dyn Fn(&Sheet) -> Markup| {
            html! { tr { th scope="row" { (view.say(key)) } @for sheet in &self.sheets { td { (cell(sheet)) } } } }
        };
        html! {
            (row("records.status", &|sheet| status(view, sheet.card.status)))
            (row("records.state", &|sheet| html! { (records::state(view, sheet.card.state)) }))
            (row("records.result", &|sheet| html! {
                (records::result(&sheet.card).unwrap_or_default())
                @if let (Some(game), Some(points)) = (sheet.card.game, sheet.card.points) {
                    " " span.points { (records::points(view, game, points)) }
                }
            }))
            (row("board.submitted", &|sheet| html! { (sheet.by.submitter) br; (time(sheet.card.at)) }))
            @if is_disputed {
                (row("board.counts", &|sheet| html! {
                    @if sheet.card.state == RecordState::Current && sheet.card.status == Status::Verified {
                        button name=(DO) value=(decide::keep(&sheet.card.id)) aria-label=(view.fill("board.keep-of", &[("title", &records::title(&sheet.card, "")), ("change", &sheet.card.number)])) {
                            (view.say("board.keep"))
                        }
                    } @else { "–" }
                }))
            }
        }
    }
}

/// Records of the players that belong to no game of the board.
fn others(view: &View, sheets: &[Sheet]) -> Markup {
    html! {
        @if !sheets.is_empty() {
            section aria-labelledby="others" {
                h2 #others { (view.say("board.others")) }
                ul.names {
                    @for sheet in sheets {
                        li { (records::link(view, &sheet.card)) " " (status(view, sheet.card.status)) " " span.meta { (records::state(view, sheet.card.state)) } }
                    }
                }
            }
        }
    }
}

/// The decisions about the records, each with a button that undoes it.
fn decisions(view: &View, decisions: &[Change]) -> Markup {
    html! {
        @if !decisions.is_empty() {
            h3 { (view.say("board.decisions")) }
            ul.names {
                @for change in decisions {
                    li {
                        (time(change.at)) " · "
                        (view.say(if change.kind == ChangeKind::Correction { "change.correction" } else { "change.retraction" }))
                        " · " (change.by.author.as_ref().unwrap_or(&change.by.submitter))
                        @if let Some(reason) = &change.by.reason { ": " (reason) }
                        " "
                        @if change.undone_by.is_some() { span.meta { "(" (view.say("board.undone")) ")" } }
                        @else {
                            button.plain name=(DO) value={ "undo " (change.number) } aria-label=(view.fill("board.undo-of", &[("change", &change.number)])) {
                                (view.say("board.undo"))
                            }
                        }
                    }
                }
            }
        }
    }
}
