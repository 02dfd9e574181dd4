//! The page on which a game to be scored is begun, or continued.

use maud::{Markup, html};
use quipu_notation::Side;
use quipu_referee::{Referee, games};

use super::{
    super::frame::View,
    parts::{DESK, PATH, leg, messages, whole},
};

/// Default minutes of a player (Andes, 6.2).
const MINUTES: u32 = 12;
/// Most minutes of a player.
const MAX_MINUTES: u32 = 600;

/// The page. `running` is the list of the games on the server, empty if there are none.
pub(super) fn page(view: &View, chosen: Option<&'static dyn Referee>, running: &Markup) -> String {
    let body = html! {
        div #keep data-say=(messages(view)) data-desk=(view.href(DESK, &[])) {
            h1 { (view.say("keep.title")) }
            p.lead { (view.say("keep.lead")) }
            noscript { p.notice { (view.say("keep.noscript")) } }
            p.notice.offline { (view.say("keep.offline-page")) }
            p.notice #trouble role="alert" hidden {}
            section aria-labelledby="begin" {
                h2 #begin { (view.say("keep.begin")) }
                nav.tabs aria-label=(view.say("keep.which")) {
                    ul {
                        @for game in games::ALL {
                            @let here = chosen.is_some_and(|chosen| chosen.notation().id == game.notation().id);
                            li {
                                a href=(view.href(PATH, &[("game", game.notation().id)])) aria-current=[here.then_some("page")] {
                                    (view.word(game.name()))
                                }
                            }
                        }
                    }
                }
                @if let Some(game) = chosen { (form(view, game)) }
            }
            section aria-labelledby="device" {
                h2 #device { (view.say("keep.device")) }
                ul.cards.bare #games {}
                p #none { (view.say("keep.device-none")) }
            }
            section aria-labelledby="server" {
                h2 #server { (view.say("keep.server")) }
                (running)
            }
            (token(view))
        }
    };
    whole(view, view.say("keep.title"), body)
}

/// The form with the details of a new game.
fn form(view: &View, game: &dyn Referee) -> Markup {
    let notation = game.notation();
    let text = |id: &str, label: &str, tag: &str| {
        html! { div { label for=(id) { (label) } input id=(id) data-tag=(tag) maxlength="200" autocomplete="off"; } }
    };
    let side_word = |side: Side| view.word(game.side_words()[side.index()]);
    html! {
        form #new data-game=(notation.id) data-first=(first(game, None)) data-deal=[deal(game)] {
            div.fields {
                @for side in Side::BOTH { (text(notation.side(side).name, side_word(side), notation.side(side).tag)) }
                (choices(view, game))
                div {
                    label for="minutes" { (view.say("keep.minutes")) }
                    input #minutes type="number" min="0" max=(MAX_MINUTES) step="any" value=(MINUTES) required inputmode="decimal";
                }
                (text("event", view.say("keep.event"), "Event"))
                (text("round", view.say("keep.round"), "Round"))
                (text("board", view.say("keep.table"), "Board"))
                (leg(view, "leg"))
                (text("site", view.say("keep.site"), "Site"))
            }
            p { button { (view.say("keep.to-desk")) } }
        }
    }
}

/// The side of the first move, by its index: the script knows it before the referee has answered.
pub(crate) fn first(game: &dyn Referee, rules: Option<&str>) -> usize {
    game.board(rules, None).map_or(0, |board| board.turn().index())
}

/// The address that deals a start position; none for games that begin from one.
pub(crate) fn deal(game: &dyn Referee) -> Option<String> {
    let is_dealt = matches!(game.deal(None, 0, None), Ok(Some(_)));
    is_dealt.then(|| format!("/v1/games/{}/deal", game.notation().id))
}

/// The fields for rules, first side and seed, in games that have them.
pub(crate) fn choices(view: &View, game: &dyn Referee) -> Markup {
    let (notation, rule_sets) = (game.notation(), game.rule_sets());
    html! {
        @if rule_sets.len() > 1 {
            div {
                label for="rules" { (view.say("keep.rules")) }
                select #rules { @for rules in &rule_sets { option value=(rules) data-first=(first(game, Some(rules))) { (rules) } } }
            }
        }
        @if notation.first {
            div {
                label for="first" { (view.say("keep.first")) }
                select #first {
                    @for side in Side::BOTH {
                        option value=(notation.side(side).name) { (view.word(game.side_words()[side.index()])) }
                    }
                }
            }
        }
        @if deal(game).is_some() {
            div {
                label for="seed" { (view.say("keep.seed")) }
                input #seed type="number" min="0" max="4294967295" inputmode="numeric" autocomplete="off";
            }
        }
    }
}

/// The form for the token with which games are saved on the server.
fn token(view: &View) -> Markup {
    html! {
        section aria-labelledby="access" {
            h2 #access { (view.say("keep.token")) }
            p { (view.say("keep.token-about")) }
            form #token-form {
                label for="token" { (view.say("keep.token-label")) }
                p.line {
                    input #token type="password" autocomplete="off" spellcheck="false" required maxlength="200";
                    button { (view.say("keep.token-keep")) }
                    button #token-forget type="button" hidden { (view.say("keep.token-forget")) }
                }
                p #token-state role="status" { (view.say("keep.token-missing")) }
            }
        }
    }
}
