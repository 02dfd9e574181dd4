//! The fields of a form.

use maud::{Markup, html};
use quipu_archive::model::Attribution;

use crate::{
    pages::{
        form_data::{FormData, Part},
        frame::View,
    },
    params::{Kind, Param},
    problem::{self, Problem},
    request::RequestContext,
};

pub(super) const SCRIPTS: &[&str] = &["/assets/organise.js"];
/// The first board of the form for results.
pub(super) const BOARD: Param = Param::query("board", Kind::Number(1));
/// The token of the organiser. It is not shown again.
const TOKEN: &str = "token";
/// The reason of a change.
pub(super) const REASON: &str = "reason";
/// The name of the person who decides.
pub(super) const AUTHOR: &str = "author";
/// The button that was pressed.
pub(super) const DO: &str = "do";

/// The last change of the tournament that the form saw.
pub(super) const CHANGE: &str = "change";
/// The last round that it saw.
pub(super) const LAST: &str = "last";
/// The fields that say what the form saw.
pub(super) const SEEN: [&str; 2] = [CHANGE, LAST];

/// The fields that a browser sent, in their order.
#[derive(Clone, Default)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// # Errors
    /// `api.body` if the body is malformed or has too many fields, or those of reading it.
    pub(super) async fn of(context: &mut RequestContext) -> Result<Self, Problem> {
        let (form, body) = (FormData::of(context), context.body().await?);
        let parts = form.parts(&body)?.ok_or_else(|| Problem::variant(problem::BODY, "form"))?;
        Self::of_parts(&parts)
    }

    /// The fields of a form with files.
    ///
    /// # Errors
    /// `api.body` if one is not UTF-8.
    pub(super) fn of_parts(parts: &[Part]) -> Result<Self, Problem> {
        let field = |part: &Part| {
            let value = str::from_utf8(&part.value).map_err(|_| Problem::variant(problem::BODY, "form"))?;
            Ok((part.name.clone(), value.to_owned()))
        };
        Ok(Self(parts.iter().map(field).collect::<Result<_, Problem>>()?))
    }

    /// A field alone.
    pub(super) fn with(name: &str, value: &str) -> Self {
        Self(vec![(name.to_owned(), value.to_owned())])
    }

    /// The values of a field that may be repeated.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The value of a field as it was sent; empty if it was not.
    pub(super) fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The value of a field that is not blank.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        Some(self.raw(name).trim()).filter(|value| !value.is_empty())
    }

    /// The value of a field as it was sent, or another if it was not.
    pub(super) fn sent_or(&self, name: &str, other: &impl ToString) -> String {
        if self.has(name) { self.raw(name).to_owned() } else { other.to_string() }
    }

    /// The fields without some.
    pub(super) fn without(&self, names: &[&str]) -> Self {
        Self(self.0.iter().filter(|(name, _)| !names.contains(&&**name)).cloned().collect())
    }

    /// True if a field was sent.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Boards and games with a result in the form, which may be none.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        self.0.iter().filter_map(|(name, _)| {
            let (board, game) = name.strip_prefix("result-")?.split_once('-')?;
            Some((board.parse().ok()?, game.parse().ok()?))
        })
    }

    /// The value of a field as a number; none if it is no number.
    pub(super) fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.text(name)?.parse().ok()
    }

    pub(super) fn token(&self) -> Option<&str> {
        self.text(TOKEN)
    }
}

/// The field for the token, at the beginning of a form, and notes for the script that sends it.
pub(super) fn token_field(view: &View) -> Markup {
    token_field_with(view, "tournament.token")
}

/// The same with another note on the scope, by its key.
pub(super) fn token_field_with(view: &View, note: &str) -> Markup {
    html! {
        p {
            label for="token" { (view.say("keep.token-label")) }
            input #token name=(TOKEN) type="password" autocomplete="off" spellcheck="false";
        }
        p.note { (view.say(note)) }
        p #waiting.hint role="status" hidden { (view.say("tournament.waiting")) }
        p #failed.notice role="status" hidden { (view.say("tournament.failed")) }
        // Enter in a field presses the first button of a form; this one does nothing.
        button disabled hidden {}
    }
}

pub(super) fn reason_field(view: &View, fields: &Fields) -> Markup {
    html! {
        p {
            label for="reason" { (view.say("tournament.reason")) }
            input #reason name=(REASON) value=(fields.raw(REASON)) maxlength=(Attribution::REASON);
        }
    }
}
