//! Converts the message catalogue from TOML, in which people write it, to JSON, which is read ten times faster: reading
//! TOML took most of the start-up time.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let from = "src/messages.toml";
    println!("cargo::rerun-if-changed={from}");
    let words: serde_json::Value =
        toml::from_str(&fs::read_to_string(from)?).map_err(|error| format!("{from}: {error}"))?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("messages.json"), words.to_string())?;
    Ok(())
}
