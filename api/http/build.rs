//! Puts the rules of each game, `docs/rules/<game>.md` and `.es.md`, into a table for the pages.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = fs::canonicalize("../../docs/rules")?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut table = String::from("&[\n");
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name();
        let Some(game) = name.to_str().and_then(|name| name.strip_suffix(".es.md")) else { continue };
        let [es, en] = [format!("{game}.es.md"), format!("{game}.md")].map(|name| folder.join(name));
        table += &format!("    ({game:?}, [include_str!({es:?}), include_str!({en:?})]),\n");
    }
    table += "]";
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.rs"), table)?;
    Ok(())
}
