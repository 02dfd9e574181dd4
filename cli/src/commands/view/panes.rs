//! Where on the screen a game's board, moves and words have their place: as much as there is room for.

use ratatui::layout::Rect;

/// Columns of what is said beside a board: the least, and what is enough.
const SIDE: (u16, u16) = (27, 40);
/// Lines of that.
const SIDE_LINES: u16 = 12;
/// Columns of the moves where the rest has room too, and the least where it has not.
const WIDE_MOVES: u16 = 22;
pub(super) const MOVES: u16 = 12;
/// Lines of what is said of a move, where the board could take them: not more of the screen than a third.
const SAID: u16 = 9;

/// What has a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Panes {
    pub(super) board: Option<Rect>,
    /// How large the board is drawn.
    pub(super) scale: usize,
    /// Players, clocks and counts beside the board.
    pub(super) side: Option<Rect>,
    /// A player over the board, and one under it, where there is nothing beside it.
    pub(super) above: Option<Rect>,
    pub(super) below: Option<Rect>,
    pub(super) moves: Option<Rect>,
    /// A line over what is said.
    pub(super) rule: Option<Rect>,
    /// All that is said of the move.
    pub(super) said: Option<Rect>,
}

/// Divides the screen for a board that has these columns and lines at the scales from 1 on, and for moves if there are any.
pub(super) fn of(body: Rect, boards: &[(u16, u16)], moves: bool) -> Panes {
    beside(body, boards, moves).or_else(|| between(body, boards, moves)).unwrap_or_else(|| without(body, moves))
}

/// Board, side and moves beside each other, and under them what is said.
fn beside(body: Rect, boards: &[(u16, u16)], moves: bool) -> Option<Panes> {
    let kept = SAID.min(body.height / 3);
    let wide_moves = if moves { WIDE_MOVES + 1 } else { 0 };
    let fits = |(index, (width, height)): &(usize, &(u16, u16))| {
        let said = if *index == 0 { 0 } else { kept };
        width + 1 + SIDE.0 + wide_moves <= body.width && height + said <= body.height
    };
    let (index, &(width, height)) = boards.iter().enumerate().rev().find(fits)?;
    let zone = height.max(SIDE_LINES.min(body.height - kept)).min(body.height);
    let room = body.width - width - 1 - wide_moves;
    let side = if moves { room.min(SIDE.1) } else { room };
    let after = body.x + width + 1 + side + 1;
    let panes = Panes {
        board: Some(Rect { width, height, ..body }),
        scale: index + 1,
        side: Some(Rect { x: body.x + width + 1, width: side, height: zone, ..body }),
        moves: moves.then(|| Rect { x: after, width: body.right() - after, height: zone, ..body }),
        ..Panes::default()
    };
    Some(panes.under(body, zone))
}

/// Board and moves beside each other; players over and under the board, if there is room.
fn between(body: Rect, boards: &[(u16, u16)], moves: bool) -> Option<Panes> {
    let &(width, height) = boards.first()?;
    if width > body.width || height > body.height {
        return None;
    }
    let players = height + 2 <= body.height;
    let zone = height + if players { 2 } else { 0 };
    let line = Rect { width, height: 1, ..body };
    let top = body.y + u16::from(players);
    let after = body.x + width + 1;
    let panes = Panes {
        board: Some(Rect { y: top, width, height, ..body }),
        scale: 1,
        above: players.then_some(line),
        below: players.then_some(Rect { y: top + height, ..line }),
        moves: (moves && after + MOVES <= body.right()).then(|| Rect {
            x: after,
            width: body.right() - after,
            height: zone,
            ..body
        }),
        ..Panes::default()
    };
    Some(panes.under(body, zone))
}

/// No board: words, and moves beside them.
fn without(body: Rect, moves: bool) -> Panes {
    let width = if moves { (body.width / 3).clamp(MOVES, SIDE.1) } else { 0 };
    let said = body.width.saturating_sub(width + u16::from(moves));
    Panes {
        said: Some(Rect { width: said, ..body }),
        moves: moves.then_some(Rect { x: body.right() - width, width, ..body }),
        ..Panes::default()
    }
}

impl Panes {
    /// With what is said under so many lines, if there is room for a rule and two lines of it.
    fn under(self, body: Rect, zone: u16) -> Self {
        let left = body.height - zone;
        if left < 3 {
            return self;
        }
        let rule = Rect { y: body.y + zone, height: 1, ..body };
        let said = Rect { y: rule.y + 1, height: left - 1, ..body };
        Self { rule: Some(rule), said: Some(said), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards of 7 squares, of 10 with long labels, and of 5 points.
    const BOARDS: [&[(u16, u16)]; 3] =
        [&[(27, 9), (55, 23), (83, 37)], &[(56, 9), (76, 23), (116, 37)], &[(25, 11), (43, 19), (61, 29)]];

    /// Every place is on the screen, and none is over another.
    #[test]
    fn places_are_apart() {
        for (boards, moves) in BOARDS.into_iter().chain([&[][..]]).flat_map(|boards| [(boards, true), (boards, false)])
        {
            for (width, height) in (40..250).flat_map(|width| (7..80).map(move |height| (width, height))) {
                let body = Rect::new(0, 2, width, height);
                let panes = of(body, boards, moves);
                let Panes { board, side, above, below, moves: list, rule, said, .. } = panes;
                let places: Vec<_> = [board, side, above, below, list, rule, said].into_iter().flatten().collect();
                for (index, place) in places.iter().enumerate() {
                    assert!(body.intersection(*place) == *place && !place.is_empty(), "{body:?}: {panes:?}");
                    let others = &places[index + 1..];
                    assert!(others.iter().all(|other| !other.intersects(*place)), "{body:?}: {panes:?}");
                }
                let room = boards.first().is_some_and(|(columns, lines)| *columns <= width && *lines <= height);
                assert_eq!(board.is_some(), room, "{body:?}");
                assert!(said.is_some() || board.is_some(), "{body:?}");
            }
        }
    }

    /// Board, and whether there is something beside it, over and under it, moves, and how many lines of what is said.
    #[track_caller]
    fn check(columns: u16, lines: u16, boards: &[(u16, u16)], expected: (usize, bool, bool, bool, u16)) {
        let panes = of(Rect::new(0, 0, columns, lines), boards, true);
        let said = panes.said.map_or(0, |said| said.height);
        let found = (panes.scale, panes.side.is_some(), panes.above.is_some(), panes.moves.is_some(), said);
        assert_eq!(found, expected);
    }

    #[test]
    fn what_has_room_is_shown() {
        let [squares, long, points] = BOARDS;
        check(80, 20, squares, (1, true, false, true, 7));
        check(80, 20, long, (1, false, true, true, 8));
        check(80, 20, points, (1, true, false, true, 7));
        check(40, 9, squares, (1, false, false, true, 0));
        check(40, 9, points, (0, false, false, true, 9));
        check(200, 56, squares, (3, true, false, true, 18));
        check(200, 56, long, (3, true, false, true, 18));
        check(120, 40, squares, (2, true, false, true, 16));
    }
}
