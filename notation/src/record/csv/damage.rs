//! Cells that a spreadsheet has changed: `0E01` into the number `0`, a clock into a time of the day, points into a date.
//! Each can have had only a few original texts, its *readings*.

use super::{super::clock, names};

/// Largest exponent of a move that looks like a number: a type, a square `E`, a scale or two.
const EXPONENTS: u32 = 99;
/// Readings have smaller mantissas than this.
const MANTISSAS: u64 = 100;
/// Milliseconds of a day.
const DAY: u128 = 86_400_000;

/// A number as a spreadsheet shows it: `mantissa` has no trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    mantissa: u64,
    exponent: i64,
    /// True for only digits and an exponent without a sign, as a person types a move.
    typed: bool,
}

/// Reads a number; a decimal point or comma and an exponent are optional.
fn number(text: &str) -> Option<Number> {
    let (digits, exponent) = match text.find(['E', 'e']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || fraction.is_empty()
        || whole.len() + fraction.len() > 18
        || !is_digits(whole)
        || !is_digits(fraction)
    {
        return None;
    }
    let mut mantissa: u64 = format!("{whole}{fraction}").parse().ok()?;
    let unsigned = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    if unsigned.is_some_and(|unsigned| unsigned.is_empty() || unsigned.len() > 4 || !is_digits(unsigned)) {
        return None;
    }
    let mut power = exponent.map_or(Some(0), |exponent| exponent.parse::<i64>().ok())?;
    power -= i64::try_from(fraction.len()).ok()?;
    let typed = digits == whole && exponent.is_some() && exponent == unsigned;
    if mantissa == 0 {
        return Some(Number { mantissa, exponent: 0, typed });
    }
    while mantissa.is_multiple_of(10) {
        mantissa /= 10;
        power += 1;
    }
    Some(Number { mantissa, exponent: power, typed })
}

/// True for a text that a spreadsheet would take for a number, a date or a formula, or that would be read as a different
/// text: in a cell it needs an apostrophe, which marks it as text.
pub(in crate::record) fn needs_mark(text: &str) -> bool {
    let is_read_otherwise = || names::outcome(text).is_some() || !pair_readings(text).is_empty();
    text.starts_with(['\'', '=', '+', '-', '@']) || number(text).is_some() || is_read_otherwise()
}

/// True for a text that looks as if a spreadsheet had changed it.
#[cfg(feature = "spreadsheets")]
pub(in crate::record) fn may_be_changed(text: &str) -> bool {
    !move_readings(text).is_empty()
}

/// The readings of a cell with a move; none if the cell is as it was typed.
pub(super) fn move_readings(cell: &str) -> Vec<String> {
    if let Some(number) = number(cell) {
        return if number.typed { Vec::new() } else { scientific(number) };
    }
    pair_readings(cell)
}

/// The readings of a number: mantissa, `E` or `e`, and an exponent without a sign.
fn scientific(Number { mantissa, exponent, .. }: Number) -> Vec<String> {
    let mut texts = Vec::new();
    let mut add = |mantissa: u64, exponent: u32| {
        for letter in ['E', 'e'] {
            texts.push(format!("{mantissa}{letter}{exponent}"));
            if exponent < 10 {
                texts.push(format!("{mantissa}{letter}0{exponent}"));
            }
        }
    };
    if mantissa == 0 {
        (0..=EXPONENTS).for_each(|exponent| add(0, exponent));
        return texts;
    }
    let (mut mantissa, mut exponent) = (mantissa, u32::try_from(exponent).ok());
    while let Some(power) = exponent.filter(|power| *power <= EXPONENTS && mantissa < MANTISSAS) {
        add(mantissa, power);
        mantissa *= 10;
        exponent = power.checked_sub(1);
    }
    texts
}

/// First letters of the months, from January on, in Spanish and in English.
const MONTHS: [&[&str]; 12] = [
    &["ene", "jan"],
    &["feb"],
    &["mar"],
    &["abr", "apr"],
    &["may"],
    &["jun"],
    &["jul"],
    &["ago", "aug"],
    &["sep", "set"],
    &["oct"],
    &["nov"],
    &["dic", "dec"],
];

/// The readings of a date as a pair of numbers, `11-9` and `9-11`; none if the cell is not a date.
pub(super) fn pair_readings(cell: &str) -> Vec<String> {
    let parts = cell.split(['-', '/', ' ']).map(|part| part.trim_end_matches('.'));
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let is_date = cell.contains('/') || parts.len() == 3 || parts.iter().any(|part| month(part).is_some());
    let small = |part: &&str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_year = |part: &&str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let pair = match &parts[..] {
        [year, month, day] if is_year(year) && small(month) && small(day) => [*month, *day],
        [one, two] | [one, two, _] if small(one) && (small(two) || month(two).is_some()) => [*one, *two],
        [one, two] if month(one).is_some() && small(two) => [*one, *two],
        _ => return Vec::new(),
    };
    if !is_date {
        return Vec::new();
    }
    let [one, two] = pair.map(|part| month(part).or_else(|| part.parse::<usize>().ok()).unwrap_or_default());
    let mut pairs = vec![format!("{one}-{two}"), format!("{two}-{one}")];
    pairs.dedup();
    pairs
}

/// The number of a month by its name.
fn month(name: &str) -> Option<usize> {
    let name: String = name.chars().flat_map(char::to_lowercase).take(3).collect();
    MONTHS.iter().position(|names| names.contains(&name.as_str())).map(|index| index + 1)
}

/// The readings, in milliseconds, of a clock that is not written as `H:MM:SS.mmm`. Of two, the first is minutes and
/// seconds, the second hours and minutes.
pub fn clock_readings(cell: &str) -> Vec<u64> {
    let lower = cell.to_lowercase();
    let (text, half) = match lower.find(['a', 'p']) {
        Some(at) if is_half(&lower[at..]) => (lower[..at].trim_end(), Some(lower.as_bytes()[at] == b'p')),
        _ => (lower.as_str(), None),
    };
    let parts: Vec<_> = text.split(':').collect();
    let millis = match &parts[..] {
        [hours, minutes, seconds] => {
            digits_below(hours, 0).zip(sixtieth(minutes)).zip(fraction(seconds)).map(|((h, m), s)| {
                let hours = match half {
                    Some(after_noon) => h % 12 + if after_noon { 12 } else { 0 },
                    None => h,
                };
                vec![(hours * 60 + m) * 60_000 + s]
            })
        }
        [minutes, seconds] if seconds.contains(['.', ',']) => {
            digits_below(minutes, 0).zip(fraction(seconds)).map(|(m, s)| vec![m * 60_000 + s])
        }
        [greater, smaller] if half.is_none() => digits_below(greater, 0)
            .zip(sixtieth(smaller))
            .map(|(greater, smaller)| vec![greater * 60_000 + smaller * 1000, (greater * 60 + smaller) * 60_000]),
        [text] => of_day(text).map(|millis| vec![millis]),
        _ => None,
    };
    let mut millis = millis.unwrap_or_default();
    millis.dedup();
    millis.retain(|millis| *millis <= clock::MOST);
    millis
}

/// True for `am`, `p. m.` and the like.
fn is_half(text: &str) -> bool {
    let letters: String = text.chars().filter(|character| !matches!(character, '.' | ' ' | '\u{a0}')).collect();
    letters == "am" || letters == "pm"
}

/// A number of at most nine digits, below `most` unless that is 0.
fn digits_below(digits: &str, most: u64) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && (most == 0 || *number < most))
}

fn sixtieth(digits: &str) -> Option<u64> {
    digits_below(digits, 60)
}

/// Milliseconds of seconds that may have a fraction; digits after the third are dropped.
fn fraction(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    digits_below(fraction, 0)?;
    let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some(sixtieth(whole)? * 1000 + millis)
}

/// Milliseconds of a fraction of a day, the unit in which spreadsheets store times.
fn of_day(text: &str) -> Option<u64> {
    let Number { mantissa, exponent, typed } = number(text)?;
    let places = u32::try_from(-exponent).ok().filter(|places| (1..=25).contains(places) && !typed && mantissa > 0)?;
    let unit = 10_u128.pow(places);
    let millis = (u128::from(mantissa) * DAY + unit / 2) / unit;
    u64::try_from(millis).ok().filter(|millis| u128::from(*millis) < DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_moves(cell: &str, some: &[&str], count: usize) {
        let found = move_readings(cell);
        assert_eq!(found.len(), count, "{cell}: {found:?}");
        for text in some {
            assert!(found.iter().any(|found| found == text), "{cell} can have been {text}: {found:?}");
        }
    }

    #[test]
    fn moves_that_became_numbers() {
        for zero in ["0", "0.00E+00", "0,00E+00", "0E+000", "0.0"] {
            check_moves(zero, &["0E0", "0E01", "0e66", "0E00"], 2 * 110);
        }
        check_moves("2E+064", &["2E64", "2e64"], 4);
        check_moves("2.00E+64", &["2E64", "20E63"], 4);
        check_moves("3000000", &["3E6", "3E06", "3e06", "30E5"], 8);
        check_moves("20", &["2E1", "2E01", "20E0"], 8);
        check_moves("1E+20", &["1E20", "10E19"], 4);
        for typed in
            ["0E01", "2E64", "0e0", "0d3", "", "-1", "1.2.3", "0x1", "E5", "1E", "1E+", "1.", "1.E5", "0E000001"]
        {
            check_moves(typed, &[], 0);
        }
        check_moves("1E-05", &[], 0);
    }

    #[test]
    fn pairs_that_became_dates() {
        for date in ["11-sep", "Sep-11", "2026-09-11", "11/09/2026", "9/11", "11-set-26", "11 sep."] {
            let mut found = pair_readings(date);
            found.sort_unstable();
            assert_eq!(found, ["11-9", "9-11"], "{date}");
        }
        assert_eq!(pair_readings("01/01/26"), ["1-1"]);
        for other in ["11-9", "a1-b2", "d2-e2", "11", "sep", "", "1/2-1/2", "2026.08", "x/y"] {
            assert!(pair_readings(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn clocks_in_other_forms() {
        for (cell, millis) in [
            ("0:11:35.9", &[695_900][..]),
            ("0:11:35,906", &[695_906]),
            ("0:11:35.90649", &[695_906]),
            ("11:35.9", &[695_900]),
            ("0:9:7", &[547_000]),
            ("9:37", &[577_000, 34_620_000]),
            ("0:00", &[0]),
            ("12:11:35 AM", &[695_000]),
            ("1:11:35 p. m.", &[47_495_000]),
            ("0.00805555555555556", &[696_000]),
            ("8,05555555555556E-03", &[696_000]),
            ("0:60:00", &[]),
            ("0:09:62", &[]),
            ("11", &[]),
            ("1.5", &[]),
            ("0", &[]),
            ("x:y", &[]),
            ("9:37 AM", &[]),
            ("[%clk 0:11:55]", &[]),
            ("", &[]),
        ] {
            assert_eq!(clock_readings(cell), millis, "{cell}");
        }
    }

    #[test]
    fn texts_that_need_a_mark() {
        for text in ["0E01", "2e64", "20", "0.5", "=a", "-b", "+c", "@d", "'x", "--", "½", "1–0"] {
            assert!(needs_mark(text), "{text}");
        }
        for text in ["0d3", "2A3", "a1-b2", "*5-9", "PE1", "", "E5"] {
            assert!(!needs_mark(text), "{text}");
        }
    }
}
