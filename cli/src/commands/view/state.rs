//! State of the viewer and its update function: events go in, effects come out. It does not touch terminals, files or
//! threads.

use quipu_referee::Status;

use super::{
    game::{GameView, ListRow},
    keys::{self, Focus, KeyAction, KeyPress},
    layout,
    list::{List, TextFilter},
    query::{Direction, Query},
};
use crate::{context::Context, styled::Styled};

/// Plies per page of a game.
const PLIES: usize = 10;
/// Characters of a number and of a search text, at most.
const DIGITS: usize = 15;
const LETTERS: usize = 200;

/// An input of the update function.
pub(super) enum ViewEvent {
    /// A key was pressed.
    Key(KeyPress),
    /// The terminal has so many columns and lines.
    Size(u16, u16),
    /// Further records were read and judged; the percentage read so far.
    Read { statuses: Vec<Status>, percent: Option<u64> },
    /// Everything was read; messages about files that failed.
    Ended { failures: Vec<String> },
    /// Rows of the list were loaded.
    Rows(Vec<(usize, ListRow)>),
    /// A record was read, or the message why not.
    Opened { record: usize, game: Result<Box<GameView>, String> },
    /// Readings of a rejected record in lines, or the message that it has none.
    Readings { record: usize, lines: Result<Vec<Styled>, String> },
    /// Result of a search, and true if it wrapped around.
    Found { generation: u64, found: Option<(usize, bool)> },
    /// Further records passed the text filter.
    Filtered { generation: u64, records: Vec<usize> },
    /// All records were searched for the text filter.
    FilterEnded { generation: u64 },
    /// The program must end, by a signal or because the terminal is gone.
    Over,
}

/// A request to the outside.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Load the rows of these records.
    Rows(Vec<usize>),
    /// Read a record to show it.
    Open(usize),
    /// Search the readings of a record.
    Readings(usize),
    /// Search the next record, among these or all.
    Find {
        generation: u64,
        query: Query,
        from: usize,
        direction: Direction,
        among: Option<Vec<usize>>,
    },
    /// Search all records for the text filter.
    Filter {
        generation: u64,
        query: Query,
    },
    StopFind,
    /// Stop the search for the text filter.
    StopFilter,
    /// Clear the screen and draw it again.
    Redraw,
    Suspend,
    /// End the program.
    Quit,
}

pub(super) struct ViewState {
    pub(super) context: Context,
    /// Name of the file, or number of files.
    pub(super) title: String,
    /// Columns and lines of the terminal.
    pub(super) size: (u16, u16),
    pub(super) list: List,
    pub(super) open: Option<OpenGame>,
    pub(super) page: Option<TextPage>,
    pub(super) prompt: Option<Prompt>,
    /// A notice until the next key.
    pub(super) notice: Option<String>,
    /// True if boards are seen from the second side.
    pub(super) flipped: bool,
    /// True while a search for a record runs.
    pub(super) is_searching: bool,
    query: Option<Query>,
    /// Messages about files that failed.
    pub(super) failures: Vec<String>,
    /// Number of the last search; results of earlier ones are ignored.
    generation: u64,
    filter_generation: u64,
    /// The record that was requested and is not loaded yet.
    opening: Option<usize>,
    /// Record and ply to open at the start.
    start: (Option<usize>, Option<usize>),
    /// True once it was decided if the only record of the input is opened.
    is_settled: bool,
    effects: Vec<Effect>,
}

/// The game on the screen.
pub(super) struct OpenGame {
    pub(super) record: usize,
    pub(super) game: Box<GameView>,
    /// Ply on the screen; 0 is the start position.
    pub(super) at: usize,
    /// Its readings in lines, once they were found.
    readings: Option<Vec<Styled>>,
    /// True while they are searched.
    is_searched: bool,
}

/// A page of text over list or game.
pub(super) struct TextPage {
    pub(super) kind: PageKind,
    pub(super) lines: Vec<Styled>,
    /// First visible line.
    pub(super) top: usize,
    /// Width that the lines are wrapped to.
    width: usize,
}

/// Subject of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageKind {
    Keys,
    Details,
    Readings,
}

/// An open prompt with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) ask: Ask,
    pub(super) text: String,
}

/// Purpose of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Number,
    Search,
    Filter,
}

impl ViewState {
    /// An empty list. The record `start.0`, counted from 0, is opened as soon as it is read, at the ply `start.1`.
    pub(super) fn new(context: Context, title: String, start: (Option<usize>, Option<usize>)) -> Self {
        Self {
            context,
            title,
            size: (0, 0),
            list: List::default(),
            open: None,
            page: None,
            prompt: None,
            notice: None,
            flipped: false,
            is_searching: false,
            query: None,
            failures: Vec::new(),
            generation: 0,
            filter_generation: 0,
            opening: None,
            start,
            is_settled: false,
            effects: Vec::new(),
        }
    }

    /// The part of the viewer that has the keys.
    pub(super) fn focus(&self) -> Focus {
        match (&self.page, &self.open) {
            (Some(_), _) => Focus::Page,
            (None, Some(_)) => Focus::Game,
            (None, None) => Focus::List,
        }
    }

    /// Takes the effects since the last call.
    pub(super) fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    pub(super) fn update(&mut self, event: ViewEvent) {
        match event {
            ViewEvent::Key(key) => self.press(key),
            ViewEvent::Size(columns, lines) => self.size = (columns, lines),
            ViewEvent::Read { statuses, percent } => {
                self.list.read(&statuses);
                self.list.percent = percent.or(self.list.percent);
            }
            ViewEvent::Ended { failures } => {
                self.list.ended = true;
                self.notice = failures.first().cloned().or(self.notice.take());
                self.failures = failures;
            }
            ViewEvent::Rows(rows) => self.list.learn(rows),
            ViewEvent::Opened { record, game } => self.opened(record, game),
            ViewEvent::Readings { record, lines } => self.show_readings(record, lines),
            ViewEvent::Found { generation, found } if generation == self.generation && self.is_searching => {
                self.found(found);
            }
            ViewEvent::Filtered { generation, records } if generation == self.filter_generation => {
                self.list.found(records);
            }
            ViewEvent::FilterEnded { generation } if generation == self.filter_generation => {
                if let Some(filter) = &mut self.list.filter {
                    filter.ended = true;
                }
            }
            ViewEvent::Found { .. } | ViewEvent::Filtered { .. } | ViewEvent::FilterEnded { .. } => {}
            ViewEvent::Over => self.effects.push(Effect::Quit),
        }
        self.settle();
    }

    /// Brings all dependent values up to date.
    fn settle(&mut self) {
        if self.list.ended && self.list.known() == 1 && !std::mem::replace(&mut self.is_settled, true) {
            // A list of one record says nothing that the record itself does not.
            let is_untouched = self.open.is_none() && self.opening.is_none() && self.page.is_none();
            self.start.0 = self.start.0.or(is_untouched.then_some(0));
        }
        if let Some(record) = self.start.0 {
            if record < self.list.known() {
                self.start.0 = None;
                self.list.choose(record);
                self.ask_for(record);
            } else if self.list.ended {
                self.start = (None, None);
                self.notice = Some(self.no_record(record + 1));
            }
        }
        let seen = self.list.settle(layout::list_lines(self.size));
        if let Some(wanted) = self.list.wanted(seen) {
            self.effects.push(Effect::Rows(wanted));
        }
        let (width, height) = layout::page_size(self.size);
        if let Some(page) = &mut self.page {
            if page.width != width {
                page.width = width;
                page.lines = match (page.kind, &self.open) {
                    (PageKind::Details, Some(open)) => open.game.page(self.context, open.at, width),
                    (PageKind::Readings, Some(OpenGame { readings: Some(readings), .. })) => {
                        readings.iter().flat_map(|line| line.wrapped(width, 3, usize::MAX)).collect()
                    }
                    (PageKind::Details | PageKind::Readings | PageKind::Keys, _) => {
                        layout::keys_page(self.context, width)
                    }
                };
            }
            page.top = page.top.min(page.lines.len().saturating_sub(height));
        }
    }

    fn ask_for(&mut self, record: usize) {
        self.opening = Some(record);
        self.effects.push(Effect::Open(record));
    }

    /// The notice about a record that does not exist.
    fn no_record(&self, record: usize) -> String {
        let count = self.list.known();
        self.context.fill("replay.no-record", &[("record", &record), ("count", &count)])
    }

    fn opened(&mut self, record: usize, game: Result<Box<GameView>, String>) {
        if self.opening != Some(record) {
            return;
        }
        self.opening = None;
        match game {
            Ok(game) => {
                let asked = self.start.1.take();
                let at = asked.unwrap_or_else(|| game.opened_at()).min(game.plies.len());
                if let Some(asked) = asked.filter(|asked| *asked > at) {
                    self.notice = Some(self.no_ply(asked, game.plies.len()));
                }
                self.list.choose(record);
                self.open = Some(OpenGame { record, game, at, readings: None, is_searched: false });
                self.page = None;
            }
            Err(why) => self.notice = Some(why),
        }
    }

    /// Shows the readings of the open record, unless it was left meanwhile.
    fn show_readings(&mut self, record: usize, lines: Result<Vec<Styled>, String>) {
        let Some(open) = self.open.as_mut().filter(|open| open.record == record) else { return };
        open.is_searched = false;
        self.notice = None;
        match lines {
            Ok(lines) => {
                open.readings = Some(lines);
                self.turn_to(PageKind::Readings);
            }
            Err(why) => self.notice = Some(why),
        }
    }

    /// The notice about a ply that does not exist.
    fn no_ply(&self, ply: usize, count: usize) -> String {
        self.context.fill("view.no-ply", &[("ply", &ply), ("count", &count)])
    }

    fn found(&mut self, found: Option<(usize, bool)>) {
        self.is_searching = false;
        self.notice = self.tell_found(found.map(|(_, passed)| passed));
        if let Some((record, _)) = found {
            self.list.choose(record);
        }
    }

    /// The notice about the end of a search: no match, or that it wrapped around.
    fn tell_found(&self, passed: Option<bool>) -> Option<String> {
        let text = self.query.as_ref().map(Query::text).unwrap_or_default();
        match passed {
            None => Some(self.context.fill("view.not-found", &[("text", &text)])),
            Some(true) => Some(self.context.say("view.past-the-end").to_owned()),
            Some(false) => None,
        }
    }

    fn press(&mut self, key: KeyPress) {
        match key {
            KeyPress::Control('c') => self.effects.push(Effect::Quit),
            KeyPress::Control('z') => self.effects.push(Effect::Suspend),
            KeyPress::Control('l') => self.effects.push(Effect::Redraw),
            _ => {
                self.notice = None;
                if self.prompt.is_some() {
                    self.write(key);
                } else if let Some(action) = keys::action(self.focus(), key) {
                    self.act(action, key);
                }
            }
        }
    }

    fn act(&mut self, action: KeyAction, key: KeyPress) {
        match action {
            KeyAction::Number => {
                self.ask(Ask::Number);
                self.write(key);
            }
            KeyAction::Search => self.ask(Ask::Search),
            KeyAction::Filter => self.ask(Ask::Filter),
            KeyAction::SearchOn => self.search(Direction::Forward),
            KeyAction::SearchBack => self.search(Direction::Back),
            KeyAction::Keys => self.turn_to(PageKind::Keys),
            KeyAction::Details => self.turn_to(PageKind::Details),
            _ => match self.focus() {
                Focus::Page => self.act_on_page(action),
                Focus::Game => self.act_in_game(action),
                Focus::List => self.act_in_list(action),
            },
        }
    }

    fn turn_to(&mut self, kind: PageKind) {
        self.page = Some(TextPage { kind, lines: Vec::new(), top: 0, width: usize::MAX });
    }

    fn act_on_page(&mut self, action: KeyAction) {
        let (_, height) = layout::page_size(self.size);
        let Some(page) = &mut self.page else { return };
        page.top = match action {
            KeyAction::Previous => page.top.saturating_sub(1),
            KeyAction::Next => page.top + 1,
            KeyAction::PageUp => page.top.saturating_sub(height),
            KeyAction::PageDown => page.top + height,
            KeyAction::First => 0,
            KeyAction::Last => page.lines.len(),
            _ => {
                self.page = None;
                return;
            }
        };
    }

    fn act_in_list(&mut self, action: KeyAction) {
        let page = layout::list_lines(self.size).max(1);
        let cursor = self.list.cursor;
        match action {
            KeyAction::Previous => self.list.go(cursor.saturating_sub(1)),
            KeyAction::Next => self.list.go(cursor + 1),
            KeyAction::PageUp => self.list.go(cursor.saturating_sub(page)),
            KeyAction::PageDown => self.list.go(cursor + page),
            KeyAction::First => self.list.go(0),
            KeyAction::Last => self.list.go(usize::MAX),
            KeyAction::Open => {
                if let Some(record) = self.list.chosen() {
                    self.ask_for(record);
                }
            }
            KeyAction::Faults => {
                self.list.faults = !self.list.faults;
                self.list.choose_shown();
            }
            KeyAction::Leave if self.is_searching => {
                self.is_searching = false;
                self.effects.push(Effect::StopFind);
            }
            KeyAction::Leave => self.effects.push(Effect::Quit),
            _ => {}
        }
    }

    fn act_in_game(&mut self, action: KeyAction) {
        let Some(open) = &mut self.open else { return };
        let last = open.game.plies.len();
        match action {
            KeyAction::Previous => open.at = open.at.saturating_sub(1),
            KeyAction::Next => open.at = last.min(open.at + 1),
            KeyAction::PageUp => open.at = open.at.saturating_sub(PLIES),
            KeyAction::PageDown => open.at = last.min(open.at + PLIES),
            KeyAction::First => open.at = 0,
            KeyAction::Last => open.at = last,
            KeyAction::Flip => self.flipped = !self.flipped,
            KeyAction::Fault => match open.game.next_fault(open.at) {
                Some(fault) => open.at = fault,
                None => self.notice = Some(self.context.say("view.no-fault").to_owned()),
            },
            KeyAction::Readings if open.readings.is_some() => self.turn_to(PageKind::Readings),
            KeyAction::Readings if open.is_searched => {}
            KeyAction::Readings => {
                open.is_searched = true;
                self.notice = Some(self.context.say("view.readings-searched").to_owned());
                self.effects.push(Effect::Readings(open.record));
            }
            KeyAction::RecordBefore | KeyAction::RecordAfter => {
                // Repeated presses continue from the record that is being loaded.
                let from = self.opening.unwrap_or(open.record);
                match self.list.beside(from, action == KeyAction::RecordAfter) {
                    Some(record) => self.ask_for(record),
                    None => self.notice = Some(self.context.say("view.no-more-records").to_owned()),
                }
            }
            KeyAction::Leave => {
                self.open = None;
                self.opening = None;
            }
            _ => {}
        }
    }

    fn ask(&mut self, ask: Ask) {
        self.prompt = Some(Prompt { ask, text: String::new() });
    }

    /// Edits the text of the prompt.
    fn write(&mut self, key: KeyPress) {
        let Some(prompt) = &mut self.prompt else { return };
        let number = prompt.ask == Ask::Number;
        let most = if number { DIGITS } else { LETTERS };
        match key {
            KeyPress::Char(letter) if number && !letter.is_ascii_digit() => {}
            KeyPress::Char(letter) if prompt.text.chars().count() < most => prompt.text.push(letter),
            KeyPress::Backspace if prompt.text.is_empty() => self.prompt = None,
            KeyPress::Backspace => drop(prompt.text.pop()),
            KeyPress::Control('u') => prompt.text.clear(),
            KeyPress::Escape => self.prompt = None,
            KeyPress::Enter => {
                let Prompt { ask, text } = self.prompt.take().expect("it was just there");
                self.answer(ask, &text);
            }
            _ => {}
        }
    }

    fn answer(&mut self, ask: Ask, text: &str) {
        match ask {
            Ask::Number => {
                if let Ok(number) = text.parse() {
                    self.go_to(number);
                }
            }
            Ask::Search => {
                // An empty text repeats the last search.
                self.query = Query::new(text).or(self.query.take());
                self.search(Direction::Forward);
            }
            Ask::Filter => {
                self.filter_generation += 1;
                self.list.filter = Query::new(text).map(|query| TextFilter { query, found: Vec::new(), ended: false });
                self.effects.push(match &self.list.filter {
                    Some(filter) => Effect::Filter { generation: self.filter_generation, query: filter.query.clone() },
                    None => Effect::StopFilter,
                });
                self.list.choose_shown();
            }
        }
    }

    fn go_to(&mut self, number: usize) {
        if let Some(open) = &mut self.open {
            let count = open.game.plies.len();
            if number <= count {
                open.at = number;
            } else {
                self.notice = Some(self.no_ply(number, count));
            }
            return;
        }
        match number.checked_sub(1) {
            Some(record) if record < self.list.known() => {
                if !self.list.choose(record) {
                    self.notice = Some(self.context.fill("view.filtered-out", &[("record", &number)]));
                }
            }
            _ => self.notice = Some(self.no_record(number)),
        }
    }

    /// Searches the next match.
    fn search(&mut self, direction: Direction) {
        let Some(query) = &self.query else {
            self.notice = Some(self.context.say("view.nothing-searched").to_owned());
            return;
        };
        if let Some(open) = &mut self.open {
            let found = open.game.search(query, open.at, direction);
            open.at = found.map_or(open.at, |(place, _)| place);
            self.notice = self.tell_found(found.map(|(_, passed)| passed));
        } else if let Some(from) = self.list.chosen() {
            self.generation += 1;
            self.is_searching = true;
            let among = self.list.shown().map(<[usize]>::to_vec);
            let query = query.clone();
            self.effects.push(Effect::Find { generation: self.generation, query, from, direction, among });
        }
    }
}

#[cfg(test)]
mod tests;
