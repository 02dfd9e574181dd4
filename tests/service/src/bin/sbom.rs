//! Writes what the program `quipu` is made of, as `CycloneDX` 1.5 in JSON, to standard output: every crate that is linked
//! into it or that builds it, with version, licence, checksum, and what each depends on; and what is in it that is no crate.
//! `sbom TARGET` leaves out what other targets need.
//!
//! It says what `Cargo.lock` and `cargo metadata` say, in an order of its own, so that the same state gives the same bytes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::{Command, ExitCode},
};

use quipu_referee::report::hex;
use quipu_tests_service::root;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The package that is shipped.
const SHIPPED: &str = "quipu-cli";

fn main() -> ExitCode {
    match made(std::env::args().nth(1).as_deref()) {
        Ok(document) => {
            println!("{document:#}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// The document.
fn made(target: Option<&str>) -> Result<Value, String> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.current_dir(root()).args(["metadata", "--format-version", "1", "--locked"]);
    cargo.args(target.map(|target| format!("--filter-platform={target}")));
    let said = cargo.output().map_err(|error| format!("cargo metadata: {error}"))?;
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&said.stdout).map_err(|error| error.to_string())?;
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    let lock: toml::Table = lock.parse().map_err(|error| format!("Cargo.lock: {error}"))?;
    bill(&metadata, &lock).ok_or_else(|| "cargo metadata is not of the form that is known here".to_owned())
}

fn bill(metadata: &Value, lock: &toml::Table) -> Option<Value> {
    let packages: BTreeMap<_, _> = metadata["packages"]
        .as_array()?
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes: BTreeMap<_, _> =
        metadata["resolve"]["nodes"].as_array()?.iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let checksums: BTreeMap<_, _> = lock["package"].as_array()?.iter().filter_map(checksum).collect();
    let (shipped, _) = packages.iter().find(|(_, package)| package["name"] == SHIPPED)?;

    let (mut seen, mut left) = (BTreeSet::new(), vec![*shipped]);
    let (mut components, mut dependencies) = (BTreeMap::new(), BTreeMap::new());
    while let Some(id) = left.pop() {
        if !seen.insert(id) {
            continue;
        }
        let package = packages.get(id)?;
        let needs: Vec<_> = nodes.get(id)?["deps"].as_array()?.iter().filter(|dep| is_linked(dep)).collect();
        let needs: Vec<_> = needs.iter().filter_map(|dep| dep["pkg"].as_str()).collect();
        let refs: BTreeSet<_> = needs.iter().filter_map(|id| Some(purl(packages.get(id)?))).collect();
        dependencies.insert(purl(package), json!({ "ref": purl(package), "dependsOn": refs }));
        if id != *shipped {
            components.insert(purl(package), component(package, &checksums));
        }
        left.extend(needs);
    }
    for (name, carried) in carried() {
        let owner = purl(packages.values().find(|package| package["name"] == name)?);
        let needs = dependencies.get_mut(&owner)?["dependsOn"].as_array_mut()?;
        needs.push(carried["bom-ref"].clone());
        let own = carried["bom-ref"].as_str()?.to_owned();
        dependencies.insert(own.clone(), json!({ "ref": own, "dependsOn": [] }));
        components.insert(own, carried);
    }
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": purl(packages.get(shipped)?),
            "name": "quipu",
            "version": packages.get(shipped)?["version"],
            "licenses": licences(packages.get(shipped)?),
        } },
        "components": components.into_values().collect::<Vec<_>>(),
        "dependencies": dependencies.into_values().collect::<Vec<_>>(),
    }))
}

/// Parts of the program that are no crates, with the package that brings them: the source of SQLite, and fonts.
fn carried() -> Vec<(&'static str, Value)> {
    let version = rusqlite::version();
    let sqlite = json!({
        "type": "library",
        "bom-ref": format!("pkg:generic/sqlite@{version}"),
        "name": "sqlite",
        "version": version,
        "purl": format!("pkg:generic/sqlite@{version}"),
        // By this name faults of it are made known.
        "cpe": format!("cpe:2.3:a:sqlite:sqlite:{version}:*:*:*:*:*:*:*"),
        "licenses": [{ "license": { "id": "blessing" } }],
    });
    let font = |name: &str| {
        let bytes = fs::read(root().join("api/pictures/src/fonts").join(name)).unwrap_or_default();
        json!({
            "type": "file",
            "bom-ref": format!("file:{name}"),
            "name": name,
            "licenses": [{ "license": { "id": "Bitstream-Vera" } }],
            "hashes": [{ "alg": "SHA-256", "content": hex(&Sha256::digest(&bytes)) }],
        })
    };
    let fonts = ["DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"].map(|name| ("quipu-pictures", font(name)));
    [("libsqlite3-sys", sqlite)].into_iter().chain(fonts).collect()
}

/// True for a dependency that is more than a test dependency.
fn is_linked(dep: &Value) -> bool {
    dep["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
}

/// Name and version of a package of the lock file, with the SHA-256 of what was downloaded.
fn checksum(package: &toml::Value) -> Option<([&str; 2], &str)> {
    let text = |name| package.get(name)?.as_str();
    Some(([text("name")?, text("version")?], text("checksum")?))
}

fn purl(package: &Value) -> String {
    let text = |name: &str| package[name].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

fn licences(package: &Value) -> Value {
    // Some still write a slash for "or".
    let licence = package["license"].as_str().map(|licence| licence.replace('/', " OR "));
    json!(licence.into_iter().map(|licence| json!({ "expression": licence })).collect::<Vec<_>>())
}

fn component(package: &Value, checksums: &BTreeMap<[&str; 2], &str>) -> Value {
    let text = |name: &str| package[name].as_str().unwrap_or_default();
    let hash = checksums.get(&[text("name"), text("version")]);
    json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": text("name"),
        "version": text("version"),
        "purl": purl(package),
        "licenses": licences(package),
        "hashes": hash.iter().map(|hash| json!({ "alg": "SHA-256", "content": hash })).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_is_there_with_licence_and_checksum() {
        let document = made(None).expect("it can be made");
        assert_eq!(document, made(None).expect("it can be made"), "it is the same each time");
        let components = document["components"].as_array().expect("a list");
        let find = |name: &str| components.iter().find(|one| one["name"] == name);
        for name in ["quipu-http", "quipu-referee", "rusqlite", "libsqlite3-sys", "ed25519-dalek"] {
            let found = find(name).unwrap_or_else(|| panic!("{name} is not in it"));
            assert_eq!(found["hashes"].as_array().expect("a list").is_empty(), name.starts_with("quipu"), "{found}");
        }
        let sqlite = find("sqlite").expect("it is linked in");
        assert!(sqlite["cpe"].as_str().is_some_and(|cpe| cpe.contains(rusqlite::version())), "{sqlite}");
        let fonts = fs::read_dir(root().join("api/pictures/src/fonts")).expect("a folder");
        let fonts = fonts.map(|file| file.expect("it is listed").file_name().into_string().expect("UTF-8"));
        let fonts: Vec<_> = fonts.filter(|name| !["LICENSE", "README.md"].contains(&name.as_str())).collect();
        assert!(!fonts.is_empty() && fonts.iter().all(|name| find(name).is_some()), "{fonts:?}");
        assert!(find("proptest").is_none() && find("quipu-tests").is_none(), "what only tests need is not shipped");
        for one in components {
            assert_eq!(one["licenses"].as_array().map(Vec::len), Some(1), "{one}");
        }
        let refs: BTreeSet<_> = components.iter().map(|one| one["bom-ref"].as_str().expect("a name")).collect();
        assert_eq!(refs.len(), components.len());
        for dependency in document["dependencies"].as_array().expect("a list") {
            let needs = dependency["dependsOn"].as_array().expect("a list");
            assert!(needs.iter().all(|need| need.as_str().is_some_and(|need| refs.contains(need))), "{dependency}");
        }
    }
}
