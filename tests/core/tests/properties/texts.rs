//! Generators of records in each format.

use proptest::{
    collection::vec,
    prelude::*,
    sample::{select, subsequence},
    string::string_regex,
};

pub(super) fn parts(alphabet: &'static [&'static str], most: usize) -> impl Strategy<Value = String> + Clone {
    vec(select(alphabet), 0..most).prop_map(|parts| parts.concat())
}

/// White space of all kinds, with what is skipped.
fn gap() -> impl Strategy<Value = &'static str> + Clone {
    select(&[" ", " ", " ", "\n", "\r\n", "\t", " \u{b}\u{c} ", "\n% skipped { ( [\n", "\n\n"][..])
}

/// Anything that may stand beside a move: gaps, comments, clocks, annotations, numbers, variations.
pub(super) fn beside() -> impl Strategy<Value = String> {
    let inside: &[&str] = &[
        "a",
        "ñ",
        " ",
        "\n",
        "\r\n",
        "\r",
        "[%clk 0:00:05.250]",
        "[%clk ",
        "0:00:02]",
        "[Event \"",
        " [Game \"",
        "(",
        ")",
        ";",
        "%",
        "\n%",
        "{",
        "$",
        "!",
        "1-0",
        "\\",
        "\"",
        "\u{a0}",
    ];
    let to_line_end: &[&str] =
        &["a", "}", " ", "\r", "{", "[%clk 0:00:05]", "[%clk ", "0:00:02]", "[Game \"", "(", ";", "\\"];
    let note = prop_oneof![
        Just(String::new()),
        parts(inside, 6).prop_map(|text| format!("{{{text}}}")),
        parts(to_line_end, 6).prop_map(|text| format!(";{text}\n")),
        (0..720_u32).prop_map(|clock| format!("{{[%clk 0:{:02}:{:02}]}}", clock / 60, clock % 60)),
        any::<u32>().prop_map(|nag| format!("${nag}")),
        select(&["!", "?", "!!", "??", "!?", "?!", "1.", "7...", "0.2."][..]).prop_map(str::to_owned),
    ];
    let spaced =
        |note| (gap(), note, gap()).prop_map(|(before, note, after): (_, String, _)| format!("{before}{note}{after}"));
    let notes = vec(spaced(note.boxed()), 0..3).prop_map(|notes| notes.concat());
    notes.prop_recursive(3, 12, 3, move |inner| {
        let opening = parts(&["{a}", "{[%clk 0:00:05]}", ";}\n", "\n"], 3);
        let line = vec((token(), inner.clone()), 0..3);
        (inner, opening, line).prop_map(|(before, opening, line)| {
            let line: String = line.into_iter().map(|(token, beside)| format!(" {token} {beside}")).collect();
            format!("{before}({opening}{line})")
        })
    })
}

/// Tokens that are moves only by chance.
pub(super) fn token() -> impl Strategy<Value = String> {
    const ODD: &[&str] = &[
        "0d3",
        "0a1x",
        "1.0A0+1",
        "%",
        "2.%x",
        "x;y",
        "1.;x",
        "\u{feff}",
        "\u{a0}",
        "x\u{2003}",
        "\u{85}",
        "1",
        ".5",
        "ñ",
        "\\",
    ];
    let odd = select(ODD);
    prop_oneof![odd.prop_map(str::to_owned), string_regex("[0-3][a-gA-G][0-6]").expect("a good pattern")]
}

/// Tag pairs in any order, each name once.
pub(super) fn tags() -> impl Strategy<Value = String> {
    let names = [
        "Event",
        "Round",
        "Result",
        "Sol",
        "Luna",
        "Ñandú",
        "_7",
        "Termination",
        "TimeControl",
        "Points",
        "Decision",
        "Rules",
    ];
    let values = [
        "1-0",
        "0-1",
        "*",
        "1/2-1/2",
        "won",
        "0d3",
        "base",
        "",
        "sol",
        "60",
        "resignation",
        "7-7",
        "{ [Game \"x\"]",
        "\\",
    ];
    let value = prop_oneof![
        select(values.to_vec()).prop_map(str::to_owned),
        string_regex("[^\r\n]{0,8}").expect("a good pattern")
    ];
    let between = select(&["", "", "", "{comment\n\nof the head}\n", "% skipped\n", "; comment }\n"][..]);
    let tag = (select(names.to_vec()), value, between);
    vec(tag, 0..6).prop_map(|mut tags| {
        tags.sort_by_key(|(name, ..)| *name);
        tags.dedup_by_key(|(name, ..)| *name);
        let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
        tags.iter().map(|(name, value, between)| format!("[{name} \"{}\"]\n{between}", escaped(value))).collect()
    })
}

/// Texts between double quotes as JSON has them.
fn json_texts() -> impl Strategy<Value = String> + Clone {
    let texts: &[&str] = &[
        "a",
        "",
        " b ",
        "}",
        "a\\nb",
        "a\\r\\n\\r\\nb\\r",
        "[%clk 0:00:05.250]",
        "x [%clk 0:00:01] }",
        "[%clk ",
        "[Event \\\"x\\\"]",
        "[Game \\\"x",
        "{ ( ; % $",
        "\\u00f1\\/",
        "\\ud83d\\ude00",
        "\\u0000",
        "\\\\",
    ];
    vec(select(texts), 0..3).prop_map(|texts| match &texts[..] {
        [one] => format!("\"{one}\""),
        several => format!("[{}]", several.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(",")),
    })
}

/// A move in JSON, with what may stand beside it.
fn json_move() -> impl Strategy<Value = String> {
    let token =
        || select(&["0d3", "2A3", "0a1x", "x;y", "\\u0030a1", "1.;x", "%", "#", "\\\\", "\u{feff}", ",\\\""][..]);
    let clock = select(&["null", "0", "5", "3599999999999999"][..]);
    let alone = token().prop_map(|token| format!("\"{token}\""));
    let beside = (token(), clock, json_texts(), vec(any::<u32>(), 0..3)).prop_map(|(token, clock, texts, nags)| {
        format!("{{\"clock_ms\":{clock},\"move\":\"{token}\",\"nags\":{nags:?},\n\"comment\":{texts}}}")
    });
    prop_oneof![alone, beside].prop_recursive(3, 16, 3, move |inner| {
        let variation = (json_texts(), vec(inner, 0..3))
            .prop_map(|(texts, moves)| format!("{{\"comments\":{texts},\"moves\":[{}]}}", moves.join(",\n")));
        (token(), vec(variation, 0..3)).prop_map(|(token, variations)| {
            format!("{{\"move\":\"{token}\",\"variations\":[{}]}}", variations.join(","))
        })
    })
}

/// A record in JSON that can be read.
pub(super) fn json_record() -> impl Strategy<Value = String> {
    let fields: &[&str] = &[
        r#""game":"andes""#,
        r#""rules":"base""#,
        r#""first":"luna""#,
        r#""setup":"7\/7\/7\/3a3\/7\/7\/7 l 6-7 0-0 s p 1""#,
        r#""tags":{"Event":"\"a\", ; ","Ñ_7":" \\","Result":null,"Sol":null}"#,
        r#""result":"1-0""#,
    ];
    let fields = subsequence(fields.to_vec(), 0..=fields.len()).prop_shuffle();
    (fields, json_texts(), vec(json_move(), 0..8)).prop_map(|(fields, texts, moves)| {
        let fields: String = fields.into_iter().map(|field| format!("{field},\n ")).collect();
        format!("{{{fields}\"comments\":{texts},\n\"moves\":[\n{}]}}", moves.join(","))
    })
}

/// A scoresheet that can be read.
pub(super) fn scoresheet() -> impl Strategy<Value = String> {
    let tags: &[&str] = &[
        "#Game: andes",
        "#Event:  a, b ",
        "\"#Sol: Quispe; \"\"Ana\"\",\"",
        "#Result: 1-0",
        "#First: luna",
        "# Setup : 7/7/7/3a3/7/7/7 l 6-7 0-0 s p 1",
        "#Ñ_7:",
    ];
    let tags = subsequence(tags.to_vec(), 0..=tags.len());
    let header =
        select(&["n,sol,luna", "N,Luna,Luna_Clock,Sol,Sol_Clock", "sol, sol_clock,luna,,n", "n,\"luna\",sol"][..]);
    let token = select(&["0d3", "2A3", "\"0a1\"", " x ", "\"a\"\"b\"", "ñ", "%", "\u{feff}x", "0", "."][..]);
    // If each row is read from its second column, none can end with its first.
    let moves = vec([token.clone(), token], 0..5).prop_map(|pairs| pairs.concat());
    let first = select(&[None, Some("")][..]);
    let result = select(&[None, Some("1-0"), Some("*")][..]);
    let cells = (first, moves, result).prop_map(|(first, moves, result)| {
        first.into_iter().chain(moves).chain(result).map(str::to_owned).collect::<Vec<_>>()
    });
    let line_end = select(&["\n", "\r\n", "\n\n", ",,\r\n,,,\n"][..]);
    (tags, header, cells, line_end, any::<bool>()).prop_map(|(tags, header, cells, line_end, semicolons)| {
        let mut lines: Vec<_> = tags.into_iter().chain([header]).map(str::to_owned).collect();
        let mut cells = cells.into_iter().peekable();
        while cells.peek().is_some() {
            let mut clock = "";
            let row = header.split(',').map(|name| match name.trim().to_lowercase() {
                name if name == "n" => "7".to_owned(),
                name if name.is_empty() => name,
                name if name.ends_with("_clock") => clock.to_owned(),
                _ => {
                    let cell = cells.next().unwrap_or_default();
                    clock = if matches!(&*cell, "" | "1-0" | "*") { "" } else { " 0:11:50" };
                    cell
                }
            });
            lines.push(row.collect::<Vec<_>>().join(","));
        }
        let text = lines.join(line_end) + line_end;
        if semicolons { text.replace(',', ";") } else { text }
    })
}
