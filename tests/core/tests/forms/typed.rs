//! Scoresheets as people type them: other delimiters, names in both languages, tags in two cells, other columns, and
//! cells that a spreadsheet has changed.

use quipu_notation::record::Format;
use quipu_referee::{Status, verify};
use quipu_tests_core::each_chunk;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    super::check(Format::Csv, text, expected);
}

const MOVES: &str = "1.0a1 @715120 0D0 @710000 2.0b0 0D0C";

#[test]
fn the_bytes_between_cells() {
    for delimiter in [",", ";", "\t"] {
        let text = "#Game: andes\nn|sol|sol_clock|luna|luna_clock\n1|0a1|0:11:55.120|0D0|0:11:50\n2|0b0||0D0C|\n";
        check(&text.replace('|', delimiter), &[&format!("Game=andes {MOVES}")]);
    }
    // The header decides, and not the first line.
    check("Copa, final;;\nJuego;andes;\nn;sol;luna\n1;0a1;0D0\n", &["Game=andes {Copa, final} 1.0a1 0D0"]);
}

#[test]
fn headers_in_both_languages() {
    for header in [
        "n,sol,sol_clock,luna,luna_clock",
        "No.,Sol,Reloj,Luna,Reloj",
        "N°,SOL,reloj sol,LUNA,reloj luna",
        "#,Sol,Reloj de Sol,Luna,Reloj de Luna",
        "Jugada,Sol,tiempo,Luna,tiempo",
        "Turno,Sol,Sol time,Luna,Luna time",
        "move,Sol,clock,Luna,clock",
    ] {
        let rows = "1,0a1,0:11:55.120,0D0,0:11:50\n2,0b0,,0D0C,\n";
        check(&format!("#Game: andes\n{header}\n{rows}"), &[&format!("Game=andes {MOVES}")]);
    }
    check("Juego;andes\nSol;Reloj;Luna;Reloj\n0a1;0:01:00;0D0;\n", &["Game=andes 0a1 @60000 0D0"]);
}

#[test]
fn tags_in_one_cell_and_in_two() {
    let expected =
        "Game=andes Event=Copa del Cusco Date=2026.08.15 Round=3 Sol=Quispe, Ana Árbitro=Pérez Result=1-0 1.0a1";
    for tags in [
        "#Game: andes\n#Event: Copa del Cusco\n#Date: 2026.08.15\n#Round: 3\n\"#Sol: Quispe, Ana\"\n#Árbitro: Pérez\n\
         #Result: 1-0",
        "#Juego,andes\n#Evento,Copa del Cusco\n#Fecha,2026.08.15\n#Ronda,3\n#Sol,\"Quispe, Ana\"\n#Árbitro,Pérez\n\
         #Resultado,1-0",
        "Juego:,Andes\nEvento:,Copa del Cusco,,\nFecha:,2026.08.15\nRonda:,3\nSol:,\"Quispe, Ana\"\nÁrbitro:,Pérez\n\
         Resultado:,1 - 0",
        "Juego,ANDES\nTorneo,Copa del Cusco\nfecha,2026.08.15\nROUND,3\nSol,\"Quispe, Ana\",,\n#Árbitro: Pérez\nResultado,1–0",
        "Juego: andes\nEvento: Copa del Cusco\nFecha: 2026.08.15\nRonda: 3\n\"Sol: Quispe, Ana\"\n#Árbitro: Pérez\nResultado: 1-0",
    ] {
        check(&format!("{tags}\nn,sol,luna\n1,0a1\n"), &[expected]);
    }
    check("Juego,andes\nMesa de juego:,5\nn,sol,luna\n", &["Game=andes {Mesa de juego: 5}"]);
    check("#Game: andes\nResult,½-½\nn,sol,luna\n", &["Game=andes Result=1/2-1/2"]);
    check(
        "#Game,andes,x\nn,sol,luna\n#Game: andes\nn,sol,luna\n1,0d3\n",
        &["syntax Csv(TagRest) 1:13 ‹x›", "Game=andes 1.0d3"],
    );
}

/// A result or points written below the moves belong to them.
#[test]
fn tags_below_the_moves() {
    check(
        "Juego,andes\nn,sol,luna\n1,0a1,0D0\n\nResultado,1-0\nPuntos,11-9\n",
        &["Game=andes Result=1-0 Points=11-9 1.0a1 0D0"],
    );
    check("#Game: andes\n#Result: 1-0\nn,sol,luna\n1,0a1,0D0\nResult:,1-0\n", &["Game=andes Result=1-0 1.0a1 0D0"]);
    check("#Game: andes\n#Result: 1-0\nn,sol,luna\n1,0a1,0D0\nResult:,0-1\n", &["tag first 2:2 5:1 ‹Result:›"]);
}

/// No cell is lost.
#[test]
fn other_columns_are_comments() {
    check(
        "#Game: andes\nn,sol,luna,Observaciones,Juez de mesa\n,,,empieza tarde,\n1,0a1,0D0,,Rojas\n2,0b0,,\"bien, sí\",\n",
        &["Game=andes {empieza tarde} 1.0a1 0D0 {Juez de mesa: Rojas} 2.0b0 {bien, sí}"],
    );
    check(
        "Planilla 3\n\nJuego,andes\nn,sol,luna\n1,0a1,0D0\nSegundo tiempo,,\n2,0b0,\n",
        &["Game=andes {Planilla 3} 1.0a1 0D0 {Segundo tiempo} 2.0b0"],
    );
    check(
        "#Game: andes\nn,sol,luna,nota\n1,0a1,0D0,}\n2,0b0,,[%clk 0:01:00] rest\n",
        &["Game=andes 1.0a1 0D0 {}} 2.0b0 @60000 {rest}"],
    );
    check(
        "#Game: andes\nn,sol,luna,,\n1,0a1,0D0,,x\n#Game: andes\nn,sol,luna\n",
        &["syntax Csv(Cell) 3:12 ‹x›", "Game=andes"],
    );
}

#[test]
fn several_scoresheets_below_each_other() {
    check(
        "Mesa 1;;\nJuego;andes;\nNo.;Sol;Luna\n1;0a1;0D0\n;;\nJuego;andes;\nNo.;Sol;Luna\n1;0b0;0D1\n",
        &["Game=andes {Mesa 1} 1.0a1 0D0", "Game=andes 1.0b0 0D1"],
    );
    // A title below an empty row belongs to the next sheet; a result there is not a title.
    check(
        "Juego;andes;\nNo.;Sol;Luna\n1;0a1;0D0\n;;\n;1-0;\n;;\nMesa 2;;\n;;\nJuego;andes;\nNo.;Sol;Luna\n1;0b0;0D1\n",
        &["Game=andes 1.0a1 0D0 => 1-0", "Game=andes {Mesa 2} 1.0b0 0D1"],
    );
    check(
        "Juego;andes;\nNo.;Sol;Luna\n1;0a1;0D0\n;;\nSegundo tiempo;;\n2;0b0;\n",
        &["Game=andes 1.0a1 0D0 {Segundo tiempo} 2.0b0"],
    );
}

/// A first line `sep=;`, a convention of Excel.
#[test]
fn a_line_for_excel_names_the_delimiter() {
    check("sep=;\nJuego;andes\nn;sol;luna\n1;0a1;0D0\n", &["Game=andes 1.0a1 0D0"]);
    check("\u{feff}sep=,\r\nJuego,andes\r\nn,sol,luna\r\n1,0a1,0D0\r\n", &["Game=andes 1.0a1 0D0"]);
}

/// In a sheet that names its game as quipu does, tags are taken literally.
#[test]
fn tags_of_quipu_are_taken_literally() {
    check(
        "#Game: andes\n#Fecha: 1\n#result: 1-1\n#Result: 1 - 0\nn,sol,luna\n",
        &["Game=andes Fecha=1 result=1-1 Result=1 - 0"],
    );
    check("#Juego: Andes\n#Fecha: 1\n#Resultado: 1 - 0\nn,sol,luna\n", &["Game=andes Date=1 Result=1-0"]);
}

/// The status of the record in a text, its tokens, its clocks, and the codes found, each with its ply.
fn judged(text: &str) -> (Status, String, Vec<String>) {
    let mut found = None;
    each_chunk(text.as_bytes(), |chunk| {
        for judged in verify::chunk(chunk) {
            let line = &judged.record.as_ref().expect("it can be read").movetext;
            let tokens: Vec<_> = line
                .plies
                .iter()
                .map(|ply| match ply.clock {
                    Some(clock) => format!("{}@{}", ply.token, clock.value),
                    None => ply.token.to_string(),
                })
                .collect();
            let codes = judged.verdict.diagnostics.iter().map(|diagnostic| {
                let ply = diagnostic.ply.map_or_else(String::new, |ply| format!(" {ply}"));
                format!("{} {}{ply}", diagnostic.code().id, diagnostic.message.variant)
            });
            found = Some((judged.verdict.status, tokens.join(" "), codes.collect()));
        }
    });
    found.expect("one record")
}

#[track_caller]
fn check_restored(rows: &str, status: Status, tokens: &str, codes: &[&str]) {
    let found = judged(&format!("#Game: andes\n{rows}"));
    assert_eq!(found, (status, tokens.to_owned(), codes.iter().map(|code| (*code).to_owned()).collect()), "{rows}");
}

#[test]
fn moves_that_became_numbers_are_restored_where_one_reading_is_legal() {
    let open = Status::Incomplete;
    // A piece on e6: it goes to e4, and a spreadsheet takes that for a number.
    let begun = "n,sol,luna\n1,0d3,0A3\n2,2d6,0A3B\n3,2d6e,0B3C\n4,";
    let tokens = "0d3 0A3 2d6 0A3B 2d6e 0B3C 2e64";
    for number in ["2E+64", "2E+064", "2.00E+64", "\"2,00E+64\"", "20E+63"] {
        check_restored(&format!("{begun}{number}"), open, tokens, &["record.restored move 7"]);
    }
    check_restored(&format!("{begun}2e64"), open, tokens, &[]);
    check_restored("n,sol,luna\n1,0d3,0.00E+00", Status::Rejected, "0d3 0,00E+00", &["record.damaged several 2"]);
    // A later ply decides: only a persona on E6 can go from there.
    check_restored("n,sol,luna\n1,0d3,0\n2,0a3,0E65", open, "0d3 0E6 0a3 0E65", &["record.restored move 2"]);
    check_restored("n,sol,luna\n1,0d3,9E+09", Status::Rejected, "0d3 9E+09", &["record.damaged none 2"]);
    // An earlier fault is reported, and nothing after it.
    check_restored("n,sol,luna\n1,x,0", Status::Rejected, "x 0", &["andes.notation type 1"]);
    // A mark shows that the cell is as it was typed.
    check_restored("n,sol,luna\n1,0d3,'20", Status::Rejected, "0d3 20", &["andes.notation mark 2"]);
}

#[test]
fn clocks_in_other_forms_are_read_in_the_legal_way() {
    let open = Status::Incomplete;
    check_restored(
        "n,sol,reloj,luna,reloj\n1,0d3,11:55,2A3,11:50\n2,2a3,9:07,,",
        open,
        "0d3@715000 2A3@710000 2a3@547000",
        &["record.restored clocks 1"],
    );
    check_restored("n,sol,reloj,luna\n1,0d3,0:11:35.9,2A3", open, "0d3@695900 2A3", &["record.restored clocks 1"]);
    check_restored(
        "n,sol,reloj,luna\n1,0d3,0.00805555555555556,2A3",
        open,
        "0d3@696000 2A3",
        &["record.restored clocks 1"],
    );
    check_restored("n,sol,reloj,luna\n1,0d3,0:05,2A3", Status::Rejected, "0d3@5000 2A3", &["record.damaged clocks 1"]);
}

#[test]
fn points_that_became_a_date_are_restored() {
    let game = "n,sol,luna\n1,0a1,0D0\n2,0b0,0D0C\n,1-0\n";
    for date in ["11-sep", "2026-09-11", "11/09/2026", "9-nov"] {
        let rows = format!("#Points,{date}\n{game}");
        check_restored(&rows, Status::Verified, "0a1 0D0 0b0 0D0C", &["record.restored tag"]);
    }
}
