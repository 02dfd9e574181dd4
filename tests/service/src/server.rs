//! The service as its clients meet it: the real server on a port of its own, with a fresh archive, and HTTP spoken to it.

use std::{
    io::Read,
    net::SocketAddr,
    path::Path,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::Duration,
};

use quipu_archive::{
    model::{Attribution, Id, Submission},
    store::{Store, StoreError, TokenRefusal},
};
use quipu_http as http;
use quipu_options::Scope;
use quipu_options::settings::Settings;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::oneshot;
use ureq::{
    Agent,
    http::{Request, Uri, request},
};

/// Time limit for a response.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running service and its archive. It stops when it is dropped.
pub struct Server {
    /// The archive.
    pub store: Store,
    address: SocketAddr,
    agent: Agent,
    settings: Settings,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    folder: TempDir,
}

impl Server {
    /// Starts one as it is by default.
    pub fn start() -> Self {
        Self::with(Settings::default())
    }

    /// Starts one with these settings; where it listens and keeps its archive is not for them to say.
    pub fn with(settings: Settings) -> Self {
        Self::on(tempfile::tempdir().expect("a folder"), settings)
    }

    fn on(folder: TempDir, settings: Settings) -> Self {
        Self::serving(Store::open(folder.path()).expect("an archive"), folder, settings)
    }

    /// Starts one on an archive that is elsewhere. It is not for restarting.
    pub fn with_store(store: Store, settings: Settings) -> Self {
        Self::serving(store, tempfile::tempdir().expect("a folder"), settings)
    }

    fn serving(store: Store, folder: TempDir, settings: Settings) -> Self {
        let settings = Settings { listen: ([127, 0, 0, 1], 0).into(), workers: 2, ..settings };
        store.unlock().expect("a key");
        let (stop, stopped) = oneshot::channel();
        let (sender, address) = mpsc::channel();
        let (own, served) = (settings.clone(), store.clone());
        let thread = thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let stopped = async move { drop(stopped.await) };
                let (running, address) = http::start(own, served, stopped).expect("a free port");
                sender.send(address).expect("the test waits for it");
                running.await.expect("it ends well");
            });
        });
        let address = address.recv().expect("it starts");
        // Redirects are not followed: the test looks at the response itself.
        let config = Agent::config_builder().http_status_as_error(false).max_redirects(0);
        let config = config.timeout_global(Some(PATIENCE));
        let agent = config.build().new_agent();
        Self { store, address, agent, settings, stop: Some(stop), thread: Some(thread), folder }
    }

    /// Stops it, and starts another on the same archive.
    #[must_use]
    pub fn restart(self) -> Self {
        self.restart_after(|_| ())
    }

    /// The same after something was done to the file of the archive, which nobody holds meanwhile.
    #[must_use]
    pub fn restart_after(mut self, done: impl FnOnce(&Path)) -> Self {
        self.stop();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a folder"));
        let (settings, path) = (self.settings.clone(), self.store.path().to_owned());
        drop(self);
        done(&path);
        Self::on(folder, settings)
    }

    /// Has it stop, and waits until it has.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it stops without a panic");
        }
    }

    /// Has it stop, without waiting.
    pub fn begin_to_stop(&mut self) {
        drop(self.stop.take());
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The text of a new token.
    pub fn token(&self, scope: Scope) -> String {
        self.token_of(&[scope])
    }

    /// The text of a new token with several scopes.
    pub fn token_of(&self, scopes: &[Scope]) -> String {
        let scopes = scopes.to_vec();
        let made = self.store.write(move |writing| -> Result<String, TokenRefusal> {
            let names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
            let name = format!("{} {}", names.join(" "), writing.tokens()?.len());
            Ok(writing.add_token(&name, &scopes, None)?.1.reveal())
        });
        made.wait().expect("a token")
    }

    /// Puts all records of a source into the archive, past the service, also those that are refused; says their ids.
    pub fn keep(&self, source: impl Read) -> Vec<Id> {
        let mut all = Vec::new();
        crate::each_chunk(source, |chunk| all.extend(Submission::all(chunk)));
        self.keep_all(&all);
        all.iter().map(|one| one.id).collect()
    }

    /// The same with records that are judged already.
    pub fn keep_all(&self, all: &[Submission]) {
        let all = all.to_vec();
        let by = Attribution { submitter: "test".to_owned(), author: None, reason: None };
        let kept = self.store.write(move |writing| -> Result<(), StoreError> {
            all.iter().try_for_each(|one| writing.add(one, &by, true).map(drop))
        });
        kept.wait().expect("they are stored");
    }

    /// Asks for something.
    pub fn get(&self, path: &str) -> Response {
        self.ask("GET", path).send()
    }

    /// A request that more can be said of.
    pub fn ask(&self, method: &str, path: &str) -> Ask {
        let uri: Uri = format!("http://{}{path}", self.address).parse().expect("an address");
        Ask { request: Request::builder().method(method).uri(uri), body: None, agent: self.agent.clone() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A test that fails already has said more than this could.
            drop(thread.join());
        }
    }
}

/// A request that is being made.
pub struct Ask {
    request: request::Builder,
    body: Option<Vec<u8>>,
    agent: Agent,
}

impl Ask {
    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// With a token.
    #[must_use]
    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    /// With a body of a media type.
    #[must_use]
    pub fn body(mut self, media: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self.header("Content-Type", media)
    }

    /// With a body in JSON.
    #[must_use]
    pub fn json(self, value: &Value) -> Self {
        self.body("application/json", value.to_string())
    }

    /// Sends it and reads the whole answer.
    pub fn send(self) -> Response {
        let mut response = self.open();
        let read = response.body_mut().with_config().limit(u64::MAX).read_to_vec();
        let body = read.expect("the answer comes to its end");
        let (head, _) = response.into_parts();
        let headers = head.headers.iter();
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()));
        Response { status: head.status.as_u16(), headers: headers.collect(), body }
    }

    /// Sends it, and leaves the body to be read.
    pub fn open(self) -> ureq::http::Response<ureq::Body> {
        let response = match self.body {
            Some(body) => self.agent.run(self.request.body(body).expect("a request")),
            None => self.agent.run(self.request.body(()).expect("a request")),
        };
        response.expect("an answer")
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// Its status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header; an empty text if it is not there.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    /// All its headers, their names in lower case.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Its body as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    /// Its body as JSON, of an answer that is good.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.text());
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The objects on its lines.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), "application/x-ndjson", "{} {}", self.status, self.text());
        self.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// The problem that it must be, of this status and code.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem: Value = serde_json::from_slice(&self.body).expect("JSON");
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["type"], format!("/v1/rules/{code}"));
        let id = self.header("x-request-id");
        assert_eq!(
            (&problem["request_id"], &problem["instance"]),
            (&id.into(), &format!("urn:quipu:request:{id}").into())
        );
        for member in ["title", "detail"] {
            let text = problem[member].as_str().expect("a text");
            assert!(!text.is_empty() && !text.contains(['{', '}']), "{problem}");
        }
        problem
    }
}
