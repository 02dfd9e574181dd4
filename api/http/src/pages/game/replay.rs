//! A record replayed by the referee, with the position that is shown.

use quipu_notation::{
    Side,
    record::{Outcome, Record},
};
use quipu_referee::{
    End, Lang, Referee,
    drawing::Drawing,
    replay::{Replay, declared_end},
};

use crate::{
    pages::{boards, frame::View},
    problem::{self, Problem},
};
use quipu_pictures as pictures;

/// A game as far as it is legal, with the position that is shown.
pub(crate) struct ReplayedGame {
    pub(crate) referee: &'static dyn Referee,
    /// The value of the tag `Rules`; without it the first rule set of the game.
    pub(super) rules: Option<String>,
    /// The side that moves first.
    pub(crate) first: Side,
    pub(super) plies: Vec<PlayedPly>,
    /// Points at the start and after each ply, in games that count them.
    pub(super) points: Vec<[u32; 2]>,
    /// The illegal move, and the number of moves after it that are not judged.
    pub(super) refused: Option<(String, usize)>,
    /// The result that the record declares after its last ply, and the word for its termination.
    declared: Option<DeclaredEnd>,
    /// The ply that is shown.
    pub(crate) at: usize,
    pub(super) shown: ShownPosition,
}

/// A result, and the word for the termination if it is known.
type DeclaredEnd = (Outcome, Option<&'static str>);

pub(super) struct PlayedPly {
    pub(super) side: Side,
    pub(super) token: String,
    pub(super) clock: Option<u64>,
}

pub(super) struct ShownPosition {
    pub(super) position: String,
    pub(super) drawing: Drawing,
    /// Sentences about it.
    pub(super) notes: Vec<String>,
    pub(super) words: String,
    pub(super) turn: Side,
    pub(super) end: Option<End>,
    /// The position before the last move, and that move; at the start that position alone.
    pub(super) from: (String, Option<String>),
}

impl ShownPosition {
    fn of(replay: &Replay<'_>, lang: Lang) -> Self {
        let (game, board) = (replay.game(), replay.board());
        let drawing = board.drawing();
        Self {
            notes: pictures::notes(&drawing, lang),
            words: pictures::description(game, &drawing, lang),
            drawing,
            position: board.position(),
            turn: board.turn(),
            end: board.end(),
            from: board.last_move().map_or_else(|| (board.position(), None), |(before, token)| (before, Some(token))),
        }
    }
}

impl ReplayedGame {
    /// Replays a record; none if it cannot be replayed. Without `at` the last position is shown.
    pub(crate) fn of(record: &Record<'_>, at: Option<usize>, lang: Lang) -> Option<Result<Self, Problem>> {
        let mut replay = Replay::of(record)?;
        let first = replay.board().turn();
        let mut shown = (at == Some(0)).then(|| ShownPosition::of(&replay, lang));
        let mut points: Vec<_> = replay.board().points().map(|points| points.counted()).into_iter().collect();
        let mut plies = Vec::new();
        while let Some(played) = replay.play() {
            plies.push(PlayedPly { side: played.side, token: played.token, clock: played.clock });
            points.extend(replay.board().points().map(|points| points.counted()));
            if at == Some(plies.len()) {
                shown = Some(ShownPosition::of(&replay, lang));
            }
        }
        let last = plies.len();
        let shown = match (shown, at) {
            (Some(shown), _) => shown,
            (None, None) => ShownPosition::of(&replay, lang),
            (None, Some(ply)) => {
                return Some(Err(Problem::variant(problem::NOT_FOUND, "ply").with("found", ply).with("last", last)));
            }
        };
        let rest = &record.movetext.plies[last..];
        let refused =
            rest.split_first().map(|(refused, behind)| (quipu_referee::shown(refused.token.as_bytes()), behind.len()));
        let declared = declared_end(record).filter(|_| rest.is_empty());
        let declared =
            declared.map(|(outcome, termination)| (outcome, termination.map(|termination| termination.word)));
        let at = at.unwrap_or(last);
        let rules = record.value("Rules").map(str::to_owned);
        Some(Ok(Self { referee: replay.game(), rules, first, plies, points, refused, declared, at, shown }))
    }

    pub(crate) fn last(&self) -> usize {
        self.plies.len()
    }

    /// The end of the game, if it is over after the ply that is shown: on the board, or as the record declares.
    pub(super) fn end(&self) -> Option<DeclaredEnd> {
        let on_board = self.shown.end.map(|end| (end.outcome, Some(end.termination.word)));
        on_board.or(self.declared.filter(|_| self.at == self.last()))
    }

    pub(crate) fn tag(&self, side: Side) -> &'static str {
        self.referee.notation().side(side).tag
    }

    /// The path of a PNG of the position shown, by the rule set of the game.
    pub(crate) fn position_for_sharing(&self, view: &View, rules: Option<&str>) -> String {
        let (position, token) = &self.shown.from;
        boards::position_for_sharing(view, self.referee, rules, (position, token.as_deref()))
    }

    pub(super) fn has_clocks(&self) -> bool {
        self.plies.iter().any(|ply| ply.clock.is_some())
    }

    /// The remaining milliseconds of a side.
    pub(super) fn clock(&self, side: Side) -> Option<u64> {
        self.plies[..self.at].iter().rev().filter(|ply| ply.side == side).find_map(|ply| ply.clock)
    }
}
