//! The parts that all pages of a tournament share: addresses, names, and the words of settings and results.

use maud::{Markup, html};
use quipu_archive::store::{StoredTournament, TournamentChange};
use quipu_notation::Side;
use quipu_referee::report::hex;
use quipu_tournament::{
    fault::{self, Fault},
    messages::catalog,
    model::{Board, Bye, Encounter, GameOutcome, GameResult, Origin, PlayerId, Round, System, Tournament},
    records::{Misfit, Place},
    standings::TournamentTieBreak,
};

use super::parameters::{PATH, ROWS};
use crate::{
    pages::frame::{Page, View, fraction, short},
    problem::{HandlerResult, Problem},
    request::RequestContext,
    routes::tournaments::{self, GamesInProgress},
};

/// A tournament, and the view of its page.
pub(super) struct TournamentPage<'c> {
    pub(super) view: &'c View,
    pub(super) stored: &'c StoredTournament,
}

/// A page of a tournament in the navigation among them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Round,
    Standings,
    Other,
}

impl TournamentPage<'_> {
    pub(super) fn tournament(&self) -> &Tournament {
        &self.stored.tournament
    }

    /// The path of a page below that of the tournament.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("{PATH}/{}{rest}", self.stored.number)
    }

    /// The address of such a page.
    pub(super) fn href(&self, rest: &str) -> String {
        self.view.href(&self.path(rest), &[])
    }

    /// The number of the last paired round; 0 before the first.
    pub(super) fn last_round(&self) -> u32 {
        self.tournament().next_round() - 1
    }

    pub(super) fn tabs(&self, current: Tab) -> Markup {
        let last = self.last_round();
        let round = (last > 0)
            .then(|| (Tab::Round, format!("/rounds/{last}"), self.view.fill("tournament.round", &[("round", &last)])));
        let say = |key| self.view.say(key).to_owned();
        let tabs = [
            Some((Tab::Overview, String::new(), say("tournament.overview"))),
            round,
            Some((Tab::Standings, "/standings".to_owned(), say("event.standings"))),
            Some((Tab::Other, "/screen".to_owned(), say("tournament.screen"))),
        ];
        html! {
            nav.tabs aria-label=(self.view.say("tournament.pages")) {
                ul {
                    @for (tab, rest, words) in tabs.into_iter().flatten() {
                        @let is_current = tab == current && tab != Tab::Other;
                        li { a href=(self.href(&rest)) aria-current=[is_current.then_some("page")] { (words) } }
                    }
                }
            }
        }
    }

    /// The address of a file of the tournament.
    pub(super) fn file(&self, rest: &str, query: &[(&str, &str)]) -> String {
        self.view.href_in_language(&format!("/v1{}", self.path(rest)), query)
    }

    /// The links to the workbook and the crosstable.
    pub(super) fn files(&self) -> Markup {
        html! {
            li { a href=(self.file("/workbook.xlsx", &[])) download { (self.view.say("tournament.workbook")) } }
            li { a href=(self.file("/crosstable.pdf", &[])) { (self.view.say("tournament.wall-chart")) } }
        }
    }

    /// A player with a link to the card.
    pub(super) fn name(&self, player: PlayerId) -> Markup {
        html! { a href=(self.href(&format!("/players/{player}"))) { (self.tournament().name(player)) } }
    }

    /// The name of a side in this game.
    pub(super) fn side(&self, side: Side) -> &'static str {
        self.stored.game.side(side).tag
    }

    /// The heading of a column of players: their side, or the one of the first game.
    pub(super) fn side_heading(&self, side: Side) -> String {
        let side = self.side(side);
        match self.tournament().settings.encounter.games() {
            1 => side.to_owned(),
            _ => self.view.fill("tournament.begins", &[("side", &side)]),
        }
    }

    /// The heading of the column of a player's sides.
    pub(super) fn side_column(&self) -> &'static str {
        let is_one = self.tournament().settings.encounter.games() == 1;
        self.view.say(if is_one { "tournament.side" } else { "tournament.first-side" })
    }

    pub(super) fn system(&self) -> String {
        system(self.view, self.tournament().settings.system)
    }

    pub(super) fn encounter(&self) -> String {
        encounter_words(self.view, self.tournament().settings.encounter)
    }

    /// The tie-breaks in their order.
    pub(super) fn tie_breaks(&self) -> String {
        let order = TournamentTieBreak::shown(&self.tournament().tie_breaks);
        order.iter().map(|one| tie_break(self.view, *one)).collect::<Vec<_>>().join(", ")
    }

    /// A time control in words.
    pub(super) fn time(&self, seconds: impl Into<u64>) -> String {
        let seconds = seconds.into();
        match (seconds / 60, seconds % 60) {
            (minutes, 0) => self.view.fill("tournament.minutes", &[("minutes", &minutes)]),
            _ => self.view.fill("tournament.seconds", &[("seconds", &seconds)]),
        }
    }

    /// The kind of a bye, with its score.
    pub(super) fn bye(&self, bye: Bye) -> String {
        let score = fraction(bye.score(self.tournament().settings.bye));
        let key = if bye == Bye::Allocated { "tournament.bye.allocated" } else { "tournament.bye" };
        format!("{} ({score})", self.view.say(key))
    }

    /// The results of the games of a board, each with a link to its record.
    pub(super) fn results(&self, board: &Board) -> Markup {
        html! {
            @for (game, result) in board.games.iter().enumerate() {
                @if board.games.len() > 1 { span.leg { (self.leg(game)) ": " } }
                (self.result(result.as_ref()))
                @if game + 1 < board.games.len() { br; }
            }
        }
    }

    /// The name of a game of an encounter, counted from 0.
    pub(super) fn leg(&self, game: usize) -> String {
        match (self.tournament().settings.encounter, game) {
            (Encounter::TwoLegs, 0) => self.view.say("tournament.leg.first").to_owned(),
            (Encounter::TwoLegs, _) => self.view.say("tournament.leg.second").to_owned(),
            _ => self.view.fill("tournament.leg", &[("game", &(game + 1))]),
        }
    }

    /// A game of a board with its players, as a link to the page of the board.
    pub(super) fn place(&self, Place { round, board, game }: Place) -> Markup {
        let on_board = self.tournament().round(round).and_then(|round| round.board(board));
        let names = on_board.map(|board| board.players.map(|id| self.tournament().name(id)).join(" – "));
        let is_leg = self.tournament().settings.encounter.games() > 1;
        html! {
            a href=(self.href(&format!("/rounds/{round}/boards/{board}"))) {
                (self.view.fill("tournament.place", &[("round", &round), ("board", &board)]))
            }
            @if is_leg { ", " (self.leg(game as usize - 1)) }
            @if let Some(names) = names { ": " (names) }
        }
    }

    /// A result for the players of the board in their order, with a link to its record.
    pub(super) fn result(&self, result: Option<&GameResult>) -> Markup {
        let Some(result) = result else { return html! { "–" } };
        let [one, two] = result.outcome.scores().map(fraction);
        let points = result.tallies.map(|tallies| tallies.map(|tally| tally.points));
        let score = html! { span.result { (one) "–" (two) } };
        html! {
            @match &result.origin {
                Origin::Record(id) => { a href=(self.view.href(&format!("/records/{id}"), &[])) { (score) } },
                Origin::Arbiter => (score),
            }
            @if let Some([one, two]) = points { " " span.points { "(" (one) "–" (two) ")" } }
            @if !result.outcome.was_played() { " " span.meta { (self.view.say("tournament.forfeit")) } }
            @else if result.origin == Origin::Arbiter { " " span.meta { (self.view.say("tournament.by-arbiter")) } }
        }
    }

    /// The score of a board, once all its games have a result.
    pub(super) fn score(&self, board: &Board) -> Option<[String; 2]> {
        board.result(self.tournament().settings.encounter).map(|result| result.scores.map(fraction))
    }

    /// The boards of a round without all results, counted from 1.
    pub(super) fn missing(&self, round: &Round) -> Vec<usize> {
        let encounter = self.tournament().settings.encounter;
        let boards = round.boards.iter().zip(1..);
        boards.filter(|(board, _)| board.result(encounter).is_none()).map(|(_, number)| number).collect()
    }

    /// The state of a round in words.
    pub(super) fn state(&self, round: &Round) -> String {
        let missing = self.missing(round).len();
        match (round.is_closed, missing) {
            (true, _) => self.view.say("tournament.closed").to_owned(),
            (false, 0) => self.view.say("tournament.complete").to_owned(),
            (false, missing) => self.view.fill("tournament.open", &[("missing", &missing)]),
        }
    }

    pub(super) fn sentence(&self, fault: &Fault) -> String {
        catalog().fault(fault, self.view.lang)
    }

    /// Records that give no result, or replace one, with the reasons: those of a round, or all.
    pub(super) fn misfits(&self, round: Option<u32>) -> Markup {
        let is_of = |misfit: &&Misfit| {
            let named = misfit.fault.facts.iter().find(|(name, _)| *name == "round");
            round.is_none_or(|round| named.is_some_and(|(_, value)| *value == round.to_string()))
        };
        let found: Vec<_> = self.stored.bindings.misfits.iter().filter(is_of).collect();
        html! {
            @if !found.is_empty() {
                section aria-labelledby="misfits" {
                    h2 #misfits { (self.view.say("tournament.misfits")) }
                    ul.names {
                        @for misfit in found.iter().take(ROWS) {
                            @let id = hex(&misfit.record);
                            li { a href=(self.view.href(&format!("/records/{id}"), &[])) { (short(&id)) } " " (self.sentence(&misfit.fault)) " " (self.settle(&misfit.fault)) }
                        }
                    }
                }
            }
        }
    }

    /// A link to the page of the board where records contradict each other.
    fn settle(&self, fault: &Fault) -> Markup {
        let fact = |name: &str| fault.facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        let place = fact("round").zip(fact("board")).filter(|_| fault.code == fault::CONTRADICTED);
        html! {
            @if let Some((round, board)) = place {
                a href=(self.href(&format!("/rounds/{round}/boards/{board}"))) { (self.view.say("board.compare")) }
            }
        }
    }

    /// A note under a table that does not show all its rows.
    pub(super) fn cut(&self, shown: usize, all: usize) -> Markup {
        html! {
            @if all > shown {
                p.note {
                    (self.view.fill("tournament.cut", &[("shown", &shown), ("rows", &all)])) " "
                    a href=(self.view.with_query("all", "yes")) { (self.view.say("tournament.all-rows")) }
                }
            }
        }
    }
}

/// A system in words.
pub(super) fn system(view: &View, system: System) -> String {
    let name = view.say(match system {
        System::Swiss { .. } => "tournament.system.swiss",
        System::RoundRobin { .. } => "tournament.system.round-robin",
        System::Knockout { .. } => "tournament.system.knockout",
        System::Manual => "tournament.system.manual",
    });
    let variant = match system {
        System::Swiss { accelerated: true } => "tournament.system.accelerated",
        System::RoundRobin { double: true } => "tournament.system.double",
        System::Knockout { third_place: true } => "tournament.system.third-place",
        _ => return name.to_owned(),
    };
    format!("{name}, {}", view.say(variant))
}

/// A kind of encounters in words.
pub(super) fn encounter_words(view: &View, encounter: Encounter) -> String {
    match encounter {
        Encounter::Single => view.say("tournament.encounter.single").to_owned(),
        Encounter::TwoLegs => view.say("tournament.encounter.two-legs").to_owned(),
        Encounter::Games { count } => view.fill("tournament.encounter.games", &[("count", &count)]),
    }
}

/// A tie-break in words.
pub(super) fn tie_break(view: &View, tie_break: TournamentTieBreak) -> &'static str {
    catalog().word(tie_break.word(), view.lang)
}

/// An outcome in words, with the names of the players of the board.
pub(super) fn outcome(view: &View, outcome: GameOutcome, [one, two]: [&str; 2]) -> String {
    match outcome {
        GameOutcome::First => view.fill("tournament.outcome.wins", &[("player", &one)]),
        GameOutcome::Second => view.fill("tournament.outcome.wins", &[("player", &two)]),
        GameOutcome::Draw => view.say("tournament.outcome.draw").to_owned(),
        GameOutcome::ForfeitToFirst => view.fill("tournament.outcome.forfeit", &[("player", &one), ("absent", &two)]),
        GameOutcome::ForfeitToSecond => view.fill("tournament.outcome.forfeit", &[("player", &two), ("absent", &one)]),
        GameOutcome::DoubleForfeit => view.say("tournament.outcome.nobody").to_owned(),
    }
}

/// Responds with a text about the tournament in the path and its games that are being scored.
pub(super) async fn cup_of(
    context: &RequestContext,
    write: impl FnOnce(&TournamentPage<'_>, &GamesInProgress) -> Result<String, Problem> + Send + 'static,
) -> HandlerResult {
    tournaments::shown_with_games(context, with_games(context, write)).await
}

/// The same of the tournament and its games as they are now, which clients do not keep.
pub(super) async fn cup_now(
    context: &RequestContext,
    write: impl FnOnce(&TournamentPage<'_>, &GamesInProgress) -> Result<String, Problem> + Send + 'static,
) -> HandlerResult {
    tournaments::shown_now(context, with_games(context, write)).await
}

fn with_games(
    context: &RequestContext,
    write: impl FnOnce(&TournamentPage<'_>, &GamesInProgress) -> Result<String, Problem> + Send + 'static,
) -> impl FnOnce(&StoredTournament, &GamesInProgress) -> Result<Vec<u8>, Problem> + Send + 'static {
    let view = View::of(context);
    move |stored, games| Ok(write(&TournamentPage { view: &view, stored }, games)?.into_bytes())
}

/// Responds with a page about the tournament in the path, and the changes of its tie-breaks.
pub(super) async fn page_with_orders(
    context: &RequestContext,
    page: impl FnOnce(&TournamentPage<'_>, &[TournamentChange]) -> Result<Page, Problem> + Send + 'static,
) -> HandlerResult {
    let view = View::of(context);
    let write = move |stored: &StoredTournament, orders: &Vec<TournamentChange>| {
        let page = page(&TournamentPage { view: &view, stored }, orders)?;
        Ok(view.write(&page).into_bytes())
    };
    tournaments::shown_with_orders(context, write).await
}

/// Responds with a page about the tournament in the path.
pub(super) async fn page_of(
    context: &RequestContext,
    page: impl FnOnce(&TournamentPage<'_>) -> Result<Page, Problem> + Send + 'static,
) -> HandlerResult {
    let view = View::of(context);
    let write = move |stored: &StoredTournament| {
        let page = page(&TournamentPage { view: &view, stored })?;
        Ok(view.write(&page).into_bytes())
    };
    tournaments::shown(context, write).await
}
