//! Puts the rules of each game, `docs/rules/<game>.md` and `.es.md`, into a table for the pages. `rules` is a link to that
//! folder, because a package holds only files below its own.

use std::{collections::BTreeSet, env, error::Error, fs, io, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = fs::canonicalize("rules")?;
    println!("cargo::rerun-if-changed={}", folder.display());
    // Sorted, so that the same sources give the same program.
    let names = fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<BTreeSet<_>>>()?;
    let mut table = String::from("&[\n");
    for game in names.iter().filter_map(|name| name.to_str()?.strip_suffix(".es.md")) {
        let [es, en] = ["es.md", "md"].map(|ending| folder.join(format!("{game}.{ending}")).display().to_string());
        table += &format!("    ({game:?}, [include_str!({es:?}), include_str!({en:?})]),\n");
    }
    table += "]";
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.rs"), table)?;
    Ok(())
}
