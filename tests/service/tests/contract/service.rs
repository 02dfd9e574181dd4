//! Documents of the service name all its routes, codes and settings, and no other.

use std::collections::BTreeSet;

use quipu_http::CODES;
use quipu_options::settings::{SETTINGS, Settings};
use quipu_tests_service::{root, server::Server};

use quipu_tests_service::contract::{document, nothing};

use crate::documents::in_backticks;

/// The pages of the API, each with the heading of its limits.
const API: [(&str, &str); 2] = [("docs/api.md", "\n## Limits\n"), ("docs/api.es.md", "\n## Límites\n")];
const OPERATIONS: [&str; 2] = ["docs/operations.md", "docs/operations.es.md"];

/// Methods and paths of all routes.
fn routes() -> BTreeSet<String> {
    let api = Server::start().get("/openapi.json").json();
    let pages = quipu_http::document_of_pages(false);
    let of_path = |path: &str, method: &String| format!("{} {path}", method.to_uppercase());
    let paths = [&api, &pages].into_iter().flat_map(|document| document["paths"].as_object().expect("paths"));
    let all = paths
        .flat_map(|(path, item)| item.as_object().expect("operations").keys().map(move |method| of_path(path, method)));
    all.collect()
}

#[test]
fn every_route_is_in_the_guide() {
    let routes = routes();
    for (page, _) in API {
        let text = document(page);
        let headings = text.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
        let mut told = BTreeSet::new();
        nothing(headings.filter(|route| !told.insert(*route)), &format!("routes that {page} tells of twice"));
        nothing(routes.iter().filter(|route| !told.contains(route.as_str())), &format!("routes that {page} lacks"));
        let words = in_backticks(&text).into_iter();
        let named = words.clone().filter(|word| word.contains(" /"));
        nothing(named.filter(|route| !routes.contains(*route)), &format!("routes of {page} that are not"));
        let paths = words.filter(|word| word.starts_with('/')).map(|path| path.replace('<', "{").replace('>', "}"));
        let is_path =
            |path: &str| routes.iter().any(|route| route.split_once(' ').is_some_and(|(_, known)| known == path));
        nothing(paths.filter(|path| !is_path(path)), &format!("paths of {page} that are not"));
    }
}

#[test]
fn every_code_of_the_service_is_in_the_guide() {
    for (page, limits) in API {
        let text = document(page);
        let rows = CODES.iter().map(|code| format!("| `{}` | {} |", code.id, code.status));
        nothing(rows.filter(|row| !text.contains(row)), &format!("codes that {page} does not tell of"));
        let known = |id: &str| CODES.iter().any(|code| code.id == id);
        let named = in_backticks(&text).into_iter().filter(|word| word.starts_with("api."));
        nothing(named.filter(|id| !known(id)), &format!("codes of {page} that are not"));
        // Codes for too much, too many and too late are limits, and documented there.
        let (_, limits) = text.split_once(limits).expect("it tells of limits");
        let limits = limits.split("\n## ").next().unwrap_or_default();
        let of_limits = CODES.iter().filter(|code| {
            matches!(code.status, 408 | 413 | 429) || matches!(code.id, "api.busy" | "api.slow" | "api.parameter")
        });
        let missing = of_limits.filter(|code| !limits.contains(&format!("{} `{}`", code.status, code.id)));
        nothing(missing, &format!("codes of limits that {page} does not name there"));
    }
}

#[test]
fn every_setting_is_in_the_guide() {
    let default = Settings::default();
    for page in OPERATIONS {
        let text = document(page);
        let rows: Vec<_> = text.lines().filter(|line| line.contains("` | `QUIPU_")).collect();
        let of = |key: &str| rows.iter().find(|row| row.starts_with(&format!("| `{key}` |")));
        for setting in &SETTINGS {
            let row = of(&setting.key()).unwrap_or_else(|| panic!("{page} lacks {}", setting.name));
            let value = setting.show(&default);
            for told in [setting.variable(), setting.flag(), value].iter().filter(|told| !told.is_empty()) {
                assert!(row.contains(&format!("| `{told}` |")), "{page}: {told}: {row}");
            }
        }
        assert_eq!(rows.len(), SETTINGS.len(), "{page} has settings that are not: {rows:#?}");
    }
}

#[test]
fn the_image_is_built_from_all_packages() {
    let file = document("docs/operations/Containerfile");
    let copied: BTreeSet<_> = file
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "))
        .flat_map(|line| line.split(' '))
        .filter(|word| root().join(word).exists())
        .collect();
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root()).no_deps().exec().expect("cargo runs");
    let folders = metadata.workspace_packages().into_iter().map(|package| {
        let folder =
            package.manifest_path.parent().and_then(|folder| folder.strip_prefix(&metadata.workspace_root).ok());
        folder.expect("a folder of this repository").to_string()
    });
    // The program shows the rules, which a build script reads.
    let needed = folders.chain(["docs/rules".to_owned()]);
    let is_copied =
        |folder: &str| copied.iter().any(|copied| folder == *copied || folder.starts_with(&format!("{copied}/")));
    nothing(needed.filter(|folder| !is_copied(folder)), "folders that the image lacks");
}

#[test]
fn the_compose_file_names_files_settings_and_services_that_exist() {
    let place = "docs/operations";
    let text = document(&format!("{place}/compose.yml"));
    let words: Vec<_> = text.split_whitespace().map(|word| word.trim_matches(['[', ']', '"', ','])).collect();
    let mounted: Vec<_> = words.iter().filter_map(|word| word.strip_prefix("./")?.split_once(':')).collect();
    assert_eq!(mounted.len(), 3, "{mounted:?}");
    nothing(mounted.iter().filter(|(file, _)| !root().join(place).join(file).exists()), "files that are not");
    let set: Vec<_> =
        words.iter().filter_map(|word| word.strip_suffix(':')).filter(|word| word.starts_with("QUIPU_")).collect();
    assert_eq!(set.len(), 2, "{set:?}");
    let is_setting = |name: &&&str| SETTINGS.iter().any(|setting| setting.variable() == ***name);
    nothing(set.iter().filter(|name| !is_setting(name)), "settings that are not");
    let (_, services) = text.split_once("\nservices:\n").expect("services");
    let (services, _) = services.split_once("\nvolumes:\n").expect("volumes");
    let services: BTreeSet<_> = services
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|name| !name.starts_with(' '))
        .collect();
    assert_eq!(services, ["one", "primary", "proxy", "standby", "two"].into());
    let address = text.lines().find(|line| line.contains("postgres://")).expect("an address");
    // The password has blanks in its place.
    let (_, hosts) = address.split_once("}@").expect("hosts");
    let (hosts, _) = hosts.split_once('/').expect("a database");
    nothing(hosts.split(',').filter(|host| !services.contains(host)), "hosts that are not");
    let proxy = document(&format!("{place}/compose/nginx.conf"));
    let upstream = proxy.lines().filter_map(|line| line.trim().strip_prefix("server ")?.split_once(':'));
    assert_eq!(upstream.map(|(name, _)| name).collect::<Vec<_>>(), ["one", "two"]);
}
