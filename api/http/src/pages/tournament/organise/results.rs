//! The form for the results of a round, board by board. Only fields that were changed count, so that organisers with old pages
//! overwrite nothing; and the response names each board that was not saved.

use maud::{Markup, html};
use quipu_archive::store::StoredTournament;
use quipu_tournament::{
    messages::catalog,
    model::{Board, Change, GameResult, MAX_POINTS, Origin, Outcome, PlayerId, Round, Tally},
    standings::TieBreak,
};

use super::{
    super::{
        parameters::{PLACE, round_of},
        tournament_page::{Tab, TournamentPage, outcome, page_of},
    },
    change::{Refused, by, change, respond, sign_in},
    fields::{BOARD, DO, Fields, SCRIPTS, reason_field, token_field},
};
use crate::{
    pages::frame::{Page, View},
    problem::HandlerResult,
    request::RequestContext,
    routes::tournaments::{missing, no_round},
};

/// Boards of a page.
const BOARDS: usize = 50;
/// The buttons.
const SAVE: &str = "save";
const CLOSE: &str = "close";

/// A result that was entered into the form.
#[derive(Clone)]
struct Entered {
    board: u32,
    game: u32,
    players: [PlayerId; 2],
    /// The outcome that the form showed.
    before: Option<Outcome>,
    /// The points that it showed, if it has fields for them.
    had: Option<String>,
    outcome: Option<Outcome>,
    /// The points; an error if they cannot be those of this outcome.
    points: Result<Option<[u32; 2]>, ()>,
}

/// The result of the form.
#[derive(Default)]
struct Saved {
    refusal: Option<String>,
    done: Option<&'static str>,
    /// Boards with results that were not saved, because others were faster.
    left: Vec<u32>,
    /// True if the round was to be closed and is still open.
    is_open: bool,
}

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let (number, first) = (round_of(&context).unwrap_or_default(), first_board(&context));
    page_of(&context, move |cup| {
        let round = cup.tournament().round(number).ok_or_else(|| no_round(cup.stored, number))?;
        Ok(page(cup, number, round, first, &Fields::default(), &Saved::default()))
    })
    .await
}

/// The index of the first board of the page.
fn first_board(context: &RequestContext) -> usize {
    context.number(BOARD.name).and_then(|board| usize::try_from(board - 1).ok()).unwrap_or_default()
}

pub(super) async fn save(mut context: RequestContext) -> HandlerResult {
    let (view, fields) = (View::of(&context), Fields::of(&mut context).await?);
    let (number, round, first) =
        (context.path_number("number"), round_of(&context).unwrap_or_default(), first_board(&context));
    let entered = entered(&fields);
    let tried = try_save(&mut context, &view, round, &fields, &entered).await;
    let stored = context.read_slowly(move |reading| reading.tournament(number)).await?;
    let stored = stored.ok_or_else(|| missing(number))?;
    let paired = stored.tournament.round(round).ok_or_else(|| no_round(&stored, round))?;
    let is_done = tried.is_ok();
    let is_left = |one: &&Entered| !has_players(&stored, round, one) || is_done && !is_there(&stored, round, one);
    let mut left: Vec<_> = entered.iter().filter(is_left).map(|one| one.board).collect();
    left.dedup();
    let (saved, problem) = match tried {
        Ok(is_changed) => {
            let is_closing = fields.raw(DO) == CLOSE;
            let key = match (is_closing && paired.is_closed, is_changed) {
                (true, _) => "tournament.done.closed",
                (false, true) => "tournament.saved",
                (false, false) => "tournament.nothing-new",
            };
            let is_open = is_closing && !paired.is_closed;
            (Saved { done: Some(view.say(key)), left, is_open, ..Saved::default() }, None)
        }
        Err(refused) => {
            let (problem, said) = refused.told(&context, &view, &fields);
            (Saved { refusal: Some(said), left, ..Saved::default() }, Some(problem))
        }
    };
    let kept = if is_done { Fields::default() } else { fields };
    let cup = TournamentPage { view: &view, stored: &stored };
    respond(&context, view.write(&page(&cup, round, paired, first, &kept, &saved)), problem)
}

/// Saves the results, and closes the round if that is asked for and none of them is left. Returns false if there is nothing to do.
async fn try_save(
    context: &mut RequestContext,
    view: &View,
    round: u32,
    fields: &Fields,
    entered: &[Entered],
) -> Result<bool, Refused> {
    let number = context.path_number("number");
    let is_closing = match fields.raw(DO) {
        SAVE => false,
        CLOSE => true,
        _ => return Err(Refused::Said(view.say("tournament.no-button").to_owned())),
    };
    let bearer = sign_in(context, fields)?;
    for one in entered {
        let wrong = |key| Err(Refused::Said(view.fill(key, &[("board", &one.board), ("max", &MAX_POINTS)])));
        match one.points {
            Err(()) => return wrong("tournament.points-wrong"),
            Ok(_) if one.outcome.is_none() && one.before.is_none() => return wrong("tournament.points-alone"),
            Ok(_) => {}
        }
    }
    let by = by(context, view, fields, entered.iter().any(|one| one.outcome.is_none()))?;
    let entered = entered.to_vec();
    let steps = move |stored: &StoredTournament| {
        let is_left = |one: &Entered| !is_there(stored, round, one) && step(stored, round, one).is_none();
        let mut steps: Vec<_> = entered.iter().filter_map(|one| step(stored, round, one)).collect();
        let is_open = stored.tournament.round(round).is_none_or(|round| !round.is_closed);
        if is_closing && is_open && !entered.iter().any(is_left) {
            steps.push(Change::Close { round });
        }
        Ok(steps)
    };
    change(context, bearer, number, by, steps).await
}

/// The board of a result.
fn board_of<'s>(stored: &'s StoredTournament, round: u32, one: &Entered) -> Option<&'s Board> {
    stored.tournament.round(round)?.board(one.board)
}

/// True if the board has the players of the form.
fn has_players(stored: &StoredTournament, round: u32, one: &Entered) -> bool {
    board_of(stored, round, one).is_some_and(|board| board.players == one.players)
}

/// The result of the game as it is stored.
fn result<'s>(stored: &'s StoredTournament, round: u32, one: &Entered) -> Option<&'s GameResult> {
    board_of(stored, round, one)?.games.get((one.game as usize).checked_sub(1)?)?.as_ref()
}

/// True if the game, of the same players, has the result that was entered.
fn is_there(stored: &StoredTournament, round: u32, one: &Entered) -> bool {
    let now = result(stored, round, one);
    let same_points = || Ok(now.and_then(points_of)) == one.points;
    has_players(stored, round, one) && now.map(|now| now.outcome) == one.outcome && (one.had.is_none() || same_points())
}

/// The change that a result makes; none if it is there already, or the game is not as the form showed it.
fn step(stored: &StoredTournament, round: u32, one: &Entered) -> Option<Change> {
    let (board, game, now) = (one.board, one.game, result(stored, round, one));
    let had_points = one.had.as_ref().is_none_or(|had| *had == points_text(now));
    if !has_players(stored, round, one) || now.map(|now| now.outcome) != one.before || !had_points {
        return None;
    }
    let Some(outcome) = one.outcome else { return Some(Change::Clear { round, board, game }) };
    let tally = |points| Tally { points, ..Tally::default() };
    let tallies = one.points.ok()?.map(|points| points.map(tally));
    let result = GameResult { tallies, ..GameResult::by_arbiter(outcome) };
    (now != Some(&result)).then_some(Change::Result { round, board, game, players: one.players, result })
}

fn points_of(result: &GameResult) -> Option<[u32; 2]> {
    result.tallies.map(|tallies| tallies.map(|tally| tally.points))
}

/// The same as the form says them back: `31-24`, or nothing.
fn points_text(result: Option<&GameResult>) -> String {
    result.and_then(points_of).map(|[one, two]| format!("{one}-{two}")).unwrap_or_default()
}

/// The results that were changed in the form.
fn entered(fields: &Fields) -> Vec<Entered> {
    let mut found = Vec::new();
    for (board, game) in fields.places() {
        let at = |name: &str| format!("{name}-{board}-{game}");
        let outcome = |name: &str| fields.number::<usize>(&at(name)).and_then(|index| Outcome::ALL.get(index).copied());
        let players = fields.text(&format!("players-{board}")).and_then(|text| text.split_once('-'));
        let player = |text: &str| text.parse().map(PlayerId).ok();
        let Some((Some(one), Some(two))) = players.map(|(one, two)| (player(one), player(two))) else { continue };
        let (before, outcome) = (outcome("before"), outcome("result"));
        let had = fields.has(&at("points1")).then(|| fields.raw(&at("had")).to_owned());
        let points = ["points1", "points2"].map(|name| fields.raw(&at(name)).trim().to_owned());
        let written = if points.iter().all(String::is_empty) { String::new() } else { points.join("-") };
        if before != outcome || had.as_ref().is_some_and(|had| *had != written) {
            let points = match outcome {
                // Points go with the result.
                None if before.is_some() => Ok(None),
                _ => read_points(&points, outcome),
            };
            found.push(Entered { board, game, players: [one, two], before, had, outcome, points });
        }
    }
    found
}

/// The points in two fields, which may both be empty.
fn read_points([one, two]: &[String; 2], outcome: Option<Outcome>) -> Result<Option<[u32; 2]>, ()> {
    if one.is_empty() && two.is_empty() {
        return Ok(None);
    }
    let number = |text: &str| text.parse().ok().filter(|points| *points <= MAX_POINTS).ok_or(());
    let was_played = outcome.is_none_or(Outcome::was_played);
    if was_played { Ok(Some([number(one)?, number(two)?])) } else { Err(()) }
}

fn page(cup: &TournamentPage<'_>, number: u32, round: &Round, first: usize, fields: &Fields, saved: &Saved) -> Page {
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
                @for (board, index) in round.boards.iter().zip(1_usize..).skip(first).take(BOARDS) { (self::board(cup, board, index, fields)) }
                (reason_field(view, fields))
                p {
                    button name=(DO) value=(SAVE) { (view.say("tournament.save")) } " "
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

/// The fields of a board.
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
    let place = |outcome: Outcome| Outcome::ALL.iter().position(|one| *one == outcome);
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
                @for (value, one) in Outcome::ALL.into_iter().enumerate() {
                    option value=(value) selected[chosen == value.to_string()] { (outcome(view, one, names)) }
                }
            }
        }
        @if counts_points(cup) {
            input type="hidden" name=(at("had")) value=(sent("had", &points_text(result)));
            p.points-of {
                @for (player, name) in ["points1", "points2"].into_iter().enumerate() {
                    @let own = names[player];
                    label for=(at(name)) { (view.fill("tournament.points-of", &[("player", &own)])) }
                    input id=(at(name)) name=(at(name)) type="number" min="0" max=(MAX_POINTS) value=(sent(name, &points[player]));
                }
            }
        }
    }
}

/// True if points of games decide something.
fn counts_points(cup: &TournamentPage<'_>) -> bool {
    let by_points = |one: &TieBreak| matches!(one, TieBreak::Points | TieBreak::PointsWithBonus);
    cup.tournament().tie_breaks.iter().any(by_points)
}
