//! `quipu serve`: where its settings come from, what is said of wrong ones, and how it starts and stops.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use quipu_options::settings::SETTINGS;
use quipu_tests_service::program::{Run, command};
use tempfile::TempDir;

use crate::with;

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room")
}

#[track_caller]
fn text(path: &Path) -> &str {
    path.to_str().expect("our paths are UTF-8")
}

/// Runs the program with these variables.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = command(arguments);
    command.stdin(Stdio::null()).envs(variables.iter().copied());
    command.output().expect("quipu runs").into()
}

/// The lines of `--print-config` about a setting, comment included.
#[track_caller]
fn printed(arguments: &[&str], variables: &[(&str, &str)], key: &str) -> String {
    let run = run(&with(&["serve", "--lang", "en", "--print-config"], arguments), variables);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?} {variables:?}");
    let line = run.stdout.lines().find(|line| line.split(' ').next() == Some(key));
    line.unwrap_or_else(|| panic!("{key}: {run:#?}")).to_owned()
}

#[test]
fn every_setting_is_printed_with_its_default() {
    let folder = folder();
    let arguments = ["serve", "--print-config", "--data", text(folder.path())];
    for (lang, default) in [("es", "valor predeterminado"), ("en", "default")] {
        let run = run(&with(&arguments, &["--lang", lang]), &[]);
        let table: toml::Table = run.stdout.parse().expect("it is TOML");
        assert_eq!(table.len(), SETTINGS.len());
        assert_eq!(run.stdout.lines().count(), SETTINGS.len());
        let keys: Vec<_> = run.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(keys, SETTINGS.iter().map(quipu_options::settings::Setting::key).collect::<Vec<_>>());
        for line in run.stdout.lines().skip(1) {
            assert!(line.ends_with(&format!("  # {default}")), "{line}");
        }
    }
    assert!(!folder.path().join("quipu.db").exists(), "nothing is opened");
}

/// The printed configuration can be read, and prints as the same.
#[test]
fn the_printed_settings_are_a_valid_settings_file() {
    let folder = folder();
    let file = folder.path().join("made.toml");
    let given = ["--data", "a \"b\" \\c", "--max-body", "3KiB", "--private", "--query-timeout", "1500ms"];
    let first = run(&with(&["serve", "--print-config"], &given), &[]).stdout;
    fs::write(&file, &first).expect("there is room");
    let second = run(&["serve", "--print-config", "--config", text(&file)], &[]).stdout;
    let values = |text: &str| text.parse::<toml::Table>().expect("TOML");
    assert_eq!(values(&first), values(&second));
    assert_eq!(values(&first)["data"].as_str(), Some("a \"b\" \\c"));
    assert_eq!(values(&first)["query_timeout"].as_str(), Some("1500ms"));
}

#[test]
fn a_variable_counts_more_than_the_file_and_a_flag_more_than_a_variable() {
    let folder = folder();
    let file = folder.path().join("quipu.toml");
    fs::write(&file, "# comment\n\nmax_body = \"2MiB\"\nworkers = 3\nprivate = true\n").expect("there is room");
    let (data, file) = (["--data", text(folder.path())], text(&file));
    let line = |arguments: &[&str], variables: &[(&str, &str)], key| printed(&with(&data, arguments), variables, key);
    let variable = [("QUIPU_MAX_BODY", "4MiB"), ("QUIPU_PRIVATE", "false")];
    assert_eq!(line(&[], &[], "max_body"), format!("max_body = \"2MiB\"  # {file}:3:1"));
    assert_eq!(line(&[], &[], "workers"), format!("workers = 3  # {file}:4:1"));
    assert_eq!(line(&[], &[], "private"), format!("private = true  # {file}:5:1"));
    assert_eq!(line(&[], &variable, "max_body"), "max_body = \"4MiB\"  # variable QUIPU_MAX_BODY");
    assert_eq!(line(&[], &variable, "private"), "private = false  # variable QUIPU_PRIVATE");
    assert_eq!(line(&["--max-body", "8MiB"], &variable, "max_body"), "max_body = \"8MiB\"  # option --max-body");
    assert_eq!(line(&["--private"], &variable, "private"), "private = true  # option --private");
    assert_eq!(line(&["--private=false"], &[], "private"), "private = false  # option --private");
    assert_eq!(line(&[], &variable, "listen"), "listen = \"127.0.0.1:8080\"  # default");
}

#[test]
fn addresses_and_sizes_are_written_in_short_forms_too() {
    for (given, expected) in
        [("8080", "127.0.0.1:8080"), ("localhost:8080", "127.0.0.1:8080"), ("[::1]:8080", "[::1]:8080")]
    {
        assert_eq!(printed(&["--listen", given], &[], "listen"), format!("listen = \"{expected}\"  # option --listen"));
    }
    assert_eq!(printed(&["--max-body", "10MB"], &[], "max_body"), "max_body = \"10MB\"  # option --max-body");
    let folder = folder();
    let file = folder.path().join("short.toml");
    fs::write(&file, "listen = 8081\nmax_body = \"3KB\"\n").expect("there is room");
    let file = text(&file);
    let line = |key| printed(&["--config", file], &[], key);
    assert_eq!(line("listen"), format!("listen = \"127.0.0.1:8081\"  # {file}:1:1"));
    assert_eq!(line("max_body"), format!("max_body = \"3KB\"  # {file}:2:1"));
}

#[test]
fn a_port_alone_is_one_of_this_machine() {
    let folder = folder();
    for (listen, begin) in [("0", "127.0.0.1:"), ("localhost:0", "127.0.0.1:")] {
        let service = Service::start(command(&["serve", "--data", text(folder.path()), "--listen", listen]));
        assert!(service.address().starts_with(begin), "{listen}: {}", service.address());
        assert!(service.get("/healthz").starts_with("HTTP/1.1 200 "), "{listen}");
    }
}

/// The address and the key come first, before the lines of the framework.
#[cfg(unix)]
#[test]
fn the_first_lines_say_where_it_listens() {
    for form in [&[][..], &["--log-json"]] {
        let folder = folder();
        let arguments = ["serve", "--data", text(folder.path()), "--listen", "0", "--lang", "en"];
        let service = Service::start(command(&with(&arguments, form)));
        assert_eq!(service.before, "", "{form:?}");
        service.get("/healthz");
        let (_, rest) = service.stop("-TERM");
        let mut lines = rest.lines();
        assert!(lines.next().is_some_and(|line| line.contains("public key of receipts")), "{rest}");
        assert!(rest.contains("workers"), "the framework has its lines after them: {rest}");
    }
}

#[test]
fn the_file_is_the_one_that_is_named() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("there is room");
        path.to_str().expect("our paths are UTF-8").to_owned()
    };
    let inside = write("quipu.toml", "workers = 1\n");
    let (named, variable) = (write("named.toml", "workers = 2\n"), write("variable.toml", "workers = 3\n"));
    let data = ["--data", text(folder.path())];
    assert_eq!(printed(&data, &[], "workers"), format!("workers = 1  # {inside}:1:1"));
    let of_variable = [("QUIPU_CONFIG", variable.as_str())];
    assert_eq!(printed(&data, &of_variable, "workers"), format!("workers = 3  # {variable}:1:1"));
    let of_flag = with(&data, &["--config", &named]);
    assert_eq!(printed(&of_flag, &of_variable, "workers"), format!("workers = 2  # {named}:1:1"));
    // The folder can be said by a variable, and in a file that is not looked for in it.
    let of_folder = [("QUIPU_DATA", text(folder.path()))];
    assert_eq!(printed(&[], &of_folder, "workers"), format!("workers = 1  # {inside}:1:1"));
    let elsewhere = write("elsewhere.toml", "data = \"/tmp/elsewhere\"\n");
    let line = printed(&["--config", &elsewhere], &[], "data");
    assert_eq!(line, format!("data = \"/tmp/elsewhere\"  # {elsewhere}:1:1"));
}

#[test]
fn the_data_folder_is_the_platforms() {
    let line = printed(&[], &[("XDG_DATA_HOME", "/somewhere")], "data");
    if cfg!(target_os = "linux") {
        assert_eq!(line, "data = \"/somewhere/quipu\"  # default");
    }
}

/// Checks the message about wrong settings.
#[track_caller]
fn wrong(arguments: &[&str], variables: &[(&str, &str)], expected: &str) {
    let run = run(&with(&["serve", "--print-config", "--lang", "en"], arguments), variables);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?} {variables:?}: {run:#?}");
    let (line, hint) = run.stderr.split_once('\n').expect("two lines");
    assert_eq!((line, hint), (format!("error: {expected}").as_str(), "Help: quipu serve --help\n"));
}

#[test]
fn wrong_values_are_told_with_their_place() {
    wrong(
        &["--listen", "example.com:8080"],
        &[],
        "option --listen: “example.com:8080” is not a valid value for listen; \
         allowed: a port such as 8080, or an address with a port, such as localhost:8080, 127.0.0.1:8080 or [::1]:8080",
    );
    wrong(
        &[],
        &[("QUIPU_MAX_BODY", "64 MB")],
        "variable QUIPU_MAX_BODY: “64 MB” is not a valid value for max_body; \
         allowed: a size such as 65536, 512KiB, 64MiB or 10MB, from 1KiB to 1GiB",
    );
    wrong(
        &[],
        &[("QUIPU_TOKEN_RATE", "0")],
        "variable QUIPU_TOKEN_RATE: “0” is not a valid value for token_rate; \
         allowed: a whole number, from 1 to 60000000",
    );
    wrong(
        &["--log-level", "loud"],
        &[],
        "option --log-level: “loud” is not a valid value for log_level; allowed: error, warn, info, debug, trace",
    );
    wrong(&["--private=yes"], &[], "option --private: “yes” is not a valid value for private; allowed: true, false");
    wrong(
        &["--data", ""],
        &[],
        "option --data: “” is not a valid value for data; allowed: a path in quotes that is not empty",
    );
    wrong(
        &["--query-timeout", "1m"],
        &[("QUIPU_REQUEST_TIMEOUT", "20s")],
        "query_timeout = 1m (option --query-timeout) cannot be greater than \
         request_timeout = 20s (variable QUIPU_REQUEST_TIMEOUT)",
    );
    wrong(
        &["--max-connections", "10"],
        &[],
        "max_streams = 64 (default) cannot be greater than max_connections = 10 (option --max-connections)",
    );
}

#[test]
fn wrong_files_are_told_with_their_place() {
    let folder = folder();
    let file = folder.path().join("wrong.toml");
    let file = text(&file);
    for (content, place, expected) in [
        (
            "\nworkers = \"many\"\n",
            ":2:1",
            "“many” is not a valid value for workers; allowed: a whole number, from 0 to 1024",
        ),
        ("private = 1\n", ":1:1", "“1” is not a valid value for private; allowed: true, false"),
        ("data = 7\n", ":1:1", "“7” is not a valid value for data; allowed: a path in quotes that is not empty"),
        (
            "request_timeout = 30\n",
            ":1:1",
            "“30” is not a valid value for request_timeout; allowed: a time such as 500ms, 30s, 5m or 1h, from 1s to 1h",
        ),
        (
            "listen = [\"a\"]\n",
            ":1:1",
            "“[\"a\"]” is not a valid value for listen; allowed: a port such as 8080, or an address",
        ),
        (
            "private = true\nmax-body = 1\n",
            ":2:1",
            "there is no setting “max-body”; allowed: data, database, database_connections, listen, workers,",
        ),
        ("[serve]\nworkers = 1\n", ":1:2", "there is no setting “serve”; allowed: data,"),
        ("private = true\nprivate = false\n", ":2:1", "not valid TOML; each line must be of the form name = value"),
        ("workers = \n", ":1:11", "not valid TOML;"),
    ] {
        fs::write(file, content).expect("there is room");
        let run = run(&["serve", "--print-config", "--lang", "en", "--config", file], &[]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{content}: {run:#?}");
        let expected = format!("error: {file}{place}: {expected}");
        assert!(run.stderr.starts_with(&expected), "{content}: {expected}\n{run:#?}");
    }
    let inside = folder.path().join("quipu.toml");
    fs::write(&inside, "data = \"/tmp\"\n").expect("there is room");
    let inside = text(&inside);
    let expected =
        format!("{inside}:1:1: data cannot be given here: this file is read because it is in the data folder");
    wrong(&["--data", text(folder.path())], &[], &expected);
    fs::write(inside, " ".repeat(1024 * 1024 + 1)).expect("there is room");
    let expected = format!("{inside} is too large: a configuration file has at most 1048576 bytes");
    wrong(&["--data", text(folder.path())], &[], &expected);
}

#[test]
fn files_that_cannot_be_read_are_failures() {
    let folder = folder();
    let missing = folder.path().join("none.toml");
    for (arguments, variables) in [
        (vec!["--config", text(&missing)], vec![]),
        (vec![], vec![("QUIPU_CONFIG", text(&missing))]),
        (vec!["--config", text(folder.path())], vec![]),
    ] {
        let run = run(&with(&["serve", "--print-config", "--lang", "en"], &arguments), &variables);
        assert_eq!((run.status, run.stdout.as_str()), (Some(3), ""), "{run:#?}");
        assert!(run.stderr.starts_with("error: cannot read "), "{run:#?}");
    }
}

#[test]
fn variables_of_no_setting_are_told() {
    let run = run(&["serve", "--print-config", "--lang", "en"], &[("QUIPU_LISTN", "127.0.0.1:80")]);
    assert_eq!(run.status, Some(0));
    assert_eq!(run.stderr, "warning: no setting is called QUIPU_LISTN; that variable has no effect\n");
}

/// Two services would not know of each other's limits and listeners.
#[test]
fn an_archive_that_is_served_already() {
    let folder = folder();
    let data = text(folder.path());
    let first = Service::start(command(&["serve", "--data", data, "--listen", "127.0.0.1:0"]));
    let second = run(&["serve", "--lang", "en", "--data", data, "--listen", "127.0.0.1:0"], &[]);
    assert_eq!(second.status, Some(3), "{second:#?}");
    assert!(
        second.stderr.ends_with("error: another program already serves this archive; stop it first\n"),
        "{second:#?}"
    );
    drop(first);
}

/// A service that runs, and what it has said so far.
pub(crate) struct Service {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
    address: String,
    /// Lines before the one with the address.
    before: String,
}

impl Service {
    #[track_caller]
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let said = BufReader::new(child.stderr.take().expect("it was asked for"));
        let mut service = Self { child, said, address: String::new(), before: String::new() };
        while service.address.is_empty() {
            let mut line = String::new();
            assert!(
                service.said.read_line(&mut line).expect("UTF-8") > 0,
                "it says where it listens: {}",
                service.before
            );
            let address = line.split_once("http://").and_then(|(_, rest)| rest.split_whitespace().next());
            service.address = address.unwrap_or_default().to_owned();
            if service.address.is_empty() {
                service.before += &line;
            }
        }
        service
    }

    /// The address and port on which it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: quipu\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("it answers");
        response
    }

    /// Sends a signal, and says how it ended and what else it said.
    #[track_caller]
    pub(crate) fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(kill.expect("there is kill").success());
        let patience = Instant::now() + Duration::from_secs(30);
        let status = loop {
            match self.child.try_wait().expect("it can be waited for") {
                Some(status) => break status.code(),
                None if Instant::now() < patience => thread::sleep(Duration::from_millis(10)),
                None => self.child.kill().expect("it can be ended"),
            }
        };
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).expect("UTF-8");
        (status, rest)
    }
}

impl Drop for Service {
    /// Nothing goes on running after a test that fails.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(unix)]
#[test]
fn it_starts_answers_and_stops() {
    use std::os::unix::fs::PermissionsExt;
    for signal in ["-TERM", "-INT"] {
        let folder = folder();
        let data = folder.path().join("a").join("b");
        let service = Service::start(command(&["serve", "--data", text(&data), "--listen", "127.0.0.1:0"]));
        let mode = fs::metadata(&data).expect("it is made").permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{mode:o}");
        let response = service.get("/healthz");
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        let (status, rest) = service.stop(signal);
        assert_eq!(status, Some(0), "{signal}: {rest}");
        assert!(rest.contains("quipu se detuvo"), "{rest}");
    }
}

#[cfg(unix)]
#[test]
fn logs_are_json_where_that_is_asked_for() {
    let folder = folder();
    let data = text(folder.path());
    let service = Service::start(command(&[
        "serve",
        "--data",
        data,
        "--listen",
        "127.0.0.1:0",
        "--log-json",
        "--log-level",
        "info",
    ]));
    service.get("/healthz");
    let (status, rest) = service.stop("-TERM");
    assert_eq!(status, Some(0), "{rest}");
    let objects: Vec<serde_json::Value> =
        rest.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no object: {line}"))).collect();
    assert!(!objects.is_empty() && objects.iter().all(|object| object["level"].is_string()), "{rest}");
}

/// A line of the log is a line of ours whatever a client sends, and contains no secret; the same holds of printed
/// output.
/// Makes a token over HTTP, and returns its secret.
#[cfg(unix)]
fn make_token(address: &str, token: &str) -> String {
    let body = r#"{"name":"mesa 2","scopes":["records:write"]}"#;
    let mut stream = TcpStream::connect(address).expect("it listens");
    let head =
        format!("POST /v1/tokens HTTP/1.1\r\nHost: quipu\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n");
    let rest = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(format!("{head}{rest}").as_bytes()).expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    let made = response.split("\"token\":\"").nth(1).and_then(|text| text.split('"').next()).expect(&response);
    made.splitn(3, '_').nth(2).expect("a secret").to_owned()
}

#[cfg(unix)]
#[test]
fn logs_have_no_secrets_and_no_control_characters() {
    for form in [&[][..], &["--log-json"]] {
        let folder = folder();
        let data = text(folder.path());
        let made = run(&["token", "add", "--name", "mesa", "--scope", "admin", "--data", data], &[]);
        let token = made.stdout.trim().to_owned();
        let secret = token.splitn(3, '_').nth(2).expect("a secret");
        let arguments = ["serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "trace"];
        let service = Service::start(command(&with(&arguments, form)));
        let forged = "x%0a2026-01-01T00:00:00Z%20ERROR%20forged%1b%5b31m";
        for (path, more) in [
            (format!("/v1/records?q={forged}"), format!("Authorization: Bearer {token}")),
            (format!("/{forged}"), format!("Authorization: Bearer {token}x")),
            (format!("/v1/records/{forged}"), "X-Request-Id: \u{1b}[31m\tforged".to_owned()),
            ("/v1/records".to_owned(), "User-Agent: \u{1b}]0;forged\u{7}".to_owned()),
            ("/v1/\u{1b}[31m\u{202e}".to_owned(), format!("Cookie: {token}")),
            (format!("/v1/records?token={token}"), "X-Forwarded-For: \u{1b}[2J".to_owned()),
        ] {
            let mut stream = TcpStream::connect(&service.address).expect("it listens");
            let head = format!("GET {path} HTTP/1.1\r\nHost: quipu\r\n{more}\r\nConnection: close\r\n\r\n");
            stream.write_all(head.as_bytes()).expect("it reads");
            let mut response = Vec::new();
            stream.read_to_end(&mut response).expect("it answers");
            assert!(!String::from_utf8_lossy(&response).contains(secret), "{path}");
        }
        let other = make_token(&service.address, &token);
        let key = fs::read_to_string(folder.path().join("quipu.key")).expect("a key");
        let (_, rest) = service.stop("-TERM");
        assert!(rest.lines().count() > 6, "{rest}");
        for line in rest.lines() {
            assert!([secret, &other, key.trim()].iter().all(|text| !line.contains(text)), "{line}");
            assert!(!line.chars().any(|letter| letter.is_control() || letter == '\u{202e}'), "{line:?}");
            assert!(!line.starts_with("2026-01-01T00:00:00Z"), "{line}");
            let is_json = serde_json::from_str::<serde_json::Value>(line).is_ok();
            assert!(form.is_empty() || is_json, "{line}");
        }
        let made = rest.lines().find(|line| line.contains("token made")).expect("it is logged who made a token");
        assert!(made.contains("mesa 2") && made.matches("mesa").count() == 2, "{made}");
        let printed = run(&["serve", "--print-config", "--data", data], &[]);
        assert!(!printed.stdout.contains(key.trim()) && !printed.stdout.contains(secret), "{printed:#?}");
    }
}

#[test]
fn a_port_that_is_taken() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has one").to_string();
    let run = run(&["serve", "--lang", "en", "--data", text(folder.path()), "--listen", &address], &[]);
    assert_eq!(run.status, Some(3), "{run:#?}");
    let expected =
        format!("error: cannot listen on {address}: another program uses that port; choose another with --listen\n");
    assert!(run.stderr.ends_with(&expected), "{run:#?}");
}

#[test]
fn an_archive_that_cannot_be_opened() {
    let folder = folder();
    let data = text(folder.path());
    fs::write(folder.path().join("quipu.db"), "this is no archive, though it is long enough to be one\n".repeat(100))
        .expect("there is room");
    let run_with = |data: &str| run(&["serve", "--lang", "en", "--data", data, "--listen", "127.0.0.1:0"], &[]);
    let run = run_with(data);
    assert_eq!(run.status, Some(3), "{run:#?}");
    assert!(run.stderr.starts_with("error: "), "{run:#?}");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("there is room");
    let run = run_with(text(&file));
    assert_eq!(run.status, Some(3), "{run:#?}");
    assert!(run.stderr.starts_with("error: "), "{run:#?}");
}
