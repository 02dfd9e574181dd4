//! Makes the message catalogue a constant, so that the program has its texts without reading them.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let from = "src/messages.toml";
    println!("cargo::rerun-if-changed={from}");
    let words: BTreeMap<String, toml::Value> =
        toml::from_str(&fs::read_to_string(from)?).map_err(|error| format!("{from}: {error}"))?;
    let mut rows = "&[".to_owned();
    for (key, text) in words {
        let mut fields = String::new();
        // The compiler finds languages that are missing or unknown.
        for (lang, text) in text.as_table().ok_or_else(|| format!("{from}: {key} is no table"))? {
            let text = text.as_str().ok_or_else(|| format!("{from}: {key}.{lang} is no text"))?;
            fields += &format!("{lang}: Cow::Borrowed({text:?}), ");
        }
        rows += &format!("({key:?}, Text {{ {fields}}}),\n");
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("messages.rs"), rows + "]")?;
    Ok(())
}
