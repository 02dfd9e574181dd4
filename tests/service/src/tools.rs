//! Programs of others that tests run: installed into `target` if they are not there in the version that is asked for.

use std::{fs, path::Path, process::Command};

/// Installs packages of Python into a virtual environment, as `requirements.txt` pins them.
///
/// # Errors
/// A command that failed, or a file that cannot be read.
pub fn install_python(requirements: &Path, folder: &Path) -> Result<(), String> {
    let there = folder.join("requirements.txt");
    let text = read(requirements)?;
    if fs::read(&there).is_ok_and(|there| there == text) {
        return Ok(());
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let pip = ["install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run(Command::new(folder.join("bin/pip")).args(pip).arg(requirements))?;
    fs::write(&there, text).map_err(|error| format!("{}: {error}", there.display()))
}

/// Installs packages of npm, as the `package-lock.json` beside the `package.json` of a folder pins them.
///
/// # Errors
/// A command that failed, or a file that cannot be read.
pub fn install_node(source: &Path, folder: &Path) -> Result<(), String> {
    let lock = read(&source.join("package-lock.json"))?;
    let there = folder.join("node_modules/.package-lock.json");
    if fs::read(folder.join("package-lock.json")).is_ok_and(|there| there == lock) && there.exists() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(source.join(name), folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    run(Command::new("npm").args(arguments).current_dir(folder))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}; ./test installs what is missing")),
    }
}
