//! Files that commands write appear whole or not at all: where a command fails, where the disk is full, where the folder
//! cannot be written to, and where it is killed, the file that was there stays.

use std::{
    fs::{self, File},
    io::Write,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use quipu_tests_service::{
    program::{Run, command, path as program, run},
    root,
};
use tempfile::TempDir;

use crate::{
    BAD, GOOD, START, UNREADABLE,
    outputs::{WRITERS, tournament},
    with,
};

/// A user who is not root.
pub(crate) const NOBODY: u32 = 65534;
/// The content of a file that must stay.
const KEPT: &str = "precious\n";
/// Bytes of records after which a command has written some of its output, at most.
const MAX_INPUT: usize = 16 * 1024 * 1024;

/// A folder with a file to keep, and an archive.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("there is room") };
        fs::create_dir(place.folder.path().join("out")).expect("there is room");
        place.keep();
        place
    }

    fn keep(&self) {
        fs::write(self.target(), KEPT).expect("there is room");
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, content: &str) -> String {
        fs::write(self.file(name), content).expect("there is room");
        text(&self.file(name)).to_owned()
    }

    fn target(&self) -> PathBuf {
        self.file("out/keep")
    }

    /// An archive with the games of the cup.
    fn archive(&self) -> PathBuf {
        let data = self.file("data");
        tournament(text(&data));
        let import = run(&["archive", "import", "fixtures/andes/cup.quipu", "--data", text(&data)]);
        assert_eq!(import.status, Some(0), "{import:#?}");
        data
    }

    /// The file is as it was, and nothing lies beside it.
    #[track_caller]
    fn check_kept(&self, what: &str) {
        assert_eq!(fs::read_to_string(self.target()).expect("it is there"), KEPT, "{what}");
        assert_eq!(names(&self.file("out")), ["keep"], "{what}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("our paths are UTF-8")
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is listed").file_name());
    names.map(|name| name.into_string().expect("our names are UTF-8")).collect()
}

#[test]
fn a_command_that_fails_leaves_the_file_as_it_was() {
    let place = Place::new();
    let target = place.target();
    let target = text(&target);
    let bytes = place.file("cp1252.csv");
    fs::write(&bytes, b"#Game: andes\n#Evento: Copa de Tumbes\xf1\nn,sol,luna\n1,0a1,0D0\n").expect("there is room");
    let unreadable = place.put("unreadable.quipu", UNREADABLE);
    let mixed = place.put("mixed.quipu", &format!("{GOOD}\n{UNREADABLE}"));
    let without_board = place.put("unknown.quipu", "[Game \"andes\"]\n[Setup \"nonsense\"]\n\n*\n");
    let data = place.archive();
    let data = text(&data);
    for (status, arguments) in [
        (1, vec!["convert", text(&bytes), "--to", "quipu", "-o", target]),
        (1, vec!["convert", &unreadable, "--to", "csv", "-o", target]),
        // No part of the records is written either.
        (1, vec!["convert", &mixed, "--to", "json", "-o", target]),
        (1, vec!["convert", &mixed, "--to", "xlsx", "-o", target]),
        (3, vec!["convert", "no-such.quipu", "--to", "csv", "-o", target]),
        (2, vec!["convert", &unreadable, "--to", "nothing", "-o", target]),
        (1, vec!["draw", &unreadable, "--to", "svg", "-o", target]),
        (1, vec!["draw", &without_board, "--to", "gif", "-o", target]),
        (2, vec!["draw", &mixed, "--ply", "99", "--to", "svg", "-o", target]),
        (2, vec!["sheet", "andes", "--to", "png", "-o", target]),
        (2, vec!["new", "andes", "--tag", "Event", "-o", target]),
        (1, vec!["new", "querni", "--tag", "First=sol", "-o", target]),
        (2, vec!["archive", "export", "--player", "Nobody", "--data", data, "-o", target]),
        (3, vec!["archive", "export", "--data", "no-such-folder", "-o", target]),
        (3, vec!["archive", "backup", target, "--force", "--data", data]),
    ] {
        let run = run(&arguments);
        assert_eq!(run.status, Some(status), "{arguments:?}: {run:#?}");
        place.check_kept(&arguments.join(" "));
    }
    for text in [UNREADABLE, &format!("{GOOD}\n{UNREADABLE}"), "% no record\n"] {
        let file = place.put("rewritten.quipu", text);
        assert_eq!(run(&["fmt", "--write", &file]).status, Some(1));
        assert_eq!(fs::read_to_string(file).expect("it is there"), text);
    }
    let run = run(&["convert", text(&bytes), "--to", "quipu", "-o", target, "--lang", "en"]);
    let said = format!("{target} is not written, because not everything could be read (unreadable records: 1); ");
    assert!(run.stderr.contains(&said), "{run:#?}");
}

#[test]
fn a_rejected_record_is_converted_all_the_same() {
    let place = Place::new();
    let (bad, target) = (place.put("bad.quipu", BAD), place.target());
    let run = run(&["convert", &bad, "--to", "csv", "-o", text(&target)]);
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(fs::read_to_string(target).expect("it is there").contains("0d3"));
}

/// The arguments of a writer, aimed at a file.
fn aimed<'a>(writer: &[&'a str], target: &'a str) -> Vec<&'a str> {
    writer.iter().map(|&word| if word == "@" { target } else { word }).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_that_is_full_is_a_failure_with_its_name() {
    let place = Place::new();
    let data = place.archive();
    for writer in WRITERS {
        let arguments = aimed(writer, "/dev/full");
        let mut command = command(&with(&arguments, &["--lang", "en"]));
        let run: Run = command.env("QUIPU_DATA", &data).stdin(Stdio::null()).output().expect("quipu runs").into();
        assert_eq!(run.status, Some(3), "{arguments:?}: {run:#?}");
        assert!(run.stderr.contains("/dev/full"), "{arguments:?}: {run:#?}");
    }
    assert!(fs::metadata("/dev/full").expect("it is there").mode() & 0o170_000 == 0o020_000, "it is still a device");
}

/// A limit of the file size simulates a disk that becomes full while a command writes.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_becomes_full_leaves_the_file_as_it_was() {
    let place = Place::new();
    let data = place.archive();
    let target = place.target();
    let loose = fs::read_to_string(root().join("fixtures/andes/loose.quipu")).expect("it is there");
    // SQLite needs some room beside the archive.
    for (writer, kilobytes) in [
        (&["archive", "export", "-o", "@"][..], 70),
        (&["convert", "fixtures/andes/cup.quipu", "--to", "json", "-o", "@"], 1),
        (&["convert", "fixtures/andes/cup.quipu", "--to", "xlsx", "-o", "@"], 1),
        (&["draw", "--game", "andes", START, "--to", "svg", "-o", "@"], 1),
        (&["draw", "fixtures/andes/cup.quipu", "--to", "pdf", "-o", "@"], 1),
        (&["sheet", "andes", "--to", "pdf", "-o", "@"], 1),
        (&["new", "querni", "--to", "xlsx", "-o", "@"], 1),
        (&["fmt", "--write", "@"], 1),
    ] {
        let rewrites = writer[0] == "fmt";
        if rewrites {
            fs::write(&target, loose.repeat(20)).expect("there is room");
        }
        let mut shell = Command::new("bash");
        let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$@\"");
        shell.args(["-c", &script, "bash", text(program())]).args(aimed(writer, text(&target)));
        shell.args(["--lang", "en"]).current_dir(root()).env("QUIPU_DATA", &data).stdin(Stdio::null());
        let run: Run = shell.output().expect("there is a shell").into();
        assert_eq!(run.status, Some(3), "{writer:?}: {run:#?}");
        assert!(run.stderr.contains(&format!("cannot write {}", text(&target))), "{writer:?}: {run:#?}");
        if rewrites {
            assert!(fs::read_to_string(&target).expect("it is there") == loose.repeat(20));
            assert_eq!(names(&place.file("out")), ["keep"]);
        } else {
            place.check_kept(&writer.join(" "));
        }
    }
}

/// The program where every user can run it.
pub(crate) fn public_program(folder: &Path) -> PathBuf {
    let copy = folder.join("quipu");
    if fs::hard_link(program(), &copy).is_err() {
        fs::copy(program(), &copy).expect("there is room");
    }
    copy
}

#[test]
fn a_folder_that_cannot_be_written_to_is_a_failure() {
    let place = Place::new();
    let is_root = fs::metadata(place.folder.path()).expect("it is there").uid() == 0;
    let input = place.put("good.quipu", GOOD);
    let loose = place.put("out/loose.quipu", &GOOD.replace("1. 0a1 0D0", "0a1 0D0"));
    let quipu = public_program(place.folder.path());
    let target = place.target();
    let target = text(&target);
    for (path, mode) in [(place.folder.path(), 0o755), (&place.file("out"), 0o555)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }
    for arguments in [
        vec!["convert", &input, "--to", "csv", "-o", target],
        vec!["convert", &input, "--to", "csv", "-o", "out/new.csv"],
        vec!["draw", &input, "--to", "svg", "-o", target],
        vec!["sheet", "andes", "--to", "svg", "-o", target],
        vec!["new", "andes", "-o", target],
        vec!["fmt", "--write", &loose],
    ] {
        let mut command = Command::new(&quipu);
        command.args(&arguments).args(["--lang", "en"]).current_dir(place.folder.path()).env("HOME", "/");
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        let run: Run = command.stdin(Stdio::null()).output().expect("quipu runs").into();
        assert_eq!(run.status, Some(3), "{arguments:?}: {run:#?}");
        assert!(run.stderr.starts_with("error: cannot write "), "{arguments:?}: {run:#?}");
        assert_eq!(fs::read_to_string(target).expect("it is there"), KEPT, "{arguments:?}");
    }
    let mut found = names(&place.file("out"));
    found.sort();
    assert_eq!(found, ["keep", "loose.quipu"]);
    fs::set_permissions(place.file("out"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    // A folder that is not there.
    let run = run(&["new", "andes", "--lang", "en", "-o", "no-such-folder/new.quipu"]);
    assert_eq!(run.status, Some(3), "{run:#?}");
    assert!(
        run.stderr
            .starts_with("error: cannot write no-such-folder/new.quipu: the folder no-such-folder does not exist"),
        "{run:#?}"
    );
}

/// Killed in the middle of its output, with the end of its input still to come.
#[test]
fn a_command_that_is_killed_leaves_the_file_as_it_was() {
    let place = Place::new();
    let pipe = place.file("pipe");
    let target = place.target();
    for signal in ["-KILL", "-TERM", "-INT"] {
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("it is there").success());
        // A parent in the background may ignore SIGINT, and what it starts would too.
        let quipu = command(&["convert", text(&pipe), "--to", "csv", "-o", text(&target)]);
        let mut child = Command::new("env")
            .arg("--default-signal=INT")
            .arg(quipu.get_program())
            .args(quipu.get_args())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let mut input = File::options().write(true).open(&pipe).expect("it is read");
        let written = || {
            let beside = names(&place.file("out")).into_iter().filter(|name| name != "keep");
            beside.map(|name| fs::metadata(place.file("out").join(name)).map_or(0, |about| about.len())).sum::<u64>()
        };
        // It reads and writes in pieces. Once it has read some of them, a part of its output is in the new file, and none
        // of it in the old one. Each write waits until it is read, so that only the size counts, and not the time.
        let some = format!("{GOOD}\n").repeat(100);
        let mut sent = 0;
        while written() == 0 {
            assert!(sent < MAX_INPUT, "it writes beside the file");
            input.write_all(some.as_bytes()).expect("it is read");
            sent += some.len();
        }
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.expect("there is kill").success());
        assert!(!child.wait().expect("it ends").success(), "{signal}");
        drop(input);
        assert_eq!(fs::read_to_string(&target).expect("it is there"), KEPT, "{signal}");
        // The unfinished part has another name, and does not hinder the next run.
        for name in names(&place.file("out")).into_iter().filter(|name| name != "keep") {
            assert!(name.starts_with(".quipu-"), "{name}");
            fs::remove_file(place.file("out").join(name)).expect("it is there");
        }
        fs::remove_file(&pipe).expect("it is there");
    }
    let input = place.put("good.quipu", GOOD);
    assert_eq!(run(&["convert", &input, "--to", "csv", "-o", text(&target)]).status, Some(0));
    assert_eq!(names(&place.file("out")), ["keep"]);
}
