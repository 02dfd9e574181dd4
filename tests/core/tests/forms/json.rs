//! JSON.

use std::iter::repeat_n;

use quipu_notation::record::{Format, limits};

/// A record that follows another.
const NEXT: &str = r#"{"tags":{"Event":"next"},"game":"andes","moves":["0d3"],"result":"*"}"#;
const NEXT_SHOWN: &str = "Event=next Game=andes Result=* 0d3 => *";

#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &[&str]) {
    super::check(Format::Json, text, expected);
}

/// The text is refused, and the record on the line after it is read all the same.
#[track_caller]
fn check_refused(text: impl AsRef<[u8]>, fault: &str) {
    check([text.as_ref(), b"\n", NEXT.as_bytes()].concat(), &[fault, NEXT_SHOWN]);
}

/// A record with these fields is refused so.
#[track_caller]
fn check_fields(fields: &str, fault: &str) {
    check_refused(format!("{{{fields}}}"), fault);
}

#[test]
fn fields() {
    check("{}", &[""]);
    check(
        r#"{"game":"andes","rules":"base","tags":{"Event":"Copa","Ñandú_7":""},"setup":"7/7","first":"sol"}"#,
        &["Game=andes Rules=base Event=Copa Ñandú_7= Setup=7/7 First=sol"],
    );
    check(r#"{"moves":["0d3",{"move":"2A3"}],"result":"1-0"}"#, &["Result=1-0 0d3 2A3 => 1-0"]);
    check(r#"{"moves":[{"clock_ms":715120,"move":"0d3"},{"move":"0D0","clock_ms":0}]}"#, &["0d3 @715120 0D0 @0"]);
    check(r#"{"moves":[{"move":"0d3","nags":[1,0,4294967295]}]}"#, &["0d3 $1 $0 $4294967295"]);
    check(
        r#"{"moves":[{"move":"0d3","comment":"a"},{"move":"0D0","comment":["b","","c"]}]}"#,
        &["0d3 {a} 0D0 {b} {c}"],
    );
    check(r#"{"comments":["a","b"],"moves":["0d3"]}"#, &["{a} {b} 0d3"]);
    check(r#"{"comments":"a"}"#, &["{a}"]);
    check(
        r#"{"moves":[{"move":"0d3","variations":[{"comments":["a"],"moves":["0d4",{"move":"1-0","clock_ms":5}]},{}]}]}"#,
        &["0d3 ({a} 0d4 1-0 @5) ()"],
    );
    check(
        r#"{"game":null,"tags":null,"moves":[{"move":"0d3","clock_ms":null,"nags":null,"comment":null}],"result":null}"#,
        &["0d3"],
    );
    check(r#"{"tags":{"Event":null,"Site":"Cusco"}}"#, &["Site=Cusco"]);
}

#[test]
fn texts_have_escapes() {
    check(r#"{"tags":{"Event":"\"a\" \\ \/ \u00f1 \ud83d\ude00"}}"#, &["Event=\"a\" \\ / ñ 😀"]);
    check(r#"{"\u0067ame":"andes","moves":["0\u00643"]}"#, &["Game=andes 0d3"]);
    check(r#"{"moves":[{"move":"0d3","comment":"a\nb"}]}"#, &["0d3 {a\nb}"]);
    check_fields(r#""game":"\ud800""#, r"syntax Json(Escape) 1:10 ‹\ud800›");
    check_fields(r#""game":"ñ \udc00x""#, r"syntax Json(Escape) 1:10 ‹ñ \udc00x›");
    check_fields(r#""game":"\x""#, r"syntax Json(Escape) 1:10 ‹\x›");
    check_fields(r#""game":"\u12ñ4""#, r"syntax Json(Escape) 1:10 ‹\u12ñ4›");
    check_fields(r#""game":"\ñ""#, r"syntax Json(Escape) 1:10 ‹\ñ›");
    check_refused("{\"game\":\"an\tdes\"}", "syntax Json(Form) 1:12 ‹\t›");
}

#[test]
fn results() {
    // The field is the final token and the tag.
    for result in ["1-0", "0-1", "1/2-1/2", "*"] {
        check(format!(r#"{{"result":"{result}"}}"#), &[&format!("Result={result} => {result}")]);
        check(format!(r#"{{"tags":{{"Result":"{result}"}}}}"#), &[&format!("Result={result}")]);
        check(format!(r#"{{"tags":{{"Result":null}},"result":"{result}"}}"#), &[&format!("=> {result}")]);
        check(format!(r#"{{"result":"{result}","tags":{{"Result":"won"}}}}"#), &[&format!("Result=won => {result}")]);
    }
    check(r#"{"result":"*","tags":{"Result":"1-0"}}"#, &["Result=1-0 => *"]);
    check(r#"{"result":"won"}"#, &["Result=won"]);
    check(r#"{"result":""}"#, &["Result="]);
    check(r#"{"result":null,"tags":{"Result":null}}"#, &[""]);
    // A value that is no result can only be the tag.
    check_fields(r#""result":"won","tags":{"Result":"1-0"}"#, "tag first 1:26 1:3 ‹result›");
    check_fields(r#""tags":{"Result":null},"result":"won""#, "tag first 1:11 1:26 ‹result›");
}

#[test]
fn clocks_stand_in_comments_too() {
    check(
        r#"{"moves":[{"move":"0d3","comment":"a [%clk 0:00:01] b"},{"move":"0D0","comment":["[%clk 0:00:01]","[%clk 0:00:02.5]"]}]}"#,
        &["0d3 @1000 {a} {b} 0D0 @1000 {[%clk 0:00:02.5]}"],
    );
    // Of several, the last.
    check(r#"{"moves":[{"move":"0d3","comment":"[%clk 0:00:01]","clock_ms":5}]}"#, &["0d3 @5"]);
    check(r#"{"moves":[{"move":"0d3","clock_ms":5,"comment":"[%clk 0:00:01]"}]}"#, &["0d3 @1000"]);
    check(r#"{"comments":["[%clk 0:00:01]"],"moves":["0d3"]}"#, &["{[%clk 0:00:01]} 0d3"]);
    check(r#"{"moves":[{"move":"0d3","clock_ms":3599999999999999}]}"#, &["0d3 @3599999999999999"]);
    for number in ["3600000000000000", "-1", "1.0", "1e3", "05", "true", "99999999999999999999999"] {
        check_fields(
            &format!(r#""moves":[{{"move":"0d3","clock_ms":{number}}}]"#),
            &format!("syntax Json(Clock) 1:36 ‹{number}›"),
        );
    }
}

#[test]
fn places_are_those_of_the_values() {
    let text = "{\n  \"game\": \"andes\",\n  \"moves\": [\n    \"0d3\",\n    { \"clock_ms\": 5, \"move\": \"2A3 x\" }\n  ]\n}\n";
    check(text, &["syntax Token 5:31 ‹2A3 x›"]);
    check("\u{feff}{\"x\":1}", &["syntax Json(Field) 1:3 ‹x›"]);
    check("{\"result\":\"*\"} {\"ñ\":1}", &["Result=* => *", "syntax Json(Field) 1:18 ‹ñ›"]);
    check(
        "[{\"result\":\"*\"},{\"ñ\":{}},{\"x\":1}]",
        &["Result=* => *", "syntax Json(Field) 1:19 ‹ñ›", "syntax Json(Field) 1:28 ‹x›"],
    );
}

#[test]
fn invalid_json_is_reported_at_its_place() {
    check_fields(r#""moves":[],"game" "andes""#, "syntax Json(Form) 1:20 ‹\"›");
    check_fields(r#""game":"andes" "rules":"base""#, "syntax Json(Form) 1:17 ‹\"›");
    check_fields(r#""game":"andes","#, "syntax Json(Form) 1:17 ‹}›");
    check_fields(r#""moves":["0d3",]"#, "syntax Json(Text) 1:17 ‹]›");
    check_refused(r#"{"moves":["0d3"}"#, "syntax Json(Form) 1:16 ‹}›");
    check_fields(r#""moves":[,]"#, "syntax Json(Text) 1:11 ‹,›");
    check_fields(r#""tags":{5:"a"}"#, "syntax Json(Form) 1:10 ‹5›");
    check_refused(r#"{"moves":["0d3"]"#, "syntax Json(End) 1:17 ‹›");
    check_refused(r#"{"moves":["0d3","#, "syntax Json(End) 1:17 ‹›");
    check_refused(r#"{"moves":[{"move":"x","nags":["#, "syntax Json(End) 1:31 ‹›");
    check_refused(r#"{"game":"#, "syntax Json(End) 1:9 ‹›");
    check_refused(r#"{"game":"andes"#, "syntax Json(Form) 1:15 ‹\n›");
    check("{\"game\":\"andes", &["syntax Json(End) 1:15 ‹›"]);
    check("{\"game\":\"andes\\", &["syntax Json(End) 1:16 ‹›"]);
}

#[test]
fn values_of_another_kind() {
    check_fields(r#""game":5"#, "syntax Json(Text) 1:9 ‹5›");
    check_fields(r#""game":andes"#, "syntax Json(Text) 1:9 ‹andes›");
    check_fields(r#""game":nulls"#, "syntax Json(Text) 1:9 ‹nulls›");
    check_fields(r#""setup":{"a":[1]}"#, "syntax Json(Text) 1:10 ‹{›");
    check_fields(r#""tags":[]"#, "syntax Json(Object) 1:9 ‹[›");
    check_fields(r#""tags":{"Event":2026}"#, "syntax Json(Text) 1:18 ‹2026›");
    check_fields(r#""moves":"0d3 2A3""#, "syntax Json(List) 1:10 ‹\"›");
    check_fields(r#""moves":["0d3",5]"#, "syntax Json(Text) 1:17 ‹5›");
    check_fields(r#""moves":["0d3",null]"#, "syntax Json(Text) 1:17 ‹null›");
    check_fields(r#""moves":[["0d3"]]"#, "syntax Json(Text) 1:11 ‹[›");
    check_fields(r#""moves":[{"clock_ms":5}]"#, "syntax Json(Move) 1:11 ‹{›");
    check_fields(r#""moves":[{"move":null}]"#, "syntax Json(Move) 1:11 ‹{›");
    check_fields(r#""moves":[{"move":"0d3","clock_ms":"5"}]"#, "syntax Json(Clock) 1:36 ‹\"›");
    check_fields(r#""moves":[{"move":"0d3","nags":3}]"#, "syntax Json(List) 1:32 ‹3›");
    check_fields(r#""moves":[{"move":"0d3","nags":[-1]}]"#, "syntax Json(Nag) 1:33 ‹-1›");
    check_fields(r#""moves":[{"move":"0d3","nags":["!"]}]"#, "syntax Json(Nag) 1:33 ‹\"›");
    check_fields(r#""moves":[{"move":"0d3","nags":[007]}]"#, "syntax Json(Nag) 1:33 ‹007›");
    check_fields(r#""moves":[{"move":"0d3","comment":{}}]"#, "syntax Json(Text) 1:35 ‹{›");
    check_fields(r#""moves":[{"move":"0d3","comment":["a",1]}]"#, "syntax Json(Text) 1:40 ‹1›");
    check_fields(r#""moves":[{"move":"0d3","variations":[["0d4"]]}]"#, "syntax Json(Object) 1:39 ‹[›");
    check_fields(r#""result":1"#, "syntax Json(Text) 1:11 ‹1›");
}

#[test]
fn unknown_fields_are_refused() {
    check_fields(r#""Game":"andes""#, "syntax Json(Field) 1:3 ‹Game›");
    check_fields(r#""event":"Copa""#, "syntax Json(Field) 1:3 ‹event›");
    check_fields(r#""moves":[{"move":"0d3","number":1}]"#, "syntax Json(Field) 1:26 ‹number›");
    check_fields(r#""moves":[{"move":"0d3","variations":[{"move":"0d4"}]}]"#, "syntax Json(Field) 1:41 ‹move›");
    check_fields(r#""":1"#, "syntax Json(Field) 1:3 ‹›");
}

#[test]
fn a_name_appears_once() {
    check_fields(r#""game":"andes","game":"andes""#, "tag first 1:3 1:18 ‹game›");
    check_fields(r#""game":null,"game":"andes""#, "tag first 1:3 1:15 ‹game›");
    check_fields(r#""game":"andes","tags":{"Game":"andes"}"#, "tag first 1:3 1:26 ‹Game›");
    check_fields(r#""tags":{"Setup":"a"},"setup":"a""#, "tag first 1:11 1:24 ‹setup›");
    check_fields(r#""tags":{"A":"x","A":"y"}"#, "tag first 1:11 1:19 ‹A›");
    check_fields(r#""moves":[],"moves":[]"#, "tag first 1:3 1:14 ‹moves›");
    check_fields(r#""moves":[{"move":"0d3","move":"0d4"}]"#, "tag first 1:13 1:26 ‹move›");
}

/// Tokens and names that quipu's own text cannot express.
#[test]
fn content_that_text_cannot_express() {
    for token in
        ["", " ", "0d3 ", "0d 3", "0d3!", "(0d3)", "0d3}", "{", "[", "$7", "1.0d3", "1.", "7.", ";", ";a", "1-0", "*"]
    {
        check_fields(&format!(r#""moves":["{token}"]"#), &format!("syntax Token 1:12 ‹{token}›"));
    }
    check(r#"{"moves":["0d3;x","1.;x","%","1","ñ","\\","1–0",",#"]}"#, &["0d3;x 1.;x % 1 ñ \\ 1–0 ,#"]);
    for name in ["", "a b", "a-b", " A", "[A", "A\u{a0}"] {
        check_fields(&format!(r#""tags":{{"{name}":"x"}}"#), &format!("syntax Name 1:11 ‹{name}›"));
    }
    for value in [r"a\nb", r"a\rb", r"\r\n"] {
        check_fields(&format!(r#""tags":{{"Event":"{value}"}}"#), &format!("syntax ValueBreak 1:19 ‹{value}›"));
        check_fields(&format!(r#""result":"{value}""#), &format!("syntax ValueBreak 1:12 ‹{value}›"));
    }
    for comment in [r"a}\nb", r"a\n[Game \u0022b", r"a\n\ufeff[Game \u0022b", r"x\n}\nx"] {
        let fault = |column| format!("syntax CommentText 1:{column} ‹{comment}›");
        check_fields(&format!(r#""comments":["{comment}"]"#), &fault(15));
        check_fields(&format!(r#""moves":[{{"move":"0d3","comment":"{comment}"}}]"#), &fault(36));
    }
    check(
        r#"{"comments":["}","a }\r\n"," [Game \"x\" ","a\n [Game \"x\"","a\r\nb"]}"#,
        &["{}} {a }} {[Game \"x\"} {a\n [Game \"x\"} {a\nb}"],
    );
}

#[test]
fn exactly_a_limit_is_allowed() {
    let x = |count| "x".repeat(count);
    check(format!(r#"{{"moves":["{}"]}}"#, x(limits::TOKEN)), &[&x(limits::TOKEN)]);
    check_fields(&format!(r#""moves":["{}"]"#, x(limits::TOKEN + 1)), "limit Token 1:12 257 bytes");
    check(format!(r#"{{"tags":{{"A":"{}\u0078"}}}}"#, x(limits::VALUE - 1)), &[&format!("A={}", x(limits::VALUE))]);
    check_fields(&format!(r#""tags":{{"A":"{}"}}"#, x(limits::VALUE + 1)), "limit Value 1:15 65537 bytes");
    check(format!(r#"{{"comments":["{}"]}}"#, x(limits::COMMENT)), &[&format!("{{{}}}", x(limits::COMMENT))]);
    check_fields(&format!(r#""comments":["{}"]"#, x(limits::COMMENT + 1)), "limit Comment 1:15 65537 bytes");
    check_fields(r#""moves":[{"move":"0d3","nags":[4294967296]}]"#, "limit Nag 1:33 ‹4294967296›");
    let moves = |count| repeat_n("\"x\"", count).collect::<Vec<_>>().join(",");
    check(format!(r#"{{"moves":[{}]}}"#, moves(limits::PLIES)), &[&vec!["x"; limits::PLIES].join(" ")]);
    check_fields(&format!(r#""moves":[{}]"#, moves(limits::PLIES + 1)), "limit Plies 1:400012 ‹x›");
    let many = format!(r#"{{"moves":[{{"move":"x","variations":[{{"moves":[{}]}}]}}]}}"#, moves(limits::PLIES + 1));
    check(many, &[&format!("x ({})", vec!["x"; limits::PLIES + 1].join(" "))]);
}

#[test]
fn so_many_variations_nest() {
    let open = r#"{"move":"x","variations":[{"moves":["#;
    let nested = |depth: usize| format!(r#"{{"moves":[{}"x"{}]}}"#, open.repeat(depth), "]}]}".repeat(depth));
    let shown = "x (".repeat(limits::NESTING) + "x" + &")".repeat(limits::NESTING);
    check(nested(limits::NESTING), &[&shown]);
    let column = 12 + (limits::NESTING + 1) * open.len() - r#"{"moves":["#.len() - 1;
    check_refused(nested(limits::NESTING + 1), &format!("limit Nesting 1:{column} ‹{{›"));
    // However it is spread over lines.
    let lines = |depth| nested(depth).replace('{', "\n{").trim().to_owned();
    check(lines(limits::NESTING), &[&shown]);
}

#[test]
fn encoding() {
    check_refused(b"{\"game\":\"and\xe9s\"}", "encoding e9 1:13 ‹\u{fffd}›");
    check_refused(b"{\"game\":\xff}", "encoding ff 1:9 ‹\u{fffd}›");
}

#[test]
fn objects_stand_one_after_another() {
    let [a, b] = [r#"{"result":"*"}"#, r#"{"result":"1-0"}"#];
    let shown = &["Result=* => *", "Result=1-0 => 1-0"][..];
    let pretty = |text: &str| text.replace('{', "{\n  ").replace('}', "\n}");
    for between in ["", " ", "\n", "\r\n", "\n\n\t\n", "\n\u{feff}"] {
        check(format!("{a}{between}{b}"), shown);
        check(format!("\u{feff}{}{between}{}\n", pretty(a), pretty(b)), shown);
    }
    for (open, between, close) in
        [("[", ",", "]"), ("[\n  ", ",\n  ", "\n]\n"), (" [\r\n", " ,\r\n", "]"), ("[", "\n,", " ]")]
    {
        check(format!("{open}{a}{between}{b}{close}"), shown);
        check(format!("{open}{}{between}{}{close}", pretty(a), pretty(b)), shown);
    }
    check("[]", &[]);
    check(" [\n]\n", &[]);
}

#[test]
fn text_between_objects_is_reported() {
    let a = r#"{"result":"*"}"#;
    let shown = "Result=* => *";
    check(format!("{a},\n{a}"), &[shown, "syntax Json(Object) 1:15 ‹,›", shown]);
    check(format!("{a}]\n{a}"), &[shown, "syntax Json(Object) 1:15 ‹]›", shown]);
    check(format!("{a}\nnote\n{a}"), &[shown, "syntax Json(Object) 2:1 ‹note›", shown]);
    check(format!("{a}}}\n{a}"), &[shown, "syntax Json(Object) 1:15 ‹}›", shown]);
    check(format!("[{a}, 5\n,{a}]"), &[shown, "syntax Json(Object) 1:18 ‹5›"]);
    check(format!("[{a}] x"), &[shown, "syntax Json(Object) 1:18 ‹x›"]);
    check(format!("[{a},\n{a}"), &[shown, shown, "syntax Json(End) 2:15 ‹›"]);
    check(format!("[{a},\n"), &[shown, "syntax Json(End) 2:1 ‹›"]);
}

/// Reading resumes at a line that begins with `{` and is indented no deeper than the broken object.
#[test]
fn a_broken_object_does_not_spoil_the_next() {
    let a = r#"{"result":"*"}"#;
    let shown = "Result=* => *";
    // A line of NDJSON that was cut off, anywhere.
    let whole = r#"{"tags":{"Event":"x"},"moves":["0d3",{"move":"2A3","comment":["a"]}],"result":"*"}"#;
    for length in 2..whole.len() {
        let text = format!("{a}\n{}\n{a}\n{a}\n", &whole[..length]);
        let mut found = Vec::new();
        quipu_tests_core::each_chunk(text.as_bytes(), |chunk| {
            found.extend(chunk.records().map(|record| {
                record.map_or_else(|_| String::new(), |record| quipu_tests_core::debug_format::record_line(&record))
            }));
        });
        assert_eq!(found, [shown, "", shown, shown], "{text}");
    }
    check("{\"moves\":[\n\u{feff}{}\n{}", &["syntax Json(Text) 2:1 ‹\u{feff}›, syntax Json(End) 2:1 ‹›", "", ""]);
    // A nested object may begin a line.
    check("{\"moves\":[\n{\"move\":\"0d3\"},\n{\"move\":\"2A3\"}\n]}\n{}\n", &["0d3 2A3", ""]);
    // In an array objects are indented.
    let array = "[\n  {\n    \"moves\": [\n      {\n        \"move\": \"0d3\n      }\n    ]\n  },\n  {\n    \"result\": \"*\"\n  }\n]\n";
    check(array, &["syntax Json(Form) 5:21 ‹\n›", shown]);
    check("[{\"game\":5,\n {\"result\":\"*\"}]", &["syntax Json(Text) 1:10 ‹5›, syntax Json(End) 1:12 ‹›", shown]);
}

/// Reading goes on after a bad value, so that all are told at once; where the text is no JSON any more, it stops.
#[test]
fn all_faults_of_a_record_are_found() {
    check_refused(
        r#"{"game":5,"tags":{"a-b":"x","c":["y"],"d":"z"},"event":{"f":[1,{}]},"moves":["0d3!",{"move":"x y","clock_ms":-1,"nags":["!",1]},{"nags":[]},7,{"move":"0d3","comment":3}],"result":[]}"#,
        "syntax Json(Text) 1:9 ‹5›, syntax Name 1:20 ‹a-b›, syntax Json(Text) 1:33 ‹[›, syntax Json(Field) 1:49 ‹event›, \
         syntax Token 1:79 ‹0d3!›, syntax Token 1:94 ‹x y›, syntax Json(Clock) 1:110 ‹-1›, syntax Json(Nag) 1:121 ‹\"›, \
         syntax Json(Move) 1:129 ‹{›, syntax Json(Text) 1:141 ‹7›, syntax Json(Text) 1:167 ‹3›, \
         syntax Json(Text) 1:180 ‹[›",
    );
    check_refused(r#"{"game":5,"moves":["0d3"}"#, "syntax Json(Text) 1:9 ‹5›, syntax Json(Form) 1:25 ‹}›");
    check_refused(
        r#"{"moves":[{"move":"\ud800"},"(","\q"]}"#,
        "syntax Json(Escape) 1:20 ‹\\ud800›, syntax Token 1:30 ‹(›, syntax Json(Escape) 1:34 ‹\\q›",
    );
    let deep = format!("{{\"event\":{}{},\"game\":5}}", "[".repeat(100_000), "]".repeat(100_000));
    check_refused(deep, "syntax Json(Field) 1:3 ‹event›, syntax Json(Text) 1:200018 ‹5›");
}
