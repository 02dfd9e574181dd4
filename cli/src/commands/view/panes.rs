//! Divides the screen into board, players, moves and notes, depending on the room.

use ratatui::layout::Rect;

/// Columns of the players and facts beside a board: minimum and preferred.
const PANEL: (u16, u16) = (27, 40);
/// Lines of that column.
const PANEL_LINES: u16 = 12;
/// Preferred columns of the move list, and the minimum.
const WIDE_MOVES: u16 = 22;
pub(super) const MOVES: u16 = 12;
/// Lines of the notes that reduce the board; never more than a third of the screen.
const NOTES: u16 = 9;

/// The areas of the screen; `None` for a part without room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Panes {
    pub(super) board: Option<Rect>,
    pub(super) scale: usize,
    /// Players, clocks and facts beside the board.
    pub(super) side: Option<Rect>,
    /// One player above the board and one below it, if nothing is beside it.
    pub(super) above: Option<Rect>,
    pub(super) below: Option<Rect>,
    pub(super) moves: Option<Rect>,
    /// A line above the notes.
    pub(super) rule: Option<Rect>,
    pub(super) notes: Option<Rect>,
}

/// Divides the screen for a board of these sizes at the scales from 1, and a move list if there are moves.
pub(super) fn of(body: Rect, boards: &[(u16, u16)], moves: bool) -> Panes {
    beside(body, boards, moves).or_else(|| between(body, boards, moves)).unwrap_or_else(|| without(body, moves))
}

/// Board, players and moves side by side, the notes below them.
fn beside(body: Rect, boards: &[(u16, u16)], moves: bool) -> Option<Panes> {
    let kept = NOTES.min(body.height / 3);
    let wide_moves = if moves { WIDE_MOVES + 1 } else { 0 };
    let fits = |(index, (width, height)): &(usize, &(u16, u16))| {
        let notes = if *index == 0 { 0 } else { kept };
        width + 1 + PANEL.0 + wide_moves <= body.width && height + notes <= body.height
    };
    let (index, &(width, height)) = boards.iter().enumerate().rev().find(fits)?;
    let zone = height.max(PANEL_LINES.min(body.height - kept)).min(body.height);
    let room = body.width - width - 1 - wide_moves;
    let side = if moves { room.min(PANEL.1) } else { room };
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

/// Board and moves side by side; the players above and below the board, if there is room.
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

/// No board: notes with the moves beside them.
fn without(body: Rect, moves: bool) -> Panes {
    let width = if moves { (body.width / 3).clamp(MOVES, PANEL.1) } else { 0 };
    let notes = body.width.saturating_sub(width + u16::from(moves));
    Panes {
        notes: Some(Rect { width: notes, ..body }),
        moves: moves.then_some(Rect { x: body.right() - width, width, ..body }),
        ..Panes::default()
    }
}

impl Panes {
    /// Adds the notes below this many lines, if there is room for a rule and two lines.
    fn under(self, body: Rect, zone: u16) -> Self {
        let left = body.height - zone;
        if left < 3 {
            return self;
        }
        let rule = Rect { y: body.y + zone, height: 1, ..body };
        let notes = Rect { y: rule.y + 1, height: left - 1, ..body };
        Self { rule: Some(rule), notes: Some(notes), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards of 7 squares, of 10 with long labels, and of 5 points.
    const BOARDS: [&[(u16, u16)]; 3] =
        [&[(27, 9), (55, 23), (83, 37)], &[(56, 9), (76, 23), (116, 37)], &[(25, 11), (43, 19), (61, 29)]];

    /// Every area is on the screen, and no two overlap.
    #[test]
    fn places_are_apart() {
        for (boards, moves) in BOARDS.into_iter().chain([&[][..]]).flat_map(|boards| [(boards, true), (boards, false)])
        {
            for (width, height) in (40..250).flat_map(|width| (7..80).map(move |height| (width, height))) {
                let body = Rect::new(0, 2, width, height);
                let panes = of(body, boards, moves);
                let Panes { board, side, above, below, moves: list, rule, notes, .. } = panes;
                let places: Vec<_> = [board, side, above, below, list, rule, notes].into_iter().flatten().collect();
                for (index, place) in places.iter().enumerate() {
                    assert!(body.intersection(*place) == *place && !place.is_empty(), "{body:?}: {panes:?}");
                    let others = &places[index + 1..];
                    assert!(others.iter().all(|other| !other.intersects(*place)), "{body:?}: {panes:?}");
                }
                let room = boards.first().is_some_and(|(columns, lines)| *columns <= width && *lines <= height);
                assert_eq!(board.is_some(), room, "{body:?}");
                assert!(notes.is_some() || board.is_some(), "{body:?}");
            }
        }
    }

    /// Scale of the board, presence of the column beside it, of the players around it and of the moves, and lines of
    /// the notes.
    #[track_caller]
    fn check(columns: u16, lines: u16, boards: &[(u16, u16)], expected: (usize, bool, bool, bool, u16)) {
        let panes = of(Rect::new(0, 0, columns, lines), boards, true);
        let notes = panes.notes.map_or(0, |notes| notes.height);
        let found = (panes.scale, panes.side.is_some(), panes.above.is_some(), panes.moves.is_some(), notes);
        assert_eq!(found, expected);
    }

    #[test]
    fn panes_are_shown_where_they_fit() {
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
