//! The page of a game of a board, which the code of its scoresheet opens: names, event, round and clock are set, and one press
//! begins to score. It is below the path of the pages that a device keeps.

use maud::{Markup, html};
use quipu_archive::{
    model::{Live, Number, ScoreAddress, players_text},
    store::Store,
};
use quipu_notation::{
    Side,
    record::{Chunk, Format},
};
use quipu_referee::{Referee, games};
use quipu_tournament::model::{Board, GameResult, MAX_GAMES, RoundGame};
use serde_json::{Map, Value};

use super::{
    parameters::{ROUND, round_of},
    tournament_page::{TournamentPage, cup_now},
};
use crate::{
    pages::{
        frame::line,
        score::{DESK, PATH, messages, start, whole},
    },
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::Route,
    routes::{
        shared::{LANG, NUMBER, PAGE},
        tournaments::{BOARD, GamesInProgress, board, no_round, small},
    },
};

const LEG: Param = Param::path("leg", Kind::Between(1, MAX_GAMES as i64));
/// The players for whom the code was printed, side 1 first: `7-12`.
const PLAYERS: Param = Param::query("players", Kind::Key(20));

pub(super) const ROUTE: Route = Route {
    path: "/keep/{number}/{round}/{board}/{leg}",
    id: "page-keep-board",
    params: &[NUMBER, ROUND, BOARD, LEG, PLAYERS, LANG],
    problems: &[problem::NOT_FOUND],
    volatile: true,
    ..PAGE
};

pub(super) async fn show(context: RequestContext) -> HandlerResult {
    let round = round_of(&context).unwrap_or_default();
    let [number, leg] = [BOARD.name, LEG.name].map(|name| small(&context, name).unwrap_or_default());
    let (meant, store) = (context.text(PLAYERS.name).map(str::to_owned), context.store().clone());
    cup_now(&context, move |cup, games| {
        let paired = cup.tournament().round(round).ok_or_else(|| no_round(cup.stored, round))?;
        let board = paired.board(number).ok_or_else(|| board::missing(cup.stored, round, number))?;
        let game = cup
            .tournament()
            .games_of(round)
            .into_iter()
            .find(|game| game.board == number && game.leg.unwrap_or(1) == leg);
        let game = game.ok_or_else(|| {
            let problem = Problem::variant(problem::NOT_FOUND, "tournament-leg").with("found", leg);
            problem.with("board", number).with("round", round)
        })?;
        let referee = games::find(cup.stored.game.id).ok_or_else(|| Problem::new(problem::INTERNAL))?;
        let page = BoardGame { cup, referee, round, board, game, leg };
        let state = if meant.is_some_and(|meant| meant != players_text(page.game.ids)) {
            State::OtherPlayers
        } else if let Some(result) = &board.games[leg as usize - 1] {
            State::Decided(result)
        } else {
            match page.in_progress(games, &store)? {
                Some(live) => State::InProgress(live),
                None => State::Open,
            }
        };
        Ok(page.page(&state))
    })
    .await
}

struct BoardGame<'c> {
    cup: &'c TournamentPage<'c>,
    referee: &'static dyn Referee,
    round: u32,
    board: &'c Board,
    game: RoundGame<'c>,
    /// The game of the encounter, from 1.
    leg: u32,
}

enum State<'c> {
    /// The code was printed for other players: the round was paired again.
    OtherPlayers,
    Decided(&'c GameResult),
    /// It is being scored.
    InProgress(Number),
    Open,
}

impl BoardGame<'_> {
    /// The game as it is being scored. Of several games with the same sides the records say the leg.
    fn in_progress(&self, games: &GamesInProgress, store: &Store) -> Result<Option<Number>, Problem> {
        for number in games.with_sides(self.round, self.game.players) {
            if self.board.games.len() <= 2 {
                return Ok(Some(number));
            }
            let live = store.read(|reading| reading.live(number)).map_err(Problem::from)?;
            if live.is_some_and(|live| leg_of(&live) == Some(self.leg)) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// `1/2/4/1`: the place of the game, by which a device knows its own.
    fn place(&self) -> String {
        format!("{}/{}/{}/{}", self.cup.stored.number, self.round, self.game.board, self.leg)
    }

    /// The names of the players by their tags.
    fn players(&self) -> String {
        let pair = |side: Side| {
            let name = self.game.players[side.index()];
            (self.cup.stored.game.side(side).tag.to_owned(), Value::from(name))
        };
        Value::Object(Side::BOTH.map(pair).into_iter().collect::<Map<_, _>>()).to_string()
    }

    fn seconds(&self) -> u64 {
        let own = self.cup.tournament().time_control.map(u64::from);
        own.or_else(|| self.referee.time_control()).unwrap_or_default()
    }

    fn page(&self, state: &State<'_>) -> String {
        let (cup, view) = (self.cup, self.cup.view);
        let title = view.fill("keep.board-of", &[("round", &self.round), ("board", &self.game.board)]);
        let can_go_on = matches!(state, State::Open | State::InProgress(_));
        let of_round = format!("/rounds/{}", self.round);
        let body = html! {
            div #keep data-say=(messages(view)) data-desk=(view.href(DESK, &[])) data-place=(self.place())
                data-players=[can_go_on.then(|| self.players())] data-ids=[can_go_on.then(|| players_text(self.game.ids))] {
                h1 { (title) }
                (line([
                    Some(html! { a href=(cup.href(&of_round)) { (cup.tournament().settings.name) } }),
                    self.game.leg.map(|leg| html! { (cup.leg(leg as usize - 1)) }),
                ]))
                noscript { p.notice { (view.say("keep.noscript")) } }
                p.notice #trouble role="alert" hidden {}
                dl {
                    @for side in Side::BOTH {
                        dt { (view.word(self.referee.side_words()[side.index()])) }
                        dd { (self.game.players[side.index()]) }
                    }
                    @if self.seconds() > 0 { dt { (view.say("tournament.time-control")) } dd { (cup.time(self.seconds())) } }
                }
                (self.state(state))
                p.note { (view.say("keep.board-note")) " " a href=(view.href(PATH, &[])) { (view.say("keep.all")) } }
            }
        };
        whole(view, &title, body)
    }

    fn state(&self, state: &State<'_>) -> Markup {
        let (cup, view) = (self.cup, self.cup.view);
        html! {
            @match state {
                State::OtherPlayers => {
                    p.notice role="alert" { (view.say("keep.board-other-players")) }
                    p { a.button href=(view.href(&ScoreAddress::new(cup.stored.number, self.round, &self.game).path(), &[])) { (view.say("keep.board-these")) } }
                }
                State::Decided(result) => p.notice { (view.say("keep.board-decided")) " " (cup.result(Some(result))) },
                State::InProgress(live) => {
                    p.hint { (view.say("keep.board-in-progress")) }
                    p { a.button href={ (view.href(DESK, &[])) "#live-" (live) "/" (self.place()) } { (view.say("keep.take-over")) } }
                    p { a href=(view.href(&format!("/live/{live}"), &[])) { (view.say("keep.watch")) } }
                }
                State::Open => (self.form()),
            }
        }
    }

    /// The form that begins the game. Only choices that the tournament does not make are seen.
    fn form(&self) -> Markup {
        let (view, game) = (self.cup.view, self.referee);
        let tags = board::tags(self.cup.stored, self.round, &self.game);
        let side_word = |tag: &str| {
            let side = Side::BOTH.into_iter().find(|side| game.notation().side(*side).tag == tag)?;
            Some(view.word(game.side_words()[side.index()]))
        };
        html! {
            form #new data-game=(game.notation().id) data-first=(start::first(game, None)) data-deal=[start::deal(game)]
                data-seconds=(self.seconds()) {
                // The script takes the first two as those of the players.
                @let (sides, others): (Vec<_>, Vec<_>) = tags.iter().partition(|(name, _)| side_word(name).is_some());
                @for (name, value) in sides.iter().chain(&others) {
                    input type="hidden" data-tag=(name) data-label=[side_word(name)] value=(value);
                }
                div.fields { (start::choices(view, game)) }
                p { button { (view.say("keep.board-begin")) } }
            }
        }
    }
}

/// The leg that the record of a game in progress names.
fn leg_of(live: &Live) -> Option<u32> {
    let chunk = Chunk::in_format(live.draft.text.as_bytes(), Format::Quipu);
    let record = chunk.records().next()?.ok()?;
    record.value("Leg")?.trim().parse().ok()
}
