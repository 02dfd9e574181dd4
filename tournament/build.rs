//! Makes `messages.toml` a constant, so that the program has its texts without reading them.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a build script reads files and prints instructions to cargo"
)]

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

/// Texts by language, by their keys.
type Rows = BTreeMap<String, BTreeMap<String, String>>;

fn main() -> Result<(), Box<dyn Error>> {
    let from = "src/messages.toml";
    println!("cargo::rerun-if-changed={from}");
    let groups: BTreeMap<String, Rows> =
        toml::from_str(&fs::read_to_string(from)?).map_err(|error| format!("{from}: {error}"))?;
    // The compiler finds groups and languages that are missing or unknown.
    let mut made = "Catalog { ".to_owned();
    for (group, rows) in groups {
        made += &format!("{group}: &[");
        for (key, text) in rows {
            let text: String = text.iter().map(|(lang, text)| format!("{lang}: Cow::Borrowed({text:?}), ")).collect();
            made += &format!("({key:?}, Text {{ {text}}}),\n");
        }
        made += "], ";
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("messages.rs"), made + "}")?;
    Ok(())
}
