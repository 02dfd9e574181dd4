//! Turns the words of the program, which people write in TOML, into JSON for it to read: that is read ten times as quickly,
//! and was most of what starting took.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let from = "src/words.toml";
    println!("cargo::rerun-if-changed={from}");
    let words: serde_json::Value =
        toml::from_str(&fs::read_to_string(from)?).map_err(|error| format!("{from}: {error}"))?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("words.json"), words.to_string())?;
    Ok(())
}
