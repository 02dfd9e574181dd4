//! The frame of all pages, and the elements that several pages share.

use std::fmt::Display;

use actix_web::{HttpResponse, web::Bytes};
use chrono::{DateTime, SecondsFormat, Utc};
use maud::{DOCTYPE, Markup, display, html};
use quipu_notation::games::GameNotation;
use quipu_referee::{Lang, Status, competition::Quarter, messages::catalog};

use super::{
    about::{About, description_key},
    messages,
};
use crate::{params, request::RequestContext, respond::CachePolicy};
use quipu_archive::model::{Number, ScoreAddress};
use quipu_pictures::inert;

/// Items per page of a list.
pub(super) const LISTED: usize = 50;

/// The main navigation: paths with the keys of their words.
pub(super) const PLACES: [(&str, &str); 8] = [
    ("/records", "nav.records"),
    ("/live", "nav.live"),
    ("/players", "nav.players"),
    ("/rankings", "nav.rankings"),
    ("/events", "nav.events"),
    ("/rules", "nav.rules"),
    ("/check", "nav.check"),
    ("/keep", "nav.keep"),
];

/// The language and the address of a page, from which the addresses of its links are made.
#[derive(Clone)]
pub(crate) struct View {
    pub(super) lang: Lang,
    /// True if the address names the language. Then the addresses of all links name it too.
    chosen: bool,
    path: String,
    query: String,
    /// The address of the service for people; empty if unknown.
    origin: String,
    is_private: bool,
}

pub(super) struct Page {
    pub(super) title: String,
    /// Path of its entry in the main navigation, or empty.
    pub(super) place: &'static str,
    /// Paths of its scripts.
    pub(super) scripts: &'static [&'static str],
    /// Address of the manifest with which the page is installed on a device.
    pub(super) manifest: Option<String>,
    /// Data for search engines and messengers; by default those of its place.
    pub(super) about: Option<About>,
    pub(super) body: Markup,
}

impl Page {
    /// A page without scripts and manifest.
    pub(super) fn new(title: impl Into<String>, place: &'static str, body: Markup) -> Self {
        Self { title: title.into(), place, scripts: &[], manifest: None, about: None, body }
    }
}

impl View {
    pub(crate) fn of(context: &RequestContext) -> Self {
        let settings = context.settings();
        let (origin, is_private) = (settings.public_url.clone(), settings.private);
        Self { origin, is_private, ..Self::at(&context.path, &context.query, context.lang) }
    }

    pub(super) fn at(path: &str, query: &str, lang: Lang) -> Self {
        // Two slashes would start an address of another host.
        let path = if path[1.min(path.len())..].starts_with(['/', '\\']) { "/" } else { path };
        let rest = params::without(query, "lang");
        let chosen = rest.len() < query.split('&').filter(|pair| !pair.is_empty()).count();
        Self { lang, chosen, path: path.to_owned(), query: rest.join("&"), origin: String::new(), is_private: false }
    }

    pub(super) fn say(&self, key: &str) -> &'static str {
        messages::say(key, self.lang)
    }

    pub(super) fn fill(&self, key: &str, values: &[(&str, &dyn Display)]) -> String {
        messages::fill(key, self.lang, values)
    }

    /// A word of the referee.
    pub(super) fn word(&self, key: &'static str) -> &'static str {
        catalog().word(key, self.lang)
    }

    /// The address of a page or another resource of the service.
    pub(super) fn href(&self, path: &str, query: &[(&str, &str)]) -> String {
        let lang = self.chosen.then_some(("lang", self.lang.as_str()));
        address(path, &query.iter().copied().chain(lang).collect::<Vec<_>>())
    }

    /// The same with the language in the address, for resources that clients request without `Accept-Language`.
    pub(super) fn href_in_language(&self, path: &str, query: &[(&str, &str)]) -> String {
        Self { chosen: true, ..self.clone() }.href(path, query)
    }

    /// The address of this page without the state of its controls.
    pub(super) fn own_path(&self) -> String {
        self.href(&self.path, &[])
    }

    /// The address of this page with another value of a control.
    pub(super) fn with_query(&self, name: &str, value: &str) -> String {
        let mut pairs = params::without(&self.query, name);
        pairs.push(format!("{name}={}", params::encoded(value)));
        pairs.extend(self.chosen.then(|| format!("lang={}", self.lang.as_str())));
        format!("{}?{}", self.path, pairs.join("&"))
    }

    /// Data about this page, without a picture.
    pub(super) fn about(&self, description: impl Into<String>) -> About {
        About { description: description.into(), address: self.own_path(), picture: None }
    }

    /// Data about a page that says no more about itself than its place in the main navigation; none without a place.
    fn about_place(&self, place: &str) -> Option<About> {
        description_key(place).map(|key| self.about(self.say(key)))
    }

    /// The address of a path for other sites; none if the address of the service is unknown.
    pub(super) fn public(&self, path: &str) -> Option<String> {
        (!self.origin.is_empty()).then(|| format!("{}{path}", self.origin))
    }

    /// The reason that no code of a scoresheet may keep score, if there is one.
    pub(super) fn no_codes(&self) -> Option<String> {
        if self.is_private {
            Some(self.say("tournament.no-codes-private").to_owned())
        } else if self.origin.is_empty() {
            Some(self.say("tournament.no-codes").to_owned())
        } else if self.origin.len() > ScoreAddress::SERVICE {
            Some(self.fill("tournament.no-codes-long", &[("most", &ScoreAddress::SERVICE)]))
        } else {
            None
        }
    }

    /// The address of a picture, in the language of the page.
    pub(super) fn picture_address(&self, path: &str, query: &[(&str, &str)], theme: &str) -> String {
        address(path, &[query, &[("theme", theme), ("lang", self.lang.as_str())]].concat())
    }

    /// The address of this page in another language.
    pub(super) fn in_language(&self, lang: Lang) -> String {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned);
        let pairs: Vec<_> = pairs.chain([format!("lang={}", lang.as_str())]).collect();
        format!("{}?{}", self.path, pairs.join("&"))
    }

    /// The hidden field with which a form keeps the language of the page.
    pub(super) fn language_field(&self) -> Markup {
        html! { @if self.chosen { input type="hidden" name="lang" value=(self.lang.as_str()); } }
    }

    pub(super) fn write(&self, page: &Page) -> String {
        let Page { title, place, scripts, manifest, about, body } = page;
        let other = if self.lang == Lang::Es { Lang::En } else { Lang::Es };
        let content = html! {
            a.skip href="#main" { (self.say("frame.skip")) }
            header {
                p.name {
                    a href=(self.href("/", &[])) aria-current=[(*place == "/").then_some("page")] {
                        img src="/assets/icon.svg" alt="" width="28" height="28"; "quipu"
                    }
                }
                nav aria-label=(self.say("frame.nav")) {
                    ul {
                        @for (path, key) in PLACES {
                            li {
                                a href=(self.href(path, &[])) aria-current=[(path == *place).then_some("page")] {
                                    (self.say(key))
                                }
                            }
                        }
                    }
                }
                p.language { a href=(self.in_language(other)) hreflang=(other.as_str()) lang=(other.as_str()) {
                    (messages::say("frame.language", other))
                } }
            }
            main #main tabindex="-1" { (body) }
            footer {
                p {
                    "quipu " (env!("CARGO_PKG_VERSION")) " · "
                    a href=(self.href("/docs", &[])) { (self.say("frame.api")) }
                }
            }
        };
        let of_place = about.is_none().then(|| self.about_place(place)).flatten();
        self.document(title, "", scripts, manifest.as_deref(), about.as_ref().or(of_place.as_ref()), &content)
    }

    /// The data of a page in its head. It has addresses only if the setting `public-url` gives that of the service: other sites
    /// follow no relative ones, and the `Host` of a request is not trusted, because responses are cached for all clients.
    fn about_elements(&self, about: &About, title: &str) -> Markup {
        let address = self.public(&about.address);
        let locale = match self.lang {
            Lang::Es => "es",
            Lang::En => "en_GB",
        };
        html! {
            meta name="description" content=(about.description);
            @if let Some(address) = &address { link rel="canonical" href=(address); }
            meta property="og:site_name" content="quipu";
            meta property="og:type" content="website";
            meta property="og:locale" content=(locale);
            meta property="og:title" content=(title);
            meta property="og:description" content=(about.description);
            @if let Some(address) = &address { meta property="og:url" content=(address); }
            @if let Some(picture) = about.picture.as_ref().and_then(|picture| self.public(picture)) {
                meta property="og:image" content=(picture);
                meta name="twitter:card" content="summary_large_image";
            }
        }
    }

    /// An HTML document, with or without the frame.
    pub(super) fn document(
        &self,
        title: &str,
        kind: &'static str,
        scripts: &[&str],
        manifest: Option<&str>,
        about: Option<&About>,
        content: &Markup,
    ) -> String {
        let page = html! {
            (DOCTYPE)
            html lang=(self.lang.as_str()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (title) @if title != "quipu" { " · quipu" } }
                    link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                    link rel="stylesheet" href="/assets/style.css";
                    @if let Some(manifest) = manifest {
                        link rel="manifest" href=(manifest);
                        link rel="apple-touch-icon" href="/assets/icon-192.png";
                    }
                    @if let Some(about) = about { (self.about_elements(about, title)) }
                    @for script in scripts { script type="module" src=(script) {} }
                }
                body class=[Some(kind).filter(|kind| !kind.is_empty())] { (content) }
            }
        };
        inert(page.into_string())
    }
}

/// An address without a language.
pub(super) fn address(path: &str, query: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = query.iter().map(|(name, value)| format!("{name}={}", params::encoded(value))).collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

pub(super) fn page_response(context: &RequestContext, page: impl Into<Bytes>) -> HttpResponse {
    context.with_language(context.bytes(page))
}

/// A response with a page whose content is that of the archive at a change, valid until the next one.
pub(super) fn page_response_at(context: &RequestContext, last: Number, page: String) -> HttpResponse {
    context.with_etag(page_response(context, page), CachePolicy::UntilChange, format_args!("{last}"))
}

/// A time for people.
pub(super) fn time(at: DateTime<Utc>) -> Markup {
    html! { time datetime=(at.to_rfc3339_opts(SecondsFormat::Millis, true)) { (display(at.format("%Y-%m-%d %H:%M UTC"))) } }
}

pub(super) fn game_name(view: &View, game: &GameNotation) -> &'static str {
    quipu_referee::games::find(game.id).map_or(game.id, |game| view.word(game.name()))
}

pub(super) fn status(view: &View, status: Status) -> Markup {
    html! { span class={ "status " (status.as_str()) } { (view.word(status.word())) } }
}

/// A table that scrolls by itself if it is too wide.
pub(super) fn scrollable_table(label: &str, table: &Markup) -> Markup {
    html! { div.wide role="region" aria-label=(label) tabindex="0" { (table) } }
}

/// The same with a caption, which names it too: the cells of its heading, and its body in one `tbody` or more.
pub(super) fn captioned_table(caption: &str, head: &Markup, body: &Markup) -> Markup {
    scrollable_table(caption, &html! { table { caption { (caption) } thead { tr { (head) } } (body) } })
}

/// A note in place of an empty list, with links that lead on: to the same list without conditions, and to all games.
pub(super) fn empty_list(view: &View) -> Markup {
    let clear =
        (!view.query.is_empty()).then(|| html! { a href=(view.href(&view.path, &[])) { (view.say("list.clear")) } });
    let games =
        (view.path != "/records").then(|| html! { a href=(view.href("/records", &[])) { (view.say("list.games")) } });
    html! { p { (view.say("list.nothing")) } (line([clear, games])) }
}

/// The end of a list: a note if it is empty, and a link to the next page.
pub(super) fn list_end(view: &View, count: usize, next: Option<String>) -> Markup {
    html! {
        @if count == 0 { (empty_list(view)) }
        @if let Some(next) = next { p { a.button href=(next) rel="next" { (view.say("list.next")) } } }
    }
}

/// Short texts with a separator between them.
pub(super) fn joined(said: impl IntoIterator<Item = Option<Markup>>) -> Markup {
    html! { @for (place, one) in said.into_iter().flatten().enumerate() { @if place > 0 { " · " } (one) } }
}

/// The same in a line of secondary text.
pub(super) fn line(said: impl IntoIterator<Item = Option<Markup>>) -> Markup {
    html! { p.meta { (joined(said)) } }
}

/// A figure with signs for its fractions: `½`, `20½`.
pub(super) fn fraction(figure: impl Into<Quarter>) -> String {
    figure.into().with_signs()
}

/// The first characters of an id.
pub(super) fn short(id: &str) -> String {
    format!("{}…", &id[..12.min(id.len())])
}

/// A form that searches a page by its field `q`. `label` is the key of the field's words, `text` its value; `more` follows in
/// the form.
pub(super) fn search_form(view: &View, action: &str, label: &str, text: &str, more: &Markup) -> Markup {
    html! {
        form.search action=(action) method="get" role="search" {
            (view.language_field())
            p.line {
                label for="q" { (view.say(label)) }
                input id="q" name="q" type="search" value=(text) maxlength="256";
                button { (view.say("records.search")) }
            }
            (more)
        }
    }
}
