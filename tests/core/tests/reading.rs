//! The text of records as law: what is read as what, what is refused, and where.
//!
//! A case is a text and one line for each record found in it. Legality of moves and claims is tested in `corpus.rs`,
//! the splitting of streams in `streaming.rs`, other formats than quipu's own text in `forms`.

use std::{fmt::Write, iter::repeat_n};

use quipu_notation::{
    Span,
    record::{Chunk, Record, limits},
};
use quipu_referee::{Lang, Status, report};
use quipu_tests_core::{
    bytes,
    debug_format::{fault_line, record_line},
    each_chunk, verdicts,
};

/// A record that follows another. Its name is not the first thing in it, so only its `[` shows where it begins.
const NEXT: &str = "[Event \"next\"]\n[Game \"andes\"]\n\n0d3 *\n";
const NEXT_SHOWN: &str = "Event=next Game=andes 0d3 => *";

/// Every span of a record covers what was read there.
fn check_spans(record: &Record<'_>, chunk: &Chunk<'_>) {
    let at = |span: Span| std::str::from_utf8(&chunk.text()[span.range()]).expect("it was read");
    assert_eq!(at(record.span).trim_ascii_start(), at(record.span));
    for tag in &record.tags {
        assert_eq!(at(tag.span).replace("\\\"", "\"").replace("\\\\", "\\"), tag.value.replace("\\\\", "\\"));
    }
    for ply in &record.movetext.plies {
        assert_eq!(at(ply.span), ply.token);
        assert!(ply.number.is_none_or(|number| at(number.span).ends_with('.')));
        assert!(ply.clock.is_none_or(|clock| at(clock.span).starts_with("[%clk ") && at(clock.span).ends_with(']')));
    }
    assert!(record.result.is_none_or(|result| at(result.span) == result.value.as_str()));
}

/// The text holds these records.
#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &[&str]) {
    let text = text.as_ref();
    let mut found = Vec::new();
    each_chunk(text, |chunk| {
        for record in chunk.records() {
            found.push(match record {
                Ok(record) => {
                    check_spans(&record, chunk);
                    record_line(&record)
                }
                Err(error) => fault_line(&error, chunk),
            });
        }
    });
    assert_eq!(found, expected, "in {:?}", String::from_utf8_lossy(&text[..text.len().min(200)]));
}

/// The text is refused, and the record after it is read all the same.
#[track_caller]
fn check_refused(text: impl AsRef<[u8]>, fault: &str) {
    check([text.as_ref(), b"\n\n", NEXT.as_bytes()].concat(), &[fault, NEXT_SHOWN]);
}

#[test]
fn tags() {
    check("[Game \"andes\"]", &["Game=andes"]);
    check("[Game \"andes\"]\n[Event \"\"]\n", &["Game=andes Event="]);
    check("[ \tGame \t \"andes\" \t] \t\n", &["Game=andes"]);
    check("[Ñandú_7 \"Ñahui\"]\n[_ \"1\"]\n[7 \"2\"]\n", &["Ñandú_7=Ñahui _=1 7=2"]);
    check("[Unknown \"kept\"]\n[Game \"kept too\"]\n", &["Unknown=kept Game=kept too"]);
    check("[A \"x\"]\n[a \"names differ in case\"]\n", &["A=x a=names differ in case"]);
    check("[A \" { ; % [ ] ( ) $ ! 1-0 \"]\n0d3\n", &["A= { ; % [ ] ( ) $ ! 1-0  0d3"]);
}

#[test]
fn escapes() {
    check(r#"[A "say \"hi\""]"#, &[r#"A=say "hi""#]);
    check(r#"[A "back\\slash\\"]"#, &[r"A=back\slash\"]);
    check(r#"[A "\n\[\x\ ñ\ñ"]"#, &[r"A=\n\[\x\ ñ\ñ"]);
    check(r#"[A "\\\""]"#, &[r#"A=\""#]);
    check_refused(r#"[A "the quote is escaped\"]"#, r#"syntax TagValue 1:4 ‹"the quote is escaped\"]›"#);
    check_refused(r#"[A "\\"\"]"#, r#"syntax TagClose 1:8 ‹\"]›"#);
}

#[test]
fn tags_that_are_none() {
    check_refused("[", "syntax TagName 1:2 ‹›");
    check_refused("[]", "syntax TagName 1:2 ‹]›");
    check_refused("[\"andes\"]", "syntax TagName 1:2 ‹\"andes\"]›");
    check_refused("[-a \"x\"]", "syntax TagName 1:2 ‹-a \"x\"]›");
    check_refused("[a-b \"x\"]", "syntax TagName 1:3 ‹-b \"x\"]›");
    check_refused("[Game", "syntax TagName 1:6 ‹›");
    check_refused("[Game]", "syntax TagName 1:6 ‹]›");
    check_refused("[Game\"andes\"]", "syntax TagQuote 1:6 ‹\"andes\"]›");
    check_refused("[Game andes]", "syntax TagQuote 1:6 ‹ andes]›");
    check_refused("[Game ]", "syntax TagQuote 1:6 ‹ ]›");
    check_refused("[Game 'andes']", "syntax TagQuote 1:6 ‹ 'andes']›");
    check_refused("[Game \"andes]", "syntax TagValue 1:7 ‹\"andes]›");
    check_refused("[Ñ \"andes]", "syntax TagValue 1:4 ‹\"andes]›");
    check_refused("[Game \"an\ndes\"]", "syntax TagValue 1:7 ‹\"an›");
    check_refused("[Game \"an\rdes\"]", "syntax TagValue 1:7 ‹\"an\rdes\"]›");
    check_refused("[Game \"andes\"", "syntax TagClose 1:14 ‹›");
    check_refused("[Game \"andes\" x]", "syntax TagClose 1:14 ‹ x]›");
    check_refused("[Game \"andes\"}", "syntax TagClose 1:14 ‹}›");
}

#[test]
fn nothing_else_stands_on_the_line_of_a_tag() {
    check_refused("[A \"x\"] 0d3", "syntax TagRest 1:9 ‹0d3›");
    check_refused("[A \"x\"] {comment}", "syntax TagRest 1:9 ‹{comment}›");
    check_refused("[A \"x\"] ; comment", "syntax TagRest 1:9 ‹; comment›");
    check_refused("[A \"x\"] [B \"y\"]", "syntax TagRest 1:9 ‹[B \"y\"]›");
    check_refused("[A \"x\"]]", "syntax TagRest 1:8 ‹]›");
    check_refused("{comment}[A \"x\"]", "syntax Bracket 1:10 ‹[›");
    check_refused(" [A \"x\"]", "syntax Bracket 1:2 ‹[›");
}

#[test]
fn a_name_appears_once() {
    check_refused("[A \"x\"]\n[A \"x\"]", "tag first 1:2 2:2 ‹A›");
    check_refused("[B \"x\"]\n[ A \"x\"]\n[C \"\"]\n[ A \"y\"]", "tag first 2:3 4:3 ‹A›");
    let many: String = (0..100).fold(String::new(), |text, index| text + &format!("[T{index} \"\"]\n"));
    check_refused(format!("{many}[T7 \"\"]"), "tag first 8:2 101:2 ‹T7›");
    check_refused(format!("{many}[T77 \"\"]"), "tag first 78:2 101:2 ‹T77›");
}

#[test]
fn where_the_tag_section_ends() {
    check("[A \"x\"]\n\n[B \"y\"]\n", &["A=x", "B=y"]);
    check("[A \"x\"]\n \t\r\n[B \"y\"]\n", &["A=x", "B=y"]);
    check("[A \"x\"]\n0d3\n[B \"y\"]\n", &["A=x 0d3", "B=y"]);
    check("[A \"x\"]\n1-0\n[B \"y\"]\n", &["A=x => 1-0", "B=y"]);
    check("[A \"x\"]\n[B \"y\"]\n0d3 *", &["A=x B=y 0d3 => *"]);
    check("[A \"x\"]\n\n\n\n0d3 *", &["A=x 0d3 => *"]);
    check("[A \"x\"]\n{c}\n% d\n; e\n[B \"y\"]\n", &["A=x B=y {c} {e}"]);
    check("[A \"x\"]\n{c\n\nd}\n[B \"y\"]\n", &["A=x B=y {c\n\nd}"]);
    check("[A \"x\"]\n{c}\n\n[B \"y\"]\n", &["A=x {c}", "B=y"]);
    check("[A \"x\"]\n% c\n\n[B \"y\"]\n", &["A=x", "B=y"]);
    check("{c}\n\n% d\n\n; e\n\n[A \"x\"]\n0d3", &["A=x {c} {e} 0d3"]);
}

#[test]
fn texts_without_tags_are_records_without_a_game() {
    check("", &[]);
    check(" \n\t\r\n\u{b}\u{c}", &[]);
    check("% nothing\n", &[]);
    check("{a comment}", &["{a comment}"]);
    check("0d3", &["0d3"]);
    check("*", &["=> *"]);
    check("0d3 1-0 0D0 0-1", &["0d3 => 1-0", "0D0 => 0-1"]);
    check("[A \"x\"]\n\n* 0d3\n[B \"y\"]\n", &["A=x => *", "0d3", "B=y"]);
    for verdict in verdicts("0d3 1-0 0D0 0-1".as_bytes()) {
        assert_eq!((verdict.status, verdict.diagnostics[0].code().id), (Status::Rejected, "record.game"));
        assert_eq!(verdict.id, None);
    }
}

#[test]
fn results() {
    check("0d3 1-0", &["0d3 => 1-0"]);
    check("0d3 0-1", &["0d3 => 0-1"]);
    check("0d3 1/2-1/2", &["0d3 => 1/2-1/2"]);
    check("0d3{c}*", &["0d3 {c} => *"]);
    check("0d3 1-0!", &["0d3 => 1-0", "syntax Annotation 1:8 ‹!›"]);
    check("1–0 1-0x 2-0 1/2 ½-½ **", &["1–0 1-0x 2-0 1/2 ½-½ **"]);
}

#[test]
fn comments_after_the_result_belong_to_the_last_ply() {
    check("0d3 {a} 1-0 {b} ; c\n% d\n{[%clk 0:00:07]}\n", &["0d3 @7000 {a} {b} {c} => 1-0"]);
    check("1-0 {a}", &["{a} => 1-0"]);
    check("0d3 1-0 {a} 0D0 {b} *", &["0d3 {a} => 1-0", "0D0 {b} => *"]);
    check("0d3 1-0\n\n{a}\n\n[A \"x\"]\n{b}\n", &["0d3 {a} => 1-0", "A=x {b}"]);
}

#[test]
fn comments() {
    check("{a} 0d3 {b}{c} 0D0{d}\n", &["{a} 0d3 {b} {c} 0D0 {d}"]);
    check("0d3{a}0D0", &["0d3 {a} 0D0"]);
    check("{ \t\r\n a  b \u{b}\u{c}\n}", &["{a  b}"]);
    check("0d3 {} { } ;\n; \r\n", &["0d3"]);
    check("{\u{a0}}", &["{\u{a0}}"]);
    check("{a\r\nb}", &["{a\nb}"]);
    check("{a { ( [ ; % $ ! \" \\ 1-0\n% b\n[B \"y\"]\n}", &["{a { ( [ ; % $ ! \" \\ 1-0\n% b\n[B \"y\"]}"]);
    check("; a } { ( [ % $ !\r\n0d3", &["{a } { ( [ % $ !} 0d3"]);
    check_refused("0d3 }", "syntax Brace 1:5 ‹}›");
    check_refused("{a}}", "syntax Brace 1:4 ‹}›");
}

#[test]
fn a_semicolon_begins_a_comment_only_where_a_run_could_begin() {
    check("0d3;a b", &["0d3;a b"]);
    check("0d3 ;a b\n0D0", &["0d3 {a b} 0D0"]);
    check("0d3{a};b\n0D0", &["0d3 {a} {b} 0D0"]);
    check("0d3!;a\n", &["0d3 $1 {a}"]);
    check("0d3 (0d3 ;a)\n);b\n", &["0d3 {b} (0d3 {a)})"]);
    check("0d3 (;a\n)", &["0d3 ({a})"]);
    check("0d3 1-0;a", &["0d3 1-0;a"]);
    check_refused("0d3 $7;a", "syntax Nag 1:5 ‹$7;a›");
}

#[test]
fn lines_that_begin_with_a_percent_sign_are_skipped() {
    check("% [A \"x\"] { ( 1-0 ;\n[B \"y\"]\n%\n0d3\n%{\n%(\n*\n% end", &["B=y 0d3 => *"]);
    check("0d3 %x\n %y {a}\n0d3%", &["0d3 %x %y {a} 0d3%"]);
    check("{a\n% b}\n0d3", &["{a\n% b} 0d3"]);
    check("0d3 (%x\n%)\n)", &["0d3 (%x)"]);
}

#[test]
fn comments_that_are_not_closed() {
    check_refused("0d3 {a", "syntax Comment 1:5 ‹{›");
    check_refused("[A \"x\"]\n{a\n0d3 {b", "syntax Comment 2:1 ‹{›");
    check_refused("{", "syntax Comment 1:1 ‹{›");
    check_refused("0d3 (0d3 {a )", "syntax Comment 1:10 ‹{›");
    let closed_late = format!("0d3 {{a\n\n{NEXT}}} 0D0 *\n");
    check(closed_late, &["syntax Comment 1:5 ‹{›", "Event=next Game=andes 0d3 => *", "syntax Brace 7:1 ‹}›"]);
    // No `[Game "` begins a line of it.
    check(
        "0d3 {a\n[B \"y\"]\n [Game \"x\"]\n[Game 'x']\n[Games \"x\"]\n} *",
        &["0d3 {a\n[B \"y\"]\n [Game \"x\"]\n[Game 'x']\n[Games \"x\"]} => *"],
    );
    check("0d3 {a\n\n[B \"y\"]\n\n0D0 *\n", &["syntax Comment 1:5 ‹{›", "B=y 0D0 => *"]);
}

#[test]
fn braces_that_open_no_comment() {
    check("[A \"{\"]\n\n0d3 *\n[B \"y\"]\n", &["A={ 0d3 => *", "B=y"]);
    check("0d3 ; {\n*\n[B \"y\"]\n", &["0d3 {{} => *", "B=y"]);
    check("0d3\n% {\n*\n[B \"y\"]\n", &["0d3 => *", "B=y"]);
    check("[A \"x\"] {\n[B \"y\"]\n\n[C \"z\"]\n", &["syntax TagRest 1:9 ‹{›", "C=z"]);
}

/// Reading goes on after a fault, so that all are told at once. The first is the one at which reading stops.
#[test]
fn all_faults_of_a_record_are_found() {
    check_refused(
        "[A \"x]\n[B y]\n[C \"z\"]\n[C \"z\"]\n\n0d3 ] !!! $x (0D0",
        "syntax TagValue 1:4 ‹\"x]›, syntax TagQuote 2:3 ‹ y]›, tag first 3:2 4:2 ‹C›, syntax Bracket 6:5 ‹]›, \
         syntax Marks 6:7 ‹!!!›, syntax Nag 6:11 ‹$x›, syntax Variation 6:14 ‹(›",
    );
    check_refused("[A \"x\"] [B \"y\"]\n[A \"z\"]", "syntax TagRest 1:9 ‹[B \"y\"]›, tag first 1:2 2:2 ‹A›");
    check_refused("! 0d3 ) 0D0 } 0d3", "syntax Annotation 1:1 ‹!›, syntax VariationEnd 1:7 ‹)›, syntax Brace 1:13 ‹}›");
    // A result does not end it: what follows cannot be told apart.
    check_refused("0d3 ] 1-0 0D0 } *", "syntax Bracket 1:5 ‹]›, syntax Brace 1:15 ‹}›");
    check("0d3 1-0 0D0 } ]", &["0d3 => 1-0", "syntax Brace 1:13 ‹}›, syntax Bracket 1:15 ‹]›"]);
    // A tag that does not begin its line is one fault.
    check_refused(" [A \"x\"]", "syntax Bracket 1:2 ‹[›");
    check_refused("(0d3) 0D0 )", "syntax VariationStart 1:1 ‹(›, syntax VariationEnd 1:11 ‹)›");
    // A comment that is not closed hides what follows it, up to the next turn.
    check_refused(
        "0d3 {a ]\n] b\n2. 0D0 {c\n1-0 ]",
        "syntax Comment 1:5 ‹{›, syntax Comment 3:8 ‹{›, syntax Bracket 4:5 ‹]›",
    );
    check_refused("0d3 (0d4 {a\n2. 0D0 )", "syntax Comment 1:10 ‹{›");
    let long = "x".repeat(limits::COMMENT + 1);
    check_refused(format!("0d3 {{{long}}} ]"), "limit Comment 1:5 ‹{›, syntax Bracket 1:65545 ‹]›");
    check_refused(
        format!("{} ]", "x".repeat(limits::TOKEN + 1)),
        "limit Token 1:1 257 bytes, syntax Bracket 1:259 ‹]›",
    );
}

/// Bytes that are not UTF-8 hide no other fault but those after them on their lines, for which they may be the reason.
#[test]
fn bytes_of_another_encoding_and_other_faults() {
    check_refused(
        b"[A \"\xe1\xe9\"]\n[B \"\xf1\"]\n[C x]\n\n0d3 ] {\xe1} ]\n}",
        "encoding e1 1:5 ‹\u{fffd}›, encoding f1 2:5 ‹\u{fffd}›, syntax TagQuote 3:3 ‹ x]›, syntax Bracket 5:5 ‹]›, \
         encoding e1 5:8 ‹\u{fffd}›, syntax Brace 6:1 ‹}›",
    );
}

/// Faults are listed up to a limit, and then reading stops.
#[test]
fn so_many_faults_are_listed() {
    for (count, told, last) in [
        (limits::FAULTS, limits::FAULTS, "record.syntax"),
        (limits::FAULTS + 1, limits::FAULTS + 1, "record.limit"),
        (limits::FAULTS + 2, limits::FAULTS + 1, "record.limit"),
    ] {
        let found = verdicts(format!("[Game \"andes\"]\n\n0d3{}\n", " }".repeat(count)).as_bytes());
        assert_eq!(found[0].diagnostics.len(), told, "{count}");
        assert_eq!(found[0].diagnostics.last().expect("one").code().id, last, "{count}");
    }
}

#[test]
fn broken_movetext() {
    check_refused("0d3 [", "syntax Bracket 1:5 ‹[›");
    check_refused("0d3 ]", "syntax Bracket 1:5 ‹]›");
    check_refused("[A \"x\"]\n]", "syntax Bracket 2:1 ‹]›");
    check_refused("ñandú ]", "syntax Bracket 1:7 ‹]›");
    check_refused("0d3[0D0", "syntax Bracket 1:4 ‹[›");
}

#[test]
fn encoding() {
    check_refused(b"\xff", "encoding ff 1:1 ‹\u{fffd}›");
    check_refused(b"[A \"x\"]\n[B \"\xf1\"]", "encoding f1 2:5 ‹\u{fffd}›");
    check_refused(b"[A\xf1 \"x\"]", "encoding f1 1:3 ‹\u{fffd}›");
    check_refused(b"0d3\xe9", "encoding e9 1:4 ‹\u{fffd}›");
    check_refused(b"0d3 \x80 0D0", "encoding 80 1:5 ‹\u{fffd}›");
    check_refused(b"0d3!\xc0\xaf", "encoding c0 1:5 ‹\u{fffd}›");
    check_refused(b"0d3 $7\xff", "encoding ff 1:7 ‹\u{fffd}›");
    check_refused(b"0d3 (\xff)", "encoding ff 1:6 ‹\u{fffd}›");
    check_refused(b"0d3 {\xc3\xb1\xed\xa0\x80}", "encoding ed 1:7 ‹\u{fffd}›");
    check_refused(b"0d3 ; \xc3", "encoding c3 1:7 ‹\u{fffd}›");
    check_refused(b"0d3\n% \xff", "encoding ff 2:3 ‹\u{fffd}›");
    check_refused(b"0d3 1-0\xff", "encoding ff 1:8 ‹\u{fffd}›");
    check(b"0d3 1-0 \xff", &["0d3 => 1-0", "encoding ff 1:9 ‹\u{fffd}›"]);
    // Earlier faults are reported first.
    check_refused(b"0d3 ] \xff", "syntax Bracket 1:5 ‹]›, encoding ff 1:7 ‹\u{fffd}›");
}

#[test]
fn byte_order_marks() {
    check("\u{feff}", &[]);
    check("\u{feff}[A \"x\"]\n0d3 ]", &["syntax Bracket 2:5 ‹]›"]);
    check("\u{feff}[A x]", &["syntax TagQuote 1:3 ‹ x]›"]);
    check("\u{feff}0d3 ]", &["syntax Bracket 1:5 ‹]›"]);
    check("\u{feff}% a {\n0d3", &["0d3"]);
    check("[A \"x\"]\n\n0d3 *\n\u{feff}[B \"y\"]\n0D0 *\n", &["A=x 0d3 => *", "B=y 0D0 => *"]);
    check("[A \"x\"]\n0d3 *\n\u{feff}[B ]\n", &["A=x 0d3 => *", "syntax TagQuote 3:3 ‹ ]›"]);
    check("0d3 \u{feff}0D0 \u{feff}\n\u{feff}x", &["0d3 \u{feff}0D0 \u{feff} \u{feff}x"]);
}

#[test]
fn a_byte_order_mark_may_precede_any_tag() {
    check("[A \"x\"]\n\u{feff}[B \"y\"]\n0d3 *\n", &["A=x B=y 0d3 => *"]);
    check("{a}\n\u{feff}[B \"y\"]\n0d3 *\n", &["B=y {a} 0d3 => *"]);
    check("\n\u{feff}{a}\n[B \"y\"]\n0d3 *\n", &["B=y {a} 0d3 => *"]);
    check("\u{feff}\n\u{feff}\n\u{feff} {a}\n[B \"y\"]\n0d3 *\n", &["\u{feff} {a}", "B=y 0d3 => *"]);
    check("\n \u{feff} {a}\n[B \"y\"]\n0d3 *\n", &["\u{feff} {a}", "B=y 0d3 => *"]);
}

/// Verdicts on a text, as they are published.
fn reports(text: &[u8]) -> Vec<serde_json::Value> {
    let verdicts = verdicts(text);
    let reports = (1..).zip(&verdicts).map(|(index, verdict)| report::verdict(verdict, index, Lang::En));
    reports.map(|report| serde_json::to_value(report).expect("it is a tree")).collect()
}

#[test]
fn carriage_returns_before_line_feeds_change_nothing() {
    for name in ["games", "loose", "mutants", "cup"] {
        let text = bytes(&format!("andes/{name}.quipu"));
        let lines: Vec<_> = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
        assert_eq!(reports(&lines.join(&b"\r\n"[..])), reports(&lines.join(&b'\n')), "{name}");
    }
    check("[A \"x\"]\r\n\r\n[B \"y\"]\r\n1.\r\n0d3 ;a\r\n%b\r\n*\r\n", &["A=x", "B=y 1.0d3 {a} => *"]);
    check("0d3 {a\r\n\r\nb\r\r\nc\rd}", &["0d3 {a\n\nb\nc\rd}"]);
    check("[A \"x]\r\n", &["syntax TagValue 1:4 ‹\"x]›"]);
    check("[A \"x\" \r\n", &["syntax TagClose 1:7 ‹ ›"]);
}

#[test]
fn numbers() {
    check("1. 0d3 1... 0D0 2.0d3 2...0D0", &["1.0d3 1.0D0 2.0d3 2.0D0"]);
    check("001.0d3 1.....0D0 02. 0d3", &["1.0d3 1.0D0 2.0d3"]);
    check("0d3 0D0 1.0d3 0. 0D0", &["0d3 0D0 1.0d3 0.0D0"]);
    check("1. 1. 1.0d3 5. 1. 6. 0D0", &["1.0d3 5.0D0"]);
    check("1. {a} 0d3\n1.\n% b\n0D0", &["{a} 1.0d3 1.0D0"]);
    check("1 0d3 .0d3 . 1.5.0D0 1,0d3", &["1 0d3 .0d3 . 1.0D0 1,0d3"]);
    check("99999999999999999999.0d3", &["18446744073709551615.0d3"]);
    check("0d3 1. 1-0", &["0d3 => 1-0"]);
    check("0d3 1.1-0", &["0d3 => 1-0"]);
    check("0d3 1.", &["0d3"]);
    check("0d3 (1. 0d3 9... 0D0 2.)", &["0d3 (0d3 0D0)"]);
    check("1. (", &["syntax VariationStart 1:4 ‹(›"]);
}

#[test]
fn annotations() {
    check("0d3 ! 0d3 ? 0d3 !! 0d3 ?? 0d3 !? 0d3 ?!", &["0d3 $1 0d3 $2 0d3 $3 0d3 $4 0d3 $5 0d3 $6"]);
    check("0d3!0D0?!0d3$7$8 $9 !! ?", &["0d3 $1 0D0 $6 0d3 $7 $8 $9 $3 $2"]);
    check("0d3 $0 $007 {a} $4294967295 ($", &["syntax Nag 1:30 ‹$›, syntax Variation 1:29 ‹(›"]);
    check("0d3 $0 $007 {a} $4294967295", &["0d3 $0 $7 $4294967295 {a}"]);
    check("0d3 (0D0!) ?", &["0d3 $2 (0D0 $1)"]);
    check_refused("0d3!!!", "syntax Marks 1:4 ‹!!!›");
    check_refused("0d3 ?!?", "syntax Marks 1:5 ‹?!?›");
    check_refused("0d3 $", "syntax Nag 1:5 ‹$›");
    check_refused("0d3 $ 7", "syntax Nag 1:5 ‹$›");
    check_refused("0d3 $x", "syntax Nag 1:5 ‹$x›");
    check_refused("0d3 $7x", "syntax Nag 1:5 ‹$7x›");
    check_refused("0d3 $-1", "syntax Nag 1:5 ‹$-1›");
    check_refused("0d3 $$7", "syntax Nag 1:5 ‹$›");
    check_refused("! 0d3", "syntax Annotation 1:1 ‹!›");
    check_refused("1. $7 0d3", "syntax Annotation 1:4 ‹$7›");
    check_refused("{a} !? 0d3", "syntax Annotation 1:5 ‹!?›");
    check_refused("0d3 (! 0D0)", "syntax Annotation 1:6 ‹!›");
}

#[test]
fn variations() {
    check("0d3 (0d4) 0D0", &["0d3 (0d4) 0D0"]);
    check("0d3(0d4)(0d5)0D0", &["0d3 (0d4) (0d5) 0D0"]);
    check("0d3 (0d4 (0d5) 0D0 {a} (0D1 !)) {b} $7", &["0d3 $7 {b} (0d4 (0d5) 0D0 {a} (0D1 $1))"]);
    check("0d3 ({a} 0d4)", &["0d3 ({a} 0d4)"]);
    check("0d3 () ({a})", &["0d3 () ({a})"]);
    check("0d3 (1-0 * 0d4) *", &["0d3 (1-0 * 0d4) => *"]);
    check_refused("( 0d3 )", "syntax VariationStart 1:1 ‹(›");
    check_refused("0d3 ((0d4))", "syntax VariationStart 1:6 ‹(›");
    check_refused("0d3 )", "syntax VariationEnd 1:5 ‹)›");
    check_refused("0d3 (0d4))", "syntax VariationEnd 1:10 ‹)›");
    check_refused("0d3 (0d4 1-0", "syntax Variation 1:5 ‹(›");
    check_refused("0d3 (0d4 (0d5) (0d6", "syntax Variation 1:16 ‹(›, syntax Variation 1:5 ‹(›");
    check_refused("0d3 (0d4 {)}", "syntax Variation 1:5 ‹(›");
    check_refused("0d3 (0d4 ]", "syntax Bracket 1:10 ‹]›, syntax Variation 1:5 ‹(›");
}

#[test]
fn clocks() {
    check("0d3 {[%clk 0:11:55.120]}", &["0d3 @715120"]);
    check("0d3 {[%clk 0:11:55]}", &["0d3 @715000"]);
    check("0d3 {[%clk 00:00:00.000]} 0D0 {[%clk 999999999:59:59.999]}", &["0d3 @0 0D0 @3599999999999999"]);
    check("0d3 { a [%clk 0:00:01] b }", &["0d3 @1000 {a} {b}"]);
    check("0d3 ; a [%clk 0:00:01]\n", &["0d3 @1000 {a}"]);
    check("0d3 {[%clk 0:00:01][%clk 0:00:02]} {[%clk 0:00:03]}", &["0d3 @3000"]);
    check("0d3 {[%clk 0:00:01] [%clk 0:00:60]}", &["0d3 @1000 {[%clk 0:00:60]}"]);
    check("0d3 (0d4 {[%clk 0:00:01]})", &["0d3 (0d4 @1000)"]);
    check("0d3 ({[%clk 0:00:01]} 0d4)", &["0d3 ({[%clk 0:00:01]} 0d4)"]);
    check("{[%clk 0:00:01]} 0d3", &["{[%clk 0:00:01]} 0d3"]);
    for text in ["0:1:02", "0:01:2", "0:60:00", "0:00:60", "0:00:01.5", "00:01", "-0:00:01", "1e1:00:00", " 0:00:01"] {
        check(format!("0d3 {{[%clk {text}]}}"), &[&format!("0d3 {{[%clk {text}]}}")]);
    }
    for text in ["[%CLK 0:00:01]", "[%clk0:00:01]", "[%clk\t0:00:01]", "[% clk 0:00:01]", "[%clk 0:00:01 ]"] {
        check(format!("0d3 {{{text}}}"), &[&format!("0d3 {{{text}}}")]);
    }
}

#[test]
fn exactly_a_limit_is_allowed() {
    let token = |length| "x".repeat(length);
    check(token(limits::TOKEN), &[&token(limits::TOKEN)]);
    check(format!("000000000000001.{}", token(limits::TOKEN)), &[&format!("1.{}", token(limits::TOKEN))]);
    check("0".repeat(300) + "1.0d3", &["1.0d3"]);
    check_refused(token(limits::TOKEN + 1), "limit Token 1:1 257 bytes");
    check_refused(format!("0d3 ({})", token(limits::TOKEN + 1)), "limit Token 1:6 257 bytes");

    let value = "ñ".repeat(limits::VALUE / 2);
    check(format!("[A \"{value}\"]"), &[&format!("A={value}")]);
    check(format!("[A \"{}\"]", "\\\"".repeat(limits::VALUE)), &[&format!("A={}", "\"".repeat(limits::VALUE))]);
    check_refused(format!("[A \"{value}x\"]"), "limit Value 1:5 65537 bytes");

    let comment = "ñ".repeat(limits::COMMENT / 2);
    check(format!("{{{comment}}}"), &[&format!("{{{comment}}}")]);
    check(format!(";{comment}\n"), &[&format!("{{{comment}}}")]);
    check_refused(format!("{{{comment}x}}"), "limit Comment 1:1 ‹{›");
    check_refused(format!("{{{comment} }}"), "limit Comment 1:1 ‹{›");
    check_refused(format!("0d3 ;{comment}x\n"), "limit Comment 1:5 ‹;›");

    let nested = |depth: usize| "0d3".to_owned() + &" (0d3".repeat(depth) + &")".repeat(depth);
    check(nested(limits::NESTING), &[&nested(limits::NESTING)]);
    check_refused(nested(limits::NESTING + 1), "limit Nesting 1:325 ‹(›");

    check_refused("0d3 $4294967296", "limit Nag 1:5 ‹$4294967296›");
    check_refused("0d3 $99999999999999999999999", "limit Nag 1:5 ‹$99999999999999999999999›");
}

#[test]
fn exactly_so_many_plies_are_allowed() {
    let moves = |count| repeat_n("0d3", count).collect::<Vec<_>>().join(" ");
    let most = moves(limits::PLIES);
    check(&most, &[&most]);
    let with_variation = format!("{most} ({most}) *");
    check(&with_variation, &[&with_variation.replace(" *", " => *")]);
    check_refused(format!("{most}\n0D0"), "limit Plies 2:1 ‹0D0›");
}

/// A record of so many bytes.
fn record_of(bytes: usize) -> String {
    let comment = format!("{{{}}}\n", "x".repeat(limits::COMMENT));
    let mut text = NEXT.to_owned();
    while text.len() + comment.len() <= bytes {
        text += &comment;
    }
    let rest = bytes - text.len() - "{}".len();
    write!(text, "{{{}}}", "y".repeat(rest)).expect("a String takes everything");
    assert_eq!(text.len(), bytes);
    text
}

fn statuses(text: &str) -> Vec<Status> {
    verdicts(text.as_bytes()).iter().map(|verdict| verdict.status).collect()
}

#[test]
fn exactly_so_large_a_record_is_allowed() {
    let most = record_of(limits::RECORD);
    assert_eq!(statuses(&format!("{most}\r\n \n{NEXT}")), [Status::Incomplete; 2]);

    let large = record_of(limits::RECORD + 1);
    let (lines, last) = (NEXT.lines().count() + large.lines().count(), large.lines().last().expect("it has lines"));
    let fault = format!("limit Record {lines}:{} ‹›", last.len());
    check(format!("{NEXT}{large}\n{NEXT}"), &[NEXT_SHOWN, &fault, NEXT_SHOWN]);
}

/// A `;` inside a run is part of the token, so a `{` later on its line opens a comment, and what begins a line in it is
/// no tag.
#[test]
fn a_semicolon_in_a_token_hides_nothing() {
    check("0d3;x {a\n[b\n} *", &["0d3;x {a\n[b} => *"]);
    // On its own it would begin a comment, so the number that touches it is part of the token too.
    check("7.1.;x *", &["7.1.;x => *"]);
    check("0d3 ;x {a\n[B \"b\"]\n\n*", &["0d3 {x {a}", "B=b => *"]);
}

/// A joined file may begin with a byte order mark; an unclosed comment before it does not swallow its first tag.
#[test]
fn a_marked_tag_ends_an_unclosed_comment() {
    check(
        "0d3 {\n\u{feff}[Game \"andes\"]\n[Event \"x\"]\n\n*",
        &["syntax Comment 1:5 ‹{›", "Game=andes Event=x => *"],
    );
    check(
        "0d3 {\n\u{feff}[Event \"x\"]\n[Game \"andes\"]\n\n*",
        &["syntax Comment 1:5 ‹{›", "Event=x Game=andes => *"],
    );
}

#[test]
fn a_carriage_return_is_no_part_of_a_comment() {
    let long = "x".repeat(limits::COMMENT);
    assert_eq!(statuses(&format!("[Game \"andes\"]\r\n\r\n0d3 ;{long}\r\n*\r\n")), [Status::Incomplete]);
    assert_eq!(statuses(&format!("[Game \"andes\"]\r\n\r\n0d3 ;{long}x\r\n*\r\n")), [Status::Unreadable]);
}

/// A line in it that begins with `[` may be the next tag section, so reading resumes there.
#[test]
fn a_comment_that_is_too_long_is_a_limit_wherever_it_is_cut() {
    let long = "x".repeat(limits::COMMENT);
    let text = format!("0d3 {{\n[Event \"next\"]\n{long}}} *\n");
    check(&text, &["limit Comment 1:5 ‹{›", "limit Token 3:1 65536 bytes, syntax Brace 3:65537 ‹}›"]);
}

#[test]
fn white_space_before_a_record_is_no_part_of_it() {
    let most = record_of(limits::RECORD);
    assert_eq!(statuses(&format!("\u{feff} \n\n{most}\n{NEXT}")), [Status::Incomplete; 2]);
}

#[test]
fn places_are_those_of_the_file() {
    check(
        "0d3\n\n[A \"ñ\"]\n\n0d3 {a\nb}\n ]\n\n[B \"x\"] y",
        &["0d3", "syntax Bracket 7:2 ‹]›", "syntax TagRest 9:9 ‹y›"],
    );
}
