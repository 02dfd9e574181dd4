//! Presses keys, applies events, and checks state and effects.

use quipu_notation::record::Chunk;
use quipu_referee::{
    Lang,
    verify::{self, Judged},
};

use super::*;

const CONTEXT: Context = Context::plain(Lang::En);

/// A list of this many records: verified, incomplete and rejected in turn.
fn state(count: usize) -> ViewState {
    let mut state = ViewState::new(CONTEXT, "game.quipu".to_owned(), (None, None));
    state.update(ViewEvent::Size(80, 24));
    let kinds = [Status::Verified, Status::Incomplete, Status::Rejected];
    let statuses = kinds.into_iter().cycle().take(count).collect();
    state.update(ViewEvent::Read { statuses, percent: None });
    state.update(ViewEvent::Ended { failures: Vec::new() });
    state.effects();
    state
}

/// The effects, without requests for rows.
fn effects(state: &mut ViewState) -> Vec<Effect> {
    let mut effects = state.effects();
    effects.retain(|effect| !matches!(effect, Effect::Rows(_)));
    effects
}

fn game(text: &str) -> Box<GameView> {
    let chunk = Chunk::new(text.as_bytes());
    let read = chunk.records().next().expect("a record");
    let Judged { record, verdict } = verify::of_chunk(&chunk, read);
    Box::new(GameView::new(CONTEXT, "game.quipu".to_owned(), 1, &chunk, record.as_ref(), verdict))
}

const GOOD: &str = "[Game \"andes\"]\n\n1. 0d3 2A3\n2. 0a1 0D0\n*\n";
const BAD: &str = "[Game \"andes\"]\n\n1. 0d3 2A3\n2. 2a1 0D0\n*\n";

/// A list with an open record.
fn opened(text: &str) -> ViewState {
    let mut state = state(9);
    press(&mut state, "jj\n");
    assert_eq!(effects(&mut state), [Effect::Open(2)]);
    state.update(ViewEvent::Opened { record: 2, game: Ok(game(text)) });
    state
}

/// Presses keys: a line break is Enter, `<` Escape, `~` Backspace.
fn press(state: &mut ViewState, keys: &str) {
    for key in keys.chars() {
        state.update(ViewEvent::Key(match key {
            '\n' => KeyPress::Enter,
            '<' => KeyPress::Escape,
            '~' => KeyPress::Backspace,
            letter => KeyPress::Char(letter),
        }));
    }
}

#[track_caller]
fn at(state: &ViewState, place: Focus, expected: usize) {
    let found = state.open.as_ref().map_or(state.list.cursor, |open| open.at);
    assert_eq!((state.focus(), found), (place, expected), "{:?}", state.notice);
}

/// Presses keys in the list and checks the cursor.
#[track_caller]
fn in_list(keys: &str, expected: usize) {
    let mut state = state(100);
    press(&mut state, keys);
    at(&state, Focus::List, expected);
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
    state.update(ViewEvent::Key(KeyPress::PageDown));
    let page = layout::list_lines((80, 24));
    at(&state, Focus::List, page);
    state.update(ViewEvent::Key(KeyPress::PageUp));
    at(&state, Focus::List, 0);
}

#[test]
fn numbers_that_lead_nowhere_are_told() {
    for (keys, said) in [("101\n", "there is no record 101:"), ("0\n", "there is no record 0:")] {
        let mut state = state(100);
        press(&mut state, keys);
        let notice = state.notice.clone().unwrap_or_default();
        assert!(notice.contains(said), "{keys:?}: {notice}");
        press(&mut state, "j");
        assert_eq!(state.notice, None, "until the next key");
    }
    let mut state = opened(GOOD);
    press(&mut state, "5\n");
    at(&state, Focus::Game, 0);
    assert!(state.notice.is_some_and(|notice| notice.contains('5') && notice.contains('4')));
}

/// Presses keys in a game of four plies and checks the ply.
#[track_caller]
fn in_game(text: &str, keys: &str, expected: usize) {
    let mut state = opened(text);
    press(&mut state, keys);
    at(&state, Focus::Game, expected);
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
    at(&state, Focus::List, 2);
    assert_eq!(effects(&mut state), []);
    press(&mut state, "q");
    assert_eq!(effects(&mut state), [Effect::Quit]);
}

#[test]
fn the_next_record_is_that_of_the_list() {
    let mut state = opened(GOOD);
    press(&mut state, "]");
    assert_eq!(effects(&mut state), [Effect::Open(3)]);
    // Two presses before the first record is loaded go two records on.
    press(&mut state, "]");
    assert_eq!(effects(&mut state), [Effect::Open(4)]);
    state.update(ViewEvent::Opened { record: 3, game: Ok(game(BAD)) });
    assert_eq!(state.open.as_ref().map(|open| open.record), Some(2), "nobody waits for it any more");
    state.update(ViewEvent::Opened { record: 4, game: Ok(game(BAD)) });
    at(&state, Focus::Game, 3);
    assert_eq!(state.list.chosen(), Some(4));
    press(&mut state, "<xl");
    assert_eq!(effects(&mut state), [Effect::Open(5)]);
    state.update(ViewEvent::Opened { record: 5, game: Ok(game(BAD)) });
    press(&mut state, "[");
    assert_eq!(effects(&mut state), [Effect::Open(2)], "only those that are shown");
    state.update(ViewEvent::Opened { record: 2, game: Ok(game(BAD)) });
    press(&mut state, "[");
    assert!(effects(&mut state).is_empty() && state.notice.is_some());
}

#[test]
fn a_record_that_cannot_be_opened_is_told() {
    let mut state = state(3);
    press(&mut state, "\n");
    state.update(ViewEvent::Opened { record: 0, game: Err("changed".to_owned()) });
    at(&state, Focus::List, 0);
    assert_eq!(state.notice.as_deref(), Some("changed"));
}

#[test]
fn a_board_stays_flipped() {
    let mut state = opened(GOOD);
    press(&mut state, "f");
    assert!(state.flipped);
    press(&mut state, "]");
    state.update(ViewEvent::Opened { record: 3, game: Ok(game(BAD)) });
    assert!(state.flipped);
    press(&mut state, "f");
    assert!(!state.flipped);
}

#[test]
fn records_are_searched_in_the_background() {
    let mut state = state(9);
    press(&mut state, "jn");
    assert!(state.notice.is_some() && effects(&mut state).is_empty(), "nothing was searched yet");
    press(&mut state, "/Ana\n");
    let find = |generation, direction, from, among| Effect::Find {
        generation,
        query: Query::new("Ana").expect("a text"),
        from,
        direction,
        among,
    };
    assert_eq!(effects(&mut state), [find(1, Direction::Forward, 1, None)]);
    assert!(state.is_searching);
    state.update(ViewEvent::Found { generation: 1, found: Some((5, false)) });
    at(&state, Focus::List, 5);
    assert_eq!((state.is_searching, state.notice.clone()), (false, None));
    press(&mut state, "xN");
    assert_eq!(effects(&mut state), [find(2, Direction::Back, 5, Some(vec![2, 5, 8]))]);
    state.update(ViewEvent::Found { generation: 1, found: Some((2, false)) });
    at(&state, Focus::List, 1);
    state.update(ViewEvent::Found { generation: 2, found: Some((8, true)) });
    at(&state, Focus::List, 2);
    assert!(state.notice.is_some(), "it went past the end");
    press(&mut state, "n");
    state.effects();
    state.update(ViewEvent::Found { generation: 3, found: None });
    assert!(state.notice.as_ref().is_some_and(|notice| notice.contains("Ana")));
}

#[test]
fn a_search_can_be_left() {
    let mut state = state(9);
    press(&mut state, "/ana\n");
    state.effects();
    press(&mut state, "<");
    assert_eq!(effects(&mut state), [Effect::StopFind]);
    state.update(ViewEvent::Found { generation: 1, found: Some((5, false)) });
    at(&state, Focus::List, 0);
    press(&mut state, "<");
    assert_eq!(effects(&mut state), [Effect::Quit]);
}

#[test]
fn records_are_sifted_in_the_background() {
    let mut state = state(9);
    press(&mut state, "&ana\n");
    let query = Query::new("ana").expect("a text");
    assert_eq!(effects(&mut state), [Effect::Filter { generation: 1, query }]);
    assert_eq!(state.list.len(), 0);
    state.update(ViewEvent::Filtered { generation: 1, records: vec![1, 4] });
    state.update(ViewEvent::Filtered { generation: 7, records: vec![5] });
    state.update(ViewEvent::FilterEnded { generation: 1 });
    assert_eq!(state.list.shown(), Some(&[1, 4][..]));
    press(&mut state, "3\n");
    assert!(state.notice.is_some(), "record 3 is not shown");
    press(&mut state, "5\n");
    assert_eq!(state.list.chosen(), Some(4));
    press(&mut state, "&\n");
    assert_eq!(effects(&mut state), [Effect::StopFilter]);
    assert_eq!((state.list.len(), state.list.chosen()), (9, Some(4)));
}

#[test]
fn pages_are_read_and_left() {
    for (key, kind) in [("?", PageKind::Keys), ("i", PageKind::Details)] {
        let mut state = opened(BAD);
        press(&mut state, key);
        assert_eq!(state.page.as_ref().map(|page| page.kind), Some(kind));
        state.update(ViewEvent::Size(40, 10));
        let top = |state: &ViewState| state.page.as_ref().map(|page| page.top);
        press(&mut state, "jjk");
        assert_eq!(top(&state), Some(1));
        press(&mut state, "G");
        let last = top(&state);
        press(&mut state, "j");
        assert!(last > Some(3) && top(&state) == last, "{last:?}");
        state.update(ViewEvent::Size(200, 60));
        assert_eq!(top(&state), Some(0), "all of it is seen");
        press(&mut state, "q");
        at(&state, Focus::Game, 3);
    }
}

/// The readings of a rejected record are searched once, and shown on a page.
#[test]
fn readings_are_searched_and_shown() {
    let mut state = opened(BAD);
    press(&mut state, "r");
    assert_eq!(effects(&mut state), [Effect::Readings(2)]);
    assert!(state.notice.is_some(), "the search is announced");
    press(&mut state, "r");
    assert_eq!(effects(&mut state), [], "it runs once");
    let notice = state.notice.clone();
    state.update(ViewEvent::Readings { record: 7, lines: Ok(vec![Styled::plain("of another record")]) });
    assert_eq!((state.page.is_none(), &state.notice), (true, &notice));
    state.update(ViewEvent::Readings { record: 2, lines: Ok(vec![Styled::plain("1. cost 20"); 3]) });
    let shown = |state: &ViewState| state.page.as_ref().map(|page| (page.kind, page.lines.len()));
    assert_eq!(shown(&state), Some((PageKind::Readings, 3)));
    press(&mut state, "q");
    at(&state, Focus::Game, 3);
    press(&mut state, "r");
    assert_eq!((shown(&state), effects(&mut state)), (Some((PageKind::Readings, 3)), Vec::new()), "they are kept");
    let mut good = opened(BAD);
    press(&mut good, "r");
    good.update(ViewEvent::Readings { record: 2, lines: Err("not rejected".to_owned()) });
    assert_eq!((good.page.is_none(), good.notice.is_some()), (true, true), "nothing to repair");
}

#[test]
fn a_record_is_opened_at_first() {
    let mut state = ViewState::new(CONTEXT, "game.quipu".to_owned(), (Some(1), Some(2)));
    state.update(ViewEvent::Size(80, 24));
    state.update(ViewEvent::Read { statuses: vec![Status::Verified], percent: None });
    assert!(!state.effects().contains(&Effect::Open(1)), "it was not read yet");
    state.update(ViewEvent::Read { statuses: vec![Status::Verified], percent: None });
    assert!(state.effects().contains(&Effect::Open(1)));
    state.update(ViewEvent::Opened { record: 1, game: Ok(game(GOOD)) });
    at(&state, Focus::Game, 2);
    press(&mut state, "]");
    assert_eq!(state.notice.as_deref(), Some(CONTEXT.say("view.no-more-records")));
}

#[test]
fn a_record_that_is_not_there_is_told() {
    let mut state = ViewState::new(CONTEXT, "game.quipu".to_owned(), (Some(7), None));
    state.update(ViewEvent::Size(80, 24));
    state.update(ViewEvent::Read { statuses: vec![Status::Verified], percent: None });
    assert_eq!(state.notice, None);
    state.update(ViewEvent::Ended { failures: Vec::new() });
    assert!(state.notice.as_ref().is_some_and(|notice| notice.contains('8')), "{:?}", state.notice);
    at(&state, Focus::List, 0);
}

/// Random keys never cause a panic.
#[test]
fn any_keys_are_survived() {
    let table = keys::KEYS.iter().flat_map(|row| row.keys).map(|(key, _)| *key);
    let keys: Vec<_> = table.chain([KeyPress::Backspace, KeyPress::Char('7'), KeyPress::Char('a')]).collect();
    let mut seed = 1532_usize;
    let mut state = opened(BAD);
    for _ in 0..5_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = seed >> 33;
        match choice % 40 {
            0 => {
                let [columns, lines] = [97, 41].map(|most| u16::try_from(choice % most).expect("it is small"));
                state.update(ViewEvent::Size(columns, lines));
            }
            1 => state.update(ViewEvent::Ended { failures: Vec::new() }),
            _ => state.update(ViewEvent::Key(keys[choice % keys.len()])),
        }
        for effect in state.effects() {
            match effect {
                Effect::Open(record) => {
                    let text = if record % 2 == 0 { GOOD } else { BAD };
                    state.update(ViewEvent::Opened { record, game: Ok(game(text)) });
                }
                Effect::Find { generation, .. } => {
                    state.update(ViewEvent::Found { generation, found: Some((choice % 9, false)) });
                }
                Effect::Filter { generation, .. } => {
                    state.update(ViewEvent::Filtered { generation, records: vec![1, 5] });
                }
                _ => {}
            }
        }
        super::super::draw::tests::drawn(&state);
    }
}
