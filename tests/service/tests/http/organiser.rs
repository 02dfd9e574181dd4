//! An organiser who has the pages of tournaments in a browser, and its forms.

use quipu_options::{Scope, settings::Settings};
use quipu_tests_service::server::{Response, Server};

use super::{
    pages::{BROWSER, attributes, between, check, open},
    repair::field,
};

pub(super) const FORM: &str = "application/x-www-form-urlencoded";
/// A list of four players.
pub(super) const NAMES: &str = "Rosa Quispe; 2000\nLuis Tapia; 1900\nAna Ruiz; 1800\nInés Soto; 1700\n";

/// A tournament that is organised in a browser.
pub(super) struct Organiser {
    pub(super) server: Server,
    pub(super) token: String,
    pub(super) path: String,
}

impl Organiser {
    pub(super) fn new() -> Self {
        Self::of("single")
    }

    /// A tournament of encounters of a kind.
    pub(super) fn of(encounter: &str) -> Self {
        Self::with(encounter, 1_000_000)
    }

    /// The same on a server that allows an address so many requests a minute.
    pub(super) fn with(encounter: &str, address_rate: u32) -> Self {
        Self::with_system("swiss", encounter, address_rate)
    }

    /// A tournament of a system.
    pub(super) fn of_system(system: &str, encounter: &str) -> Self {
        Self::with_system(system, encounter, 1_000_000)
    }

    /// Creates another tournament on the same service. Returns its number.
    pub(super) fn create(&self, name: &str) -> u64 {
        let fields = [("name", name), ("game", "andes"), ("system", "swiss"), ("encounter", "single"), ("rounds", "3")];
        let page = self.done("/tournaments/new", &fields);
        between(&page, "with the number ", ".").parse().expect("a number")
    }

    /// Undoes the last change that holds.
    #[track_caller]
    pub(super) fn undo_last(&self) {
        self.open("/organise").with(&[("reason", "x")]).press("undo").done();
    }

    fn with_system(system: &str, encounter: &str, address_rate: u32) -> Self {
        let server = Server::with(Settings { address_rate, token_rate: 1_000_000, ..Settings::default() });
        let token = server.token(Scope::EventsAdmin);
        let mut organiser = Self { server, token, path: String::new() };
        let fields = [
            ("name", "Copa"),
            ("game", "andes"),
            ("system", system),
            ("encounter", encounter),
            ("rounds", "3"),
            ("bye", "full"),
        ];
        let page = organiser.done("/tournaments/new", &fields);
        let link = attributes(&page, "href").into_iter().find(|link| link.contains("/organise")).expect("a link");
        link.split("/organise").next().expect("a path").clone_into(&mut organiser.path);
        organiser
    }

    /// A tournament with four players.
    pub(super) fn with_players() -> Self {
        Self::new().enter()
    }

    pub(super) fn enter(self) -> Self {
        self.done("/organise", &[("do", "names"), ("names", NAMES)]);
        self
    }

    /// The same with the first round paired.
    pub(super) fn paired() -> Self {
        let organiser = Self::with_players();
        organiser.pair(&[]);
        organiser
    }

    /// Pairs the next round as it is shown.
    #[track_caller]
    pub(super) fn pair(&self, fields: &[(&str, &str)]) {
        let shown = self.send("/organise", &[fields, &[("do", "pair-check")]].concat());
        self.form(shown.text()).with(fields).press("pair").done();
    }

    /// The form of a page.
    pub(super) fn form(&self, page: &str) -> Form<'_> {
        let path = between(page, "<form id=\"", "\" method=");
        let path = path.split_once("action=\"").expect("an address").1.to_owned();
        Form { organiser: self, path, fields: sent_back(page) }
    }

    /// The form of a page that is opened now.
    #[track_caller]
    pub(super) fn open(&self, path: &str) -> Form<'_> {
        self.form(&self.page(path))
    }

    /// Sends a form without a token.
    pub(super) fn send(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let path = if path.starts_with("/tournaments") { path.to_owned() } else { format!("{}{path}", self.path) };
        let fields: Vec<_> = fields.iter().map(|(name, value)| field(name, value)).collect();
        let ask = self.server.ask("POST", &path).header("Accept", BROWSER).header("Accept-Language", "en");
        ask.body(FORM, fields.join("&")).send()
    }

    pub(super) fn send_with_token(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        self.send(path, &[&[("token", self.token.as_str())], fields].concat())
    }

    /// The page after a form that is accepted.
    #[track_caller]
    pub(super) fn done(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let response = self.send_with_token(path, fields);
        check(path, &response, 200, "en");
        assert!(!response.text().contains("role=\"alert\""), "{}", response.text());
        response.text().to_owned()
    }

    /// The sentence on the page after a form that is refused.
    #[track_caller]
    pub(super) fn refused(response: &Response, status: u16) -> String {
        check("a refused form", response, status, "en");
        between(response.text(), "role=\"alert\">", "</p>").to_owned()
    }

    #[track_caller]
    pub(super) fn page(&self, path: &str) -> String {
        let path = format!("{}{path}", self.path);
        for lang in ["es", "en"] {
            check(&path, &open(&self.server, &path, lang), 200, lang);
        }
        open(&self.server, &path, "en").text().to_owned()
    }
}

/// A form as a browser has it.
#[derive(Clone)]
pub(super) struct Form<'o> {
    organiser: &'o Organiser,
    path: String,
    fields: Vec<(String, String)>,
}

impl Form<'_> {
    /// Fills fields in.
    pub(super) fn with(mut self, fields: &[(&str, &str)]) -> Self {
        self.fields.retain(|(name, _)| fields.iter().all(|(other, _)| name != other));
        self.fields.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
    }

    pub(super) fn press(self, button: &str) -> Self {
        self.with(&[("do", button)])
    }

    fn fields(&self) -> Vec<(&str, &str)> {
        self.fields.iter().map(|(name, value)| (&**name, &**value)).collect()
    }

    pub(super) fn value(&self, name: &str) -> &str {
        let found = self.fields.iter().find(|(known, _)| known == name);
        &found.unwrap_or_else(|| panic!("no {name} in {:?}", self.fields)).1
    }

    #[track_caller]
    pub(super) fn done(&self) -> String {
        self.organiser.done(&self.path, &self.fields())
    }

    pub(super) fn send(&self) -> Response {
        self.organiser.send_with_token(&self.path, &self.fields())
    }

    pub(super) fn send_without_token(&self) -> Response {
        self.organiser.send(&self.path, &self.fields())
    }
}

/// The fields of a form that a browser sends back: what is typed, hidden or chosen, and no token.
fn sent_back(page: &str) -> Vec<(String, String)> {
    let attribute = |tag: &str, name: &str| attributes(tag, name).into_iter().next();
    let form = between(page, "data-resend", "</form>");
    let inputs = form.split("<input").skip(1).filter_map(|rest| {
        let tag = rest.split('>').next().unwrap_or(rest);
        let name = attribute(tag, "name").filter(|name| name != "token" && !tag.contains("checkbox"))?;
        Some((name, attribute(tag, "value").unwrap_or_default()))
    });
    let lists = form.split("<select").skip(1).filter_map(|rest| {
        let list = rest.split("</select>").next().unwrap_or(rest);
        let chosen = list.split("<option").skip(1).find(|option| option.contains(" selected"));
        Some((attribute(list, "name")?, chosen.and_then(|option| attribute(option, "value")).unwrap_or_default()))
    });
    inputs.chain(lists).collect()
}
