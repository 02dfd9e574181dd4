//! Rates the main pages with Lighthouse in Chromium, as a phone.
//!
//! Lighthouse is installed into `target/lighthouse` first, if it is not there. Fails if a page has fewer than 98 points for
//! accessibility, best practices or SEO. The points for performance depend on the machine, and are only printed.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

use quipu_options::settings::Settings;
use quipu_tests_service::{root, sample_archive::sample_archive, server::Server, tools::install_node};
use serde_json::Value;

/// Points that a page needs in each gated category.
const NEEDED: u64 = 98;
/// Categories of Lighthouse, the gated ones first.
const CATEGORIES: [&str; 4] = ["accessibility", "best-practices", "seo", "performance"];
/// Number of gated categories.
const GATED: usize = 3;
/// Options of Chromium.
const BROWSER: &str = "--chrome-flags=--headless --no-sandbox --disable-gpu --disable-quic";

fn main() -> ExitCode {
    let folder = root().join("target/lighthouse");
    if let Err(why) = install_node(&root().join("tests/lighthouse"), &folder) {
        println!("{why}");
        return ExitCode::FAILURE;
    }
    let (server, ids) = sample_archive(Settings { address_rate: 1_000_000, ..Settings::default() });
    let game = format!("/records/{}", ids[ids.len() - 1]);
    let pages = [
        "/",
        "/records",
        &game,
        "/live",
        "/players",
        "/players/1",
        "/rankings",
        "/events",
        "/events/1",
        "/rules",
        "/rules/andes",
        "/rules/andes.3.6",
        "/check",
        "/keep",
        "/keep/desk",
        "/docs",
        "/docs/records",
    ];
    println!("{} of each page:", CATEGORIES.join(", "));
    let mut code = ExitCode::SUCCESS;
    for page in pages {
        match points(&server, page, &folder) {
            Ok((points, faults)) => {
                println!("{}  {page}", points.map(|points| format!("{points:3}")).join(" "));
                if points[..GATED].iter().any(|points| *points < NEEDED) {
                    code = ExitCode::FAILURE;
                    for fault in &faults {
                        println!("    {fault}");
                    }
                }
            }
            Err(why) => {
                println!("{page}: {why}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// The points of a page in each category, and the audits that it does not pass.
fn points(server: &Server, page: &str, folder: &Path) -> Result<([u64; CATEGORIES.len()], Vec<String>), String> {
    let mut command = Command::new(folder.join("node_modules/.bin/lighthouse"));
    command.arg(format!("http://{}{page}", server.address())).args(["--output=json", "--quiet", BROWSER]);
    command.arg(format!("--only-categories={}", CATEGORIES.join(","))).env("CHROME_PATH", "chromium");
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    // Lighthouse rounds points like this too.
    let points = CATEGORIES.map(|category| {
        let score = report["categories"][category]["score"].as_f64().unwrap_or_default();
        format!("{:.0}", score * 100.0).parse().unwrap_or_default()
    });
    let gated =
        CATEGORIES[..GATED].iter().filter_map(|category| report["categories"][category]["auditRefs"].as_array());
    let audits = gated.flatten().filter_map(|audit| audit["id"].as_str()).map(|id| &report["audits"][id]);
    let failed = audits.filter(|audit| audit["score"].as_f64().is_some_and(|score| score < 1.0));
    let faults = failed.map(|audit| format!("{}: {}", audit["id"], audit["title"])).collect();
    Ok((points, faults))
}
