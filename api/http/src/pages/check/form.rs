//! The form of the check page: the records, how they are read, and a button that checks them. Everything except dropping a
//! file works without a script. Other buttons and fields of the page belong to the form by its id.

use maud::{Markup, html};
use quipu_referee::games;

use super::fields::{self, FORMATS, Options};
use crate::pages::{form_data::MULTIPART, frame::View};

pub(crate) const PATH: &str = "/check";
pub(super) const ID: &str = "check";
/// Encodings that a file can be read in where its content does not say which.
const ENCODINGS: [&str; 3] = ["windows-1252", "utf-16le", "utf-16be"];

/// The form without a text.
pub(crate) fn empty_form(view: &View) -> Markup {
    form(view, "", &Options::default())
}

/// The form with a text, and the options that were chosen.
pub(super) fn form(view: &View, text: &str, options: &Options) -> Markup {
    html! {
        form id=(ID) action=(view.href(PATH, &[])) method="post" enctype=(MULTIPART) {
            label for="text" { (view.say("check.text")) }
            // A parser of HTML drops the first line break.
            textarea #text name=(fields::TEXT) rows="12" wrap="off" spellcheck="false" autocapitalize="off" autocomplete="off" {
                "\n" (text)
            }
            div.fields {
                div {
                    label for="game" { (view.say("check.game")) }
                    select #game name=(fields::GAME) {
                        option value="" { (view.say("check.game.written")) }
                        @for game in games::ALL {
                            @let id = game.notation().id;
                            option value=(id) selected[options.game == Some(id)] { (view.word(game.name())) }
                        }
                    }
                }
                div {
                    label for="format" { (view.say("check.format")) }
                    select #format name=(fields::FORMAT) {
                        option value="" { (view.say("check.by-content")) }
                        @for (name, key) in FORMATS {
                            option value=(name) selected[options.format == Some(name)] { (view.say(key)) }
                        }
                    }
                }
                div { label for="file" { (view.say("check.file")) } input #file name=(fields::FILE) type="file"; }
                div {
                    label for="encoding" { (view.say("check.encoding")) }
                    select #encoding name=(fields::ENCODING) {
                        option value="" { (view.say("check.by-content")) }
                        @for name in ENCODINGS {
                            option value=(name) selected[options.encoding.as_deref() == Some(name)] { (name) }
                        }
                    }
                }
            }
            p #drop hidden { (view.say("check.drop")) }
            button { (view.say("check.button")) }
            p.note { (view.say("check.kept")) }
        }
    }
}
