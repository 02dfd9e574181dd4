//! The table of a scoresheet: its header, and a row for each pair of plies.

use std::borrow::Cow;

use super::{
    super::{
        CsvFault, Damaged, DamagedCell, Limit, Outcome, Ply, ReadError, Record, Spanned, SyntaxFault, clock,
        faults::Faults, limits, text::is_token,
    },
    cells::{Cell, Cells, fault},
    damage, names,
    remark::{Remark, add_comment},
    starter,
};
use crate::Span;

/// The contents of a column; the side is 0 for the first column of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Number,
    Moves(usize),
    Clocks(usize),
    /// Comments.
    Remarks,
    /// Any other column; its cells become comments.
    Other,
}

/// The columns, and the state of reading the rows.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    /// The columns by index, each with its name; nothing for one without a name.
    columns: Vec<Option<(Column, Cow<'a, str>)>>,
    /// The side of the second column starts.
    second_starts: bool,
    /// The order of the cells in a row, known from the first row on.
    order: Option<Order>,
    /// The first empty cell that no move may follow.
    gap: Option<Span>,
    /// True once a cell after the result was reported.
    ended: bool,
}

#[derive(Clone, Copy, Debug)]
struct Order {
    /// The columns of moves, in the order of play.
    turns: [usize; 2],
    /// The index of the column with the first ply, whose moves the numbers count.
    numbered: usize,
}

/// The cells of a row.
#[derive(Debug, Default)]
struct Row<'a> {
    number: Cell<'a>,
    moves: [Cell<'a>; 2],
    clocks: [Cell<'a>; 2],
    remarks: Vec<Remark<'a>>,
}

impl<'a> Sheet<'a> {
    /// Columns, at most.
    const COLUMNS: usize = 64;
    /// Lines above the header that are searched for the delimiter, at most.
    pub(super) const TITLES: usize = 20;

    /// True if the cells name both sides of a game.
    pub(super) fn is_header(cells: Cells<'_>) -> bool {
        let mut wanted = None;
        cells.take(Self::COLUMNS).map_while(Result::ok).any(|cell| {
            let plain = names::plain_name(&cell.text);
            let plain = names::bare_side(&plain);
            if wanted.is_some_and(|wanted| plain == wanted) {
                return true;
            }
            wanted = wanted.or_else(|| names::side(&plain).map(|(_, other)| other));
            false
        })
    }

    /// Reads the header. The sides are those of the game in the tags; without a known game, the first two names that are not
    /// those of other columns.
    pub(super) fn new(cells: Cells<'a>, record: &Record<'_>, faults: &mut Faults) -> Result<Self, ReadError> {
        let line = Span::new(cells.at, cells.at + cells.line.len());
        let game = record.game();
        let mut sides: Vec<String> = Vec::new();
        let mut columns: Vec<Option<(Column, Cow<'a, str>)>> = Vec::new();
        let mut owners: Vec<(usize, String, Span)> = Vec::new();
        for (index, cell) in cells.take(Self::COLUMNS).enumerate() {
            let cell = cell?;
            let plain = names::bare_side(&names::plain_name(&cell.text)).into_owned();
            if plain.is_empty() {
                columns.push((!cell.is_empty()).then_some((Column::Other, cell.text)));
                continue;
            }
            let twice = |column: Column, columns: &[Option<(Column, Cow<'_, str>)>]| {
                columns.iter().flatten().any(|(other, _)| *other == column)
            };
            let is_side = game.map_or(sides.len() < 2, |game| game.side_named(&plain).is_some());
            let known = sides.iter().position(|side| *side == plain);
            let column = match names::clock_owner(&plain) {
                _ if names::is_number(&plain) && !twice(Column::Number, &columns) => Column::Number,
                _ if names::is_number(&plain) => {
                    faults.add(fault(CsvFault::ColumnTwice, cell.span))?;
                    Column::Other
                }
                Some(owner) => {
                    owners.push((index, owner, cell.span));
                    Column::Other
                }
                None if known.is_some() => {
                    faults.add(fault(CsvFault::ColumnTwice, cell.span))?;
                    Column::Other
                }
                None if names::is_remarks(&plain) => Column::Remarks,
                None if is_side => {
                    sides.push(plain);
                    Column::Moves(sides.len() - 1)
                }
                None => Column::Other,
            };
            columns.push(Some((column, cell.text)));
        }
        for (index, owner, span) in owners {
            // A clock without the name of a side belongs to the moves on its left.
            let left = columns[..index].iter().flatten().rev().find_map(|(column, _)| match column {
                Column::Moves(side) => Some(*side),
                _ => None,
            });
            let side = if owner.is_empty() { left } else { sides.iter().position(|side| *side == owner) };
            let Some(side) = side else { continue };
            if columns.iter().flatten().any(|(column, _)| *column == Column::Clocks(side)) {
                faults.add(fault(CsvFault::ColumnTwice, span))?;
                continue;
            }
            if let Some((column, _)) = &mut columns[index] {
                *column = Column::Clocks(side);
            }
        }
        let [_, second] = &sides[..] else {
            let names = game.map(|game| game.sides.each_ref().map(|side| side.name));
            return Err(fault(CsvFault::Columns(names), line));
        };
        let second_starts = game.is_some_and(|game| game.side_named(second) == Some(starter(record, game)));
        Ok(Self { columns, second_starts, order: None, gap: None, ended: false })
    }

    /// Reads a row that is not empty.
    pub(super) fn row(
        &mut self,
        cells: &mut Cells<'a>,
        record: &mut Record<'a>,
        faults: &mut Faults,
    ) -> Result<(), ReadError> {
        let mut row = Row::default();
        let end = cells.at + cells.line.len();
        let missing = Cell { span: Span::new(end, end), ..Cell::default() };
        row.moves = [missing.clone(), missing];
        for (index, cell) in cells.enumerate() {
            let Some(cell) = faults.collect(cell)? else { return Ok(()) };
            match self.columns.get(index).and_then(Option::as_ref) {
                Some((Column::Number, _)) => row.number = cell,
                Some((Column::Moves(side), _)) => row.moves[*side] = cell,
                Some((Column::Clocks(side), _)) => row.clocks[*side] = cell,
                _ if cell.is_empty() => {}
                Some((Column::Remarks, _)) => row.remarks.push(Remark { column: None, cell }),
                Some((Column::Other, name)) => row.remarks.push(Remark { column: Some(name.to_string()), cell }),
                None => faults.add(fault(CsvFault::Cell, cell.span))?,
            }
        }
        if row.number.text.starts_with(char::is_alphabetic) && names::is_remarks(&names::plain_name(&row.number.text)) {
            // Remarks below the moves, with their name in front.
            row.number = Cell::default();
            let cells = [&mut row.moves, &mut row.clocks].map(std::mem::take).into_iter().flatten();
            let remarks = cells.filter(|cell| !cell.is_empty()).map(|cell| Remark { column: None, cell });
            row.remarks.extend(remarks);
        }
        let filled = |cells: &[Cell<'_>; 2]| cells.iter().any(|cell| !cell.is_empty());
        if !filled(&row.moves) && !filled(&row.clocks) && !row.number.text.starts_with(|c: char| c.is_ascii_digit()) {
            // A title between two parts of a sheet, or remarks alone.
            let title = Some(row.number).filter(|cell| !cell.is_empty());
            let title = title.map(|cell| Remark { column: None, cell });
            let mut remarks = title.into_iter().chain(row.remarks);
            return remarks.try_for_each(|remark| faults.collect(add_comment(record, remark)).map(drop));
        }
        let first = self.order.is_none();
        let Order { turns, numbered } = *self.order.get_or_insert_with(|| {
            let turns = if self.second_starts && !row.moves[0].is_empty() { [1, 0] } else { [0, 1] };
            let late = row.moves[turns[0]].is_empty() && !row.moves[turns[1]].is_empty();
            Order { turns, numbered: turns[usize::from(late)] }
        });
        let number = faults.collect(number(&row.number))?.flatten();
        for side in turns {
            let [cell, clock] = [&mut row.moves, &mut row.clocks].map(|cells| std::mem::take(&mut cells[side]));
            let outcome = if cell.marked { None } else { names::outcome(&cell.text).and_then(Outcome::parse) };
            if !clock.is_empty() && (cell.is_empty() || outcome.is_some()) {
                faults.add(fault(CsvFault::ClockAlone, clock.span))?;
            }
            if cell.is_empty() {
                // Only the very first cell may be empty: then the other side starts.
                if !first || side == turns[1] {
                    self.gap.get_or_insert(cell.span);
                }
                continue;
            }
            if record.result.is_some() {
                if !std::mem::replace(&mut self.ended, true) {
                    faults.add(fault(CsvFault::AfterResult, cell.span))?;
                }
                continue;
            }
            if let Some(value) = outcome {
                record.result = Some(Spanned { value, span: cell.span });
                continue;
            }
            if let Some(gap) = self.gap.take() {
                faults.add(fault(CsvFault::Gap, gap))?;
            }
            let number = number.filter(|_| side == numbered);
            let added = add_ply(record, cell, clock, number, faults);
            faults.collect(added)?;
        }
        row.remarks.into_iter().try_for_each(|remark| faults.collect(add_comment(record, remark)).map(drop))
    }
}

/// Reads a move number, if there is one; a full stop or a parenthesis may follow it.
fn number(cell: &Cell<'_>) -> Result<Option<Spanned<u64>>, ReadError> {
    let digits = cell.text.trim_end_matches(['.', ')', '°', 'º']);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || (digits.is_empty() && !cell.is_empty()) {
        return Err(fault(CsvFault::Number, cell.span));
    }
    let value = digits.parse().unwrap_or(u64::MAX);
    Ok((!cell.is_empty()).then_some(Spanned { value, span: cell.span }))
}

/// Adds a move. A cell that a spreadsheet has changed is recorded with its readings.
fn add_ply<'a>(
    record: &mut Record<'a>,
    cell: Cell<'a>,
    clock: Cell<'a>,
    number: Option<Spanned<u64>>,
    faults: &mut Faults,
) -> Result<(), ReadError> {
    let Cell { text: mut token, span, marked } = cell;
    let index = record.movetext.plies.len();
    if token.len() > limits::TOKEN {
        faults.add(ReadError::limit(Limit::Token, span))?;
    }
    if index >= limits::PLIES {
        return Err(ReadError::limit(Limit::Plies, span));
    }
    let readings = if !marked && may_be_damaged(&token) { damage::move_readings(&token) } else { Vec::new() };
    if !readings.is_empty() {
        record.damaged.push(Damaged { cell: DamagedCell::Ply(index), found: token.clone(), readings, span });
        if !is_token(&token, true) {
            // `0.00E+00` would be read as a number and a move.
            token = Cow::Owned(token.replace('.', ","));
        }
    }
    if !is_token(&token, true) {
        faults.add(ReadError::syntax(SyntaxFault::Token, span))?;
    }
    let clock = match clock::parse_bare(&clock.text) {
        Some(value) => Some(Spanned { value, span: clock.span }),
        None if clock.is_empty() => None,
        None => {
            let millis = damage::clock_readings(&clock.text);
            if let Some(&value) = millis.first() {
                let readings = millis.into_iter().map(clock::text).collect();
                let Cell { text: found, span, .. } = clock;
                record.damaged.push(Damaged { cell: DamagedCell::Clock(index), found, readings, span });
                Some(Spanned { value, span })
            } else {
                faults.add(fault(CsvFault::Clock, clock.span))?;
                None
            }
        }
    };
    record.movetext.plies.push(Ply { token, span, number, clock, notes: None });
    Ok(())
}

/// A cheap check that rules out most moves: true if a spreadsheet may have changed this one.
fn may_be_damaged(token: &str) -> bool {
    let digits = token.bytes().take(2).filter(u8::is_ascii_digit).count();
    digits == token.len().min(2) || token.contains(['.', ',', '+', '/', '-', ' '])
}
