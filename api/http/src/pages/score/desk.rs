//! The desk at which the moves of a game are entered.

use maud::{Markup, html};

use super::{
    super::frame::View,
    parts::{PATH, leg, messages, whole},
};

/// The tags of the game, to be changed until it is stored. The script names the sides.
fn tags(view: &View) -> Markup {
    let text = |id: &str, label: &str, tag: Option<&str>| {
        html! { div { label for=(id) { (label) } input id=(id) data-tag=[tag] maxlength="200" autocomplete="off"; } }
    };
    html! {
        details #details {
            summary { (view.say("keep.details")) }
            form #tags {
                div.fields {
                    (text("player-0", "", None))
                    (text("player-1", "", None))
                    (text("event", view.say("keep.event"), Some("Event")))
                    (text("round", view.say("keep.round"), Some("Round")))
                    (text("board", view.say("keep.table"), Some("Board")))
                    (leg(view, "leg"))
                    (text("site", view.say("keep.site"), Some("Site")))
                }
                p { button.plain { (view.say("keep.details-save")) } }
            }
        }
    }
}

pub(super) fn page(view: &View) -> String {
    let body = html! {
        div #desk data-say=(messages(view)) data-lang=(view.lang.as_str()) data-live=(view.href("/live/0", &[]))
            data-record=(view.href("/records/0", &[])) data-keep=(view.href(PATH, &[])) {
            h1 #title { (view.say("keep.desk")) }
            noscript {
                p.notice { (view.say("keep.noscript")) }
                p { a href=(view.href(PATH, &[])) { (view.say("keep.all")) } }
            }
            p #sync role="status" {}
            div.notice #trouble role="alert" hidden {}
            div.desk #table hidden {
                div.seats {
                    @for seat in [0, 1] {
                        div.seat data-seat=(seat) {
                            p.who { span.name {} " " span.turn {} }
                            p.time role="timer" aria-live="off" {}
                            p.points {}
                        }
                    }
                }
                div.play {
                    div.square #square {
                        img #picture alt="";
                        div #cells role="group" aria-label=(view.say("keep.squares")) {}
                        svg #moving aria-hidden="true" {}
                    }
                    p.now #now role="status" {}
                    div.pieces #beside role="group" aria-label=(view.say("keep.beside")) {}
                    div.things #choices role="group" aria-label=(view.say("keep.choices")) {}
                    form #typed {
                        label for="move" { (view.say("keep.move")) }
                        p.line {
                            input #move autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="256" required
                                pattern="(?!(?:1-0|0-1|1/2-1/2|\\*|\\d+\\.+)$)[^\\s\\(\\)\\[\\]\\{\\}$!?;]+" aria-describedby="move-help";
                            button.plain { (view.say("keep.enter")) }
                        }
                        p.note #move-help { (view.say("keep.move-help")) }
                    }
                    div.things {
                        button.plain #clock type="button" { (view.say("keep.start")) }
                        button.plain #undo type="button" { (view.say("keep.undo")) }
                        button.plain #flip type="button" { (view.say("keep.flip")) }
                        button.stop #ending type="button" aria-expanded="false" aria-controls="endings" { (view.say("keep.ending")) }
                    }
                    div #endings hidden {
                        h2 { (view.say("keep.how-ended")) }
                        div #ways {}
                    }
                    div #result hidden {
                        h2 { (view.say("keep.result")) }
                        p #ended {}
                        p.things {
                            button #finish type="button" { (view.say("keep.finish")) }
                            button.plain #reopen type="button" { (view.say("keep.reopen")) }
                        }
                        div #outcome role="status" {}
                        p { button.plain #second type="button" hidden { (view.say("keep.second")) } }
                    }
                }
                div.score {
                    h2 #moves-title { (view.say("game.moves")) }
                    div.list #moves role="region" aria-labelledby="moves-title" tabindex="0" {}
                    ul.facts #facts {}
                    (tags(view))
                    ul.downloads {
                        li { a #download { (view.say("keep.download")) } }
                        li { a #watch hidden { (view.say("keep.watch")) } }
                        li { button.plain #close type="button" hidden { (view.say("keep.close")) } }
                        li { a href=(view.href(PATH, &[])) { (view.say("keep.all")) } }
                    }
                }
            }
        }
    };
    whole(view, view.say("keep.desk"), body)
}
