//! Scoresheets in CSV.

use std::iter::repeat_n;

use quipu_notation::record::{Format, limits};

/// A record that follows another.
const NEXT: &str = "#Event: next\n#Game: andes\nn,sol,luna\n1,0d3,2A3\n";
const NEXT_SHOWN: &str = "Event=next Game=andes 1.0d3 2A3";

#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &[&str]) {
    super::check(Format::Csv, text, expected);
}

/// These lines of tags are refused.
#[track_caller]
fn check_tags_refused(tags: impl AsRef<[u8]>, fault: &str) {
    check_refused([tags.as_ref(), b"\nn,sol,luna"].concat(), fault);
}

/// The text is refused, and the scoresheet after it is read all the same.
#[track_caller]
fn check_refused(text: impl AsRef<[u8]>, fault: &str) {
    check([text.as_ref(), b"\n", NEXT.as_bytes()].concat(), &[fault, NEXT_SHOWN]);
}

/// Rows of a game of Andes without numbers and clocks come to this.
#[track_caller]
fn check_rows(rows: &str, expected: &str) {
    check(format!("#Game: andes\nsol,luna\n{rows}"), &[format!("Game=andes {expected}").trim()]);
}

/// Such rows are refused.
#[track_caller]
fn check_rows_refused(rows: &str, fault: &str) {
    check_refused(format!("#Game: andes\nn,sol,sol_clock,luna,luna_clock\n{rows}"), fault);
}

#[test]
fn tags() {
    check("#Game: andes", &["Game=andes"]);
    check("#Game:andes\n#Event:\n#Site: \n", &["Game=andes Event= Site="]);
    check("# Game : andes\n#\tÑandú_7\t:x\n", &["Game=andes Ñandú_7=x"]);
    check("#Event:  two  \n#Site:\n", &["Event= two   Site="]);
    check(
        "#Sol: Quispe, Ana\n#Luna: Mamani; \"Luis\"\n#Date: 15:04:05\n",
        &["Sol=Quispe, Ana Luna=Mamani; \"Luis\" Date=15:04:05"],
    );
    check("\"#Sol: Quispe, Ana\"\n\"#Luna: \"\"Luis\"\"; ,\" , ,\n", &["Sol=Quispe, Ana Luna=\"Luis\"; ,"]);
    check("#Result: 1-0\n", &["Result=1-0"]);
}

/// A spreadsheet fills all rows to the same width.
#[test]
fn delimiters_behind_a_tag_are_no_part_of_it() {
    check("#Event: a,b ,,\n#Game: andes,,,,\nn,sol,luna,,\n", &["Event=a,b  Game=andes"]);
    check("#Game: andes;;;;\n#Event: a,;;;;\n#Site: ;;;;\nn;sol;luna;;\n", &["Game=andes Event=a, Site="]);
    // It is the header that says which.
    check("#Game: andes;\nn,sol,luna\n", &["Game=andes;"]);
    check("#Event: x,\n", &["Event=x"]);
    check("#Event: x;\n", &["Event=x;"]);
}

#[test]
fn tags_that_are_none() {
    check_tags_refused("#Game andes", "syntax Csv(Tag) 1:1 ‹#Game andes›");
    check_tags_refused("#", "syntax Csv(Tag) 1:1 ‹#›");
    check_tags_refused("\"#Game andes\"", "syntax Csv(Tag) 1:2 ‹#Game andes›");
    check_tags_refused("#: andes", "syntax Name 1:2 ‹›");
    check_tags_refused("# a b : andes", "syntax Name 1:3 ‹a b›");
    check_tags_refused("#Ga-me: andes", "syntax Name 1:2 ‹Ga-me›");
    check_tags_refused("#Event: a\rb", "syntax ValueBreak 1:9 ‹a\rb›");
    check_tags_refused("\"#Game: andes", "syntax Csv(Quote) 1:1 ‹\"#Game: andes›");
    check_tags_refused("\"#Game: andes\" x", "syntax Csv(Quote) 1:16 ‹x›");
    check_tags_refused("\"#Game: andes\",, x ,", "syntax Csv(TagRest) 1:18 ‹x›");
    check_tags_refused("#Event: a\n#Event: b", "tag first 1:2 2:2 ‹Event›");
    check_tags_refused("#Event: a\n\"# Event: b\"", "tag first 1:2 2:4 ‹Event›");
}

#[test]
fn headers() {
    const SIDES: &str = "syntax Csv(Columns(Some([\"sol\", \"luna\"]))) 2:1";

    check("#Game: andes\nn,sol,sol_clock,luna,luna_clock\n", &["Game=andes"]);
    for header in
        ["sol,luna", "N , SOL,\tLuna ", "\"n\",\"sol\",\"luna\"", "sol,n,luna", "luna_clock,sol,luna,n", "sol,,luna,,"]
    {
        check(format!("#Game: andes\n{header}\n"), &["Game=andes"]);
    }
    check("n;sol;luna\n1;0d3;2A3\n", &["1.0d3 2A3"]);
    check("\"n\",sol;\"luna\"\n", &["syntax Csv(Columns(None)) 1:1 ‹\"n\",sol;\"luna\"›"]);
    check_refused("#Game: andes\nn,blancas,luna", &format!("{SIDES} ‹n,blancas,luna›"));
    check_refused("#Game: andes\nn,sol,luna, SOL", "syntax Csv(ColumnTwice) 2:13 ‹SOL›");
    check_refused("#Game: andes\nn,sol,luna,sol_clock,reloj sol", "syntax Csv(ColumnTwice) 2:22 ‹reloj sol›");
    check_refused("#Game: andes\nn,sol", &format!("{SIDES} ‹n,sol›"));
    check_refused("#Game: andes\nn,sol_clock", &format!("{SIDES} ‹n,sol_clock›"));
    check_refused("#Game: andes\n\"sol,luna", "syntax Csv(Quote) 2:1 ‹\"sol,luna›");
}

/// The names in the header are the sides where the game does not say what they are called.
#[test]
fn scoresheets_without_a_known_game() {
    check("n,white,white_clock,black\n1,e4,0:05:00,e5\n2,f4\n", &["1.e4 @300000 e5 2.f4"]);
    check("#Game: go\nn,Negras,Blancas\n1,a,b\n", &["Game=go 1.a b"]);
    check("#Game: go\nn,a,b,c\n1,x,y,z\n", &["Game=go 1.x y {c: z}"]);
    check("#Game: go\nn,a,b,c_clock\n1,x,y,z\n", &["Game=go 1.x y {c_clock: z}"]);
    check_refused("#Game: go\nn,a,a_clock", "syntax Csv(Columns(None)) 2:1 ‹n,a,a_clock›");
}

#[test]
fn rows() {
    check_rows("0d3,2A3\n2a3,0D0\n", "0d3 2A3 2a3 0D0");
    check_rows("0d3,2A3\n2a3,\n", "0d3 2A3 2a3");
    check_rows("0d3,2A3\n2a3\n", "0d3 2A3 2a3");
    check_rows(" 0d3\t,\" 2A3 \"\n", "0d3 2A3");
    check_rows("\"0\"\"d3\",0\"D0\"\n", "0\"d3 0\"D0\"");
    check_rows("'0E01,\"=\"\"2E64\"\"\"\n''x,'=y\n", "0E01 2E64 'x =y");
    check_rows("\n \n,\n,,,\n\"\",\"\"\n0d3,2A3\n\n,\n2a3,0D0\n,,,,\n", "0d3 2A3 2a3 0D0");
    check_rows("0d3,2A3,,,\r\n2a3,0D0,\"\"\r\n", "0d3 2A3 2a3 0D0");
    check_rows("0d3,\"a,b\"\n", "0d3 a,b");
    check_rows_refused("1,0d3,,2A3,,x", "syntax Csv(Cell) 3:13 ‹x›");
    check_rows_refused("1,\"0d3,,2A3", "syntax Csv(Quote) 3:3 ‹\"0d3,,2A3›");
    check_rows_refused("1,\"0d3\"!,,2A3", "syntax Csv(Quote) 3:8 ‹!,,2A3›");
}

#[test]
fn numbers() {
    check("#Game: andes\nn,sol,luna\n1,0d3,2A3\n,2a3,0D0\n7,0a1,\n8,,\n", &["Game=andes 1.0d3 2A3 2a3 0D0 7.0a1"]);
    check("#Game: andes\nsol,n,luna\n0d3,01,2A3\n", &["Game=andes 1.0d3 2A3"]);
    check("n,a,b\n99999999999999999999,x,y\n", &["18446744073709551615.x y"]);
    check_rows_refused("one,0d3", "syntax Csv(Number) 3:1 ‹one›");
    check_rows_refused("-1,0d3", "syntax Csv(Number) 3:1 ‹-1›");
    check("#Game: andes\nn,sol,luna\n1.,0d3,2A3\n2),2a3\n", &["Game=andes 1.0d3 2A3 2.2a3"]);
}

#[test]
fn clocks() {
    check(
        "#Game: andes\nn,sol,sol_clock,luna,luna_clock\n1,0d3,0:11:55.120,2A3, 0:11:50 \n2,2a3\n",
        &["Game=andes 1.0d3 @715120 2A3 @710000 2.2a3"],
    );
    check(
        "#Game: andes\nsol,luna,luna_clock\n0d3,2A3,999999999:59:59.999\n",
        &["Game=andes 0d3 2A3 @3599999999999999"],
    );
    for clock in ["0:60:00", "0:11:55 h", "55", "[%clk 0:11:55]", "1000000000:00:00", "11:60"] {
        check_rows_refused(&format!("1,0d3,{clock}"), &format!("syntax Csv(Clock) 3:7 ‹{clock}›"));
    }
    check_rows_refused("1,0d3,,,0:00:01", "syntax Csv(ClockAlone) 3:9 ‹0:00:01›");
    check_rows_refused("1,0d3,,1-0,0:00:01", "syntax Csv(ClockAlone) 3:12 ‹0:00:01›");
}

#[test]
fn gaps() {
    check_rows(",2A3\n0d3,0D0\n", "2A3 0d3 0D0");
    check_rows_refused("1,0d3,,,\n2,2a3", "syntax Csv(Gap) 3:8 ‹›");
    check_rows_refused("1,0d3\n2,2a3", "syntax Csv(Gap) 3:6 ‹›");
    check_rows_refused("1,0d3,,2A3,\n2,,,0D0", "syntax Csv(Gap) 4:3 ‹›");
    check_rows_refused("1,,,,\n2,0d3", "syntax Csv(Gap) 3:5 ‹›");
    check_rows_refused("1,0d3,,2A3,\n2,,,,\n3,2a3", "syntax Csv(Gap) 4:3 ‹›");
}

/// If the side of the second column starts, either the first cell is left empty or each row is read from there.
#[test]
fn the_side_that_starts() {
    let luna = "7/7/7/3a3/7/7/7 l 6-7 0-0 s p 1";
    let check_game = |game: &str, tags: &str, header: &str, rows: &str, moves: &str| {
        let mut found = String::new();
        let text = format!("#Game: {game}\n{tags}{header}\n{rows}");
        quipu_tests_core::each_chunk(text.as_bytes(), |chunk| {
            for record in chunk.records() {
                let mut record = record.expect("it can be read");
                record.tags.clear();
                found += &quipu_tests_core::debug_format::record_line(&record);
            }
        });
        assert_eq!(found, moves, "{text}");
    };
    let check = |tags: &str, header: &str, rows: &str, moves: &str| check_game("andes", tags, header, rows, moves);
    let setup = format!("#Setup: {luna}\n");
    check("", "n,sol,luna", "1,a,b\n2,c,d", "1.a b 2.c d");
    check("", "n,luna,sol", "1,a,b\n2,c,d", "1.b a 2.d c");
    check(&setup, "n,luna,sol", "1,a,b\n2,c,d", "1.a b 2.c d");
    check(&setup, "n,sol,luna", "1,a,b\n2,c,d", "1.b a 2.d c");
    check(&setup, "n,sol,luna", "1,a,b\n2,,d", "1.b a 2.d");
    // The number of a row is that of the side that starts.
    check(&setup, "n,sol,luna", "1,,b\n2,c,d\n3,e,", "1.b c 2.d e");
    check("", "n,sol,luna", "1,,b\n2,c,d\n", "1.b c 2.d");
    check_game("pastores", "#First: sur\n", "n,norte,sur", "1,a,b\n", "1.b a");
    check_game("pastores", &format!("#First: norte\n{setup}"), "n,norte,sur", "1,a,b\n", "1.a b");
    check(&format!("#First: Luna\n{setup}"), "n,sol,luna", "1,a,b\n", "1.b a");
    check("#Setup: x lx\n", "n,sol,luna", "1,a,b\n", "1.a b");
}

#[test]
fn results() {
    check_rows("0d3,2A3\n1-0\n", "0d3 2A3 => 1-0");
    check_rows("0d3,1/2-1/2\n", "0d3 => 1/2-1/2");
    check_rows("0d3,\n,*\n\n,\n", "0d3 => *");
    check_rows("0-1\n", "=> 0-1");
    check("#Game: andes\n#Result: 1-0\nn,sol,luna\n1,0d3,0-1\n", &["Game=andes Result=1-0 1.0d3 => 0-1"]);
    check("#Game: andes\nn,sol,luna\n1,0d3,*\n2,,\n", &["Game=andes 1.0d3 => *"]);
    check_rows_refused("1,0d3,,1-0,\n2,2a3", "syntax Csv(AfterResult) 4:3 ‹2a3›");
    check_rows_refused("1,1-0,,0-1", "syntax Csv(AfterResult) 3:8 ‹0-1›");
}

#[test]
fn content_that_text_cannot_express() {
    for token in ["0d 3", "0d3!", "(0d3)", "{a}", "1.0d3", "1.", "$1"] {
        check_rows_refused(&format!("1,{token}"), &format!("syntax Token 3:3 ‹{token}›"));
    }
    check_rows_refused("1,\";a\"", "syntax Token 3:4 ‹;a›");
    check_rows("0d3;x,%\n", "0d3;x %");
}

#[test]
fn exactly_a_limit_is_allowed() {
    let x = |count| "x".repeat(count);
    check_rows(&x(limits::TOKEN), &x(limits::TOKEN));
    check_rows_refused(&format!("1,{}", x(limits::TOKEN + 1)), "limit Token 3:3 257 bytes");
    check(format!("#A: {},,\n", x(limits::VALUE)), &[&format!("A={}", x(limits::VALUE))]);
    check_tags_refused(format!("#A: {}", x(limits::VALUE + 1)), "limit Value 1:5 65537 bytes");
    let rows = |count: usize| repeat_n("x,x\n", count / 2).collect::<String>();
    check_rows(&rows(limits::PLIES), &vec!["x"; limits::PLIES].join(" "));
    check_refused(
        format!("#Game: andes\nsol,luna\n{}x", rows(limits::PLIES)),
        &format!("limit Plies {}:1 ‹x›", limits::PLIES / 2 + 3),
    );
}

#[test]
fn encoding() {
    check_tags_refused(b"#Sol: Mu\xf1oz", "encoding f1 1:9 ‹\u{fffd}›");
    check_refused(b"#Game: andes\nsol,luna\n0d3,\xe9", "encoding e9 3:5 ‹\u{fffd}›");
}

#[test]
fn several_scoresheets() {
    check("#A: x\n#B: y\n\n#C: z\nn,a,b\n1,x,y\n#A: u\nn,a,b\n", &["A=x B=y C=z 1.x y", "A=u"]);
    check("n,a,b\n1,x,y\n\nN,a,b\n1,u\n", &["1.x y", "1.u"]);
    check("#A: x\n,,\n\"\",\n#B: y\nn,a,b\n\u{feff}#A: u\n", &["A=x B=y", "A=u"]);
    check("\u{feff}#A: x\nn,a,b\n\u{feff}\"#A: u\"\n", &["A=x", "A=u"]);
    check("#A: x\nn,a,b\n1,\"x\n#A: u\n", &["syntax Csv(Quote) 3:3 ‹\"x›", "A=u"]);
    check("n,\n", &["syntax Csv(Columns(None)) 1:1 ‹n,›"]);
}

/// As a spreadsheet with the habits of Spanish writes it: a byte order mark, semicolons, CR LF, rows of one width.
#[test]
fn a_scoresheet_from_a_spreadsheet() {
    let text = "\u{feff}#Game: andes;;;;\r\n\"#Event: Copa \"\"Inti\"\"; final\";;;;\r\n#Sol: Quispe, Ana;;;;\r\n;;;;\r\n\
                N;Sol;Sol_clock;Luna;Luna_clock\r\n1;0a1;0:11:55.120;0D0;0:11:50\r\n2;0b0;;0D0C;\r\n3;;;;\r\n;1-0;;;\r\n;;;;\r\n";
    check(text, &["Game=andes Event=Copa \"Inti\"; final Sol=Quispe, Ana 1.0a1 @715120 0D0 @710000 2.0b0 0D0C => 1-0"]);
}

/// Each cell is looked at for what it is itself: a text like this takes no time then, and minutes otherwise.
#[test]
fn many_cells_before_much_white_space() {
    let half = limits::RECORD / 2 - 100;
    let row = format!("0d3,2A3{}{}", ",".repeat(half), " ".repeat(half));
    check_rows(&format!("{row},\n2a3"), "0d3 2A3 2a3");
}

/// Reading goes on after a bad cell, so that all are told at once.
#[test]
fn all_faults_of_a_scoresheet_are_found() {
    check_rows_refused(
        "one,0d3,soon,2A3,later,x\n2,\"2a3,,0D0\n3,,0:11:55,0d3\n4,2a3,55,1-0,\n5,0d3,,0D0,\n6,0d3",
        "syntax Csv(Cell) 3:24 ‹x›, syntax Csv(Number) 3:1 ‹one›, syntax Csv(Clock) 3:9 ‹soon›, \
         syntax Csv(Clock) 3:18 ‹later›, syntax Csv(Quote) 4:3 ‹\"2a3,,0D0›, syntax Csv(Gap) 5:3 ‹›, \
         syntax Csv(ClockAlone) 5:4 ‹0:11:55›, syntax Csv(Clock) 6:7 ‹55›, syntax Csv(AfterResult) 7:3 ‹0d3›",
    );
    check_refused(
        "#Game: andes\n#Game andes\n#Event: a\n#Event: b\nn,sol,sol,luna,luna\n1,0d3,x,2A3,y\n2,(,,0D0,",
        "syntax Csv(Tag) 2:1 ‹#Game andes›, tag first 3:2 4:2 ‹Event›, syntax Csv(ColumnTwice) 5:7 ‹sol›, \
         syntax Csv(ColumnTwice) 5:16 ‹luna›, syntax Token 7:3 ‹(›",
    );
    // Without a header, nothing tells what the rows hold.
    check_refused("#Game: andes\nn,sol\n1,0d3\n2,(", "syntax Csv(Columns(Some([\"sol\", \"luna\"]))) 2:1 ‹n,sol›");
}

#[test]
fn as_many_bad_clocks_as_there_are() {
    let row = |number: usize| format!("{number},0d3,soon,2A3,later\n");
    let rows: String = (1..=14).map(row).collect();
    let faults = (3..17).map(|line| {
        let first = if line < 12 { 7 } else { 8 };
        format!("syntax Csv(Clock) {line}:{first} ‹soon›, syntax Csv(Clock) {line}:{} ‹later›", first + 9)
    });
    check_rows_refused(&rows, &faults.collect::<Vec<_>>().join(", "));
}

/// The reader hands each row on as it is, so a byte of another encoding hides no other fault.
#[test]
fn bytes_of_another_encoding_and_other_faults() {
    let text = b"#Game: andes\n#Sol: P\xe9rez\nn,sol,sol_clock,luna\n1,0d3,soon,2A3\n2,2a3,,0D0\xe9\n";
    let faults = "encoding e9 2:8 ‹\u{fffd}›, syntax Csv(Clock) 4:7 ‹soon›, encoding e9 5:11 ‹\u{fffd}›";
    check([&text[..], NEXT.as_bytes()].concat(), &[faults, NEXT_SHOWN]);
}
