//! Slips of the pen: how a move that was meant becomes what is written, and how rare that is.
//!
//! [`SLIPS`] is the error model. Its costs are tenths of a power of ten: a slip that costs 10 more is made ten times less
//! often, and the costs of several slips add up. [`Written`] finds the cheapest way from a move to a written token. Slips
//! of a whole sheet (a ply that is missing, two that changed places) are made of plies and not of characters, so they are
//! not in this table.

use std::ops::Range;

/// Cost of a slip: minus ten times the decimal logarithm of its frequency.
pub type Cost = u32;

/// The most that one token may cost: two slips, or three cheap ones.
pub const LIMIT: Cost = 70;

/// Characters of a token that are compared; a longer one is only another move altogether. The longest canonical token,
/// a jump of Querni with a removal, has 65.
const MAX_TOKEN: usize = 80;

/// A kind of slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlipKind {
    /// A character for one that looks like it.
    Alike,
    /// A letter or digit for the next one or the one before: a square off by one.
    Neighbour,
    /// A letter, or all letters, in the other case. In Andes those are the other side's marks.
    Case,
    /// Two characters that changed places.
    Transposed,
    /// Another type of piece.
    Type,
    /// A capture for a move, a jump for a step, or the other way round.
    Sign,
    /// A typographic sign for `-` or `x`.
    Dash,
    /// No `-`, `x` or `^` between two squares.
    NoSign,
    /// A character left out.
    Missing,
    /// A character written twice.
    Doubled,
    /// A character too many.
    Extra,
    /// Any character for another.
    Wrong,
    /// A character that nobody can read, written as `_` or a dot.
    Illegible,
    /// Origin and destination that changed places.
    Ends,
    /// A claim that does not hold: `x`, `+2`, `xb3`, the number or letter of a piece.
    Claim,
    /// A hop of a path or a removal left out, or one too many.
    Part,
    /// A token that a spreadsheet took for a number.
    Spreadsheet,
    /// A token that nobody can read: `_`, `…`, dashes, nothing.
    Unreadable,
    /// A move that has nothing to do with what is written.
    Other,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Slip {
    /// The kind.
    pub kind: SlipKind,
    /// Its name in reports.
    pub name: &'static str,
    /// Key of its word, a noun phrase.
    pub word: &'static str,
    /// Cost of one slip of this kind.
    pub cost: Cost,
    /// A token, and what this slip makes of it.
    pub example: [&'static str; 2],
}

/// The error model, in the order of [`SlipKind`].
pub const SLIPS: &[Slip] = &[
    slip(SlipKind::Alike, ["alike", "slip.alike"], 20, ["0B0", "0BO"]),
    slip(SlipKind::Neighbour, ["neighbour", "slip.neighbour"], 21, ["c2^e2^g4", "c2^e2^f4"]),
    slip(SlipKind::Case, ["case", "slip.case"], 20, ["0f3g", "0f3G"]),
    slip(SlipKind::Transposed, ["transposed", "slip.transposed"], 22, ["d3-c3", "3d-c3"]),
    slip(SlipKind::Type, ["type", "slip.type"], 24, ["0g3", "2g3"]),
    slip(SlipKind::Sign, ["sign", "slip.sign"], 18, ["B2-C2", "B2xC2"]),
    slip(SlipKind::Dash, ["dash", "slip.dash"], 6, ["d3-c3", "d3–c3"]),
    slip(SlipKind::NoSign, ["no-sign", "slip.no-sign"], 16, ["d3-c3", "d3c3"]),
    slip(SlipKind::Missing, ["missing", "slip.missing"], 30, ["d3-c3", "d3-c"]),
    slip(SlipKind::Doubled, ["doubled-character", "slip.doubled-character"], 24, ["d3-c3", "d3-cc3"]),
    slip(SlipKind::Extra, ["extra", "slip.extra"], 32, ["d3-c3", "d3-c3k"]),
    slip(SlipKind::Wrong, ["wrong", "slip.wrong"], 31, ["d3-c3", "d3-c7"]),
    slip(SlipKind::Illegible, ["illegible", "slip.illegible"], 10, ["d3-c3", "d_-c3"]),
    slip(SlipKind::Ends, ["ends", "slip.ends"], 24, ["d3-b1", "b1-d3"]),
    slip(SlipKind::Claim, ["claim", "slip.claim"], 20, ["0d3", "0d3+2"]),
    slip(SlipKind::Part, ["part", "slip.part"], 33, ["b3^d5^d7", "b3^d7"]),
    slip(SlipKind::Spreadsheet, ["spreadsheet", "slip.spreadsheet"], 5, ["2E64", "2E+064"]),
    slip(SlipKind::Unreadable, ["unreadable", "slip.unreadable"], 12, ["d3-c3", "_"]),
    slip(SlipKind::Other, ["other", "slip.other"], 60, ["d3-c3", "g7-g5"]),
];

const fn slip(kind: SlipKind, [name, word]: [&'static str; 2], cost: Cost, example: [&'static str; 2]) -> Slip {
    Slip { kind, name, word, cost, example }
}

impl SlipKind {
    /// Its row.
    pub const fn row(self) -> &'static Slip {
        &SLIPS[self as usize]
    }

    /// Cost of one slip of this kind.
    pub const fn cost(self) -> Cost {
        self.row().cost
    }
}

/// Pairs of characters that are taken for each other, by hand or by a scanner.
const ALIKE_PAIRS: &[&[u8; 2]] = &[
    b"0O", b"0o", b"0D", b"0Q", b"06", b"0U", b"1l", b"1I", b"1i", b"17", b"1|", b"1J", b"2Z", b"2z", b"27", b"38",
    b"3B", b"3E", b"35", b"49", b"4A", b"4H", b"5S", b"5s", b"56", b"6b", b"6G", b"7l", b"7T", b"7Z", b"8B", b"8S",
    b"9g", b"9q", b"9a", b"ad", b"ao", b"au", b"aq", b"a9", b"bh", b"bp", b"BR", b"BP", b"CG", b"Ce", b"CO", b"ce",
    b"co", b"DO", b"dO", b"do", b"EF", b"El", b"FP", b"ft", b"fl", b"fj", b"GO", b"GQ", b"gq", b"gy", b"gj", b"hn",
    b"hk", b"ij", b"il", b"jy", b"KX", b"PR", b"xX", b"x*", b"xy",
];

/// For each ASCII character the set of those like it.
const ALIKE: [u128; 128] = {
    let mut table = [0; 128];
    let mut index = 0;
    while index < ALIKE_PAIRS.len() {
        let [one, other] = *ALIKE_PAIRS[index];
        table[one as usize] |= 1 << other;
        table[other as usize] |= 1 << one;
        index += 1;
    }
    table
};

/// The code of a typographic dash, of a multiplication sign, of an illegible character and of any other that is not ASCII.
const DASH: u8 = 0x80;
const TIMES: u8 = 0x81;
const BLOT: u8 = 0x82;
const FOREIGN: u8 = 0xff;

/// A character as one byte: ASCII as it is, letters of other scripts as the Latin ones that look the same.
fn code(character: char) -> u8 {
    match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{ad}' | '\u{fe63}' | '\u{ff0d}' => DASH,
        '×' | '✕' | '✖' => TIMES,
        '…' | '·' | '•' | '\u{fffd}' | '¿' | '─' => BLOT,
        'А' | 'Α' => b'A',
        'В' | 'Β' => b'B',
        'С' => b'C',
        'Е' | 'Ε' => b'E',
        'К' | 'Κ' => b'K',
        'О' | 'Ο' => b'O',
        'Р' | 'Ρ' => b'P',
        'а' | 'á' | 'à' | 'ä' => b'a',
        'с' | 'ç' => b'c',
        'е' | 'é' | 'è' | 'ë' => b'e',
        'о' | 'ο' => b'o',
        'х' => b'x',
        _ => u8::try_from(character).ok().filter(u8::is_ascii).unwrap_or(FOREIGN),
    }
}

fn is_sign(code: u8) -> bool {
    matches!(code, b'-' | b'x' | b'^' | b'*' | b'/')
}

/// The slip that writes one character for another; nothing if they are the same.
fn replaced(is_first: bool, meant: u8, written: u8) -> Option<SlipKind> {
    if meant == written {
        return None;
    }
    let looks = written < 128 && ALIKE[usize::from(meant & 127)] & 1 << written != 0;
    let letters = meant.is_ascii_alphabetic() && written.is_ascii_alphabetic();
    let same_case = letters && meant.is_ascii_lowercase() == written.is_ascii_lowercase();
    let digits = meant.is_ascii_digit() && written.is_ascii_digit();
    Some(match written {
        DASH | b'_' | b'=' | b'~' | b'.' | b':' | b',' | b';' | b'>' | b' ' if meant == b'-' => SlipKind::Dash,
        TIMES | b'X' if meant == b'x' => SlipKind::Dash,
        _ if is_sign(meant) && (is_sign(written) || matches!(written, b'+' | DASH | TIMES)) => SlipKind::Sign,
        b'_' | b'.' | b'~' | BLOT => SlipKind::Illegible,
        _ if looks => SlipKind::Alike,
        _ if letters && meant.eq_ignore_ascii_case(&written) => SlipKind::Case,
        _ if (same_case || digits) && meant.abs_diff(written) == 1 => SlipKind::Neighbour,
        _ if is_first && (digits || meant.is_ascii_uppercase() && same_case) => SlipKind::Type,
        _ => SlipKind::Wrong,
    })
}

/// The way from a move to the written token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miswriting {
    /// Sum of the costs of its slips; 0 if it is written as it is meant.
    pub cost: Cost,
    /// The costliest of its slips.
    pub slip: Option<SlipKind>,
}

impl Miswriting {
    /// No slip.
    pub const NONE: Self = Self { cost: 0, slip: None };

    /// A single slip.
    pub const fn of(slip: SlipKind) -> Self {
        Self { cost: slip.cost(), slip: Some(slip) }
    }

    /// One slip more.
    const fn and(self, slip: SlipKind) -> Self {
        let costliest = match self.slip {
            Some(known) if known.cost() >= slip.cost() => known,
            _ => slip,
        };
        Self { cost: self.cost + slip.cost(), slip: Some(costliest) }
    }

    fn min(self, other: Self) -> Self {
        if other.cost < self.cost { other } else { self }
    }
}

/// A token as it was written, made ready to be compared with many moves.
#[derive(Clone, Debug)]
pub struct Written {
    /// The token, and what it would be without a slip that concerns it as a whole.
    variants: Vec<Variant>,
    /// The value, where a spreadsheet may have made a number of it.
    number: Option<Number>,
    unreadable: bool,
}

#[derive(Clone, Debug)]
struct Variant {
    /// The slip that is undone in it.
    slip: Option<SlipKind>,
    codes: Vec<u8>,
}

impl Written {
    /// Looks at a token.
    pub fn new(token: &str) -> Self {
        let codes: Vec<u8> = token.trim().chars().take(MAX_TOKEN + 1).map(code).collect();
        let unreadable = codes.iter().all(|code| !code.is_ascii_alphanumeric() && *code != FOREIGN) && codes != b"--";
        let mut written = Self { variants: Vec::new(), number: Number::shown(token.trim()), unreadable };
        if !unreadable && codes.len() <= MAX_TOKEN {
            written.add(SlipKind::Case, other_case(&codes));
            written.add(SlipKind::Ends, other_way_round(&codes));
            written.add(SlipKind::Claim, without_claim(&codes));
            written.add(SlipKind::Claim, without_piece(&codes));
            written.add(SlipKind::Part, without_removal(&codes));
            written.variants.insert(0, Variant { slip: None, codes });
        }
        written
    }

    fn add(&mut self, slip: SlipKind, codes: Option<Vec<u8>>) {
        self.variants.extend(codes.map(|codes| Variant { slip: Some(slip), codes }));
    }

    /// True if nobody can read it, so that it may be any move.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable
    }

    /// The comparisons that a walk through the characters of moves makes side by side, up to a cost.
    pub fn walks(&self, most: Cost) -> impl Iterator<Item = Walk<'_>> {
        let slip = |variant: &Variant| variant.slip.map_or(0, SlipKind::cost);
        self.variants.iter().filter(move |variant| slip(variant) <= most).map(move |variant| Walk::new(variant, most))
    }

    /// Compares it with the spellings of many moves, up to a cost.
    pub fn comparison(&self, most: Cost) -> Comparison<'_> {
        Comparison { written: self, most, walks: self.walks(most).collect() }
    }

    /// The cheapest way from a move, in one of its spellings, to this token; nothing beyond [`LIMIT`].
    pub fn cost(&self, spelling: &str) -> Option<Miswriting> {
        self.comparison(LIMIT).cost(spelling)
    }
}

/// All letters in the other case, where all are in one. `x` has only one.
fn other_case(codes: &[u8]) -> Option<Vec<u8>> {
    let letters = || codes.iter().filter(|code| code.is_ascii_alphabetic() && **code != b'x');
    let upper = letters().filter(|code| code.is_ascii_uppercase()).count();
    let all = letters().count();
    if all < 2 || upper != 0 && upper != all {
        return None;
    }
    let turn = |code: u8| match code {
        b'x' => code,
        _ if upper == 0 => code.to_ascii_uppercase(),
        b'X' => b'x',
        _ => code.to_ascii_lowercase(),
    };
    Some(codes.iter().copied().map(turn).collect())
}

/// The same move from its destination to its origin, of tokens that name both.
fn other_way_round(codes: &[u8]) -> Option<Vec<u8>> {
    let is_square = |letter: u8, digit: u8| letter.is_ascii_alphabetic() && digit.is_ascii_digit();
    Some(match *codes {
        [a, b, sign, c, d] if is_square(a, b) && is_square(c, d) && !sign.is_ascii_digit() => vec![c, d, sign, a, b],
        // Andes: the type of the piece comes first, and of the destination only what changes is written.
        [kind, a, b, c, d] if is_square(a, b) && is_square(c, d) => vec![kind, c, d, a, b],
        [kind, a, b, c] if is_square(a, b) && kind.is_ascii_digit() && c.is_ascii_alphabetic() => vec![kind, c, b, a],
        _ => return None,
    })
}

/// The move without what it is said to capture: `0d3x+2`, `d3-c3xc4/b3`.
fn without_claim(codes: &[u8]) -> Option<Vec<u8>> {
    let start = codes.iter().skip(3).position(|&code| matches!(code, b'x' | b'X' | b'+' | TIMES | b'#'))? + 3;
    Some(codes[..start].to_vec())
}

/// The move without the number or letter of its piece: `8b3-c4`, `Kd4-d5`.
fn without_piece(codes: &[u8]) -> Option<Vec<u8>> {
    let digits = codes.iter().take_while(|code| code.is_ascii_digit()).count();
    let letter = usize::from(
        digits == 0 && matches!(codes, [one, other, ..] if one.is_ascii_uppercase() && other.is_ascii_lowercase()),
    );
    let names_two_squares = codes.iter().any(|&code| matches!(code, b'-' | b'^' | DASH));
    (digits + letter > 0 && names_two_squares).then(|| codes[digits + letter..].to_vec())
}

/// The motion alone of a motion with a removal.
fn without_removal(codes: &[u8]) -> Option<Vec<u8>> {
    let start = codes.iter().position(|&code| code == b'*').filter(|&start| start > 0)?;
    Some(codes[..start].to_vec())
}

/// A token compared with one spelling after the other.
#[derive(Debug)]
pub struct Comparison<'w> {
    written: &'w Written,
    most: Cost,
    walks: Vec<Walk<'w>>,
}

impl Comparison<'_> {
    /// The cheapest way from this spelling of a move to the token; nothing beyond the most that it may cost.
    pub fn cost(&mut self, spelling: &str) -> Option<Miswriting> {
        if self.written.unreadable {
            return Some(Miswriting::of(SlipKind::Unreadable)).filter(|found| found.cost <= self.most);
        }
        let number = self.written.number.filter(|_| Number::parse(spelling) == self.written.number);
        let mut cheapest =
            number.map(|_| Miswriting::of(SlipKind::Spreadsheet)).filter(|found| found.cost <= self.most);
        for walk in &mut self.walks {
            walk.clear();
            if spelling.bytes().all(|meant| walk.push(meant)) {
                let found = walk.miswriting();
                cheapest = cheapest.map_or(found, |known| Some(found.map_or(known, |found| known.min(found))));
            }
        }
        cheapest
    }
}

/// A comparison with a move that is spelled character by character, and that can be taken back.
///
/// This is the edit distance of Damerau and Levenshtein with the costs of the table, one row of it a character.
#[derive(Debug)]
pub struct Walk<'w> {
    written: &'w Variant,
    /// The characters spelled so far.
    meant: Vec<u8>,
    /// A row for nothing, then one for each character of `meant`: what it costs that the beginning of the move became the
    /// beginning of the token, by the length of the latter.
    cells: Vec<Miswriting>,
    /// The least of each row.
    least: Vec<Cost>,
    /// The columns of each row that are within the most, as a range that begins and ends with one.
    near: Vec<Range<usize>>,
    /// The most that it may cost.
    most: Cost,
}

impl<'w> Walk<'w> {
    fn new(written: &'w Variant, most: Cost) -> Self {
        let mut walk =
            Self { written, meant: Vec::new(), cells: Vec::new(), least: Vec::new(), near: Vec::new(), most };
        walk.row(None);
        walk
    }

    fn width(&self) -> usize {
        self.written.codes.len() + 1
    }

    /// Back to nothing spelled.
    fn clear(&mut self) {
        self.meant.clear();
        self.cells.truncate(self.width());
        self.least.truncate(1);
        self.near.truncate(1);
    }

    /// The most that the characters may cost: that without the slip that is undone in the variant.
    fn most(&self) -> Cost {
        self.most - self.written.slip.map_or(0, SlipKind::cost)
    }

    /// Spells one character more. False if nothing that begins so can be within the most that it may cost; it is to be taken
    /// back all the same.
    pub fn push(&mut self, meant: u8) -> bool {
        self.meant.push(meant);
        self.row(Some(meant));
        let back = |rows: usize| self.least.len().checked_sub(rows).map_or(Cost::MAX, |row| self.least[row]);
        let most = self.most();
        // An edit that skips rows can begin in an earlier one.
        back(1) <= most || back(2).min(back(3)).saturating_add(SlipKind::Transposed.cost()) <= most
    }

    /// Takes the last character back.
    pub fn pop(&mut self) {
        self.meant.pop();
        self.least.pop();
        self.near.pop();
        self.cells.truncate(self.cells.len() - self.width());
    }

    /// The cost if the move ends here; nothing beyond the most that it may cost.
    pub fn miswriting(&self) -> Option<Miswriting> {
        let found = self.cells[self.cells.len() - 1];
        let found = self.written.slip.map_or(found, |slip| found.and(slip));
        (found.cost <= self.most).then_some(found)
    }

    /// Adds the row of a character.
    fn row(&mut self, meant: Option<u8>) {
        let (written, width) = (&self.written.codes, self.width());
        let (depth, start, most) = (self.meant.len(), self.cells.len(), self.most());
        let mut least = Cost::MAX;
        self.cells.resize(start + width, Miswriting { cost: Cost::MAX / 2, slip: None });
        let reached = self.reached();
        let mut near = width..0;
        for column in reached.start..width {
            // Beyond the cells that earlier rows lead to, a cell follows only from those to the left of it.
            if column >= reached.end.max(near.end + 3) {
                break;
            }
            let cells = &self.cells;
            // The cell so many rows up and so many columns to the left.
            let before = |rows: usize, columns: usize| cells[start + column - rows * width - columns];
            let mut cell = Miswriting { cost: Cost::MAX / 2, slip: None };
            if let Some(meant) = meant {
                let missing = if is_sign(meant) { SlipKind::NoSign } else { SlipKind::Missing };
                cell = before(1, 0).and(missing);
                if column > 0 {
                    let same = before(1, 1);
                    let slip = replaced(depth == 1, meant, written[column - 1]);
                    cell = cell.min(slip.map_or(same, |slip| same.and(slip)));
                }
                if depth >= 3 && is_hop(&self.meant[depth - 3..]) {
                    cell = cell.min(before(3, 0).and(SlipKind::Part));
                }
                for gap in [2, 3] {
                    if depth >= gap
                        && column >= gap
                        && changed_places(&self.meant[depth - gap..], &written[column - gap..column])
                    {
                        cell = cell.min(before(gap, gap).and(SlipKind::Transposed));
                    }
                }
            } else if column == 0 {
                cell = Miswriting::NONE;
            }
            if column > 0 {
                let twice = column > 1 && written[column - 1] == written[column - 2];
                cell = cell.min(before(0, 1).and(if twice { SlipKind::Doubled } else { SlipKind::Extra }));
            }
            if column >= 3 && is_hop(&written[column - 3..column]) {
                cell = cell.min(before(0, 3).and(SlipKind::Part));
            }
            least = least.min(cell.cost);
            if cell.cost <= most {
                near = near.start.min(column)..column + 1;
            }
            self.cells[start + column] = cell;
        }
        self.least.push(least);
        self.near.push(near);
    }

    /// The columns of the next row that cells of earlier rows within the most lead to; the first column in the first row.
    fn reached(&self) -> Range<usize> {
        let rows = self.near.len();
        let above =
            |row: usize| rows.checked_sub(row).map(|row| self.near[row].clone()).filter(|near| !near.is_empty());
        // Down, or down and to the right by as many columns as rows. Down by three rows is a hop.
        let below = || (1..=3).filter_map(|row| above(row).map(|near| (near.start, near.end + row)));
        let (start, end) = (below().map(|(start, _)| start).min(), below().map(|(_, end)| end).max());
        let of_rows = start.unwrap_or_default()..end.unwrap_or_default();
        if rows == 0 { 0..1 } else { of_rows }
    }
}

/// One landing of a jump: `^d5`.
fn is_hop(codes: &[u8]) -> bool {
    matches!(codes, [b'^', letter, digit] if letter.is_ascii_lowercase() && digit.is_ascii_digit())
}

/// True if the first and the last of these changed places and what is between them stayed.
fn changed_places(meant: &[u8], written: &[u8]) -> bool {
    let last = meant.len() - 1;
    meant[0] == written[last]
        && meant[last] == written[0]
        && meant[0] != meant[last]
        && meant[1..last] == written[1..last]
}

/// The value of a token that reads as a number of one digit that is not zero, and zeros: what is left of `2E64` once a
/// spreadsheet shows it as `2E+064`. A zero has lost its exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    digit: u8,
    exponent: i64,
}

impl Number {
    /// A number as a spreadsheet shows it. A token that begins like one is shown otherwise.
    fn shown(text: &str) -> Option<Self> {
        let is_token = text.contains(['e', 'E']) && !text.contains(['+', '-', '.', ',']);
        Self::parse(text).filter(|_| !is_token)
    }

    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, ""));
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = || whole.bytes().chain(fraction.bytes()).enumerate().filter(|(_, byte)| *byte != b'0');
        let Some((place, byte)) = digits().next() else { return Some(Self { digit: 0, exponent: 0 }) };
        let behind = i64::try_from(whole.len()).ok()? - 1 - i64::try_from(place).ok()?;
        (digits().count() == 1).then_some(Self { digit: byte - b'0', exponent: i64::from(exponent) + behind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_an_example_that_costs_what_it_says() {
        for (index, row) in SLIPS.iter().enumerate() {
            assert_eq!(row.kind as usize, index, "{}", row.name);
            let [meant, written] = row.example;
            let found = Written::new(written).cost(meant);
            let expected = Some(Miswriting::of(row.kind)).filter(|_| row.kind != SlipKind::Other);
            assert_eq!(found, expected, "{}", row.name);
        }
    }

    #[track_caller]
    fn costs(meant: &str, written: &str, slips: &[SlipKind]) {
        let cost = Written::new(written).cost(meant).map(|found| found.cost);
        assert_eq!(cost, Some(slips.iter().map(|slip| slip.cost()).sum()), "{meant} {written}");
    }

    #[test]
    fn a_token_without_a_slip_costs_nothing() {
        for token in ["0d3", "2a3c", "d3-c3xc4/b3", "PA3", "b3^d5^d3*1-3", "--", "*14-16"] {
            costs(token, token, &[]);
        }
    }

    #[test]
    fn several_slips_add_up() {
        costs("0G3F4", "OG3E4", &[SlipKind::Alike, SlipKind::Alike]);
        costs("d3-c3", "D3c3", &[SlipKind::Case, SlipKind::NoSign]);
        costs("d6-e6", "D6-E6", &[SlipKind::Case]);
        costs("d6-e6", "D6E6", &[SlipKind::Case, SlipKind::NoSign]);
        costs("2a3c3", "2c3a3", &[SlipKind::Transposed]);
        costs("2a3c", "2c3a", &[SlipKind::Transposed]);
        costs("0d3e4", "0e4d3", &[SlipKind::Ends]);
        costs("d3-c3", "d3-c3xb3", &[SlipKind::Claim]);
        costs("b3-c4", "8b3-c4", &[SlipKind::Claim]);
        costs("d4-d5", "Kd4-d5", &[SlipKind::Claim]);
        costs("b3-c4", "b3-c4*1-3", &[SlipKind::Part]);
        costs("b3^d5^d7", "b3^d5^d7^d5", &[SlipKind::Part]);
        costs("d3-c3", "d3—c3", &[SlipKind::Dash]);
        costs("d3-c3", "d3-с3", &[]);
    }

    #[test]
    fn spreadsheets() {
        for (meant, written) in [
            ("0E01", "0"),
            ("0e0", "0.00E+00"),
            ("0E6", "0E+00"),
            ("2E64", "2.00E+64"),
            ("1E01", "10"),
            ("3E5", "300000"),
            ("2e1", "20,00"),
        ] {
            costs(meant, written, &[SlipKind::Spreadsheet]);
        }
        assert_eq!(Number::parse("1.5E3"), None);
        assert_eq!(Number::parse("0d3"), None);
        assert_eq!(Number::parse("1E999999"), None);
    }

    #[test]
    fn nobody_can_read_it() {
        for token in ["", "_", "…", "...", "–", "---", "??", " "] {
            assert!(Written::new(token).is_unreadable(), "{token:?}");
        }
        for token in ["0", "0_3", "--", "ñ"] {
            assert!(!Written::new(token).is_unreadable(), "{token:?}");
        }
    }

    #[test]
    fn a_slip_beyond_the_limit_has_no_cost() {
        assert_eq!(Written::new("g7-g5").cost("d3-c3"), None);
        assert_eq!(Written::new(&"b3^d5".repeat(40)).cost("b3^d5"), None);
    }

    /// Cells beyond the limit are left out, which changes no cost within it.
    #[test]
    fn the_limit_changes_no_cost_within_it() {
        let tokens = [
            "0d3",
            "0e3d4",
            "0OE3d",
            "d3-c3",
            "d3c3xd4",
            "c3-d3xd4/b3",
            "b3^d5^d7",
            "b3^d7",
            "b3^d5^f7^d5^d7*1-3",
            "8b3-c4",
            "PA3",
            "AP3",
            "2E+064",
            "2E64",
            "3d-c3",
            "",
            "d3-c3-c3-c3-c3-c3-c3",
        ];
        for written in tokens.map(Written::new) {
            for meant in tokens {
                let without = written.comparison(10_000).cost(meant).filter(|found| found.cost <= LIMIT);
                assert_eq!(written.cost(meant), without, "{meant} {written:?}");
            }
        }
    }

    /// A walk that gives up early gives up only what is beyond the limit.
    #[test]
    fn walks_give_up_in_time() {
        let tokens = ["0d3", "0d3e", "0e3d4", "d3-c3", "c3-d3xd4", "b3^d5^d7", "b3^d7*1-3", "PA3", "2E64"];
        for written in tokens {
            let written = Written::new(written);
            for meant in tokens {
                for mut walk in written.walks(LIMIT) {
                    let pushed: Vec<_> = meant.bytes().map(|sign| walk.push(sign)).collect();
                    let alive = pushed.iter().all(|alive| *alive);
                    assert!(alive || walk.miswriting().is_none(), "{meant} {written:?}");
                }
            }
        }
    }
}
