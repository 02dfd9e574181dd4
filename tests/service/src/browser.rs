//! A browser without a window, as far as the tests need one. It is Chromium, and spoken to through chromedriver in the
//! WebDriver protocol, which is JSON over HTTP; what that has no words for goes through it in Chromium's own protocol.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

use crate::{root, server::Server, tools::install_node};

/// Time limit for one action of the browser.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time within which an element has to appear.
const FINDING: Duration = Duration::from_secs(60);
/// Options of Chromium: a profile of its own, and no background activity.
const ARGUMENTS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];
/// Key codes of WebDriver.
const KEYS: [(&str, char); 7] = [
    ("Tab", '\u{e004}'),
    ("Enter", '\u{e007}'),
    ("End", '\u{e010}'),
    ("Home", '\u{e011}'),
    ("ArrowLeft", '\u{e012}'),
    ("ArrowRight", '\u{e014}'),
    ("f", 'f'),
];

/// Checks that somebody who sees badly, hears pages or has no mouse can use a page: axe-core, fetched as
/// `tests/browser/package-lock.json` pins it, if it is not there.
static AXE: LazyLock<String> = LazyLock::new(|| {
    let folder = root().join("target/axe");
    install_node(&root().join("tests/browser"), &folder).expect("axe-core is there");
    fs::read_to_string(folder.join("node_modules/axe-core/axe.min.js")).expect("it was installed")
});

/// A driver of browsers, and its port; none if it ended.
fn driver() -> Option<(Child, String)> {
    let mut driver =
        Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect(
            "there is no chromedriver: ./test installs it, as the Debian packages chromium and chromium-driver",
        );
    let lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
    let mut ports = lines
        .map_while(Result::ok)
        .filter_map(|line| Some(line.split_once("started successfully on port ")?.1.trim_end_matches('.').to_owned()));
    let Some(port) = ports.next() else {
        driver.wait().expect("it has ended");
        return None;
    };
    Some((driver, port))
}

/// A running browser. It ends when it is dropped.
pub struct Browser {
    driver: Child,
    agent: Agent,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts one, with a profile of its own.
    ///
    /// # Panics
    /// If Chromium or chromedriver is not there.
    pub fn start() -> Self {
        // It ends at once if the port that it chose was taken meanwhile.
        let (driver, port) = (0..10).find_map(|_| driver()).expect("chromedriver starts");
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        let agent = config.build().new_agent();
        let profile = tempfile::tempdir().expect("a folder");
        let data = format!("--user-data-dir={}", profile.path().display());
        let mut browser =
            Self { driver, agent, session: format!("http://127.0.0.1:{port}/session"), _profile: profile };
        let arguments: Vec<_> = ARGUMENTS.into_iter().chain([&*data]).collect();
        let wanted = json!({
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" }
        });
        let made = browser.post("", &json!({ "capabilities": { "alwaysMatch": wanted } }));
        browser.session = format!("{}/{}", browser.session, made["sessionId"].as_str().expect("a session"));
        // Pages draw the board again when an answer arrives: an element that is being replaced is waited for.
        browser.post("/timeouts", &json!({ "implicit": FINDING.as_millis() }));
        browser
    }

    /// Opens an address.
    pub fn open(&self, address: &str) {
        self.post("/url", &json!({ "url": address }));
    }

    /// The address that is open.
    pub fn address(&self) -> String {
        self.run("return location.href").as_str().expect("an address").to_owned()
    }

    /// Runs a script in the page and says what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Asks Chromium in its own words.
    pub fn ask(&self, command: &str, params: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    /// Makes the screen this large, that of a phone or not, by day or by night.
    pub fn screen(&self, width: u32, height: u32, phone: bool, scheme: &str) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.ask("Emulation.setDeviceMetricsOverride", &size);
        let scheme = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.ask("Emulation.setEmulatedMedia", &scheme);
    }

    /// Sets the language that the browser requests.
    pub fn speak(&self, lang: &str) {
        self.ask("Network.enable", &json!({}));
        self.ask("Network.setExtraHTTPHeaders", &json!({ "headers": { "Accept-Language": lang } }));
    }

    /// Lets pages reach the network or not.
    pub fn connected(&self, reach: bool) {
        let speed = json!({ "offline": !reach, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.ask("Network.enable", &json!({}));
        self.ask("Network.emulateNetworkConditions", &speed);
    }

    /// Lets pages run scripts or not.
    pub fn scripts(&self, run: bool) {
        self.ask("Emulation.setScriptExecutionDisabled", &json!({ "value": !run }));
    }

    /// The first element that a CSS selector finds, as soon as there is one.
    #[track_caller]
    fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({ "using": "css selector", "value": selector }));
        let found = found.as_object().and_then(|found| found.values().next()?.as_str());
        found.unwrap_or_else(|| panic!("no {selector}")).to_owned()
    }

    /// Goes back to the page before, and waits until it is there.
    pub fn back(&self) {
        self.post("/back", &json!({}));
    }

    /// Loads the page again, and waits until it is there.
    pub fn reload(&self) {
        self.post("/refresh", &json!({}));
    }

    /// Clicks on an element.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.act_on(selector, "click", &json!({}));
    }

    /// Writes into an element, or chooses a file in it by its path.
    #[track_caller]
    pub fn write(&self, selector: &str, text: &str) {
        self.act_on(selector, "value", &json!({ "text": text }));
    }

    /// Sends an action to an element, and to its successor if the page replaces it in between.
    #[track_caller]
    fn act_on(&self, selector: &str, action: &str, body: &Value) {
        let begun = Instant::now();
        loop {
            let element = self.element(selector);
            match self.send(&format!("/element/{element}/{action}"), body) {
                Ok(_) => return,
                Err(error) if error["error"] == "stale element reference" && begun.elapsed() < FINDING => {}
                Err(error) => panic!("{action} on {selector}: {error}"),
            }
        }
    }

    /// Presses a key, wherever the keyboard is.
    ///
    /// # Panics
    /// If the key is none that is known here.
    pub fn press(&self, key: &str) {
        self.press_often(key, 1);
    }

    /// Presses a key several times.
    ///
    /// # Panics
    /// If the key is none that is known here.
    pub fn press_often(&self, key: &str, times: usize) {
        let (_, code) = KEYS.iter().find(|(known, _)| *known == key).expect("a known key");
        let one = ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": code }));
        let actions = one.iter().cycle().take(2 * times).collect::<Vec<_>>();
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }));
    }

    /// Goes into the first frame of the page, or back out.
    pub fn frame(&self, inside: bool) {
        self.post("/frame", &json!({ "id": if inside { json!(0) } else { Value::Null } }));
    }

    /// Waits until a script returns true.
    #[track_caller]
    pub fn wait_for(&self, script: &str) {
        let begun = Instant::now();
        while self.run(script) != json!(true) {
            assert!(begun.elapsed() < Duration::from_secs(15), "{script} at {}", self.address());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Console messages since the last call.
    pub fn console(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        log.as_array().into_iter().flatten().map(|entry| entry["message"].to_string()).collect()
    }

    /// Addresses requested over the network since the last call.
    pub fn requests(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "performance" }));
        let messages = log.as_array().into_iter().flatten().filter_map(|entry| entry["message"].as_str());
        let messages = messages.filter_map(|text| serde_json::from_str::<Value>(text).ok());
        let asked = messages.filter(|entry| entry["message"]["method"] == "Network.requestWillBeSent");
        let addresses = asked.map(|entry| entry["message"]["params"]["request"]["url"].clone());
        addresses.filter_map(|url| url.as_str().map(str::to_owned)).collect()
    }

    /// Violations that axe-core finds on the open page: rules with the places that break them. All rules of WCAG 2.2 AA
    /// are applied, and the best practices of axe-core.
    pub fn accessibility_violations(&self) -> Vec<String> {
        // axe-core leaves out the only new rule of WCAG 2.2 by default.
        self.violations(&json!({ "rules": { "target-size": { "enabled": true } } }))
    }

    /// Violations of some rules only.
    pub fn accessibility_violations_of(&self, rules: &[&str]) -> Vec<String> {
        self.violations(&json!({ "runOnly": rules }))
    }

    fn violations(&self, options: &Value) -> Vec<String> {
        if self.run("return Boolean(window.axe)") == json!(false) {
            self.ask("Runtime.evaluate", &json!({ "expression": &*AXE }));
        }
        let script = "const [options, done] = arguments;
            axe.run(document, { ...options, resultTypes: ['violations'] }).then(
                found => done(found.violations), error => done([{ id: String(error), nodes: [] }]))";
        let found = self.post("/execute/async", &json!({ "script": script, "args": [options] }));
        let told = |violation: &Value| {
            let nodes = violation["nodes"].as_array().into_iter().flatten();
            let nodes: Vec<_> = nodes.map(|node| format!("{} {}", node["html"], node["failureSummary"])).collect();
            format!("{}: {}", violation["id"], nodes.join("; "))
        };
        found.as_array().expect("a list").iter().map(told).collect()
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        self.send(path, body).unwrap_or_else(|error| panic!("{path}: {} {}", error["error"], error["message"]))
    }

    /// Sends a command; the error is the object that WebDriver defines.
    fn send(&self, path: &str, body: &Value) -> Result<Value, Value> {
        let response = self.agent.post(format!("{}{path}", self.session)).send(body.to_string());
        let text = response.expect("chromedriver answers").body_mut().with_config().limit(u64::MAX).read_to_string();
        let mut response: Value = serde_json::from_str(&text.expect("text")).expect("JSON");
        let value = response["value"].take();
        if value["error"].is_null() { Ok(value) } else { Err(value) }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends the browser too. In any case the driver is ended after it.
        drop(self.agent.delete(&self.session).call());
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

/// The address of a page of a server.
pub fn at(server: &Server, path: &str) -> String {
    format!("http://{}{path}", server.address())
}
