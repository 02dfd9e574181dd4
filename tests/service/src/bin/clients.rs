//! Generates clients from the OpenAPI document, one in Python and one in TypeScript, and has them call the real service.
//!
//! Their code is in `tests/clients`. The generators are installed into `target/clients` first, if they are not there. Fails
//! if a generator has anything to remark, if the types of the TypeScript client do not hold, or if a client fails.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    thread,
};

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::{
    root,
    sample_archive::sample_archive,
    server::Server,
    tools::{install_node, install_python},
};

fn main() -> ExitCode {
    let server = sample_archive(Settings::default()).0;
    let folder = root().join("target/clients");
    fs::create_dir_all(&folder).expect("it can be made");
    let document = folder.join("openapi.json");
    fs::write(&document, server.ask("GET", "/openapi.json?lang=en").send().body).expect("it can be written");
    let token = server.token(Scope::RecordsWrite);
    let called = thread::scope(|scope| {
        let python = scope.spawn(|| python(&server, &token, &document, &folder.join("python")));
        let typescript = scope.spawn(|| typescript(&server, &token, &document, &folder.join("typescript")));
        [("Python", python.join().expect("it runs")), ("TypeScript", typescript.join().expect("it runs"))]
    });
    let mut code = ExitCode::SUCCESS;
    for (name, called) in called {
        match called {
            Ok(()) => println!("{name}: generated, and all requests were answered as expected"),
            Err(why) => {
                println!("{name}: {why}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// A file or folder of `tests/clients`.
fn own(name: &str) -> PathBuf {
    root().join("tests/clients").join(name)
}

fn python(server: &Server, token: &str, document: &Path, folder: &Path) -> Result<(), String> {
    install_python(&own("python/requirements.txt"), folder)?;
    let generated = folder.join("generated");
    let mut generator = Command::new(folder.join("bin/openapi-python-client"));
    generator.arg("generate").arg("--path").arg(document).arg("--output-path").arg(&generated).arg("--overwrite");
    generator.arg("--config").arg(own("python/openapi-python-client.yaml")).arg("--fail-on-warning");
    run(&mut generator)?;
    let mut client = Command::new(folder.join("bin/python"));
    client.arg(own("python/client.py")).env("PYTHONPATH", &generated).env("PYTHONDONTWRITEBYTECODE", "1");
    call(&mut client, server, token)
}

fn typescript(server: &Server, token: &str, document: &Path, folder: &Path) -> Result<(), String> {
    install_node(&own("typescript"), folder)?;
    for name in ["client.ts", "tsconfig.json"] {
        fs::copy(own("typescript").join(name), folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    let tool = |name: &str| {
        let mut tool = Command::new(folder.join("node_modules/.bin").join(name));
        tool.current_dir(folder);
        tool
    };
    run(tool("openapi-typescript").arg(document).args(["--output", "schema.d.ts"]))?;
    run(tool("tsc").args(["--project", "tsconfig.json"]))?;
    call(Command::new("node").arg(folder.join("client.js")), server, token)
}

/// Runs a client.
fn call(client: &mut Command, server: &Server, token: &str) -> Result<(), String> {
    run(client.env("QUIPU_URL", format!("http://{}", server.address())).env("QUIPU_TOKEN", token))
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    Err(format!("{command:?}: {}\n{out}{err}", output.status))
}
