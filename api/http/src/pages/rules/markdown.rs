//! The text of the rules of a game as HTML, with boards, and with links between articles, codes and examples.

use std::collections::{BTreeMap, BTreeSet};

use maud::html;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, TextMergeStream};
use quipu_referee::{Board, Referee, codes};

use super::{
    articles::{is_article, parts},
    figure::Figure,
    links::address_of,
};
use crate::pages::frame::View;

/// A text of rules in its parts.
pub(super) struct Text {
    pub(super) title: String,
    /// HTML before the first section.
    pub(super) preamble: String,
    pub(super) sections: Vec<Section>,
}

/// A section with a heading of the second level.
pub(super) struct Section {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) html: String,
}

impl Text {
    pub(super) fn new(view: &View, game: &'static dyn Referee, markdown: &str) -> Self {
        // The page has its own link to the other language.
        let markdown: String =
            markdown.lines().filter(|line| !line.starts_with("*[")).flat_map(|line| [line, "\n"]).collect();
        let events: Vec<_> = TextMergeStream::new(Parser::new_ext(&markdown, Options::ENABLE_TABLES)).collect();
        let mut writer = Writer {
            view,
            game,
            events: &events,
            places: places(&events),
            shown: BTreeSet::new(),
            examples: examples(&events),
            text: Self { title: String::new(), preamble: String::new(), sections: Vec::new() },
            heading: String::new(),
            headings: BTreeMap::new(),
            board: None,
            in_head: false,
            cell: "",
            in_link: false,
        };
        let mut at = 0;
        while at < events.len() {
            at = writer.write(at);
        }
        writer.text
    }

    /// The first paragraph of the first section.
    pub(super) fn summary(&self) -> &str {
        let first = self.sections.first().map_or("", |section| &*section.html);
        first.find("</p>").map_or("", |end| &first[..end + "</p>".len()])
    }
}

/// The place where a text states an article, to which all others refer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArticlePlace {
    /// The row of a table that begins with its name.
    Row,
    /// The event of the first text that cites it.
    Event(usize),
}

/// The places of the articles: a row of its own, else the first mention outside of tables and after the preamble, else the first in
/// a table.
fn places(events: &[Event<'_>]) -> BTreeMap<String, ArticlePlace> {
    let mut found: BTreeMap<String, (bool, ArticlePlace)> = BTreeMap::new();
    let (mut has_begun, mut in_table, mut in_code) = (false, false, false);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::End(TagEnd::Heading(_)) => has_begun |= !found_title(events, at),
            Event::Start(Tag::Table(_)) => in_table = true,
            Event::End(TagEnd::Table) => in_table = false,
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if is_article(text) && is_first_cell(events, at) => {
                found.insert(text.to_string(), (false, ArticlePlace::Row));
            }
            Event::Text(text) if has_begun && !in_code => {
                for (name, _) in parts(text).into_iter().filter(|(_, is_one)| *is_one) {
                    let here = (in_table, ArticlePlace::Event(at));
                    let place = found.entry(name.to_owned()).or_insert(here);
                    if place.0 && !in_table {
                        *place = here;
                    }
                }
            }
            _ => {}
        }
    }
    found.into_iter().map(|(name, (_, place))| (name, place)).collect()
}

/// True if the heading that ends here is the title of the text.
fn found_title(events: &[Event<'_>], end: usize) -> bool {
    let start = events[..end].iter().rposition(|event| matches!(event, Event::Start(Tag::Heading { .. })));
    start == Some(0)
}

/// True if a text is alone in the first cell of a row.
fn is_first_cell(events: &[Event<'_>], at: usize) -> bool {
    matches!(
        (at.checked_sub(2).map(|before| &events[before..at]), events.get(at + 1)),
        (Some([Event::Start(Tag::TableRow), Event::Start(Tag::TableCell)]), Some(Event::End(TagEnd::TableCell)))
    )
}

/// The moves that figures show.
fn examples(events: &[Event<'_>]) -> BTreeSet<String> {
    let blocks = events.windows(2).filter_map(|pair| match pair {
        [Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))), Event::Text(text)] => Figure::parse(info, text),
        _ => None,
    });
    blocks.filter_map(|figure| figure.token).map(str::to_owned).collect()
}

/// The anchor of a heading, as forges make it from the heading of a document.
fn slug(heading: &str) -> String {
    let letters = heading.to_lowercase();
    let kept = letters.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

struct Writer<'w> {
    view: &'w View,
    game: &'static dyn Referee,
    events: &'w [Event<'w>],
    places: BTreeMap<String, ArticlePlace>,
    /// Ids of articles and examples that are on the page.
    shown: BTreeSet<String>,
    examples: BTreeSet<String>,
    text: Text,
    /// The last heading, and how many tables are under each.
    heading: String,
    headings: BTreeMap<String, usize>,
    /// The position of the row, for the moves after it.
    board: Option<(String, Box<dyn Board>)>,
    in_head: bool,
    /// The end of the cell.
    cell: &'static str,
    in_link: bool,
}

impl Writer<'_> {
    /// Appends HTML to the current section.
    fn push(&mut self, html: &str) {
        self.text.sections.last_mut().map_or(&mut self.text.preamble, |section| &mut section.html).push_str(html);
    }

    fn push_text(&mut self, text: &str) {
        self.push(&html! { (text) }.into_string());
    }

    /// Writes the event at an index, and returns that of the next one to write.
    fn write(&mut self, at: usize) -> usize {
        match &self.events[at] {
            Event::Start(Tag::Heading { level, .. }) => return self.heading(at, *level as usize),
            Event::Start(Tag::CodeBlock(kind)) => return self.block(at, kind),
            Event::Start(tag) => self.open(at, tag),
            Event::End(tag) => self.close(*tag),
            Event::Text(text) => self.words(at, text),
            Event::Code(code) => self.code(code),
            Event::SoftBreak | Event::HardBreak => self.push("\n"),
            Event::Rule
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {}
        }
        at + 1
    }

    /// The text of the events from an index up to an end, and the index behind it.
    fn until(&self, at: usize, is_end: impl Fn(&TagEnd) -> bool) -> (String, usize) {
        let mut text = String::new();
        for (index, event) in self.events.iter().enumerate().skip(at) {
            match event {
                Event::End(end) if is_end(end) => return (text, index + 1),
                Event::Text(part) | Event::Code(part) => text.push_str(part),
                _ => {}
            }
        }
        (text, self.events.len())
    }

    fn heading(&mut self, at: usize, level: usize) -> usize {
        let (title, next) = self.until(at, |end| matches!(end, TagEnd::Heading(_)));
        match level {
            1 => self.text.title.clone_from(&title),
            2 => self.text.sections.push(Section { id: slug(&title), title: title.clone(), html: String::new() }),
            _ => self.push(&html! { h3 id=(slug(&title)) { (title) } }.into_string()),
        }
        self.heading = title;
        next
    }

    /// A block of code: a board, or a text as it is written.
    fn block(&mut self, at: usize, kind: &CodeBlockKind<'_>) -> usize {
        let (text, next) = self.until(at, |end| matches!(end, TagEnd::CodeBlock));
        let info = if let CodeBlockKind::Fenced(info) = kind { info } else { "" };
        let html = if let Some(figure) = Figure::parse(info, &text) {
            let id = figure.token.map(example_id).filter(|id| self.shown.insert(id.clone()));
            figure.write(self.view, self.game, id)
        } else {
            html! { pre.drawn tabindex="0" { (text) } }
        };
        self.push(&html.into_string());
        next
    }

    fn open(&mut self, at: usize, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph => self.push("<p>"),
            Tag::List(None) => self.push("<ul>"),
            Tag::List(Some(_)) => self.push("<ol>"),
            Tag::Item => self.push("<li>"),
            Tag::Emphasis => self.push("<em>"),
            Tag::Strong => self.push("<strong>"),
            Tag::Table(_) => {
                let count = self.headings.entry(self.heading.clone()).or_default();
                *count += 1;
                let name = if *count == 1 { self.heading.clone() } else { format!("{} ({count})", self.heading) };
                let name = html! { (name) }.into_string();
                self.push(&format!(
                    "<div class=\"wide\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\"><table><caption>{name}</caption>"
                ));
            }
            Tag::TableHead => {
                self.in_head = true;
                self.push("<thead><tr>");
            }
            Tag::TableRow => {
                self.board = None;
                self.push("<tr>");
            }
            Tag::TableCell => self.cell(at),
            Tag::Link { dest_url, .. } => self.link(at, dest_url),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.push("</p>"),
            TagEnd::List(false) => self.push("</ul>"),
            TagEnd::List(true) => self.push("</ol>"),
            TagEnd::Item => self.push("</li>"),
            TagEnd::Emphasis => self.push("</em>"),
            TagEnd::Strong => self.push("</strong>"),
            TagEnd::Table => {
                self.board = None;
                self.push("</tbody></table></div>");
            }
            TagEnd::TableHead => {
                self.in_head = false;
                self.push("</tr></thead><tbody>");
            }
            TagEnd::TableRow => self.push("</tr>"),
            TagEnd::TableCell => self.push(self.cell),
            TagEnd::Link if self.in_link => {
                self.in_link = false;
                self.push("</a>");
            }
            _ => {}
        }
    }

    fn cell(&mut self, at: usize) {
        let inside = self.events.get(at + 1);
        // A column without a name has no heading.
        if self.in_head && !matches!(inside, Some(Event::End(_))) {
            self.cell = "</th>";
            return self.push("<th scope=\"col\">");
        }
        self.cell = "</td>";
        match inside {
            Some(Event::Text(name)) if is_article(name) && is_first_cell(self.events, at + 1) => {
                self.push(&format!("<td id=\"{name}\">"));
            }
            _ => self.push("<td>"),
        }
    }

    /// A link within the page; the text alone of a link to another document.
    fn link(&mut self, at: usize, address: &str) {
        let place = match self.events.get(at + 1) {
            Some(Event::Text(name)) if self.places.contains_key(&**name) => format!("#{name}"),
            _ if address.starts_with('#') => address.to_owned(),
            _ => return,
        };
        self.in_link = true;
        self.push(&format!("<a href=\"{}\">", html! { (place) }.into_string()));
    }

    /// A text with its articles: one has its anchor where it is stated, and is a link to there elsewhere.
    fn words(&mut self, at: usize, text: &str) {
        if self.in_link {
            return self.push_text(text);
        }
        for (part, is_one) in parts(text) {
            match self.places.get(part).copied().filter(|_| is_one) {
                Some(ArticlePlace::Event(place)) if place == at && self.shown.insert(part.to_owned()) => {
                    self.push(&format!("<span id=\"{part}\">{part}</span>"));
                }
                Some(ArticlePlace::Row) if is_first_cell(self.events, at) => self.push(part),
                Some(_) => self.push(&format!("<a href=\"#{part}\">{part}</a>")),
                None => self.push_text(part),
            }
        }
    }

    /// A code, a position or a move as a link; other texts as they are.
    fn code(&mut self, code: &str) {
        let (view, game) = (self.view, self.game);
        let picture = |query: &[(&str, &str)]| {
            let game = [("game", game.notation().id)];
            view.picture_address("/v1/positions.svg", &[&game, query].concat(), "light")
        };
        let address = if codes::find(code).is_some() {
            Some(address_of(view, code))
        } else if code.contains('/') && game.arrange(None, code).is_ok() {
            self.board = game.board(None, Some(code)).ok().map(|board| (code.to_owned(), board));
            Some(picture(&[("position", code)]))
        } else if let Some((position, board)) = &self.board
            && board.copied().play(code).is_ok()
        {
            Some(picture(&[("position", position), ("move", code)]))
        } else if self.examples.contains(code) {
            Some(format!("#{}", example_id(code)))
        } else {
            None
        };
        let html = html! {
            @if let Some(address) = address.filter(|_| !self.in_link) { a href=(address) { code { (code) } } } @else { code { (code) } }
        };
        self.push(&html.into_string());
    }
}

/// The id of the figure of a move.
fn example_id(token: &str) -> String {
    format!("move-{token}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_of_headings() {
        assert_eq!(slug("The author's statements"), "the-authors-statements");
        assert_eq!(slug("Cómo se escribe una jugada"), "cómo-se-escribe-una-jugada");
        assert_eq!(slug("Captures and attacks: never both in one move"), "captures-and-attacks-never-both-in-one-move");
    }
}
