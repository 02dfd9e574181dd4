//! Likely slips in the values of tags. The values themselves are kept unchanged.

use chrono::NaiveDate;
use quipu_notation::record::{Tag, clock, clock_readings, plain_name};

use super::slip::Slip;

/// Bytes of a value that is searched for other forms, at most.
const LONG: usize = 40;

/// The slip in the value of a tag, if there is one. An open value, such as `?`, is not a slip.
pub(super) fn slip<'r>(tag: &'r Tag<'_>) -> Option<Slip<'r>> {
    let value = &*tag.value;
    match &*tag.name {
        "Date" | "UTCDate" if !is_date(value) => date(value),
        "Round" if !is_number(value) => round(value),
        "Leg" if !matches!(value, "1" | "2") => leg(value),
        "TimeControl" if !is_number(value) => time_control(value),
        _ => None,
    }
}

/// True for an empty value, and for signs that mean that the value is unknown.
fn is_open(value: &str) -> bool {
    value.chars().all(|character| matches!(character, '?' | '-' | '.' | '*') || character.is_whitespace())
}

fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// A part of a date: its number, or `None` if it is unknown (`?`).
///
/// # Errors
/// If it is neither.
fn part(text: &str) -> Result<Option<u32>, ()> {
    if text.bytes().all(|byte| byte == b'?') {
        return Ok(None);
    }
    text.parse().ok().filter(|_| is_number(text)).map(Some).ok_or(())
}

/// The parts of a text in the form of a date.
fn parts(value: &str) -> Option<[Option<u32>; 3]> {
    let bytes = value.as_bytes();
    if bytes.len() != 10 || !value.is_ascii() || [bytes[4], bytes[7]] != *b".." {
        return None;
    }
    Some([part(&value[..4]).ok()?, part(&value[5..7]).ok()?, part(&value[8..]).ok()?])
}

/// True for a date `YYYY.MM.DD` of a day that exists; unknown parts are `?`.
fn is_date(value: &str) -> bool {
    parts(value).is_some_and(is_day)
}

/// True if the day exists. An unknown year counts as a leap year.
fn is_day([year, month, day]: [Option<u32>; 3]) -> bool {
    let year = year.and_then(|year| i32::try_from(year).ok()).unwrap_or(2000);
    NaiveDate::from_ymd_opt(year, month.unwrap_or(1), day.unwrap_or(1)).is_some()
}

#[cold]
fn date(value: &str) -> Option<Slip<'_>> {
    if is_open(value) {
        return None;
    }
    if parts(value).is_some() {
        return Some(Slip::NoDay { found: value });
    }
    let readings = if value.len() > LONG { Vec::new() } else { dates(value) };
    Some(if readings.is_empty() {
        Slip::NoDate { found: value }
    } else {
        Slip::Date { found: value, readings: readings.join(", ") }
    })
}

/// The possible dates of a text in another form.
fn dates(value: &str) -> Vec<String> {
    if value.chars().any(char::is_alphabetic) {
        return Vec::new();
    }
    let numbers: Vec<_> =
        value.split(|character: char| !character.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let is_year = |part: &str| part.len() == 4;
    let small = |part: &str| if part.len() <= 2 { part.parse::<u32>().ok() } else { None };
    let (year, orders) = match numbers[..] {
        [year] if is_year(year) => (year, vec![[None, None]]),
        [year, month] if is_year(year) => (year, vec![[small(month), None]]),
        [month, year] if is_year(year) => (year, vec![[small(month), None]]),
        [year, month, day] if is_year(year) => (year, vec![[small(month), small(day)], [small(day), small(month)]]),
        [one, two, year] if is_year(year) => (year, vec![[small(two), small(one)], [small(one), small(two)]]),
        _ => return Vec::new(),
    };
    let known = numbers.len() - 1;
    let told = |[month, day]: [Option<u32>; 2]| {
        let is_whole = [month, day].iter().flatten().count() == known;
        let is_right = is_whole && is_day([year.parse().ok(), month, day]);
        let two = |part: Option<u32>| part.map_or_else(|| "??".to_owned(), |part| format!("{part:02}"));
        is_right.then(|| format!("{year}.{}.{}", two(month), two(day)))
    };
    let mut dates: Vec<_> = orders.into_iter().filter_map(told).collect();
    if numbers.first().is_some_and(|first| is_year(first)) {
        // After a leading year the month usually comes first; the other order counts only if that is not a day.
        dates.truncate(1);
    }
    dates.dedup();
    dates
}

/// Words for small numbers, as [`plain_name`] returns them.
const NUMBERS: &[&[&str]] = &[
    &["uno", "una", "primera", "primero", "primer", "one", "first", "i", "1a", "1o", "1er", "1ra", "1st"],
    &["dos", "segunda", "segundo", "two", "second", "ii", "2a", "2o", "2da", "2do", "2nd"],
    &["tres", "tercera", "tercero", "tercer", "three", "third", "iii", "3a", "3o", "3er", "3ra", "3rd"],
    &["cuatro", "cuarta", "cuarto", "four", "fourth", "iv", "4a", "4o", "4ta", "4to", "4th"],
    &["cinco", "quinta", "quinto", "five", "fifth", "v", "5a", "5o", "5ta", "5to", "5th"],
    &["seis", "sexta", "sexto", "six", "sixth", "vi", "6a", "6o", "6ta", "6to", "6th"],
    &["siete", "septima", "septimo", "seven", "seventh", "vii", "7a", "7o", "7ma", "7mo", "7th"],
    &["ocho", "octava", "octavo", "eight", "eighth", "viii", "8a", "8o", "8va", "8vo", "8th"],
    &["nueve", "novena", "noveno", "nine", "ninth", "ix", "9a", "9o", "9na", "9no", "9th"],
    &["diez", "decima", "decimo", "ten", "tenth", "x", "10a", "10o", "10ma", "10mo", "10th"],
    &["once", "undecima", "eleven", "eleventh", "xi", "11a", "11o", "11th"],
    &["doce", "duodecima", "twelve", "twelfth", "xii", "12a", "12o", "12th"],
];

/// Words that stand beside the number of a round.
const ROUND: &[&str] = &["ronda", "round", "fecha", "jornada", "rd", "r", "n", "no", "la"];

/// The number in a text, in digits or in words, beside words such as `ronda`.
fn number(value: &str) -> Option<u32> {
    let plain = plain_name(value);
    let mut words = plain.split(' ').filter(|word| !word.is_empty() && !ROUND.contains(word));
    let (word, None) = (words.next()?, words.next()) else { return None };
    let digits = word.strip_prefix('r').or_else(|| word.strip_prefix('#')).unwrap_or(word);
    if is_number(digits) {
        return digits.parse().ok();
    }
    let place = NUMBERS.iter().position(|words| words.contains(&word))?;
    u32::try_from(place + 1).ok()
}

/// A round may have any name; if the name contains a number, that number was likely meant.
#[cold]
fn round(value: &str) -> Option<Slip<'_>> {
    if value.len() > LONG || value.split('.').all(is_number) {
        return None;
    }
    number(value).map(|round| Slip::Round { found: value, round })
}

#[cold]
fn leg(value: &str) -> Option<Slip<'_>> {
    if is_open(value) {
        return None;
    }
    let leg = if value.len() > LONG { None } else { number(value) };
    let leg = leg.or_else(|| match &*plain_name(value.get(..LONG).unwrap_or(value)) {
        "ida" => Some(1),
        "vuelta" => Some(2),
        _ => None,
    });
    Some(Slip::Leg { found: value, leg: leg.filter(|leg| (1..=2).contains(leg)) })
}

#[cold]
fn time_control(value: &str) -> Option<Slip<'_>> {
    if is_open(value) {
        return None;
    }
    let seconds = if value.len() > LONG { None } else { seconds(value) };
    Some(Slip::TimeControl { found: value, seconds })
}

/// Seconds at the start, of a time control in another form: minutes and an increment, a clock, or a number with a unit.
fn seconds(value: &str) -> Option<u64> {
    let plain = plain_name(value);
    let start = plain.split(['+', '|']).next().unwrap_or_default().trim();
    if start.contains(':') || value.contains(':') {
        let clock = value.split(['+', '|']).next().unwrap_or_default().trim();
        let whole = clock::parse_bare(clock).or_else(|| clock_readings(clock).first().copied());
        return whole.map(|millis| millis / 1000);
    }
    let digits = start.trim_end_matches(|character: char| !character.is_ascii_digit());
    let unit = start[digits.len()..].trim();
    let count = digits.parse::<u64>().ok().filter(|_| is_number(digits))?;
    let times = match unit {
        "" | "m" | "min" | "mins" | "minuto" | "minutos" | "minute" | "minutes" | "'" | "’" | "′" => 60,
        "s" | "seg" | "sec" | "segundo" | "segundos" | "second" | "seconds" | "''" | "\"" | "″" => 1,
        "h" | "hora" | "horas" | "hour" | "hours" => 3600,
        _ => return None,
    };
    // A number without a unit is in seconds from 120 on, and in minutes below.
    let times = if unit.is_empty() && count >= 120 { 1 } else { times };
    count.checked_mul(times)
}

#[cfg(test)]
mod tests {
    use quipu_notation::Span;

    use super::*;

    #[track_caller]
    fn check(name: &'static str, value: &str, expected: Option<&str>) {
        let tag = Tag { name: name.into(), value: value.into(), span: Span::default() };
        let found = slip(&tag).map(|slip| match slip {
            Slip::Date { readings, .. } => readings,
            Slip::NoDate { .. } => "none".to_owned(),
            Slip::NoDay { .. } => "no day".to_owned(),
            Slip::Round { round, .. } => round.to_string(),
            Slip::Leg { leg, .. } => leg.map_or_else(|| "none".to_owned(), |leg| leg.to_string()),
            Slip::TimeControl { seconds, .. } => {
                seconds.map_or_else(|| "none".to_owned(), |seconds| seconds.to_string())
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(found.as_deref(), expected, "{name} {value}");
    }

    #[test]
    fn dates_in_other_forms() {
        for value in ["2026.08.15", "2026.08.??", "????.??.??", "2024.02.29", "????.02.29", "?", "", "-"] {
            check("Date", value, None);
        }
        for (value, expected) in [
            ("2026.13.45", "no day"),
            ("2026.02.30", "no day"),
            ("2023.02.29", "no day"),
            ("12/08/2026", "2026.08.12, 2026.12.08"),
            ("25/08/2026", "2026.08.25"),
            ("08-25-2026", "2026.08.25"),
            ("07/07/2026", "2026.07.07"),
            ("2026-08-15", "2026.08.15"),
            ("2026.8.5", "2026.08.05"),
            ("2026-25-08", "2026.08.25"),
            ("2026", "2026.??.??"),
            ("2026.08", "2026.08.??"),
            ("08/2026", "2026.08.??"),
            ("12 de agosto", "none"),
            ("31/02/2026", "none"),
            ("1/2/3", "none"),
            ("20260815", "none"),
        ] {
            check("Date", value, Some(expected));
        }
        check("UTCDate", "2026-08-15", Some("2026.08.15"));
    }

    #[test]
    fn rounds_in_words() {
        for value in ["3", "3.1", "?", "-", "", "Final", "semifinal", "A", "grupo B", "12"] {
            check("Round", value, None);
        }
        for (value, expected) in [
            ("uno", "1"),
            ("Primera", "1"),
            ("ronda 3", "3"),
            ("R3", "3"),
            ("3ª", "3"),
            ("3rd", "3"),
            ("IV", "4"),
            ("Round Two", "2"),
            ("#5", "5"),
            (" 3", "3"),
        ] {
            check("Round", value, Some(expected));
        }
    }

    #[test]
    fn legs_and_time_controls() {
        for value in ["1", "2", "?", ""] {
            check("Leg", value, None);
        }
        for (value, expected) in
            [("7", "none"), ("ida", "1"), ("Vuelta", "2"), ("uno", "1"), ("0", "none"), ("x", "none")]
        {
            check("Leg", value, Some(expected));
        }
        for value in ["720", "0", "?", "-", ""] {
            check("TimeControl", value, None);
        }
        for (value, expected) in [
            ("12+5", "720"),
            ("720+5", "720"),
            ("12 min", "720"),
            ("12'", "720"),
            ("12 minutos + 5", "720"),
            ("720 s", "720"),
            ("0:12:00", "720"),
            ("12:00", "720"),
            ("1 h", "3600"),
            ("40/7200", "none"),
            ("rápido", "none"),
        ] {
            check("TimeControl", value, Some(expected));
        }
    }
}
