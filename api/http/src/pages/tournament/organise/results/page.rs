//! The page of the results of a round.

use maud::{Markup, html};
use quipu_tournament::{
    messages::catalog,
    model::{Board, GameOutcome, GameResult, Origin, Round},
};

use super::{
    super::{
        super::{
            parameters::PLACE,
            tournament_page::{Tab, TournamentPage, outcome},
        },
        fields::{DO, Fields, SCRIPTS, reason_field, token_field},
    },
    entered::{points_of, points_text},
};
use crate::pages::frame::Page;

/// Boards of a page.
const BOARDS: usize = 50;
/// Values of the buttons of the form.
pub(super) const SAVE: &str = "save";
pub(super) const CLOSE: &str = "close";

#[derive(Default)]
pub(super) struct Saved {
    pub(super) refusal: Option<String>,
    pub(super) done: Option<&'static str>,
    /// Boards with results that were not saved, because others were faster.
    pub(super) left: Vec<u32>,
    /// True if the round was to be closed and is still open.
    pub(super) is_open: bool,
}

pub(super) fn page(
    cup: &TournamentPage<'_>,
    number: u32,
    round: &Round,
    first: usize,
    fields: &Fields,
    saved: &Saved,
) -> Page {
    let (view, all) = (cup.view, round.boards.len());
    let name = &cup.tournament().settings.name;
    let title = view.fill("tournament.results-of", &[("name", name), ("round", &number)]);
    let path = cup.path(&format!("/rounds/{number}/results"));
    let at = |first: usize| view.href(&path, &[("board", &(first + 1).to_string())]);
    let left: Vec<_> = saved.left.iter().map(u32::to_string).collect();
    let what = catalog().word(if left.len() == 1 { "board.one" } else { "board.several" }, view.lang);
    let body = html! {
        h1 { (title) }
        (cup.tabs(Tab::Other))
        p { (cup.state(round)) " · " a href=(cup.href("/organise")) { (view.say("tournament.organise")) } }
        @if let Some(refusal) = &saved.refusal { p.notice role="alert" { (refusal) } }
        @if !left.is_empty() {
            p.notice role="alert" {
                (view.fill("tournament.left", &[("what", &what), ("boards", &left.join(", "))]))
                @if saved.is_open { " " (view.say("tournament.still-open")) }
            }
        }
        @if let Some(done) = &saved.done { p.hint role="status" { (done) } }
        @if round.is_closed { p.hint { (view.say("tournament.closed-note")) } } @else {
            form #results action=(at(first)) method="post" data-resend {
                (token_field(view))
                @if cup.stored.counts_points() { p.note { (view.say("tournament.needs-points")) } }
                @for (board, index) in round.boards.iter().zip(1_usize..).skip(first).take(BOARDS) { (self::board(cup, board, index, fields)) }
                (reason_field(view, fields))
                p.line {
                    button name=(DO) value=(SAVE) { (view.say("tournament.save")) }
                    @if all <= BOARDS { button name=(DO) value=(CLOSE) { (view.say("tournament.save-and-close")) } }
                }
            }
        }
        @if all > BOARDS {
            nav.tabs aria-label=(view.say("tournament.boards")) {
                ul {
                    @for start in (0..all).step_by(BOARDS) {
                        li { a href=(at(start)) aria-current=[(start == first).then_some("page")] { (start + 1) "–" (all.min(start + BOARDS)) } }
                    }
                }
            }
        }
    };
    Page { scripts: SCRIPTS, ..Page::new(title.clone(), PLACE, body) }
}

fn board(cup: &TournamentPage<'_>, board: &Board, number: usize, fields: &Fields) -> Markup {
    let tournament = cup.tournament();
    let [one, two] = board.players.map(|id| tournament.name(id));
    let (name, players) = (format!("players-{number}"), board.players.map(|id| id.to_string()).join("-"));
    // Results for other players are not those of this board.
    let none = Fields::default();
    let fields = if fields.raw(&name) == players { fields } else { &none };
    html! {
        fieldset.board-results {
            legend { (number) ". " (one) " – " (two) }
            input type="hidden" name=(name) value=(players);
            @for (index, result) in board.games.iter().enumerate() {
                @match result {
                    Some(GameResult { origin: Origin::Record(_), .. }) => {
                        p { (cup.leg(index)) ": " (cup.result(result.as_ref())) }
                    }
                    result => (game(cup, board, number, index, result.as_ref(), fields)),
                }
            }
        }
    }
}

/// The fields of a game, which has no record. A refused form still says what it showed before: that is what was changed.
fn game(
    cup: &TournamentPage<'_>,
    board: &Board,
    number: usize,
    index: usize,
    result: Option<&GameResult>,
    fields: &Fields,
) -> Markup {
    let (view, tournament) = (cup.view, cup.tournament());
    let names = board.players.map(|id| tournament.name(id));
    let at = |name: &str| format!("{name}-{number}-{}", index + 1);
    let place = |outcome: GameOutcome| GameOutcome::ALL.iter().position(|one| *one == outcome);
    let before = result.and_then(|result| place(result.outcome)).map(|place| place.to_string()).unwrap_or_default();
    let sent = |name: &str, stored: &String| fields.sent_or(&at(name), stored);
    let chosen = sent("result", &before);
    let points = result.and_then(points_of).map(|points| points.map(|points| points.to_string())).unwrap_or_default();
    let (first, side) = (names[0], cup.side(Board::side(0, index)));
    let id = at("result");
    html! {
        p {
            label for=(id) {
                @if board.games.len() > 1 { (cup.leg(index)) " · " }
                (view.fill("tournament.has-side", &[("player", &first), ("side", &side)]))
            }
            input type="hidden" name=(at("before")) value=(sent("before", &before));
            select id=(id) name=(id) {
                option value="" { "–" }
                @for (value, one) in GameOutcome::ALL.into_iter().enumerate() {
                    option value=(value) selected[chosen == value.to_string()] { (outcome(view, one, names)) }
                }
            }
        }
        @if let Some(rule) = cup.stored.point_rule().filter(|_| tournament.counts_points()) {
            @let [_, most] = rule.sums();
            input type="hidden" name=(at("had")) value=(sent("had", &points_text(result)));
            p.points-of {
                @for (player, name) in ["points1", "points2"].into_iter().enumerate() {
                    @let own = names[player];
                    label for=(at(name)) { (view.fill("tournament.points-of", &[("player", &own)])) }
                    input id=(at(name)) name=(at(name)) type="number" min="0" max=(most) value=(sent(name, &points[player]));
                }
            }
        }
    }
}
