//! The viewer as people use it: `quipu view` on a terminal of tmux.
//!
//! Drawing is compared character by character in `cli/src/commands/view`; here it is that keys are handled, that the
//! terminal is taken over and given back, and that large inputs are opened at once.

mod terminal;

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    process::Command,
};

use quipu_tests_service::{generator::Generator, root};

use terminal::{ENDED, Terminal};

const CUP: &str = "fixtures/andes/cup.quipu";

/// Runs `quipu view` on a terminal of 80 x 24.
fn view(arguments: &str) -> Terminal {
    Terminal::new(80, 24, &format!("quipu view --lang en {arguments}"))
}

#[test]
fn a_record_is_chosen_and_played_through() {
    let terminal = view(CUP);
    let list = terminal.sees("records: 56");
    assert!(list.contains("▸ 1  ✓ verified") && list.contains("q quit"), "{list}");
    terminal.press(&["Down", "Enter"]);
    terminal.sees("ply 0 of");
    terminal.press(&["Right", "Right"]);
    let game = terminal.sees("ply 2 of");
    assert!(game.contains("2. Luna 1D0  0:11:53.312") && game.contains("[B]"), "{game}");
    assert!(game.contains("g  f  e  d  c  b  a"), "the board: {game}");
    terminal.press(&["f"]);
    terminal.sees("G  F  E  D  C  B  A");
    terminal.press(&["1", "2", "Enter"]);
    terminal.sees("ply 12 of");
    terminal.press(&["End"]);
    terminal.until("the last ply", |screen| screen.contains("0-1 by ") || screen.contains("1-0 by "));
    terminal.press(&["Home"]);
    terminal.sees("ply 0 of");
    terminal.press(&["]"]);
    terminal.sees("cup.quipu · 3");
    terminal.press(&["q"]);
    terminal.sees("▸ 3");
    terminal.press(&["q"]);
    terminal.sees(ENDED);
}

#[test]
fn a_refused_record_opens_at_its_fault() {
    let terminal = view("fixtures/andes/mutants.quipu --record 6");
    let fault = terminal.sees("× andes.3.3");
    assert!(fault.contains("╭─ fixtures/andes/mutants.quipu:") && fault.contains('^'), "{fault}");
    terminal.press(&["i"]);
    terminal.sees("Details");
    terminal.press(&["End"]);
    terminal.sees("law:");
    terminal.press(&["Escape"]);
    terminal.until("the game again", |screen| !screen.contains("Details"));
    terminal.press(&["q"]);
    terminal.sees("records:");
    terminal.press(&["x"]);
    terminal.sees("rejected and unreadable only");
    terminal.press(&["C-c"]);
    terminal.sees(ENDED);
}

#[test]
fn records_are_searched_and_sifted() {
    let terminal = view(CUP);
    terminal.sees("records: 56");
    terminal.write("/painemal");
    terminal.sees("search: painemal");
    terminal.press(&["Enter"]);
    let first = terminal.until("a record found", |screen| !screen.contains("▸ 1 ") && !screen.contains("searching"));
    assert!(first.lines().any(|line| line.contains('▸') && line.contains("Painemal")), "{first}");
    terminal.press(&["n"]);
    terminal.until("the next one", |screen| chosen(screen) > chosen(&first));
    terminal.press(&["N"]);
    terminal.until("the one before", |screen| chosen(screen) == chosen(&first));
    terminal.write("&painemal");
    terminal.press(&["Enter"]);
    let few = terminal.sees("records: 14 of 56");
    assert!(few.contains("with “painemal”"), "{few}");
    terminal.write("&");
    terminal.press(&["Enter"]);
    terminal.sees("records: 56");
    terminal.write("/nobody");
    terminal.press(&["Enter"]);
    terminal.sees("“nobody” was not found");
}

/// The number of the chosen record.
fn chosen(screen: &str) -> u32 {
    let row = screen.lines().find_map(|line| line.strip_prefix('▸')).unwrap_or_default();
    row.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

#[test]
fn the_size_may_change() {
    let terminal = view(&format!("{CUP} --record 2 --ply 9"));
    terminal.sees("ply 9 of");
    terminal.resize(40, 12);
    // Until it is drawn anew, a terminal shows a part of what it had.
    let small = terminal.until("a small screen", |screen| screen.trim_end().ends_with("q back"));
    assert!(small.lines().all(|line| line.chars().count() <= 40) && small.contains("g  f  e  d  c  b  a"), "{small}");
    terminal.resize(30, 8);
    terminal.sees("at least 40 × 10");
    terminal.resize(200, 60);
    let large = terminal.until("a large screen", |screen| screen.trim_end().ends_with("q back"));
    assert!(large.lines().count() >= 59 && large.contains("ply 9 of") && large.contains("reserve"), "{large}");
}

#[test]
fn every_form_is_shown() {
    let terminal = view("fixtures/brandubh/replay.otg");
    // The only record is opened without a key.
    terminal.sees("ply 0 of");
    terminal.press(&["q"]);
    terminal.sees("records: 1");
    for form in ["csv", "json", "ndjson"] {
        let terminal = Terminal::new(80, 24, &format!("quipu convert {CUP} --to {form} | quipu view --lang en -"));
        terminal.sees("records: 56");
        terminal.press(&["G", "Enter"]);
        terminal.sees("- · 56");
        terminal.press(&["C-c"]);
        terminal.sees(ENDED);
    }
}

#[test]
fn several_files_are_one_list() {
    let terminal = view(&format!("fixtures/andes/games.quipu {CUP} no-such.quipu"));
    terminal.sees("cannot read no-such.quipu");
    terminal.press(&["G", "Enter"]);
    terminal.sees("cup.quipu · 56");
    terminal.press(&["C-c"]);
    let screen = terminal.sees("ended with 3");
    assert!(screen.contains("error: cannot read no-such.quipu: it does not exist"), "{screen}");
}

#[test]
fn input_that_cannot_be_shown_is_reported() {
    let check = |command: &str, status: u32, said: &str| {
        let terminal = Terminal::new(80, 24, command);
        let screen = terminal.sees(&format!("ended with {status}, echo icanon"));
        let screen = screen.replace('\n', "");
        assert!(screen.contains(said), "{command}: {screen}");
    };
    check("quipu view --lang en no-such.quipu", 3, "cannot read no-such.quipu: it does not exist");
    check("quipu view --lang en", 2, "name files or folders");
    check("quipu view --lang en -", 2, "standard input is the keyboard");
    check("TERM=dumb quipu view --lang en fixtures/andes/cup.quipu", 2, "needs a terminal");
    check("quipu view --lang en fixtures/andes/cup.quipu | cat", 0, "needs a terminal");
    check("setsid -w quipu view --lang en fixtures/andes/cup.quipu </dev/null", 2, "there is no keyboard");
    check("quipu view --lang en /dev/null", 1, "no record was read");
}

/// Sequences that choose a colour.
fn colors(screen: &str) -> usize {
    screen.matches("\u{1b}[38;5;").count() + screen.matches("\u{1b}[48;5;").count() + screen.matches("[31m").count()
}

#[test]
fn colours_only_where_they_are_wanted() {
    for (before, after, wanted) in [
        ("", "", true),
        ("NO_COLOR=1", "", false),
        ("", "--color never", false),
        ("NO_COLOR=1", "--color always", true),
    ] {
        let terminal =
            Terminal::new(80, 24, &format!("{before} quipu view --lang en {after} {CUP} --record 2 --ply 9"));
        terminal.sees("ply 9 of");
        let screen = terminal.styled_screen();
        assert_eq!(colors(&screen) > 0, wanted, "{before} {after}: {}", screen.escape_debug());
    }
}

/// The terminal is given back at any end.
#[test]
fn a_signal_ends_it() {
    for signal in ["TERM", "HUP", "INT"] {
        let folder = tempfile::tempdir().expect("there is room");
        let pid = folder.path().join("pid");
        let call = format!("sh -c 'echo $$ >{}; exec quipu view --lang en {CUP}'", pid.display());
        let terminal = Terminal::new(80, 24, &call);
        terminal.sees("records: 56");
        let pid = fs::read_to_string(pid).expect("it was written");
        let killed = Command::new("kill").args(["-s", signal, pid.trim()]).status().expect("there is such a program");
        assert!(killed.success());
        terminal.sees(ENDED);
    }
}

#[test]
fn it_waits_in_the_background() {
    let terminal = Terminal::shell(80, 24);
    terminal.sees("ready>");
    terminal.write(&format!("quipu view --lang en {CUP}\n"));
    terminal.sees("records: 56");
    terminal.press(&["j", "C-z"]);
    terminal.sees("Stopped");
    terminal.write("fg\n");
    terminal.until("the list again", |screen| chosen(screen) == 2);
    terminal.press(&["q"]);
    terminal.until("the shell again", |screen| screen.trim_end().ends_with("ready>"));
}

/// Two million bytes of input are no reason to wait, and are not kept.
#[test]
fn a_large_input_opens_at_once() {
    const RECORDS: usize = 60_000;
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("large.quipu");
    let mut file = BufWriter::new(File::create(&path).expect("there is room"));
    let generator = Generator::new();
    let part: String = (0..2_000).map(|number| generator.record(number)).collect();
    for _ in 0..RECORDS / 2_000 {
        file.write_all(part.as_bytes()).expect("there is room");
    }
    drop(file);
    let pid = folder.path().join("pid");
    let call = format!("sh -c 'echo $$ >{}; exec quipu view --lang en {}'", pid.display(), path.display());
    let terminal = Terminal::new(80, 24, &call);
    terminal.sees("▸ ");
    // Keys are heard while the rest is read.
    terminal.press(&["Enter"]);
    terminal.sees("ply 0 of");
    terminal.press(&["q"]);
    terminal.sees(&format!("records: {RECORDS}"));
    terminal.until("all is read", |screen| !screen.contains("reading"));
    terminal.press(&["G", "Enter"]);
    terminal.sees(&format!("large.quipu · {RECORDS}"));
    if cfg!(target_os = "linux") {
        let pid = fs::read_to_string(pid).expect("it was written");
        let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).expect("it runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the kernel counts it");
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        let size = fs::metadata(&path).expect("it is there").len() / 1024;
        assert!(size > 64 * 1024 && peak < 48 * 1024, "{peak} KiB for {size} KiB");
    }
}

/// The READMEs show the screen of the program.
#[test]
fn the_readmes_show_the_screen() {
    for (document, name, lang) in [("README.md", "game.quipu", "en"), ("README.es.md", "partida.quipu", "es")] {
        let text = fs::read_to_string(root().join(document)).expect("it is there");
        let fences = text.split("\n```").skip(1).step_by(2);
        let blocks: Vec<_> = fences.filter_map(|block| block.split_once('\n')).map(|(_, block)| block).collect();
        let record = blocks.iter().find(|block| block.starts_with("[Game ")).expect("it shows a record");
        let shown = blocks.iter().find(|block| block.starts_with(&format!(" {name} · 1"))).expect("it shows a screen");
        let folder = tempfile::tempdir().expect("there is room");
        fs::write(folder.path().join(name), format!("{record}\n")).expect("there is room");
        let call = format!("cd {}; quipu view --lang {lang} --color never --record 1 {name}", folder.path().display());
        let terminal = Terminal::new(80, 24, &call);
        let screen = terminal.sees("andes.3.6");
        let lines = |text: &str| text.trim_end().lines().map(str::trim_end).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&screen), lines(shown), "{document}");
    }
}
