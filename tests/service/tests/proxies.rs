//! The service behind nginx and Caddy. They start with the files of the documentation, with other ports and certificates. curl
//! sends all requests, over TLS and HTTP/2.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use quipu_options::Scope;
use quipu_options::settings::Settings;
use quipu_tests_service::{root, server::Server};
use serde_json::Value;
use tempfile::TempDir;

const NAME: &str = "quipu.example.org";
const UPSTREAM: &str = "127.0.0.1:8080";

/// A proxy before a service. Both end when it is dropped.
struct Proxy {
    server: Server,
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("it has one").port()
}

/// `text` with `from` replaced by `to`; panics if `from` is missing.
#[track_caller]
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} in\n{text}");
    text.replace(from, to)
}

/// A file of the repository.
fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("it is there")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A command, run to its end.
#[track_caller]
fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Proxy {
    fn start(command: impl FnOnce(&Path, &str, u16) -> Command) -> Self {
        let request_timeout = Duration::from_secs(10);
        let server =
            Server::with(Settings { trust_proxy: true, address_rate: 60, request_timeout, ..Settings::default() });
        let (folder, port) = (tempfile::tempdir().expect("a folder"), free_port());
        let mut command = command(folder.path(), &server.address().to_string(), port);
        let log = fs::File::create(folder.path().join("log")).expect("a file");
        let child =
            command.stdout(Stdio::null()).stderr(log).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let proxy = Self { server, child, port, folder };
        let begun = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(50));
            proxy.curl("/healthz", &["--max-time", "5"]).status == 200
        });
        assert!(begun, "{}", fs::read_to_string(proxy.folder.path().join("log")).unwrap_or_default());
        proxy
    }

    fn nginx() -> Self {
        Self::start(|folder, service, port| {
            let [certificate, key] = ["fullchain.pem", "privkey.pem"].map(|name| folder.join(name));
            run(Command::new("openssl")
                .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=quipu.example.org"])
                .args(["-keyout", path(&key), "-out", path(&certificate)]));
            let site = text("docs/operations/nginx.conf");
            let site = replaced(&site, UPSTREAM, service);
            let site = replaced(&site, "listen 80;", &format!("listen 127.0.0.1:{};", free_port()));
            let site = replaced(&site, "listen [::]:80;", "");
            let site = replaced(&site, "listen [::]:443 ", "# ");
            let site = replaced(&site, "listen 443 ", &format!("listen 127.0.0.1:{port} "));
            let site = replaced(&site, &format!("/etc/letsencrypt/live/{NAME}"), path(folder));
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
            let temporary: String =
                temporary.iter().map(|name| format!("{name}_temp_path {}/{name};\n", path(folder))).collect();
            let user = if am_root() { "user root;" } else { "" };
            let whole = format!(
                "daemon off;\nmaster_process off;\n{user}\npid {0}/pid;\nerror_log stderr warn;\nworker_processes 1;\nevents {{}}\n\
                 http {{\naccess_log off;\n{temporary}{site}\n}}\n",
                path(folder)
            );
            let file = folder.join("nginx.conf");
            fs::write(&file, whole).expect("it is written");
            let mut command = Command::new(program_path("nginx"));
            command.args(["-e", "stderr", "-p", path(folder), "-c", path(&file)]);
            command
        })
    }

    fn caddy() -> Self {
        Self::start(|folder, service, port| {
            let site = text("docs/operations/Caddyfile");
            let site = replaced(&site, UPSTREAM, service);
            let site = replaced(&site, &format!("\n{NAME} {{"), &format!("\n{NAME}:{port} {{"));
            let options = "admin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects";
            let whole = format!("{{\n{options}\nstorage file_system {}/storage\n}}\n{site}", path(folder));
            let file = folder.join("Caddyfile");
            fs::write(&file, whole).expect("it is written");
            let mut command = Command::new(program_path("caddy"));
            command.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
            command.args(["run", "--adapter", "caddyfile", "--config", path(&file)]);
            command
        })
    }

    fn curl_command(&self, path: &str, options: &[&str]) -> Command {
        let mut command = Command::new("curl");
        command.args(["--silent", "--insecure", "--http2", "--noproxy", "*"]);
        command.args(["--resolve", &format!("{NAME}:{}:127.0.0.1", self.port)]);
        command.args(options).arg(format!("https://{NAME}:{}{path}", self.port));
        command
    }

    /// Sends a request and waits for the complete response.
    fn curl(&self, path: &str, options: &[&str]) -> Response {
        let body = tempfile::NamedTempFile::new_in(self.folder.path()).expect("a file");
        let own = ["--output", body.path().to_str().expect("UTF-8"), "--dump-header", "-"];
        let report = ["--write-out", "\nEND %{exitcode} %{http_code} %{http_version}"];
        let output = self.curl_command(path, &[&own[..], &report[..], options].concat()).output().expect("curl runs");
        let report = String::from_utf8(output.stdout).expect("UTF-8");
        let (headers, end) = report.rsplit_once("END ").expect("curl says how it ended");
        let end: Vec<_> = end.split(' ').collect();
        Response {
            is_complete: end[0] == "0",
            status: end[1].parse().unwrap_or(0),
            version: end[2].to_owned(),
            headers: headers.to_owned(),
            body: fs::read(body.path()).expect("it is there"),
        }
    }

    /// A body in a file, as curl takes it.
    fn body(&self, body: &[u8]) -> (tempfile::NamedTempFile, String) {
        let mut file = tempfile::NamedTempFile::new_in(self.folder.path()).expect("a file");
        file.write_all(body).expect("it is written");
        let named = format!("@{}", path(file.path()));
        (file, named)
    }

    /// The lines of a response as they arrive.
    fn lines(&self, path: &str) -> (Child, mpsc::Receiver<String>) {
        let mut child = self.curl_command(path, &["--no-buffer"]).stdout(Stdio::piped()).spawn().expect("curl runs");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        (child, receiver)
    }
}

struct Response {
    is_complete: bool,
    status: u16,
    version: String,
    headers: String,
    body: Vec<u8>,
}

impl Response {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    fn header(&self, name: &str) -> &str {
        let lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines.rev().find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value.trim())
    }
}

/// The path of a program that may be in `/usr/sbin`, outside the `PATH` of ordinary users.
fn program_path(program: &str) -> String {
    let path = format!("/usr/sbin/{program}");
    if Path::new(&path).exists() { path } else { program.to_owned() }
}

fn am_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("a system with id");
    id.stdout.trim_ascii() == b"0"
}

fn game(sol: &str, comment: usize) -> String {
    let comment = "x".repeat(comment);
    format!(
        "[Game \"andes\"]\n[Sol \"{sol}\"]\n[Luna \"Beto\"]\n[Result \"1-0\"]\n\n{{{comment}}} 1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n"
    )
}

/// The next line that begins with `begin`.
#[track_caller]
fn next(lines: &mpsc::Receiver<String>, begin: &str) -> String {
    loop {
        // Shorter than the heartbeat interval, because a heartbeat would flush a buffering proxy.
        let line = lines.recv_timeout(Duration::from_secs(12)).unwrap_or_else(|_| panic!("{begin} does not come"));
        if line.starts_with(begin) {
            return line;
        }
    }
}

fn check(proxy: &Proxy, slow: &str) {
    let token = format!("Authorization: Bearer {}", proxy.server.token(Scope::Admin));
    let own = ["--header", "Content-Type: text/plain", "--header", &token];
    let post = |path: &str, body: &str, more: &[&str]| {
        let (_file, body) = proxy.body(body.as_bytes());
        proxy.curl(path, &[&own[..], more, &["--data-binary", &body]].concat())
    };
    // A submission, and the feed, whose events come at once.
    let (mut feed, events) = proxy.lines("/v1/feed");
    next(&events, "id: 0");
    let submitted = post("/v1/records", &game("Ana", 0), &[]);
    assert_eq!((submitted.status, &*submitted.version), (201, "2"), "{}", String::from_utf8_lossy(&submitted.body));
    next(&events, "id: 1");
    drop(feed.kill());
    drop(feed.wait());
    // A game in progress, its page and its feed.
    let open = "[Game \"andes\"]\n[Sol \"Ana\"]\n[Luna \"Beto\"]\n[Result \"*\"]\n\n1. 0d3\n*\n";
    let live = post("/v1/live", open, &[]);
    assert_eq!(live.status, 201);
    let number = live.json()["live"].as_u64().expect("a number");
    let page = proxy.curl(&format!("/live/{number}"), &["--header", "Accept: text/html"]);
    assert_eq!(page.status, 200);
    assert!(String::from_utf8_lossy(&page.body).contains("Ana"));
    let (mut feed, events) = proxy.lines(&format!("/v1/live/{number}/feed?since=1"));
    next(&events, "retry");
    let saved =
        post(&format!("/v1/live/{number}"), &open.replace("Ana", "Ada"), &["-X", "PUT", "--header", "If-Match: *"]);
    assert_eq!(saved.status, 200, "{}", String::from_utf8_lossy(&saved.body));
    next(&events, "id: 2");
    drop(feed.kill());
    drop(feed.wait());
    // The address that the proxy sees counts, whatever a client claims.
    let left = |claimed: &str, from: &str| {
        let response =
            proxy.curl("/v1/games", &["--header", &format!("X-Forwarded-For: {claimed}"), "--interface", from]);
        let left = response.header("ratelimit").rsplit('=').next().and_then(|left| left.parse::<u32>().ok());
        left.unwrap_or_else(|| panic!("{} {}", response.status, response.headers))
    };
    assert_eq!(left("10.1.1.1", "127.0.0.2"), 59);
    // One permit returns each second.
    assert!(["10.1.1.2", "10.1.1.3", "10.1.1.4"].iter().any(|claimed| left(claimed, "127.0.0.2") < 59));
    // Bodies up to the limit of the service, which rejects larger ones itself; the response of a proxy's own limit is not JSON.
    let largest = (64 << 20) - 1000;
    assert_eq!(post("/v1/verify", &(" ".repeat(largest) + &game("Ana", 0)), &[]).status, 200);
    let refused = post("/v1/verify", &(" ".repeat(64 << 20) + &game("Ana", 0)), &[]);
    assert_eq!((refused.status, refused.header("content-type")), (413, "application/problem+json"));
    assert_eq!(refused.json()["code"], "api.too-large");
    assert_eq!(proxy.curl("/metrics", &[]).status, 404);
    // A large export to a slow and steady client, and a large response of known size.
    let records: String = (0..110).map(|number| game(&number.to_string(), 60_000)).collect();
    proxy.server.keep(records.as_bytes());
    let export = proxy.curl("/v1/export?since=1", &["--limit-rate", slow, "--header", "Accept: text/plain"]);
    assert!(export.is_complete && export.body.len() > 6_000_000, "{} {}", export.is_complete, export.body.len());
    let many: String = (0..1000).map(|number| game(&format!("p{number}"), 0)).collect();
    let lines = post("/v1/records", &many, &["--header", "Accept: application/x-ndjson", "--limit-rate", slow]);
    assert_eq!(String::from_utf8_lossy(&lines.body).lines().count(), 1001);
}

#[test]
fn the_service_works_behind_nginx() {
    check(&Proxy::nginx(), "100k");
}

#[test]
fn the_service_works_behind_caddy() {
    // Caddy buffers as much as the system allows, so its clients must be quicker.
    check(&Proxy::caddy(), "800k");
}

/// The pages show the parts of these files that matter, line by line.
#[test]
fn the_pages_show_the_lines_of_the_files() {
    for page in ["docs/operations.md", "docs/operations.es.md"] {
        let page = text(page);
        for (file, language) in [("docs/operations/nginx.conf", "nginx"), ("docs/operations/Caddyfile", "caddyfile")] {
            let file = text(file);
            let known: Vec<_> = file.lines().map(str::trim).collect();
            let (_, block) = page.split_once(&format!("```{language}\n")).expect("a block");
            let (block, _) = block.split_once("```").expect("its end");
            for line in block.lines().map(str::trim).filter(|line| !line.is_empty()) {
                assert!(known.contains(&line), "{language}: {line}");
            }
        }
    }
}
