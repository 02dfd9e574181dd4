//! The page of positions: a board that is set up with clicks, the games that reached it, and what was played next.

mod editor;
mod results;

use maud::{Markup, html};
use quipu_referee::{Located, Referee, games, messages::catalog};

use self::{
    editor::{Editor, PATH},
    results::Found,
};
use super::{
    about::About,
    boards,
    frame::{Page, View, game_name, page_response},
};
use crate::{
    endpoint::Endpoint,
    params::{Kind, Param},
    problem::{self, HandlerResult},
    request::RequestContext,
    route::Route,
    routes::{
        enum_values::game_ids,
        shared::{CURSOR, LANG, NAME, PAGE},
    },
};
use quipu_archive::store::{ReadTx, StoreError};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: PATH,
        id: "page-positions",
        params: &[
            Param::field("game", Kind::Choice(game_ids)),
            Param::field("rules", Kind::Text(NAME)),
            Param::field("position", Kind::Text(NAME)),
            Param::field("at", Kind::Between(0, MOST_SQUARES)),
            Param::field("piece", Kind::Text(1)),
            Param::field("turn", Kind::Text(1)),
            CURSOR,
            LANG,
        ],
        problems: &[problem::CURSOR],
        ..PAGE
    },
    handler: |context| Box::pin(index(context)),
}];

/// More than the last square of any board.
const MOST_SQUARES: i64 = 255;
/// Games of a page.
const LISTED: usize = 20;

async fn index(context: RequestContext) -> HandlerResult {
    let game = context.text("game").and_then(games::find).unwrap_or(games::ALL[0]);
    let view = View::of(&context);
    let editor = Editor::of(&context, game);
    let (before, address) = (context.cursor()?, context.own_address());
    // An unknown rule set is a fault, and the board is set up under the first one.
    let board = game.board(context.text("rules"), Some(&editor.position));
    let ask = move |reading: &ReadTx<'_>| -> Result<_, StoreError> {
        Ok(match board {
            Err(faults) => Err(faults),
            Ok(board) => {
                let games = reading.position_games(&*board, before, LISTED)?;
                Ok(Found { board, games })
            }
        })
    };
    let write = move |found: Result<Found, Vec<Located>>| {
        let results = match &found {
            Ok(found) => found.results(&view, game, &editor, &address),
            Err(faults) => self::faults(&view, faults),
        };
        Ok(page(&view, game, &editor, &results))
    };
    let page = context.read_then(ask, write).await?;
    Ok(context.cacheable(page_response(&context, page)))
}

fn page(view: &View, game: &'static dyn Referee, editor: &Editor, results: &Markup) -> String {
    let name = game_name(view, game.notation());
    let title = view.fill("positions.of", &[("game", &name)]);
    let rules = editor.rules.as_deref();
    let body = html! {
        h1 { (title) }
        (choice(view, game))
        (editor.rule_sets(view, game))
        p { (view.say("positions.lead")) }
        (boards::position(view, game, rules, &editor.drawn, name))
        (editor.form(view, game))
        (results)
        p.note { (view.say("positions.note")) }
    };
    let about = About {
        description: view.say("positions.lead").to_owned(),
        address: view.href(PATH, &[("game", game.notation().id)]),
        picture: boards::start_for_sharing(view, game),
    };
    view.write(&Page { about: Some(about), ..Page::new(title, "", body) })
}

/// Links to the start position of each game.
fn choice(view: &View, shown: &dyn Referee) -> Markup {
    html! {
        nav.tabs aria-label=(view.say("rankings.choice")) {
            ul {
                @for game in games::ALL {
                    @let id = game.notation().id;
                    li {
                        a href=(view.href(PATH, &[("game", id)]))
                            aria-current=[(shown.notation().id == id).then_some("page")] { (game_name(view, game.notation())) }
                    }
                }
            }
        }
    }
}

/// The faults of a position that cannot be searched for.
fn faults(view: &View, faults: &[Located]) -> Markup {
    html! {
        section role="alert" {
            h2 { (view.say("positions.invalid")) }
            ul { @for fault in faults { li { code { (fault.message.code.id) } " " (catalog().message(&fault.message, view.lang)) } } }
        }
    }
}
