//! A record replayed by the referee, with the position that is shown.

use quipu_notation::{Side, record::Record};
use quipu_referee::{End, Lang, Referee, drawing::Drawing, replay::Replay};

use crate::problem::{self, Problem};
use quipu_pictures as pictures;

/// A game as far as it is legal, with the position that is shown.
pub(super) struct ReplayedGame {
    pub(super) referee: &'static dyn Referee,
    /// The side that moves first.
    pub(super) first: Side,
    pub(super) plies: Vec<PlayedPly>,
    /// Points at the start and after each ply, in games that count them.
    pub(super) points: Vec<[u32; 2]>,
    /// The refused move, and the number of moves after it that are not judged.
    pub(super) refused: Option<(String, usize)>,
    /// The ply that is shown.
    pub(super) at: usize,
    pub(super) shown: ShownPosition,
}

/// A ply of the game.
pub(super) struct PlayedPly {
    pub(super) side: Side,
    pub(super) token: String,
    pub(super) clock: Option<u64>,
}

/// The position that is shown.
pub(super) struct ShownPosition {
    pub(super) drawing: Drawing,
    pub(super) facts: Vec<String>,
    pub(super) words: String,
    pub(super) turn: Side,
    pub(super) end: Option<End>,
}

impl ShownPosition {
    pub(super) fn of(replay: &Replay<'_>, lang: Lang) -> Self {
        let (game, board) = (replay.game(), replay.board());
        let drawing = board.drawing();
        Self {
            facts: pictures::facts(&drawing, lang),
            words: pictures::description(game, &drawing, lang),
            drawing,
            turn: board.turn(),
            end: board.end(),
        }
    }
}

impl ReplayedGame {
    /// Replays a record; none if it cannot be replayed. Without `at` the last position is shown.
    pub(super) fn of(record: &Record<'_>, at: Option<usize>, lang: Lang) -> Option<Result<Self, Problem>> {
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
        let at = at.unwrap_or(last);
        Some(Ok(Self { referee: replay.game(), first, plies, points, refused, at, shown }))
    }

    pub(super) fn last(&self) -> usize {
        self.plies.len()
    }

    pub(super) fn tag(&self, side: Side) -> &'static str {
        self.referee.notation().side(side).tag
    }

    pub(super) fn has_clocks(&self) -> bool {
        self.plies.iter().any(|ply| ply.clock.is_some())
    }

    /// The remaining milliseconds of a side.
    pub(super) fn clock(&self, side: Side) -> Option<u64> {
        self.plies[..self.at].iter().rev().filter(|ply| ply.side == side).find_map(|ply| ply.clock)
    }
}
