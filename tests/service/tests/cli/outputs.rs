//! Files that commands write: none takes the place of a file of an archive, what is replaced keeps its owner and its links,
//! and no pipe makes a command wait for ever.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use quipu_archive::store::Store;
use quipu_tests_service::{
    bytes,
    program::{Run, command, commands, path as program, run, run_with},
};
use tempfile::TempDir;

use crate::{BAD, GOOD, START, serve::Service, with};

/// Every command that writes a file, with `@` in the place of its path.
pub(crate) const WRITERS: [&[&str]; 21] = [
    &["verify", "fixtures/andes/games.quipu", "-o", "@"],
    &["replay", "fixtures/andes/games.quipu", "--record", "1", "-o", "@"],
    &["score", "fixtures/andes/cup.quipu", "-o", "@"],
    &["rank", "fixtures/andes/cup.quipu", "-o", "@"],
    &["standings", "fixtures/andes/cup.quipu", "-o", "@"],
    &["new", "andes", "-o", "@"],
    &["fmt", "fixtures/andes/games.quipu", "-o", "@"],
    &["archive", "export", "-o", "@"],
    &["archive", "export", "--to", "parquet", "-o", "@"],
    &["archive", "import", "fixtures/andes/mutants.quipu", "--unverified", "@"],
    &["archive", "backup", "--force", "@"],
    &["convert", "fixtures/andes/games.quipu", "--to", "csv", "-o", "@"],
    &["draw", "--game", "andes", START, "--to", "svg", "-o", "@"],
    &["sheet", "andes", "--to", "svg", "-o", "@"],
    &["fmt", "--write", "@"],
    &["repair", "fixtures/andes/games.quipu", "-o", "@"],
    &["merge", "fixtures/brandubh/replay.quipu", "fixtures/brandubh/replay.otg", "-o", "@"],
    &["tournament", "export", "1", "--to", "trf16", "-o", "@"],
    &["tournament", "export", "1", "--to", "xlsx", "-o", "@"],
    &["tournament", "export", "1", "--to", "pdf", "-o", "@"],
    &["tournament", "sheets", "1", "-o", "@"],
];

/// Options by which commands are told what to write to, and the argument of `archive backup`.
const OPTIONS: [&str; 3] = ["--output", "--unverified", "--write"];

/// A user who is not root.
const NOBODY: u32 = 65534;

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("our paths are UTF-8")
}

fn aimed<'a>(writer: &[&'a str], target: &'a str) -> Vec<&'a str> {
    writer.iter().map(|&word| if word == "@" { target } else { word }).collect()
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("it is there").success());
}

/// Runs a command that has to end by itself.
#[track_caller]
fn ends(mut command: Command) -> Run {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let begun = Instant::now();
    while child.try_wait().expect("it is ours").is_none() {
        if begun.elapsed() > Duration::from_secs(120) {
            stop(&mut child);
            panic!("it waits for ever: {command:?}");
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("it ended").into()
}

fn stop(child: &mut Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn every_command_that_writes_a_file_is_known_here() {
    let has = |name: &str| {
        let call: Vec<_> = name.split(' ').chain(["--help", "--lang", "en"]).collect();
        let help = run(&call).stdout;
        OPTIONS.iter().any(|option| help.contains(option))
    };
    let mut found: Vec<_> = commands().into_iter().filter(|name| has(name)).collect();
    found.push("archive backup".to_owned());
    found.sort();
    let words = |writer: &[&str]| if ["archive", "tournament"].contains(&writer[0]) { 2 } else { 1 };
    let mut known: Vec<_> = WRITERS.iter().map(|writer| writer[..words(writer)].join(" ")).collect();
    known.sort();
    known.dedup();
    assert_eq!(found, known);
}

/// All that lies in a folder: name, number of the file, contents. Shared memory is written by whoever reads.
fn contents(folder: &Path) -> BTreeMap<String, (u64, Option<Vec<u8>>)> {
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is listed"));
    let content = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("our names are UTF-8");
        let about = entry.metadata().expect("it is there");
        let is_read = about.is_file() && !name.ends_with("-shm");
        (name, (about.ino(), is_read.then(|| fs::read(entry.path()).expect("it is read"))))
    };
    entries.map(content).collect()
}

/// A tournament with the number 1 and a paired round, in a new archive.
pub(crate) fn tournament(data: &str) {
    let done = |arguments: &[&str]| {
        let run = run_with(&with(arguments, &["--data", data]), b"name,rating\nAna,2000\nBeto,1900\n");
        assert_eq!(run.status, Some(0), "{run:#?}");
    };
    done(&["tournament", "new", "Torneo", "--game", "andes", "--system", "swiss", "--rounds", "1"]);
    done(&["tournament", "players", "1", "--add", "-"]);
    done(&["tournament", "pair", "1"]);
}

/// An archive in a folder, with every file that may lie beside one: the service that had it open was killed.
fn archive(folder: &Path) {
    let data = text(folder);
    tournament(data);
    let import = |records: &str| {
        let stored = run(&["archive", "import", records, "--data", data]);
        assert_eq!(stored.status, Some(0), "{stored:#?}");
    };
    import("fixtures/andes/games.quipu");
    let store = Store::open(folder).expect("an archive");
    store.unlock().expect("a key");
    store.sign_pending().expect("a head");
    drop(store);
    let service = Service::start(command(&["serve", "--data", data, "--listen", "127.0.0.1:0"]));
    import("fixtures/andes/cup.quipu");
    drop(service);
    fs::write(folder.join("quipu.toml"), "workers = 1\n").expect("there is room");
}

#[test]
fn no_output_takes_the_place_of_a_file_of_an_archive() {
    let place = folder();
    let at = |name: &str| place.path().join(name);
    let (data, other) = (at("data"), at("other"));
    archive(&data);
    let names = ["quipu.db", "quipu.db-wal", "quipu.db-shm", "quipu.key", "quipu.head", "quipu.lock", "quipu.toml"];
    for name in names {
        assert!(data.join(name).exists(), "{name}");
    }
    let mut targets: Vec<PathBuf> = names.map(|name| data.join(name)).to_vec();
    // Also where nothing of that name is yet.
    targets.extend(["quipu.db-journal", "quipu.key.next", "quipu.head.part"].map(|name| data.join(name)));
    // By other ways and other names.
    symlink(&data, at("linked")).expect("a link");
    targets.extend(names.map(|name| at("linked").join(name)));
    targets.push(data.join("..").join("data").join("./quipu.key"));
    for name in names {
        let (link, hard) = (at(&format!("{name}.link")), at(&format!("{name}.hard")));
        symlink(data.join(name), &link).expect("a link");
        fs::hard_link(data.join(name), &hard).expect("another name");
        targets.extend([link, hard]);
    }
    symlink(data.join("quipu.db-journal"), at("nowhere")).expect("a link");
    targets.push(at("nowhere"));
    // Another archive, and one that is damaged.
    archive(&other);
    targets.extend(names.map(|name| other.join(name)));
    fs::create_dir(at("damaged")).expect("there is room");
    fs::write(at("damaged/quipu.db"), "no archive any more").expect("there is room");
    targets.push(at("damaged/quipu.db"));

    let all = || [&data, &other, &at("damaged"), &place.path().to_owned()].map(|folder| contents(folder));
    let before = all();
    for writer in WRITERS {
        for target in &targets {
            let arguments = aimed(writer, text(target));
            let mut command = command(&with(&arguments, &["--lang", "en"]));
            let run: Run = command.env("QUIPU_DATA", &data).output().expect("quipu runs").into();
            assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:#?}");
            let said = ["belongs to an archive and is not replaced", "is an archive in use"];
            assert!(said.iter().any(|said| run.stderr.contains(said)), "{arguments:?}: {run:#?}");
            assert!(all() == before, "{arguments:?}: nothing is touched");
        }
    }
    for name in names {
        fs::remove_file(at(&format!("{name}.hard"))).expect("it is there");
    }
    for folder in [&data, &other] {
        let check = run(&["archive", "check", "--data", text(folder)]);
        assert_eq!(check.status, Some(0), "{check:#?}");
    }
}

/// A copy of an archive, under whatever name, is for `archive backup --force` alone to replace; and so is its log for nobody.
#[test]
fn copies_are_replaced_by_copies_alone() {
    let place = folder();
    let at = |name: &str| place.path().join(name);
    archive(&at("data"));
    let data = at("data");
    let copied = |target: &Path| {
        let arguments = ["archive", "backup", "--force", text(target), "--data", text(&data)];
        run(&with(&arguments, &["--lang", "en"]))
    };
    fs::create_dir(at("elsewhere")).expect("there is room");
    for copy in [at("copy.quipu"), at("elsewhere/quipu.db")] {
        assert_eq!(copied(&copy).status, Some(0));
        assert_eq!(copied(&copy).status, Some(0), "again");
        let log = format!("{}-wal", text(&copy));
        let before = fs::read(&copy).expect("it is there");
        for writer in WRITERS {
            let targets = if writer.contains(&"backup") { vec![log.as_str()] } else { vec![text(&copy), &log] };
            for target in targets {
                let arguments = aimed(writer, target);
                let run: Run = command(&arguments).env("QUIPU_DATA", &data).output().expect("quipu runs").into();
                assert_eq!(run.status, Some(2), "{arguments:?}: {run:#?}");
                assert!(run.stderr.contains("pertenece a un archivo de partidas y no se reemplaza"), "{run:#?}");
            }
        }
        assert!(fs::read(&copy).expect("it is there") == before && !Path::new(&log).exists());
    }
    // One that a program serves, or has not closed.
    let served = Store::open(&at("elsewhere")).expect("an archive");
    let lock = served.serve_lock().expect("nobody serves it");
    let refused = copied(&at("elsewhere/quipu.db"));
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    assert!(refused.stderr.contains("is an archive in use"), "{refused:#?}");
    drop((lock, served));
    fs::write(at("copy.quipu-wal"), "what was committed last").expect("there is room");
    assert_eq!(copied(&at("copy.quipu")).status, Some(2));
}

fn is_root(folder: &Path) -> bool {
    fs::metadata(folder).expect("it is there").uid() == 0
}

#[test]
fn a_replaced_file_keeps_its_owner_mode_and_links() {
    let place = folder();
    let [file, link, other] = ["loose.quipu", "link.quipu", "other.quipu"].map(|name| place.path().join(name));
    let loose = bytes("andes/loose.quipu");
    let about = |path: &Path| {
        let about = fs::metadata(path).expect("it is there");
        (about.uid(), about.gid(), about.mode() & 0o7777)
    };
    for (writer, target) in WRITERS.into_iter().rev().flat_map(|writer| [(writer, &file), (writer, &link)]) {
        if ["archive", "tournament"].contains(&writer[0]) {
            continue;
        }
        for path in [&file, &link, &other] {
            drop(fs::remove_file(path));
        }
        fs::write(&file, &loose).expect("there is room");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        if is_root(place.path()) {
            chown(&file, Some(NOBODY), Some(NOBODY)).expect("root may");
        }
        symlink(&file, &link).expect("a link");
        fs::hard_link(&file, &other).expect("another name");
        let before = about(&file);
        let run = run(&aimed(writer, text(target)));
        assert_eq!(run.status, Some(0), "{writer:?}: {run:#?}");
        assert_eq!(about(&file), before, "{writer:?}");
        assert!(fs::read(&file).expect("it is there") != loose, "{writer:?}");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink(), "{writer:?}");
        // As it is told: another name keeps what was there before.
        assert!(fs::read(&other).expect("it is there") == loose, "{writer:?}");
    }
}

#[test]
fn files_of_root_in_a_folder_belong_to_its_owner() {
    let place = folder();
    if !is_root(place.path()) {
        return;
    }
    let at = |name: &str| place.path().join(name);
    archive(&at("data"));
    chown(place.path(), Some(NOBODY), Some(NOBODY)).expect("root may");
    for (number, writer) in WRITERS.into_iter().enumerate() {
        if writer[0] == "fmt" || writer.contains(&"backup") {
            continue;
        }
        let target = at(&format!("new{number}"));
        let mut command = command(&aimed(writer, text(&target)));
        let run: Run = command.env("QUIPU_DATA", at("data")).output().expect("quipu runs").into();
        assert!(matches!(run.status, Some(0 | 1)), "{writer:?}: {run:#?}");
        let about = fs::metadata(&target).expect("it is made");
        assert_eq!((about.uid(), about.gid()), (NOBODY, NOBODY), "{writer:?}");
    }
}

#[test]
fn a_link_that_leads_nowhere_yet_is_kept() {
    let place = folder();
    let [link, target] = ["link.svg", "board.svg"].map(|name| place.path().join(name));
    symlink("board.svg", &link).expect("a link");
    assert_eq!(run(&["draw", "--game", "andes", "-o", text(&link)]).status, Some(0));
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    assert!(fs::symlink_metadata(&target).expect("it is made").is_file());
}

/// Commands that are given a pipe at whose other end nobody is, or a socket.
#[test]
fn nothing_waits_for_ever_for_the_other_end_of_a_pipe() {
    let place = folder();
    let at = |name: &str| place.path().join(name);
    archive(&at("data"));
    fs::create_dir(at("piped")).expect("there is room");
    let (socket, settings) = (at("socket"), at("piped/quipu.toml"));
    fifo(&settings);
    let _listening = std::os::unix::net::UnixListener::bind(&socket).expect("there is room");
    let readers: [&[&str]; 7] = [
        &["verify", "@"],
        &["fmt", "@"],
        &["standings", "fixtures/andes/cup.quipu", "--aliases", "@"],
        &["receipt", "check", "@", "--key", "@"],
        &["archive", "check", "--head", "@"],
        &["archive", "import", "@"],
        &["serve", "--print-config", "--config", "@"],
    ];
    let (data, elsewhere) = (at("data"), at("piped"));
    // Two commands with one pipe would find each other.
    let pipes: Vec<_> = (0..=WRITERS.len() + readers.len()).map(|number| at(&format!("pipe{number}"))).collect();
    for pipe in &pipes {
        fifo(pipe);
    }
    thread::scope(|scope| {
        for (arguments, pipe) in WRITERS.iter().chain(&readers).zip(&pipes[1..]) {
            for target in [pipe, &socket] {
                let data = &data;
                scope.spawn(move || {
                    let mut command = command(&with(&aimed(arguments, text(target)), &["--lang", "en"]));
                    command.env("QUIPU_DATA", data);
                    let run = ends(command);
                    assert_eq!(run.status, Some(3), "{arguments:?}: {run:#?}");
                    assert!(run.stderr.contains(text(target)), "{arguments:?}: {run:#?}");
                });
            }
        }
        for (name, value) in [("QUIPU_CONFIG", &pipes[0]), ("QUIPU_DATA", &elsewhere)] {
            scope.spawn(move || {
                let mut command = command(&["serve", "--print-config"]);
                command.env(name, value);
                let run = ends(command);
                assert_eq!(run.status, Some(3), "{name}: {run:#?}");
            });
        }
    });
    for pipe in pipes.iter().chain([&settings]) {
        assert!(fs::symlink_metadata(pipe).expect("it is there").file_type().is_fifo());
    }
}

/// Process substitution is read and written as ever, and so is a pipe whose other end comes late.
#[test]
fn pipes_on_purpose_go_on_working() {
    let place = folder();
    let at = |name: &str| text(&place.path().join(name)).to_owned();
    fs::write(at("good.quipu"), GOOD).expect("there is room");
    fs::write(at("bad.quipu"), BAD).expect("there is room");
    let quipu = text(program());
    let shell = |script: String, status: i32| {
        let mut shell = Command::new("bash");
        shell.args(["-c", &script]).current_dir(quipu_tests_service::root());
        let run = ends(shell);
        assert_eq!(run.status, Some(status), "{script}: {run:#?}");
        run.stdout
    };
    let expected = run(&["convert", &at("good.quipu"), "--to", "csv"]).stdout;
    let [good, bad, out, pipe] = ["good.quipu", "bad.quipu", "out", "pipe"].map(at);
    assert_eq!(shell(format!("{quipu} convert {good} --to csv -o >(cat)  | cat"), 0), expected);
    assert_eq!(shell(format!("{quipu} convert {good} --to csv -o /dev/stdout"), 0), expected);
    assert_eq!(shell(format!("{quipu} convert {good} --to csv -o /dev/null"), 0), "");
    assert_eq!(shell(format!("{quipu} convert <(cat {good}) --to csv"), 0), expected);
    assert_eq!(shell(format!("{quipu} convert /dev/stdin --to csv < {good}"), 0), expected);
    shell(format!("{quipu} verify <(cat {bad})"), 1);
    shell(format!("{quipu} verify <(true)"), 1);
    shell(format!("{quipu} serve --print-config --config <(echo workers = 2)"), 0);
    fifo(Path::new(&pipe));
    assert_eq!(shell(format!("(sleep 1; cat {good} > {pipe}) & {quipu} convert {pipe} --to csv"), 0), expected);
    shell(format!("(sleep 1; cat {pipe} > {out}) & {quipu} convert {good} --to csv -o {pipe} && wait"), 0);
    assert_eq!(fs::read_to_string(out).expect("it is written"), expected);
}
