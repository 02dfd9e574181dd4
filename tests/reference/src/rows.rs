//! Common parts of the position strings of all games: rows of letters and numbers, and numeric fields.

use std::collections::BTreeMap;

/// Column and row, both from 0, the row from the top as it is written.
pub(crate) type Square = (i32, i32);

/// Reads rows: who stands where, by letter. Writing the position again shows if the rows were canonical.
pub(crate) fn read(text: &str, (width, height): Square) -> Option<BTreeMap<Square, char>> {
    let mut found = BTreeMap::new();
    let rows: Vec<&str> = text.split('/').collect();
    if i32::try_from(rows.len()) != Ok(height) {
        return None;
    }
    for (row, letters) in (0..).zip(rows) {
        let mut column = 0;
        let mut number = String::new();
        for letter in letters.chars().chain(['.']) {
            if letter.is_ascii_digit() {
                number.push(letter);
                continue;
            }
            if !number.is_empty() {
                let empty: i32 = number.parse().ok()?;
                if empty > width {
                    return None;
                }
                column += empty;
                number.clear();
            }
            if letter != '.' {
                if !letter.is_ascii_alphabetic() {
                    return None;
                }
                found.insert((column, row), letter);
                column += 1;
            } else if column != width {
                return None;
            }
        }
        if letters.contains('.') {
            return None;
        }
    }
    Some(found)
}

/// Writes rows.
pub(crate) fn write((width, height): Square, letter: impl Fn(Square) -> Option<char>) -> String {
    let mut rows = Vec::new();
    for row in 0..height {
        let mut text = String::new();
        let mut empty = 0;
        for column in 0..width {
            match letter((column, row)) {
                None => empty += 1,
                Some(letter) => {
                    if empty > 0 {
                        text += &empty.to_string();
                    }
                    empty = 0;
                    text.push(letter);
                }
            }
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        rows.push(text);
    }
    rows.join("/")
}

/// "Numbers in position strings are at most 4 294 967 295."
pub(crate) fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number <= 4_294_967_295).then_some(number)
}

/// Two numbers with a hyphen between them.
pub(crate) fn pair(text: &str) -> Option<[u64; 2]> {
    let (one, other) = text.split_once('-')?;
    Some([number(one)?, number(other)?])
}

/// The place of a letter in a row of letters.
pub(crate) fn place(letters: &str, letter: char) -> Option<i32> {
    let place = letters.chars().position(|other| other == letter)?;
    i32::try_from(place).ok()
}

/// The letter at a place.
pub(crate) fn letter(letters: &str, place: i32) -> char {
    let place = usize::try_from(place).expect("places are from 0");
    letters.chars().nth(place).expect("a place on the board has a name")
}
