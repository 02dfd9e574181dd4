//! Random positions and tokens, mostly valid, and random damage to them.

use fastrand::Rng;

use crate::Kind;

/// A random element of a list.
pub(crate) fn any<'a, T: ?Sized>(random: &mut Rng, of: &[&'a T]) -> &'a T {
    of[random.usize(..of.len())]
}

/// A random letter of a text.
pub(crate) fn letter(random: &mut Rng, of: &str) -> char {
    of.chars().nth(random.usize(..of.chars().count())).expect("it is one of them")
}

pub(crate) fn one_in(random: &mut Rng, n: u32) -> bool {
    random.u32(..n) == 0
}

/// Inserts, removes, swaps or replaces a letter.
pub(crate) fn garble(letters: &mut Vec<char>, of: &str, random: &mut Rng) {
    let letter = letter(random, of);
    let at = random.usize(..=letters.len());
    match random.u32(..4) {
        0 => letters.insert(at, letter),
        _ if at == letters.len() => {}
        1 => drop(letters.remove(at)),
        2 if at > 0 => letters.swap(at, at - 1),
        _ => letters[at] = letter,
    }
}

/// A token that mostly parses as a move and is only rarely a legal one.
pub(crate) fn random_token(kind: Kind, random: &mut Rng) -> String {
    let token = match kind.game {
        "andes" => andes(random),
        "pastores" => pastores(random),
        "querni" => querni(random),
        _ => brandubh(random),
    };
    if !one_in(random, 12) {
        return token;
    }
    let mut letters: Vec<char> = token.chars().collect();
    garble(&mut letters, "0123456789abcdefgxK^*-+/;.,%\"\\=Ññ０", random);
    letters.into_iter().filter(|letter| !letter.is_whitespace()).collect()
}

fn square(random: &mut Rng, columns: &str, rows: &str) -> String {
    String::from_iter([columns, rows].map(|of| letter(random, of)))
}

fn andes(random: &mut Rng) -> String {
    let marks = if random.bool() { "abcdefg" } else { "ABCDEFG" };
    let mut token = String::from(letter(random, "0123"));
    token += &square(random, marks, "0123456");
    let to = square(random, marks, "0123456");
    match random.u32(..5) {
        0 => {}
        1 => token += &to,
        2 => token += &to[..1],
        3 => token += &to[1..],
        _ => token += &square(random, "abcdefgABCDEFG", "0123456"),
    }
    if one_in(random, 4) {
        token += any(random, &["x", "+1", "+2", "x+1", "+0", "+01", "+", "xx", "+1x", "+18446744073709551617"]);
    }
    token
}

fn pastores(random: &mut Rng) -> String {
    if random.bool() {
        return format!("{}{}", any(random, &["P", "G"]), square(random, "ABCDE", "12345"));
    }
    let from = (random.i32(0..5), random.i32(0..5));
    let near = |at: i32, random: &mut Rng| (at + random.i32(-1..=1)).clamp(0, 4);
    let to = (near(from.0, random), near(from.1, random));
    let name = |(row, column): (i32, i32)| format!("{}{}", &"ABCDE"[at(row)..=at(row)], column + 1);
    format!("{}{}{}", name(from), any(random, &["-", "x"]), name(to))
}

fn querni(random: &mut Rng) -> String {
    let mut token = String::new();
    let mut square = (random.i32(0..10), random.i32(1..=7));
    let name = |(column, row): (i32, i32)| format!("{}{row}", &"abcdefghij"[at(column)..=at(column)]);
    let away = |(column, row): (i32, i32), far: i32, random: &mut Rng| {
        let to = (column + far * random.i32(-1..=1), row + far * random.i32(-1..=1));
        (to.0.clamp(0, 9), to.1.clamp(1, 7))
    };
    if one_in(random, 12) {
        token += &random.u32(0..18).to_string();
    }
    match random.u32(..12) {
        0 => token += "--",
        1..4 => {}
        4..9 => token += &format!("{}-{}", name(square), name(away(square, 1, random))),
        _ => {
            token += &name(square);
            for _ in 0..random.u32(1..4) {
                square = away(square, 2, random);
                token += &format!("^{}", name(square));
            }
        }
    }
    if one_in(random, 3) || token.is_empty() {
        let first = random.u32(0..17);
        token += &format!("*{first}-{}", first + random.u32(1..5));
    }
    token
}

fn brandubh(random: &mut Rng) -> String {
    const FILES: &str = "abcdefg";
    const RANKS: &str = "1234567";
    let king = if one_in(random, 6) { "K" } else { "" };
    let (from, to) = (square(random, FILES, RANKS), square(random, FILES, RANKS));
    // Mostly along a row or a column.
    let to = match random.u32(..5) {
        0 | 1 => from[..1].to_owned() + &to[1..],
        2 | 3 => to[..1].to_owned() + &from[1..],
        _ => to,
    };
    let mut token = format!("{king}{from}-{to}");
    if one_in(random, 4) {
        token += &format!("x{}", square(random, FILES, RANKS));
    }
    if one_in(random, 8) {
        token += &format!("/{}", square(random, FILES, RANKS));
    }
    if one_in(random, 6) {
        token += any(random, &["+", "-", "++", "--", "+-", "+++"]);
    }
    token
}

fn at(place: i32) -> usize {
    usize::try_from(place).expect("places are from 0")
}

/// The position string of a start, the usual one or another in which the game is not over, and true if the record needs it in
/// its tag `Setup`.
pub(crate) fn start(kind: Kind, random: &mut Rng) -> (String, bool) {
    let usual = match (kind.game, kind.rules) {
        ("andes", _) => "7/7/7/7/7/7/7 s 7-7 0-0 - - 0",
        ("pastores", _) => any(random, &["5/5/5/5/5 n 53-53 - 0", "5/5/5/5/5 s 53-53 - 0"]),
        (_, "nielsen") => "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 0",
        _ => "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0",
    };
    if kind.game == "querni" {
        return (deal(random), true);
    }
    if one_in(random, 3) {
        for _ in 0..20 {
            let text = position(kind, random);
            if kind.second(&text).is_some_and(|second| second.end().is_none()) {
                return (text, true);
            }
        }
    }
    (usual.to_owned(), one_in(random, 8))
}

/// All 32 pieces of Querni, shuffled or along a path, so that some can be removed.
pub(crate) fn deal(random: &mut Rng) -> String {
    let mut squares: Vec<usize> = (0..70).collect();
    let mut pieces: Vec<char> = ('A'..='P').chain('a'..='p').collect();
    if random.bool() {
        // Row by row in alternating directions, with some pieces swapped.
        squares.sort_by_key(|square| {
            (square / 10, if (square / 10).is_multiple_of(2) { square % 10 } else { 9 - square % 10 })
        });
        let first = random.usize(..=38);
        squares.drain(..first);
        for _ in 0..random.usize(..16) {
            pieces.swap(random.usize(..32), random.usize(..32));
        }
    } else {
        if random.bool() {
            squares.retain(|square| [1, 2, 4, 5].contains(&(square / 10)) && (1..9).contains(&(square % 10)));
        }
        random.shuffle(&mut squares);
        random.shuffle(&mut pieces);
    }
    let mut cells = [None; 70];
    for (square, piece) in squares.into_iter().zip(pieces) {
        cells[square] = Some(piece);
    }
    format!("{} {} 0 0", rows(&cells, 10), any(random, &["a", "r"]))
}

fn rows(cells: &[Option<char>], width: usize) -> String {
    let row = |cells: &[Option<char>]| {
        let mut text = String::new();
        let mut empty = 0;
        for cell in cells {
            if let Some(letter) = cell {
                if empty > 0 {
                    text += &empty.to_string();
                }
                empty = 0;
                text.push(*letter);
            } else {
                empty += 1;
            }
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text
    };
    cells.chunks(width).map(row).collect::<Vec<_>>().join("/")
}

/// Puts up to `most` random letters on random empty squares.
fn scatter(cells: &mut [Option<char>], letters: &str, most: usize, random: &mut Rng) {
    for _ in 0..random.usize(..=most) {
        let square = random.usize(..cells.len());
        if cells[square].is_none() {
            cells[square] = Some(letter(random, letters));
        }
    }
}

/// A position string, mostly a valid one.
pub(crate) fn position(kind: Kind, random: &mut Rng) -> String {
    let mut ply = u64::from(random.u32(..60));
    if one_in(random, 40) {
        ply = 4_294_967_295 - random.u64(..3);
    }
    match kind.game {
        "andes" => position_of_andes(ply, random),
        "pastores" => {
            let mut cells = [None; 25];
            let (few, others) = (random.usize(1..6), random.usize(1..6));
            scatter(&mut cells, "PPG", few, random);
            scatter(&mut cells, "ppg", others, random);
            let countdown = any(random, &["-", "-", "-", "1", "2", "10", "11", "0"]);
            format!("{} {} 00-00 {countdown} {}", rows(&cells, 5), any(random, &["n", "s"]), ply + 16)
        }
        "querni" => position_of_querni(ply, random),
        _ => {
            let mut cells = [None; 49];
            cells[random.usize(..49)] = Some('K');
            scatter(&mut cells, "T", 4, random);
            scatter(&mut cells, "t", 8, random);
            for throne in [0, 6, 24, 42, 48] {
                if cells[throne] != Some('K') && !one_in(random, 20) {
                    cells[throne] = None;
                }
            }
            let black = ply.is_multiple_of(2) != (kind.rules == "nielsen");
            format!("{} {} {ply}", rows(&cells, 7), if black { "n" } else { "r" })
        }
    }
}

fn position_of_andes(ply: u64, random: &mut Rng) -> String {
    let mut cells = [None; 49];
    let most = random.usize(0..7);
    for letters in [["abcd", "aac"], ["ABCD", "AAC"]] {
        scatter(&mut cells, any(random, &letters), most, random);
    }
    let mut left = 14 - cells.iter().flatten().count();
    let mut share = || {
        let part = random.usize(..=left);
        left -= part;
        part
    };
    let (attacked, other, reserve) = (share(), share(), share());
    let turn = if ply.is_multiple_of(2) { "s" } else { "l" };
    let entered = any(random, &["sl", "sl", "sl", "s", "l", "-"]);
    let objectives = any(random, &["-", "p", "c", "pc"]);
    format!("{} {turn} {reserve}-{left} {attacked}-{other} {entered} {objectives} {ply}", rows(&cells, 7))
}

fn position_of_querni(ply: u64, random: &mut Rng) -> String {
    let mut cells = [None; 70];
    let wide = random.usize(2..=10);
    let mut squares: Vec<usize> = (0..70).filter(|square| square % 10 < wide).collect();
    if random.bool() {
        random.shuffle(&mut squares);
    }
    let pieces = ('A'..='P').chain('a'..='p').filter(|_| !one_in(random, 3)).collect::<Vec<_>>();
    for (square, piece) in squares.into_iter().zip(pieces) {
        cells[square] = Some(piece);
    }
    let idle = random.u64(..31).min(ply);
    format!("{} {} {idle} {ply}", rows(&cells, 10), any(random, &["a", "r"]))
}
