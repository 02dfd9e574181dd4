//! State of the viewer and its update function: events go in, effects come out. It does not touch terminals, files or
//! threads.

use quipu_referee::Status;

use super::{
    find::{Direction, Query},
    game::{Game, Row},
    keys::{self, Action, Key, Place},
    layout,
    list::{Filter, List},
};
use crate::{context::Context, styled::Styled};

/// Plies per page of a game.
const PLIES: usize = 10;
/// Characters of a number and of a search text, at most.
const DIGITS: usize = 15;
const LETTERS: usize = 200;

/// An input of the update function.
pub(super) enum Event {
    /// A key was pressed.
    Key(Key),
    /// The terminal has so many columns and lines.
    Size(u16, u16),
    /// Further records were read and judged; the percentage read so far.
    Read { statuses: Vec<Status>, percent: Option<u64> },
    /// Everything was read; messages about files that failed.
    Ended { failures: Vec<String> },
    /// Rows of the list were loaded.
    Rows(Vec<(usize, Row)>),
    /// A record was read, or the message why not.
    Opened { record: usize, game: Result<Box<Game>, String> },
    /// Result of a search, and true if it wrapped around.
    Found { ticket: u64, found: Option<(usize, bool)> },
    /// Further records passed the text filter.
    Sifted { ticket: u64, records: Vec<usize> },
    /// All records were searched for the text filter.
    SiftEnded { ticket: u64 },
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
    /// Search the next record, among these or all.
    Find { ticket: u64, needle: Query, from: usize, direction: Direction, among: Option<Vec<usize>> },
    /// Search all records for the text filter.
    Filter { ticket: u64, needle: Query },
    /// Stop the search.
    StopFind,
    /// Stop the search for the text filter.
    StopSift,
    /// Clear the screen and draw it again.
    Redraw,
    /// Suspend the program.
    Suspend,
    /// End the program.
    Quit,
}

pub(super) struct State {
    pub(super) context: Context,
    /// Name of the file, or number of files.
    pub(super) title: String,
    /// Columns and lines of the terminal.
    pub(super) size: (u16, u16),
    pub(super) list: List,
    pub(super) open: Option<Open>,
    pub(super) page: Option<Page>,
    pub(super) prompt: Option<Prompt>,
    /// A notice until the next key.
    pub(super) notice: Option<String>,
    /// True if boards are seen from the second side.
    pub(super) turned: bool,
    /// True while a search for a record runs.
    pub(super) finding: bool,
    needle: Option<Query>,
    /// Messages about files that failed.
    pub(super) failures: Vec<String>,
    /// Number of the last search; results of earlier ones are ignored.
    ticket: u64,
    sift_ticket: u64,
    /// The record that was requested and is not loaded yet.
    opening: Option<usize>,
    /// Record and ply to open at the start.
    start: (Option<usize>, Option<usize>),
    wishes: Vec<Effect>,
}

/// The game on the screen.
pub(super) struct Open {
    pub(super) record: usize,
    pub(super) game: Box<Game>,
    /// Ply on the screen; 0 is the start position.
    pub(super) at: usize,
}

/// A page of text over list or game.
pub(super) struct Page {
    pub(super) kind: Kind,
    pub(super) lines: Vec<Styled>,
    /// First visible line.
    pub(super) top: usize,
    /// Width that the lines are wrapped to.
    width: usize,
}

/// Subject of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Keys,
    Details,
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

impl State {
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
            turned: false,
            finding: false,
            needle: None,
            failures: Vec::new(),
            ticket: 0,
            sift_ticket: 0,
            opening: None,
            start,
            wishes: Vec::new(),
        }
    }

    /// The part of the viewer that has the keys.
    pub(super) fn place(&self) -> Place {
        match (&self.page, &self.open) {
            (Some(_), _) => Place::Page,
            (None, Some(_)) => Place::Game,
            (None, None) => Place::List,
        }
    }

    /// Takes the effects since the last call.
    pub(super) fn wishes(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.wishes)
    }

    /// Applies an event.
    pub(super) fn take(&mut self, news: Event) {
        match news {
            Event::Key(key) => self.press(key),
            Event::Size(columns, lines) => self.size = (columns, lines),
            Event::Read { statuses, percent } => {
                self.list.read(&statuses);
                self.list.percent = percent.or(self.list.percent);
            }
            Event::Ended { failures } => {
                self.list.ended = true;
                self.notice = failures.first().cloned().or(self.notice.take());
                self.failures = failures;
            }
            Event::Rows(rows) => self.list.learn(rows),
            Event::Opened { record, game } => self.opened(record, game),
            Event::Found { ticket, found } if ticket == self.ticket && self.finding => self.found(found),
            Event::Sifted { ticket, records } if ticket == self.sift_ticket => self.list.found(records),
            Event::SiftEnded { ticket } if ticket == self.sift_ticket => {
                if let Some(sift) = &mut self.list.sift {
                    sift.ended = true;
                }
            }
            Event::Found { .. } | Event::Sifted { .. } | Event::SiftEnded { .. } => {}
            Event::Over => self.wishes.push(Effect::Quit),
        }
        self.settle();
    }

    /// Brings all dependent values up to date.
    fn settle(&mut self) {
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
            self.wishes.push(Effect::Rows(wanted));
        }
        let (width, height) = layout::page_size(self.size);
        if let Some(page) = &mut self.page {
            if page.width != width {
                page.width = width;
                page.lines = match (page.kind, &self.open) {
                    (Kind::Details, Some(open)) => open.game.page(self.context, open.at, width),
                    (Kind::Details | Kind::Keys, _) => layout::keys_page(self.context, width),
                };
            }
            page.top = page.top.min(page.lines.len().saturating_sub(height));
        }
    }

    fn ask_for(&mut self, record: usize) {
        self.opening = Some(record);
        self.wishes.push(Effect::Open(record));
    }

    /// The notice about a record that does not exist.
    fn no_record(&self, record: usize) -> String {
        let count = self.list.known();
        self.context.fill("replay.no-record", &[("record", &record), ("count", &count)])
    }

    fn opened(&mut self, record: usize, game: Result<Box<Game>, String>) {
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
                self.open = Some(Open { record, game, at });
                self.page = None;
            }
            Err(why) => self.notice = Some(why),
        }
    }

    /// The notice about a ply that does not exist.
    fn no_ply(&self, ply: usize, count: usize) -> String {
        self.context.fill("view.no-ply", &[("ply", &ply), ("count", &count)])
    }

    fn found(&mut self, found: Option<(usize, bool)>) {
        self.finding = false;
        self.notice = self.tell_found(found.map(|(_, passed)| passed));
        if let Some((record, _)) = found {
            self.list.choose(record);
        }
    }

    /// The notice about the end of a search: no match, or that it wrapped around.
    fn tell_found(&self, passed: Option<bool>) -> Option<String> {
        let text = self.needle.as_ref().map(Query::text).unwrap_or_default();
        match passed {
            None => Some(self.context.fill("view.not-found", &[("text", &text)])),
            Some(true) => Some(self.context.say("view.past-the-end").to_owned()),
            Some(false) => None,
        }
    }

    fn press(&mut self, key: Key) {
        match key {
            Key::Control('c') => self.wishes.push(Effect::Quit),
            Key::Control('z') => self.wishes.push(Effect::Suspend),
            Key::Control('l') => self.wishes.push(Effect::Redraw),
            _ => {
                self.notice = None;
                if self.prompt.is_some() {
                    self.write(key);
                } else if let Some(deed) = keys::deed(self.place(), key) {
                    self.act(deed, key);
                }
            }
        }
    }

    /// Runs the action of a key.
    fn act(&mut self, deed: Action, key: Key) {
        match deed {
            Action::Number => {
                self.ask(Ask::Number);
                self.write(key);
            }
            Action::Search => self.ask(Ask::Search),
            Action::Filter => self.ask(Ask::Filter),
            Action::SearchOn => self.search(Direction::Forward),
            Action::SearchBack => self.search(Direction::Back),
            Action::Keys => self.turn_to(Kind::Keys),
            Action::Details => self.turn_to(Kind::Details),
            _ => match self.place() {
                Place::Page => self.act_on_page(deed),
                Place::Game => self.act_in_game(deed),
                Place::List => self.act_in_list(deed),
            },
        }
    }

    fn turn_to(&mut self, kind: Kind) {
        self.page = Some(Page { kind, lines: Vec::new(), top: 0, width: usize::MAX });
    }

    fn act_on_page(&mut self, deed: Action) {
        let (_, height) = layout::page_size(self.size);
        let Some(page) = &mut self.page else { return };
        page.top = match deed {
            Action::Previous => page.top.saturating_sub(1),
            Action::Next => page.top + 1,
            Action::PageUp => page.top.saturating_sub(height),
            Action::PageDown => page.top + height,
            Action::First => 0,
            Action::Last => page.lines.len(),
            _ => {
                self.page = None;
                return;
            }
        };
    }

    fn act_in_list(&mut self, deed: Action) {
        let page = layout::list_lines(self.size).max(1);
        let cursor = self.list.cursor;
        match deed {
            Action::Previous => self.list.go(cursor.saturating_sub(1)),
            Action::Next => self.list.go(cursor + 1),
            Action::PageUp => self.list.go(cursor.saturating_sub(page)),
            Action::PageDown => self.list.go(cursor + page),
            Action::First => self.list.go(0),
            Action::Last => self.list.go(usize::MAX),
            Action::Open => {
                if let Some(record) = self.list.chosen() {
                    self.ask_for(record);
                }
            }
            Action::Faults => {
                self.list.faults = !self.list.faults;
                self.list.choose_shown();
            }
            Action::Leave if self.finding => {
                self.finding = false;
                self.wishes.push(Effect::StopFind);
            }
            Action::Leave => self.wishes.push(Effect::Quit),
            _ => {}
        }
    }

    fn act_in_game(&mut self, deed: Action) {
        let Some(open) = &mut self.open else { return };
        let last = open.game.plies.len();
        match deed {
            Action::Previous => open.at = open.at.saturating_sub(1),
            Action::Next => open.at = last.min(open.at + 1),
            Action::PageUp => open.at = open.at.saturating_sub(PLIES),
            Action::PageDown => open.at = last.min(open.at + PLIES),
            Action::First => open.at = 0,
            Action::Last => open.at = last,
            Action::Turn => self.turned = !self.turned,
            Action::Fault => match open.game.next_fault(open.at) {
                Some(fault) => open.at = fault,
                None => self.notice = Some(self.context.say("view.no-fault").to_owned()),
            },
            Action::RecordBefore | Action::RecordAfter => {
                // Repeated presses continue from the record that is being loaded.
                let from = self.opening.unwrap_or(open.record);
                match self.list.beside(from, deed == Action::RecordAfter) {
                    Some(record) => self.ask_for(record),
                    None => self.notice = Some(self.context.say("view.no-more-records").to_owned()),
                }
            }
            Action::Leave => {
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
    fn write(&mut self, key: Key) {
        let Some(prompt) = &mut self.prompt else { return };
        let number = prompt.ask == Ask::Number;
        let most = if number { DIGITS } else { LETTERS };
        match key {
            Key::Char(letter) if number && !letter.is_ascii_digit() => {}
            Key::Char(letter) if prompt.text.chars().count() < most => prompt.text.push(letter),
            Key::Backspace if prompt.text.is_empty() => self.prompt = None,
            Key::Backspace => drop(prompt.text.pop()),
            Key::Control('u') => prompt.text.clear(),
            Key::Escape => self.prompt = None,
            Key::Enter => {
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
                self.needle = Query::new(text).or(self.needle.take());
                self.search(Direction::Forward);
            }
            Ask::Filter => {
                self.sift_ticket += 1;
                self.list.sift = Query::new(text).map(|needle| Filter { needle, found: Vec::new(), ended: false });
                self.wishes.push(match &self.list.sift {
                    Some(sift) => Effect::Filter { ticket: self.sift_ticket, needle: sift.needle.clone() },
                    None => Effect::StopSift,
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
        let Some(needle) = &self.needle else {
            self.notice = Some(self.context.say("view.nothing-searched").to_owned());
            return;
        };
        if let Some(open) = &mut self.open {
            let found = open.game.search(needle, open.at, direction);
            open.at = found.map_or(open.at, |(place, _)| place);
            self.notice = self.tell_found(found.map(|(_, passed)| passed));
        } else if let Some(from) = self.list.chosen() {
            self.ticket += 1;
            self.finding = true;
            let among = self.list.shown().map(<[usize]>::to_vec);
            let needle = needle.clone();
            self.wishes.push(Effect::Find { ticket: self.ticket, needle, from, direction, among });
        }
    }
}

#[cfg(test)]
mod tests {
    use quipu_notation::record::Chunk;
    use quipu_referee::{
        Lang,
        verify::{self, Judged},
    };

    use super::*;

    const CONTEXT: Context = Context { lang: Lang::En, color: false };

    /// A list of this many records: verified, incomplete and rejected in turn.
    fn state(count: usize) -> State {
        let mut state = State::new(CONTEXT, "game.quipu".to_owned(), (None, None));
        state.take(Event::Size(80, 24));
        let kinds = [Status::Verified, Status::Incomplete, Status::Rejected];
        let statuses = kinds.into_iter().cycle().take(count).collect();
        state.take(Event::Read { statuses, percent: None });
        state.take(Event::Ended { failures: Vec::new() });
        state.wishes();
        state
    }

    /// The effects, without requests for rows.
    fn wishes(state: &mut State) -> Vec<Effect> {
        let mut wishes = state.wishes();
        wishes.retain(|wish| !matches!(wish, Effect::Rows(_)));
        wishes
    }

    fn game(text: &str) -> Box<Game> {
        let block = Chunk::new(text.as_bytes());
        let read = block.records().next().expect("a record");
        let Judged { record, verdict } = verify::of_block(&block, read);
        Box::new(Game::new(CONTEXT, "game.quipu".to_owned(), 1, &block, record.as_ref(), verdict))
    }

    const GOOD: &str = "[Game \"andes\"]\n\n1. 0d3 2A3\n2. 0a1 0D0\n*\n";
    const BAD: &str = "[Game \"andes\"]\n\n1. 0d3 2A3\n2. 2a1 0D0\n*\n";

    /// A list with an open record.
    fn opened(text: &str) -> State {
        let mut state = state(9);
        press(&mut state, "jj\n");
        assert_eq!(wishes(&mut state), [Effect::Open(2)]);
        state.take(Event::Opened { record: 2, game: Ok(game(text)) });
        state
    }

    /// Presses keys: a line break is Enter, `<` Escape, `~` Backspace.
    fn press(state: &mut State, keys: &str) {
        for key in keys.chars() {
            state.take(Event::Key(match key {
                '\n' => Key::Enter,
                '<' => Key::Escape,
                '~' => Key::Backspace,
                letter => Key::Char(letter),
            }));
        }
    }

    #[track_caller]
    fn at(state: &State, place: Place, expected: usize) {
        let found = state.open.as_ref().map_or(state.list.cursor, |open| open.at);
        assert_eq!((state.place(), found), (place, expected), "{:?}", state.notice);
    }

    /// Presses keys in the list and checks the cursor.
    #[track_caller]
    fn in_list(keys: &str, expected: usize) {
        let mut state = state(100);
        press(&mut state, keys);
        at(&state, Place::List, expected);
    }

    #[test]
    fn the_list_is_walked() {
        in_list("jjj", 3);
        in_list("jjkkk", 0);
        in_list("G", 99);
        in_list("Gj", 99);
        in_list("Gg", 0);
        in_list("42\n", 41);
        in_list("4~52\n", 51);
        in_list("1\n", 0);
        in_list("jj0\n", 2);
        in_list("jj101\n", 2);
        in_list("jj7<", 2);
        in_list("jj7~~", 2);
        in_list("5jjjj\n", 4);
        let mut state = state(100);
        state.take(Event::Key(Key::PageDown));
        let page = layout::list_lines((80, 24));
        at(&state, Place::List, page);
        state.take(Event::Key(Key::PageUp));
        at(&state, Place::List, 0);
    }

    #[test]
    fn numbers_that_lead_nowhere_are_told() {
        for (keys, said) in [("101\n", "there is no record number 101:"), ("0\n", "there is no record number 0:")] {
            let mut state = state(100);
            press(&mut state, keys);
            let notice = state.notice.clone().unwrap_or_default();
            assert!(notice.contains(said), "{keys:?}: {notice}");
            press(&mut state, "j");
            assert_eq!(state.notice, None, "until the next key");
        }
        let mut state = opened(GOOD);
        press(&mut state, "5\n");
        at(&state, Place::Game, 0);
        assert!(state.notice.is_some_and(|notice| notice.contains('5') && notice.contains('4')));
    }

    /// Presses keys in a game of four plies and checks the ply.
    #[track_caller]
    fn in_game(text: &str, keys: &str, expected: usize) {
        let mut state = opened(text);
        press(&mut state, keys);
        at(&state, Place::Game, expected);
    }

    #[test]
    fn a_game_is_walked() {
        in_game(GOOD, "", 0);
        in_game(GOOD, "ll", 2);
        in_game(GOOD, "lljk", 2);
        in_game(GOOD, "hh", 0);
        in_game(GOOD, "G", 4);
        in_game(GOOD, "Gl", 4);
        in_game(GOOD, "Gg", 0);
        in_game(GOOD, "3\n", 3);
        in_game(GOOD, "G0\n", 0);
        in_game(GOOD, "ll3<", 2);
        in_game(BAD, "", 3);
        in_game(BAD, "l", 4);
        in_game(BAD, "gx", 3);
        in_game(GOOD, "x", 0);
        in_game(GOOD, "/0d0\n", 4);
        in_game(GOOD, "/0d0\nn", 4);
        in_game(GOOD, "l/0d\n", 4);
        in_game(GOOD, "l/0d\nn", 1);
        in_game(GOOD, "l/0d\nN", 1);
        in_game(GOOD, "l/0d\nnN", 4);
    }

    #[test]
    fn a_game_is_left_for_the_list() {
        let mut state = opened(GOOD);
        press(&mut state, "q");
        at(&state, Place::List, 2);
        assert_eq!(wishes(&mut state), []);
        press(&mut state, "q");
        assert_eq!(wishes(&mut state), [Effect::Quit]);
    }

    #[test]
    fn the_next_record_is_that_of_the_list() {
        let mut state = opened(GOOD);
        press(&mut state, "]");
        assert_eq!(wishes(&mut state), [Effect::Open(3)]);
        // Two presses before the first record is loaded go two records on.
        press(&mut state, "]");
        assert_eq!(wishes(&mut state), [Effect::Open(4)]);
        state.take(Event::Opened { record: 3, game: Ok(game(BAD)) });
        assert_eq!(state.open.as_ref().map(|open| open.record), Some(2), "nobody waits for it any more");
        state.take(Event::Opened { record: 4, game: Ok(game(BAD)) });
        at(&state, Place::Game, 3);
        assert_eq!(state.list.chosen(), Some(4));
        press(&mut state, "<xl");
        assert_eq!(wishes(&mut state), [Effect::Open(5)]);
        state.take(Event::Opened { record: 5, game: Ok(game(BAD)) });
        press(&mut state, "[");
        assert_eq!(wishes(&mut state), [Effect::Open(2)], "only those that are shown");
        state.take(Event::Opened { record: 2, game: Ok(game(BAD)) });
        press(&mut state, "[");
        assert!(wishes(&mut state).is_empty() && state.notice.is_some());
    }

    #[test]
    fn a_record_that_cannot_be_opened_is_told() {
        let mut state = state(3);
        press(&mut state, "\n");
        state.take(Event::Opened { record: 0, game: Err("changed".to_owned()) });
        at(&state, Place::List, 0);
        assert_eq!(state.notice.as_deref(), Some("changed"));
    }

    #[test]
    fn a_board_stays_turned() {
        let mut state = opened(GOOD);
        press(&mut state, "f");
        assert!(state.turned);
        press(&mut state, "]");
        state.take(Event::Opened { record: 3, game: Ok(game(BAD)) });
        assert!(state.turned);
        press(&mut state, "f");
        assert!(!state.turned);
    }

    #[test]
    fn records_are_searched_in_the_background() {
        let mut state = state(9);
        press(&mut state, "jn");
        assert!(state.notice.is_some() && wishes(&mut state).is_empty(), "nothing was searched yet");
        press(&mut state, "/Ana\n");
        let find = |ticket, direction, from, among| Effect::Find {
            ticket,
            needle: Query::new("Ana").expect("a text"),
            from,
            direction,
            among,
        };
        assert_eq!(wishes(&mut state), [find(1, Direction::Forward, 1, None)]);
        assert!(state.finding);
        state.take(Event::Found { ticket: 1, found: Some((5, false)) });
        at(&state, Place::List, 5);
        assert_eq!((state.finding, state.notice.clone()), (false, None));
        press(&mut state, "xN");
        assert_eq!(wishes(&mut state), [find(2, Direction::Back, 5, Some(vec![2, 5, 8]))]);
        state.take(Event::Found { ticket: 1, found: Some((2, false)) });
        at(&state, Place::List, 1);
        state.take(Event::Found { ticket: 2, found: Some((8, true)) });
        at(&state, Place::List, 2);
        assert!(state.notice.is_some(), "it went past the end");
        press(&mut state, "n");
        state.wishes();
        state.take(Event::Found { ticket: 3, found: None });
        assert!(state.notice.as_ref().is_some_and(|notice| notice.contains("Ana")));
    }

    #[test]
    fn a_search_can_be_left() {
        let mut state = state(9);
        press(&mut state, "/ana\n");
        state.wishes();
        press(&mut state, "<");
        assert_eq!(wishes(&mut state), [Effect::StopFind]);
        state.take(Event::Found { ticket: 1, found: Some((5, false)) });
        at(&state, Place::List, 0);
        press(&mut state, "<");
        assert_eq!(wishes(&mut state), [Effect::Quit]);
    }

    #[test]
    fn records_are_sifted_in_the_background() {
        let mut state = state(9);
        press(&mut state, "&ana\n");
        let needle = Query::new("ana").expect("a text");
        assert_eq!(wishes(&mut state), [Effect::Filter { ticket: 1, needle }]);
        assert_eq!(state.list.len(), 0);
        state.take(Event::Sifted { ticket: 1, records: vec![1, 4] });
        state.take(Event::Sifted { ticket: 7, records: vec![5] });
        state.take(Event::SiftEnded { ticket: 1 });
        assert_eq!(state.list.shown(), Some(&[1, 4][..]));
        press(&mut state, "3\n");
        assert!(state.notice.is_some(), "record 3 is not shown");
        press(&mut state, "5\n");
        assert_eq!(state.list.chosen(), Some(4));
        press(&mut state, "&\n");
        assert_eq!(wishes(&mut state), [Effect::StopSift]);
        assert_eq!((state.list.len(), state.list.chosen()), (9, Some(4)));
    }

    #[test]
    fn pages_are_read_and_left() {
        for (key, kind) in [("?", Kind::Keys), ("i", Kind::Details)] {
            let mut state = opened(BAD);
            press(&mut state, key);
            assert_eq!(state.page.as_ref().map(|page| page.kind), Some(kind));
            state.take(Event::Size(40, 10));
            let top = |state: &State| state.page.as_ref().map(|page| page.top);
            press(&mut state, "jjk");
            assert_eq!(top(&state), Some(1));
            press(&mut state, "G");
            let last = top(&state);
            press(&mut state, "j");
            assert!(last > Some(3) && top(&state) == last, "{last:?}");
            state.take(Event::Size(200, 60));
            assert_eq!(top(&state), Some(0), "all of it is seen");
            press(&mut state, "q");
            at(&state, Place::Game, 3);
        }
    }

    #[test]
    fn a_record_is_opened_at_first() {
        let mut state = State::new(CONTEXT, "game.quipu".to_owned(), (Some(1), Some(2)));
        state.take(Event::Size(80, 24));
        state.take(Event::Read { statuses: vec![Status::Verified], percent: None });
        assert!(!state.wishes().contains(&Effect::Open(1)), "it was not read yet");
        state.take(Event::Read { statuses: vec![Status::Verified], percent: None });
        assert!(state.wishes().contains(&Effect::Open(1)));
        state.take(Event::Opened { record: 1, game: Ok(game(GOOD)) });
        at(&state, Place::Game, 2);
        press(&mut state, "]");
        assert_eq!(state.notice.as_deref(), Some(CONTEXT.say("view.no-more-records")));
    }

    #[test]
    fn a_record_that_is_not_there_is_told() {
        let mut state = State::new(CONTEXT, "game.quipu".to_owned(), (Some(7), None));
        state.take(Event::Size(80, 24));
        state.take(Event::Read { statuses: vec![Status::Verified], percent: None });
        assert_eq!(state.notice, None);
        state.take(Event::Ended { failures: Vec::new() });
        assert!(state.notice.as_ref().is_some_and(|notice| notice.contains('8')), "{:?}", state.notice);
        at(&state, Place::List, 0);
    }

    /// Random keys never cause a panic.
    #[test]
    fn any_keys_are_survived() {
        let table = keys::KEYS.iter().flat_map(|row| row.keys).map(|(key, _)| *key);
        let keys: Vec<_> = table.chain([Key::Backspace, Key::Char('7'), Key::Char('a')]).collect();
        let mut seed = 1532_usize;
        let mut state = opened(BAD);
        for _ in 0..5_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let choice = seed >> 33;
            match choice % 40 {
                0 => {
                    let [columns, lines] = [97, 41].map(|most| u16::try_from(choice % most).expect("it is small"));
                    state.take(Event::Size(columns, lines));
                }
                1 => state.take(Event::Ended { failures: Vec::new() }),
                _ => state.take(Event::Key(keys[choice % keys.len()])),
            }
            for wish in state.wishes() {
                match wish {
                    Effect::Open(record) => {
                        let text = if record % 2 == 0 { GOOD } else { BAD };
                        state.take(Event::Opened { record, game: Ok(game(text)) });
                    }
                    Effect::Find { ticket, .. } => {
                        state.take(Event::Found { ticket, found: Some((choice % 9, false)) });
                    }
                    Effect::Filter { ticket, .. } => state.take(Event::Sifted { ticket, records: vec![1, 5] }),
                    _ => {}
                }
            }
            super::super::draw::tests::drawn(&state);
        }
    }
}
