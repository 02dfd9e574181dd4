//! The form for the results of a round, board by board. Only fields that were changed count, so that organisers with old pages
//! overwrite nothing; and the answer names each board that was not saved.

use maud::{Markup, html};
use quipu_archive::store::StoredTournament;
use quipu_tournament::{
    model::{Board, Change, GameResult, Origin, Outcome, PlayerId, Round, Tally},
    standings::Tiebreaker,
};

use super::{
    super::{
        cup::{Cup, Tab, outcome, page_of},
        parameters::{PLACE, round_of},
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

/// A result that was entered into the form.
struct Entered {
    board: u32,
    game: u32,
    players: [PlayerId; 2],
    /// The result that the form showed.
    before: Option<Outcome>,
    outcome: Option<Outcome>,
    points: Option<[u32; 2]>,
}

/// The result of the form.
#[derive(Default)]
struct Saved {
    refusal: Option<String>,
    done: Option<String>,
    /// Boards with results that were not saved, because others were faster.
    left: Vec<u32>,
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
    let (mut saved, problem) = match try_save(&mut context, &view, round, &fields).await {
        Ok(done) => (Saved { done: Some(done), ..Saved::default() }, None),
        Err(refused) => {
            let (problem, said) = refused.told(&context, &view, &fields);
            (Saved { refusal: Some(said), ..Saved::default() }, Some(problem))
        }
    };
    let stored = context.read_slowly(move |reading| reading.tournament(number)).await?;
    let stored = stored.ok_or_else(|| missing(number))?;
    let paired = stored.tournament.round(round).ok_or_else(|| no_round(&stored, round))?;
    if saved.done.is_some() {
        let is_left = |one: &Entered| result(&stored, round, one).map(|result| result.outcome) != one.outcome;
        saved.left = entered(&fields).iter().filter(|one| is_left(one)).map(|one| one.board).collect();
        saved.left.dedup();
    }
    let kept = if saved.done.is_some() { Fields::default() } else { fields };
    let cup = Cup { view: &view, stored: &stored };
    respond(&context, view.write(&page(&cup, round, paired, first, &kept, &saved)), problem)
}

/// Saves the results, and closes the round if that is asked for. Returns a sentence about it.
async fn try_save(context: &mut RequestContext, view: &View, round: u32, fields: &Fields) -> Result<String, Refused> {
    let number = context.path_number("number");
    let bearer = sign_in(context, fields)?;
    let changed = entered(fields);
    if let Some(one) = changed.iter().find(|one| one.outcome.is_none() && one.before.is_none()) {
        return Err(Refused::Said(view.fill("tournament.points-alone", &[("board", &one.board)])));
    }
    let by = by(context, view, fields, changed.iter().any(|one| one.outcome.is_none()))?;
    let is_closing = fields.raw(DO) == "close";
    let steps = move |stored: &StoredTournament| {
        let mut steps: Vec<_> = changed.iter().filter_map(|one| step(stored, round, one)).collect();
        if is_closing {
            steps.push(Change::Close { round });
        }
        Ok(steps)
    };
    let is_changed = change(context, bearer, number, by, steps).await?;
    let key = match (is_closing, is_changed) {
        (true, _) => "tournament.done.closed",
        (false, true) => "tournament.saved",
        (false, false) => "tournament.nothing-new",
    };
    Ok(view.say(key).to_owned())
}

/// The result of a game as it is stored, for the players of the form.
fn result<'s>(stored: &'s StoredTournament, round: u32, one: &Entered) -> Option<&'s GameResult> {
    let board = stored.tournament.round(round)?.boards.get((one.board as usize).checked_sub(1)?)?;
    board.games.get((one.game as usize).checked_sub(1)?)?.as_ref().filter(|_| board.players == one.players)
}

/// The change that a result makes; none if it is there already, or the game has got another one since the form was sent out.
fn step(stored: &StoredTournament, round: u32, one: &Entered) -> Option<Change> {
    let (board, game) = (one.board, one.game);
    let on_board = stored.tournament.round(round)?.boards.get((board as usize).checked_sub(1)?)?;
    let now = result(stored, round, one);
    if on_board.players != one.players || now.map(|now| now.outcome) != one.before {
        return None;
    }
    let Some(outcome) = one.outcome else { return Some(Change::Clear { round, board, game }) };
    let tally = |points| Tally { points, ..Tally::default() };
    let tallies = one.points.filter(|_| outcome.was_played()).map(|points| points.map(tally));
    let result = GameResult { tallies, ..GameResult::by_arbiter(outcome) };
    (now != Some(&result)).then_some(Change::Result { round, board, game, players: one.players, result })
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
        let points = [fields.number(&at("points1")), fields.number(&at("points2"))];
        let points = if let [Some(one), Some(two)] = points { Some([one, two]) } else { None };
        let (before, outcome) = (outcome("before"), outcome("result"));
        let points_before = fields.text(&at("had")).map(str::to_owned);
        let points_now = points.map(|[one, two]| format!("{one}-{two}"));
        if before != outcome || points_before != points_now {
            found.push(Entered { board, game, players: [one, two], before, outcome, points });
        }
    }
    found
}

fn page(cup: &Cup<'_>, number: u32, round: &Round, first: usize, fields: &Fields, saved: &Saved) -> Page {
    let (view, all) = (cup.view, round.boards.len());
    let name = &cup.tournament().settings.name;
    let title = view.fill("tournament.results-of", &[("name", name), ("round", &number)]);
    let path = cup.path(&format!("/rounds/{number}/results"));
    let at = |first: usize| view.href(&path, &[("board", &(first + 1).to_string())]);
    let left: Vec<_> = saved.left.iter().map(u32::to_string).collect();
    let body = html! {
        h1 { (title) }
        (cup.tabs(Tab::Other))
        p { (cup.state(round)) " · " a href=(cup.href("/organise")) { (view.say("tournament.organise")) } }
        @if let Some(refusal) = &saved.refusal { p.notice role="alert" { (refusal) } }
        @if !left.is_empty() { p.notice role="alert" { (view.fill("tournament.left", &[("boards", &left.join(", "))])) } }
        @if let Some(done) = &saved.done { p.hint role="status" { (done) } }
        @if round.is_closed { p.hint { (view.say("tournament.closed-note")) } } @else {
            form #results action=(at(first)) method="post" data-resend {
                (token_field(view))
                @for (board, index) in round.boards.iter().zip(1_usize..).skip(first).take(BOARDS) { (self::board(cup, board, index, fields)) }
                (reason_field(view, fields))
                p {
                    button name=(DO) value="save" { (view.say("tournament.save")) } " "
                    @if all <= BOARDS { button name=(DO) value="close" { (view.say("tournament.save-and-close")) } }
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
fn board(cup: &Cup<'_>, board: &Board, number: usize, fields: &Fields) -> Markup {
    let tournament = cup.tournament();
    let [one, two] = board.players.map(|id| tournament.name(id));
    html! {
        fieldset.board-results {
            legend { (number) ". " (one) " – " (two) }
            input type="hidden" name={ "players-" (number) } value={ (board.players[0].0) "-" (board.players[1].0) };
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

/// The fields of a game, which has no record.
fn game(
    cup: &Cup<'_>,
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
    let sent =
        |name: &str, stored: String| if fields.has(&at(name)) { fields.raw(&at(name)).to_owned() } else { stored };
    let chosen = sent("result", before.clone());
    let points = result.and_then(|result| result.tallies).map(|tallies| tallies.map(|tally| tally.points.to_string()));
    let had = points.as_ref().map(|points| points.join("-"));
    let (first, side) = (names[0], cup.side(Board::side(0, index)));
    let id = at("result");
    html! {
        p {
            label for=(id) {
                @if board.games.len() > 1 { (cup.leg(index)) " · " }
                (view.fill("tournament.has-side", &[("player", &first), ("side", &side)]))
            }
            input type="hidden" name=(at("before")) value=(before);
            select id=(id) name=(id) {
                option value="" { "–" }
                @for (value, one) in Outcome::ALL.into_iter().enumerate() {
                    option value=(value) selected[chosen == value.to_string()] { (outcome(view, one, names)) }
                }
            }
        }
        @if counts_points(cup) {
            @if let Some(had) = had { input type="hidden" name=(at("had")) value=(had); }
            p.points-of {
                @for (player, name) in ["points1", "points2"].into_iter().enumerate() {
                    @let own = names[player];
                    @let stored = points.as_ref().map(|points| points[player].clone()).unwrap_or_default();
                    label for=(at(name)) { (view.fill("tournament.points-of", &[("player", &own)])) }
                    input id=(at(name)) name=(at(name)) type="number" min="0" value=(sent(name, stored));
                }
            }
        }
    }
}

/// True if points of games decide something.
fn counts_points(cup: &Cup<'_>) -> bool {
    let by_points = |one: &Tiebreaker| matches!(one, Tiebreaker::Points | Tiebreaker::PointsWithBonus);
    cup.tournament().tie_breaks.iter().any(by_points)
}
