//! Files that a command does not read, or reads without finding a record: each is reported, and where nothing at all was
//! read the exit status says so.

use std::fs;

use quipu_tests_service::{
    bytes,
    program::{Run, run, run_with},
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    BAD, GOOD,
    sheets::{folder, gzip, put, zip},
    with,
};

/// Commands that read any number of files, each with options that discard its output.
const READERS: [&str; 6] = ["verify", "fmt", "score", "rank", "standings", "archive import"];

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().expect("our paths are UTF-8")
}

/// Runs a reader on some paths, in English, with a new archive.
fn read(reader: &str, paths: &[&str]) -> Run {
    let data = folder();
    let mut arguments: Vec<_> = reader.split(' ').chain(["--lang", "en"]).collect();
    if reader.starts_with("archive") {
        arguments.extend(["--data", path(&data)]);
    }
    run(&with(&arguments, paths))
}

/// A game with the names of its players.
fn game() -> String {
    GOOD.replace("\n[Result", "\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result")
}

#[test]
fn a_folder_is_read_for_every_format_in_any_case() {
    let place = folder();
    put(&place, "source/game.quipu", game().as_bytes());
    let source = place.path().join("source/game.quipu");
    let source = source.to_str().expect("our paths are UTF-8");
    let files = folder();
    let mut expected = 0;
    for (name, form) in [
        ("GAME.CSV", "csv"),
        ("a/Game.Json", "json"),
        ("a/b/game.NDJSON", "ndjson"),
        ("TEXT.QUIPU", "quipu"),
        ("Workbook.XLSX", "xlsx"),
    ] {
        let target = files.path().join(name);
        fs::create_dir_all(target.parent().expect("a folder")).expect("there is room");
        let target = target.to_str().expect("our paths are UTF-8");
        assert_eq!(run(&["convert", source, "--to", form, "-o", target]).status, Some(0), "{form}");
        expected += 1;
    }
    let csv = fs::read_to_string(files.path().join("GAME.CSV")).expect("it is written");
    put(&files, "tabs.Tsv", csv.replace(',', "\t").as_bytes());
    put(&files, "replay.OTG", &bytes("brandubh/replay.otg"));
    put(&files, "compressed.quipu.GZ", &gzip(game().as_bytes()));
    put(&files, "PACKED.CSV.gz", &gzip(csv.as_bytes()));
    put(&files, "compressed.ZIP", &zip(&[("round/Table1.CSV", csv.as_bytes()), ("b.quipu", game().as_bytes())]));
    put(&files, "compressed.json.Zst", &compress_to_vec(&bytes_of_json(source)[..], CompressionLevel::Fastest));
    expected += 7;
    let run = run(&["verify", "--json", "--lang", "en", path(&files)]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:#?}");
    let verdicts: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(verdicts.len(), expected, "{verdicts:#?}");
    assert!(verdicts.iter().all(|verdict| verdict["status"] == "verified"), "{verdicts:#?}");
    // Only files of one format, with `--from`.
    let run = read("verify", &["--from", "csv", path(&files)]);
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(
        run.stdout.ends_with("\nRead: 5 · files: 5 · verified: 5 · incomplete: 0 · rejected: 0 · unreadable: 0\n"),
        "{run:#?}"
    );
    for name in ["GAME.CSV", "tabs.Tsv", "Workbook.XLSX", "PACKED.CSV.gz", "compressed.ZIP:round/Table1.CSV"] {
        assert!(run.stdout.contains(name), "{name}: {run:#?}");
    }
    // Files of other formats, compressed or not, are skipped and reported.
    let others = run.stderr.strip_prefix("skipped: 7 files (").and_then(|kinds| kinds.strip_suffix(")\n"));
    let mut others: Vec<_> = others.unwrap_or_else(|| panic!("{run:#?}")).split(", ").collect();
    others.sort_unstable();
    assert_eq!(others, ["1 .gz", "1 .json", "1 .ndjson", "1 .otg", "1 .zst", "2 .quipu"], "{run:#?}");
}

fn bytes_of_json(source: &str) -> Vec<u8> {
    run(&["convert", source, "--to", "json"]).stdout.into_bytes()
}

#[test]
fn a_few_files_are_named_with_the_reason() {
    let place = folder();
    put(&place, "good.quipu", game().as_bytes());
    put(&place, "notes.TXT", b"bring a third clock");
    put(&place, "noext", game().as_bytes());
    put(&place, "empty.quipu", b"");
    put(&place, "blank.csv", b" \n\n");
    put(&place, ".hidden/notes.txt", b"not for people");
    let folder = path(&place);
    for reader in READERS.into_iter().filter(|reader| *reader != "fmt") {
        let run = read(reader, &[folder]);
        assert_eq!(run.status, Some(0), "{reader}: {run:#?}");
        let expected = [
            ("empty.quipu", "it is empty"),
            ("noext", "files without an extension are not read from folders; to read it, name the file itself"),
            ("notes.TXT", "files with the extension .txt are not read from folders; to read it, name the file itself"),
            ("blank.csv", "it contains no record"),
        ];
        let expected: String =
            expected.iter().map(|(name, reason)| format!("skipped {folder}/{name}: {reason}\n")).collect();
        assert_eq!(run.stderr, expected, "{reader}");
    }
    let verified = read("verify", &[folder]).stdout;
    assert!(verified.contains("\nRead: 1 · files: 2 · "), "an empty file is not counted: {verified}");
    let run = read("fmt", &[folder]);
    assert_eq!(run.status, Some(0), "{run:#?}");
    let of_csv = format!("skipped {folder}/blank.csv: its extension is not that of the format quipu");
    assert!(run.stderr.contains(&of_csv) && run.stderr.lines().count() == 4, "{run:#?}");
    // A file that is named is read whatever its extension.
    let run = read("verify", &[&format!("{folder}/noext")]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:#?}");
}

#[cfg(unix)]
#[test]
fn links_and_pipes_in_folders_are_reported() {
    use std::os::unix::{fs::symlink, net::UnixListener};
    let (place, elsewhere) = (folder(), folder());
    put(&elsewhere, "other.quipu", game().as_bytes());
    put(&place, "good.quipu", game().as_bytes());
    put(&place, "nested/empty/x", b"");
    fs::remove_file(place.path().join("nested/empty/x")).expect("it is there");
    symlink("nowhere.quipu", place.path().join("dangling.quipu")).expect("a link");
    symlink(elsewhere.path(), place.path().join("folder")).expect("a link");
    symlink(elsewhere.path().join("other.quipu"), place.path().join("linked.quipu")).expect("a link");
    let _socket = UnixListener::bind(place.path().join("socket.quipu")).expect("there is room");
    let folder = path(&place);
    let run = read("verify", &[folder]);
    assert_eq!(run.status, Some(0), "{run:#?}");
    assert!(run.stdout.contains("Read: 2 · files: 2"), "links to files are read: {run:#?}");
    for (name, reason) in [
        ("dangling.quipu", "it is a link that leads nowhere"),
        ("folder", "it is a link to a folder, which is not followed; to read the folder, name it"),
        ("nested/empty", "the folder is empty"),
        ("socket.quipu", "it is not a file"),
    ] {
        assert!(run.stderr.contains(&format!("skipped {folder}/{name}: {reason}\n")), "{name}: {run:#?}");
    }
    assert_eq!(run.stderr.lines().count(), 4, "{run:#?}");
}

#[test]
fn many_files_are_counted_by_kind() {
    let place = folder();
    put(&place, "good.quipu", game().as_bytes());
    for number in 0..4 {
        put(&place, &format!("{number}.TXT"), b"x");
        put(&place, &format!("photos/{number}.jpg"), b"x");
    }
    put(&place, "noext", b"x");
    put(&place, "empty.csv", b"");
    let spanish = "no se leyeron 10 archivos: 4 .jpg, 4 .txt, 1 sin extensión, 1 sin contenido\n";
    let english = "skipped: 10 files (4 .jpg, 4 .txt, 1 without an extension, 1 empty)\n";
    for (lang, expected) in [("es", spanish), ("en", english)] {
        let run = run(&["verify", "--lang", lang, path(&place)]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), expected));
    }
}

#[test]
fn nothing_read_at_all_is_a_finding() {
    let place = folder();
    let file = |name: &str, content: &[u8]| put(&place, name, content);
    fs::create_dir(place.path().join("nothing")).expect("there is room");
    let nothing = format!("{}/nothing", path(&place));
    file("texts/a.txt", b"x");
    let texts = format!("{}/texts", path(&place));
    let empty = file("empty.quipu", b"");
    let blank = file("blank.quipu", b"\n \n");
    let compressed = file("compressed.quipu.gz", &gzip(b""));
    for reader in READERS {
        for (path, expected) in [
            (&nothing, format!("skipped {nothing}: the folder is empty\n")),
            (&texts, format!("skipped {texts}/a.txt: ")),
            (&empty, format!("skipped {empty}: it is empty\n")),
            (&blank, format!("skipped {blank}: it contains no record\n")),
            (&compressed, format!("skipped {compressed}: it contains no record\n")),
        ] {
            let run = read(reader, &[path]);
            assert_eq!(run.status, Some(1), "{reader} {path}: {run:#?}");
            assert!(run.stderr.starts_with(&expected), "{reader} {path}: {run:#?}");
            assert!(run.stderr.ends_with("no record was read\n"), "{reader} {path}: {run:#?}");
        }
        let arguments: Vec<_> = reader.split(' ').chain(["-", "--lang", "en"]).collect();
        let data = folder();
        let data = ["--data", path(&data)];
        let run = run_with(&with(&arguments, if reader.starts_with("archive") { &data } else { &[] }), b"");
        assert_eq!(run.status, Some(1), "{reader}: {run:#?}");
        assert_eq!(run.stderr, "skipped -: it contains no record\nno record was read\n", "{reader}");
    }
    let run = read("verify", &["--json", &nothing]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:#?}");
    // A file that cannot be read is a failure, with its own message.
    let run = read("verify", &[&empty, "no-such.quipu"]);
    assert_eq!(run.status, Some(3), "{run:#?}");
    assert!(!run.stderr.contains("no record was read"), "{run:#?}");
    // Findings stay findings, and nothing is reported twice.
    let bad = file("bad.quipu", BAD.as_bytes());
    let run = read("verify", &[&bad, &empty]);
    assert_eq!((run.status, run.stderr), (Some(1), format!("skipped {empty}: it is empty\n")));
}

#[test]
fn files_in_a_zip_that_are_not_read_are_reported() {
    let place = folder();
    let compressed = put(
        &place,
        "round.zip",
        &zip(&[("README.md", b"# Round 3"), ("table1.quipu", game().as_bytes()), ("photo", b"x"), (".DS_Store", b"x")]),
    );
    let expected = format!(
        "skipped {compressed}:README.md: files with the extension .md are not read from a zip; unpack it and name the file itself\n\
         skipped {compressed}:photo: files without an extension are not read from a zip; unpack it and name the file itself\n"
    );
    let run = read("verify", &[&compressed]);
    assert_eq!((run.status, run.stderr), (Some(0), expected.clone()));
    let run = run_with(&["convert", &compressed, "--to", "csv", "--lang", "en"], b"");
    assert_eq!((run.status, run.stderr), (Some(0), expected));
}

#[test]
fn a_file_without_a_record_is_converted_to_nothing() {
    let place = folder();
    let (empty, kept) = (put(&place, "empty.quipu", b""), put(&place, "keep.csv", b"precious\n"));
    for target in [&kept, &format!("{}/new.csv", path(&place))] {
        let run = run(&["convert", &empty, "--to", "csv", "-o", target, "--lang", "en"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:#?}");
        assert!(run.stderr.starts_with(&format!("skipped {empty}: it is empty\nno record was read\n")), "{run:#?}");
    }
    assert_eq!(fs::read(&kept).expect("it is there"), b"precious\n");
    assert!(!place.path().join("new.csv").exists());
}
