//! Bill of materials of the program `quipu`, as `CycloneDX` 1.5 in JSON on standard output: every crate that is linked into
//! it or builds it, with version, licence, checksum and dependencies, and the parts that are not crates. `sbom TARGET`
//! leaves out crates for other targets.
//!
//! Without a time or a serial number in it, the same `Cargo.lock` always gives the same bytes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    error::Error,
    fs,
    io::{self, Write},
};

use cargo_lock::{Checksum, Lockfile};
use cargo_metadata::{DependencyKind, MetadataCommand, NodeDep, Package};
use cyclonedx_bom::{
    models::{
        component::{Classification, Cpe},
        dependency::{Dependencies, Dependency},
        hash::{Hash, HashAlgorithm, HashValue, Hashes},
        license::{License, LicenseChoice, Licenses},
    },
    prelude::{Bom, Component, Components, Metadata, SpdxExpression, SpecVersion, Validate},
};
use quipu_referee::report::hex;
use quipu_tests_service::root;
use sha2::{Digest, Sha256};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The package that is shipped.
const SHIPPED: &str = "quipu";

fn main() -> Result<()> {
    let mut out = io::stdout().lock();
    bill(std::env::args().nth(1).as_deref())?.output_as_json_v1_5(&mut out)?;
    Ok(writeln!(out)?)
}

/// The bill of materials for one target, or for all of them.
fn bill(target: Option<&str>) -> Result<Bom> {
    let mut options = vec!["--locked".to_owned()];
    options.extend(target.map(|target| format!("--filter-platform={target}")));
    let metadata = MetadataCommand::new().current_dir(root()).other_options(options).exec()?;
    let nodes = &metadata.resolve.as_ref().ok_or("cargo metadata resolved no dependencies")?.nodes;
    let nodes: HashMap<_, _> = nodes.iter().map(|node| (&node.id, node)).collect();
    let lock = Lockfile::load(root().join("Cargo.lock"))?.packages;
    let checksums: HashMap<_, _> = lock.iter().map(|one| ((one.name.as_str(), &one.version), &one.checksum)).collect();

    let shipped = metadata.packages.iter().find(|package| package.name == SHIPPED).ok_or("no package to ship")?;
    let (mut components, mut graph, mut left) = (BTreeMap::new(), BTreeMap::new(), vec![&shipped.id]);
    while let Some(id) = left.pop() {
        let package = &metadata[id];
        if graph.contains_key(&purl(package)) {
            continue;
        }
        let linked = nodes[id].deps.iter().filter(|dep| is_linked(dep)).map(|dep| &dep.pkg);
        let parts = parts(&package.name)?;
        let refs =
            linked.clone().map(|id| purl(&metadata[id])).chain(parts.iter().filter_map(|one| one.bom_ref.clone()));
        graph.insert(purl(package), refs.collect::<BTreeSet<_>>());
        let checksum = checksums.get(&(&*package.name, &package.version)).copied();
        let of_crate = of_crate(package, checksum.and_then(Option::as_ref).and_then(Checksum::as_sha256))?;
        components.extend(parts.into_iter().chain([of_crate]).filter_map(|one| Some((one.bom_ref.clone()?, one))));
        left.extend(linked);
    }
    for own in components.keys() {
        graph.entry(own.clone()).or_default();
    }
    let program = components.remove(&purl(shipped)).ok_or("the program is not in its own bill")?;
    let program =
        Component { component_type: Classification::Application, name: "quipu".into(), purl: None, ..program };
    let line = |(own, refs): (_, BTreeSet<_>)| Dependency { dependency_ref: own, dependencies: Vec::from_iter(refs) };
    let bom = Bom {
        serial_number: None,
        metadata: Some(Metadata { component: Some(program), ..Metadata::default() }),
        components: Some(Components(components.into_values().collect())),
        dependencies: Some(Dependencies(graph.into_iter().map(line).collect())),
        spec_version: SpecVersion::V1_5,
        ..Bom::default()
    };
    let faults = bom.validate_version(SpecVersion::V1_5);
    if faults.passed() { Ok(bom) } else { Err(format!("{faults:#?}").into()) }
}

/// True for a dependency of the program itself or of its build, not of tests alone.
fn is_linked(dep: &NodeDep) -> bool {
    dep.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
}

fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

fn of_crate(package: &Package, checksum: Option<[u8; 32]>) -> Result<Component> {
    let (version, purl) = (package.version.to_string(), purl(package));
    let licence = package.license.clone().map(SpdxExpression::parse_lax).transpose()?;
    Ok(Component {
        purl: purl.parse().ok(),
        licenses: licence.map(|licence| Licenses(vec![LicenseChoice::Expression(licence)])),
        hashes: checksum.map(sha256),
        ..Component::new(Classification::Library, &package.name, &version, Some(purl))
    })
}

/// The parts that a crate brings and that are not crates: the source of SQLite, and fonts.
fn parts(name: &str) -> Result<Vec<Component>> {
    let licence = |id| Some(Licenses(vec![LicenseChoice::License(License::license_id(id))]));
    let sqlite = |version: &str| {
        let purl = format!("pkg:generic/sqlite@{version}");
        Component {
            purl: purl.parse().ok(),
            // Vulnerabilities of SQLite are published under this name.
            cpe: Some(Cpe::new(&format!("cpe:2.3:a:sqlite:sqlite:{version}:*:*:*:*:*:*:*"))),
            licenses: licence("blessing"),
            ..Component::new(Classification::Library, "sqlite", version, Some(purl))
        }
    };
    let font = |name| -> Result<_> {
        let bytes = fs::read(root().join("api/pictures/src/fonts").join(name))?;
        Ok(Component {
            version: None,
            licenses: licence("Bitstream-Vera"),
            hashes: Some(sha256(Sha256::digest(&bytes).into())),
            ..Component::new(Classification::File, name, "", Some(format!("file:{name}")))
        })
    };
    match name {
        "libsqlite3-sys" => Ok(vec![sqlite(rusqlite::version())]),
        "quipu-pictures" => Ok(vec![font("DejaVuSansCondensed-Bold.ttf")?, font("DejaVuSansCondensed.ttf")?]),
        _ => Ok(Vec::new()),
    }
}

fn sha256(digest: [u8; 32]) -> Hashes {
    Hashes(vec![Hash { alg: HashAlgorithm::SHA_256, content: HashValue(hex(&digest)) }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(bom: Bom) -> Vec<u8> {
        let mut bytes = Vec::new();
        bom.output_as_json_v1_5(&mut bytes).expect("it is written");
        bytes
    }

    fn find<'a>(bom: &'a Bom, name: &str) -> Option<&'a Component> {
        bom.components.as_ref().expect("it has components").0.iter().find(|one| one.name.to_string() == name)
    }

    #[test]
    fn the_program_is_listed_with_licences_and_checksums() {
        let bom = bill(None).expect("a valid bill");
        for name in ["quipu-http", "quipu-referee", "rusqlite", "libsqlite3-sys", "ed25519-dalek"] {
            let found = find(&bom, name).unwrap_or_else(|| panic!("{name} is not in it"));
            assert_eq!(found.hashes.is_none(), name.starts_with("quipu"), "{found:?}");
        }
        let sqlite = find(&bom, "sqlite").expect("it is linked in");
        assert!(sqlite.cpe.as_ref().is_some_and(|cpe| cpe.to_string().contains(rusqlite::version())), "{sqlite:?}");
        let fonts = fs::read_dir(root().join("api/pictures/src/fonts")).expect("a folder");
        let fonts = fonts.map(|file| file.expect("it is listed").file_name().into_string().expect("UTF-8"));
        let fonts: Vec<_> = fonts.filter(|name| !["LICENSE", "README.md"].contains(&name.as_str())).collect();
        let hashed = |name: &String| find(&bom, name).is_some_and(|font| font.hashes.is_some());
        assert!(!fonts.is_empty() && fonts.iter().all(hashed), "{fonts:?}");
        assert!(
            find(&bom, "proptest").is_none() && find(&bom, "quipu-tests-service").is_none(),
            "tests are not shipped"
        );
        let components = &bom.components.as_ref().expect("it has components").0;
        let refs: BTreeSet<_> = components.iter().filter_map(|one| one.bom_ref.as_deref()).collect();
        assert_eq!(refs.len(), components.len(), "each has a reference of its own");
        for one in components {
            assert_eq!(one.licenses.as_ref().map(|licences| licences.0.len()), Some(1), "{one:?}");
        }
        let dependencies = &bom.dependencies.as_ref().expect("it has a graph").0;
        assert_eq!(
            dependencies.len(),
            components.len() + 1,
            "each component has its line in the graph, and the program"
        );
        for dependency in dependencies {
            assert!(dependency.dependencies.iter().all(|need| refs.contains(need.as_str())), "{dependency:?}");
        }
        let needs = |own: &str| {
            let line = dependencies.iter().find(|line| line.dependency_ref.starts_with(own));
            &line.unwrap_or_else(|| panic!("{own} has no line")).dependencies
        };
        assert!(needs("pkg:cargo/quipu@").iter().any(|need| need.starts_with("pkg:cargo/quipu-referee@")));
        assert!(needs("pkg:cargo/libsqlite3-sys@").iter().any(|need| need.starts_with("pkg:generic/sqlite@")));
    }

    #[test]
    fn the_same_state_gives_the_same_bytes() {
        let first = bytes(bill(None).expect("a valid bill"));
        assert_eq!(first, bytes(bill(None).expect("a valid bill")));
        let read = Bom::parse_from_json_v1_5(first.as_slice()).expect("it reads back");
        assert!(read.serial_number.is_none() && read.metadata.is_some_and(|metadata| metadata.timestamp.is_none()));
    }

    #[test]
    fn a_target_leaves_out_crates_of_other_targets() {
        let (linux, windows) = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"]
            .map(|target| bill(Some(target)).expect("a valid bill"))
            .into();
        assert!(find(&windows, "windows-sys").is_some() && find(&linux, "windows-sys").is_none());
        assert!(find(&linux, "rusqlite").is_some() && find(&windows, "rusqlite").is_some());
    }
}
