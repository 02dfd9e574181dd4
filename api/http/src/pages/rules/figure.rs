//! Boards in a text of rules: a block of code `board`, or `board` and a rule set.

use maud::{Markup, html};
use quipu_referee::Referee;

use crate::pages::{boards, frame::View};

/// A board: a position, a move from it, and a caption.
pub(super) struct Figure<'t> {
    rules: Option<&'t str>,
    position: &'t str,
    /// The move whose board is drawn, with its marks.
    pub(super) token: Option<&'t str>,
    caption: String,
}

impl<'t> Figure<'t> {
    /// The figure of a block: the position in its first line, the move in a second line without spaces, the caption in the rest.
    /// None for other blocks.
    pub(super) fn parse(info: &'t str, text: &'t str) -> Option<Self> {
        let rules = match info.split_whitespace().collect::<Vec<_>>()[..] {
            ["board"] => None,
            ["board", rules] => Some(rules),
            _ => return None,
        };
        let mut lines = text.lines().peekable();
        let position = lines.next()?;
        let token = lines.next_if(|line| !line.contains(' '));
        Some(Self { rules, position, token, caption: lines.collect::<Vec<_>>().join(" ") })
    }

    /// The figure, under the id of its move if it has one.
    pub(super) fn write(&self, view: &View, game: &'static dyn Referee, id: Option<String>) -> Markup {
        html! {
            figure.example id=[id] {
                (boards::played(view, game, self.rules, self.position, self.token))
                figcaption { @if let Some(token) = self.token { code { (token) } " · " } (self.caption) }
            }
        }
    }
}
