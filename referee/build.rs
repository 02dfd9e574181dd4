//! Turns each `messages.toml` into a constant, so that the program has its texts without reading them.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a build script reads files and prints instructions to cargo"
)]

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

use toml::{Table, Value};

type BuildResult<T> = Result<T, Box<dyn Error>>;

fn main() -> BuildResult<()> {
    println!("cargo::rerun-if-changed=src");
    let made = env::var("OUT_DIR")?;
    for folder in ["src", "src/games"] {
        for entry in fs::read_dir(folder)? {
            let from = entry?.path().join("messages.toml");
            if !from.is_file() {
                continue;
            }
            let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", from.display());
            let file = fs::read_to_string(&from)?.parse().map_err(|error| failed(&error))?;
            let to = Path::new(&made).join(from.strip_prefix("src")?).with_extension("rs");
            fs::create_dir_all(to.parent().unwrap_or(&to))?;
            fs::write(to, messages(file).map_err(|error| failed(&error))?)?;
        }
    }
    Ok(())
}

/// A constant of the type `Messages`.
fn messages(mut file: Table) -> BuildResult<String> {
    let mut group = |name| file.remove(name).map_or(Ok("&[]".to_owned()), |rows| rows_of(table(rows)?, text));
    let (words, shared) = (group("words")?, group("shared")?);
    let codes = rows_of(file, code)?;
    Ok(format!("crate::text::Messages {{ words: {words}, shared: {shared}, codes: {codes} }}"))
}

/// Rows in the order of their keys.
fn rows_of(rows: Table, value: fn(Value) -> BuildResult<String>) -> BuildResult<String> {
    let rows: BTreeMap<_, _> = rows.into_iter().collect();
    let mut list = "&[".to_owned();
    for (key, row) in rows {
        let row = value(row).map_err(|error| format!("{key}: {error}"))?;
        list += &format!("({key:?}, {row}),\n");
    }
    Ok(list + "]")
}

fn text(value: Value) -> BuildResult<String> {
    fields("Text", value, |_, text| Ok(format!("std::borrow::Cow::Borrowed({:?})", string(&text)?)))
}

fn code(value: Value) -> BuildResult<String> {
    let mut words = table(value)?;
    words.entry("cells").or_insert_with(|| Table::new().into());
    words.entry("message").or_insert_with(|| Table::new().into());
    fields("CodeWords", words.into(), |name, value| match name {
        "example" => example(value),
        "message" => rows_of(table(value)?, text),
        "cells" if value.as_table().is_some_and(Table::is_empty) => Ok("None".to_owned()),
        "cells" => Ok(format!("Some({})", text(value)?)),
        _ => text(value),
    })
}

fn example(value: Value) -> BuildResult<String> {
    let mut example = table(value)?;
    for name in ["record", "position", "token"] {
        example.entry(name).or_insert_with(|| false.into());
    }
    fields("Example", example.into(), |name, value| match value {
        Value::Boolean(_) => Ok("None".to_owned()),
        text if name == "right" => Ok(format!("{:?}", string(&text)?)),
        text => Ok(format!("Some({:?})", string(&text)?)),
    })
}

/// A value of a struct of the module `text`. The compiler finds fields that are missing or unknown.
fn fields(name: &str, value: Value, field: impl Fn(&str, Value) -> BuildResult<String>) -> BuildResult<String> {
    let mut made = format!("crate::text::{name} {{ ");
    for (name, value) in table(value)? {
        let value = field(&name, value).map_err(|error| format!("{name}: {error}"))?;
        made += &format!("{name}: {value}, ");
    }
    Ok(made + "}")
}

fn table(value: Value) -> BuildResult<Table> {
    if let Value::Table(table) = value { Ok(table) } else { Err("a table is expected".into()) }
}

fn string(value: &Value) -> BuildResult<&str> {
    value.as_str().ok_or_else(|| "a text is expected".into())
}
