//! Turns `messages.toml` into JSON, which the program reads ten times faster.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a build script reads files and prints instructions to cargo"
)]

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/messages.toml");
    let words: serde_json::Value = toml::from_str(&fs::read_to_string("src/messages.toml")?)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("messages.json"), words.to_string())?;
    Ok(())
}
