//! Scoresheets that the real `LibreOffice` opens and saves: they contain the same records afterwards.
//!
//! Each test has a separate profile in a temporary folder, so that nothing remains of it and the user's settings do not
//! matter.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use quipu_tests_service::{fixture, program::run};
use serde_json::Value;
use tempfile::TempDir;

/// Options of the CSV import: commas, double quotes, UTF-8, from the first line on, in the language of the profile. In the
/// first, the default of the dialog, dates and times stay text; in the second they do not.
const IMPORTS: [&str; 2] = ["--infilter=CSV:44,34,76,1,,0,false,false", "--infilter=CSV:44,34,76,1,,0,false,true"];

/// Options of the CSV export: commas, double quotes, UTF-8, cells as shown, and a file for each sheet.
const EVERY_SHEET: &str = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1";

/// Saves a file as another kind, like a person who opens and saves it. `import` has the options for a CSV file; without them
/// `LibreOffice` reads it as Windows-1252.
fn saved(folder: &Path, file: &Path, kind: &str, profile: &str, import: Option<&str>) -> PathBuf {
    let out = folder.join(format!("{kind}-{profile}"));
    let profile = folder.join(format!("profile-{profile}"));
    let saved = out.join(file.file_name().expect("it has a name")).with_extension(kind);
    let is_csv = file.extension() == Some(OsStr::new("csv"));
    let run = Command::new("soffice")
        .arg(format!("-env:UserInstallation=file://{}", profile.display()))
        .arg("--headless")
        .args(import.filter(|_| is_csv))
        .args(["--convert-to", kind, "--outdir"])
        .args([&out, file])
        .stdin(Stdio::null())
        .output()
        .expect("libreoffice-calc is installed");
    assert!(run.status.success() && saved.is_file(), "{}: {run:?}", file.display());
    saved
}

/// A profile with a locale, which decides what `LibreOffice` takes for a number or a date.
fn profile(folder: &Path, name: &str, locale: &str) {
    let user = folder.join(format!("profile-{name}")).join("user");
    fs::create_dir_all(&user).expect("there is room");
    let settings = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{locale}</value></prop></item>
</oor:items>"#
    );
    fs::write(user.join("registrymodifications.xcu"), settings).expect("there is room");
}

/// The ids of the records in a file, and the codes found in them.
fn read(path: &Path) -> (Vec<String>, Vec<String>) {
    let run = run(&["verify", "--json", path.to_str().expect("our names are UTF-8")]);
    let verdicts: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ids = verdicts.iter().map(|verdict| verdict["id"].as_str().unwrap_or_default().to_owned()).collect();
    let found = verdicts.iter().flat_map(|verdict| verdict["diagnostics"].as_array().expect("a list"));
    (ids, found.map(|found| found["code"].as_str().expect("a code").to_owned()).collect())
}

/// The ids of the records in the sheets of a workbook, each saved as a CSV file in UTF-8.
fn ids_of_sheets(folder: &Path, workbook: &Path, profile: &str) -> Vec<String> {
    let out = folder.join(format!("sheets-{profile}"));
    let run = Command::new("soffice")
        .arg(format!("-env:UserInstallation=file://{}", folder.join(format!("profile-{profile}")).display()))
        .args(["--headless", "--convert-to", EVERY_SHEET, "--outdir"])
        .args([&out, workbook])
        .stdin(Stdio::null())
        .output()
        .expect("libreoffice-calc is installed");
    assert!(run.status.success(), "{run:?}");
    let files = fs::read_dir(&out).expect("sheets are saved").map(|file| file.expect("it is listed").path());
    files.flat_map(|file| read(&file).0).collect()
}

/// The sample games as a file of this kind.
fn cup(folder: &Path, kind: &str) -> PathBuf {
    let path = folder.join(format!("cup.{kind}"));
    let out = path.to_str().expect("our names are UTF-8").to_owned();
    assert_eq!(run(&["convert", "fixtures/andes/cup.quipu", "--to", kind, "-o", &out]).status, Some(0));
    path
}

#[test]
fn the_sample_games_come_back_from_every_kind_of_file() {
    let folder = TempDir::new().expect("there is room");
    let folder = folder.path();
    let (expected, _) = read(&fixture("andes/cup.quipu"));
    assert_eq!(expected.len(), 56);
    for (name, locale) in [("en", "en-US"), ("es", "es-AR")] {
        profile(folder, name, locale);
        let check = |file: &Path, kind: &str, import: Option<&str>| {
            let again = saved(folder, file, kind, name, import);
            let (ids, codes) = read(&again);
            assert!(
                ids == expected && codes.is_empty(),
                "{} as {kind} in {locale}, {import:?}: {codes:?}",
                file.display()
            );
            again
        };
        let (csv, workbook) = (cup(folder, "csv"), cup(folder, "xlsx"));
        for import in IMPORTS.map(Some).into_iter().chain([None]) {
            for kind in ["csv", "ods", "xlsx"] {
                check(&csv, kind, import);
            }
        }
        // Saved a second time, as by the next person.
        check(&check(&csv, "csv", Some(IMPORTS[1])), "ods", Some(IMPORTS[0]));
        let workbook = check(&workbook, "xlsx", None);
        check(&workbook, "ods", None);
        let (mut ids, mut expected) = (ids_of_sheets(folder, &workbook, name), expected.clone());
        ids.sort();
        expected.sort();
        assert_eq!(ids, expected, "each sheet of the workbook as CSV in {locale}");
    }
}

/// A CSV file from another program has no apostrophes, so its moves become numbers. Each is restored or rejected, and never
/// read as a different move.
#[test]
fn moves_that_libreoffice_makes_numbers_are_restored_or_refused() {
    let folder = TempDir::new().expect("there is room");
    let folder = folder.path();
    let (expected, _) = read(&fixture("andes/cup.quipu"));
    let text = fs::read_to_string(cup(folder, "csv")).expect("it was written").replace(",'", ",");
    let bare = folder.join("bare.csv");
    fs::write(&bare, text).expect("there is room");
    assert_eq!(read(&bare).0, expected, "nobody has changed it so far");
    profile(folder, "en", "en-US");
    for kind in ["csv", "ods", "xlsx"] {
        let path = saved(folder, &bare, kind, "en", Some(IMPORTS[0]));
        let run = run(&["verify", "--json", path.to_str().expect("our names are UTF-8")]);
        let (mut restored, mut refused) = (0, 0);
        for (line, expected) in run.stdout.lines().zip(&expected) {
            let verdict: Value = serde_json::from_str(line).expect("JSON");
            let has = |code: &str| {
                verdict["diagnostics"].as_array().expect("a list").iter().any(|found| found["code"] == code)
            };
            if verdict["status"] == "rejected" {
                assert!(has("record.damaged"), "{kind}: {verdict}");
                refused += 1;
            } else {
                assert_eq!(verdict["id"], **expected, "{kind}: {verdict}");
                restored += u32::from(has("record.restored"));
            }
        }
        assert_eq!(run.stdout.lines().count(), 56, "{kind}");
        assert!(restored + refused > 20, "{kind}: {restored} restored, {refused} refused");
        assert!(restored > refused, "{kind}: {restored} restored, {refused} refused");
    }
}
