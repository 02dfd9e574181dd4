//! Entries as texts, which the machines of a cluster pass to each other.

use quipu_notation::{games::GameNotation, record::Outcome};
use serde::{Deserialize, Serialize};

use super::{Candidate, Entry, EventTags, HashedSheet, Sheet, Start, is_known};
use crate::{Count, Points, Referee, games, report::hex, termination::DECLARED};

/// Points or pieces of a side, at most: no game counts as many, and the sums of millions of games fit.
const MAX_COUNTED: u32 = 1000;

/// The JSON of an entry, with what shows other sheets of its game.
#[derive(Serialize, Deserialize)]
struct EntryText {
    game: String,
    event: Option<String>,
    round: Option<String>,
    leg: Option<String>,
    board: Option<String>,
    players: [String; 2],
    result: String,
    termination: String,
    /// Points and the numbers that decide between equal ones.
    points: Option<[[u32; 4]; 2]>,
    /// As in the tags `UTCDate` and `UTCTime`.
    start: String,
    id: String,
    sheet: Option<SheetText>,
}

#[derive(Serialize, Deserialize)]
struct SheetText {
    key: String,
    #[serde(rename = "occasion")]
    event_tags: EventTags,
}

/// An entry without its place, and its sheet without moves, as a line of JSON. [`read_entry`] is the inverse.
pub fn write_entry(entry: &Entry, sheet: Option<&HashedSheet>) -> String {
    let count = |count: Count| {
        let [one, two, three] = count.breaks;
        [count.points, one, two, three]
    };
    let sheet = sheet.and_then(|sheet| Some((sheet.key()?, sheet.event_tags())));
    let text = EntryText {
        game: entry.game.id.to_owned(),
        event: entry.event.clone(),
        round: entry.round.clone(),
        leg: entry.leg.clone(),
        board: entry.board.clone(),
        players: entry.players.clone(),
        result: entry.outcome.as_str().to_owned(),
        termination: entry.termination.name.to_owned(),
        points: entry.points.map(|points| points.0.map(count)),
        start: entry.start.to_string(),
        id: hex(&entry.id),
        sheet: sheet.map(|(key, event_tags)| SheetText { key: hex(&key), event_tags: event_tags.clone() }),
    };
    serde_json::to_string(&text).expect("texts and numbers have a JSON")
}

/// The entry in a text of [`write_entry`]; none if it is another text.
pub fn read_entry(text: &str) -> Option<Candidate> {
    let text: EntryText = serde_json::from_str(text).ok()?;
    let referee = games::find(&text.game)?;
    let game: &'static GameNotation = referee.notation();
    let count = |[points, one, two, three]: [u32; 4]| Count { points, breaks: [one, two, three] };
    let (date, time) = text.start.split_once(' ').map_or((&*text.start, None), |(date, time)| (date, Some(time)));
    let sheet = match text.sheet {
        Some(SheetText { key, event_tags }) => {
            bytes::<16>(&key)?;
            Some(Sheet::with_key(game, &key, event_tags))
        }
        None => None,
    };
    let entry = Entry {
        place: 0,
        game,
        event: text.event,
        round: text.round,
        leg: text.leg,
        board: text.board,
        outcome: Outcome::parse(&text.result)?,
        termination: referee.ends().iter().chain(DECLARED).find(|end| end.name == text.termination)?,
        points: text.points.map(|sides| Points(sides.map(count))),
        start: Start::new(Some(date), time),
        id: bytes(&text.id)?,
        players: text.players,
    };
    (is_possible(&entry, referee) && entry.start.to_string() == text.start).then_some(Candidate::Entry(entry, sheet))
}

/// True if these may be the facts of a verified game.
fn is_possible(entry: &Entry, referee: &dyn Referee) -> bool {
    let Entry { event, round, board, players, outcome, termination, points, .. } = entry;
    let mut values = players.iter().chain([event, round, board].into_iter().flatten());
    // A board whose position is dealt does not tell.
    let counts_points = referee.board(None, None).ok().map(|board| board.points().is_some());
    let counts = points.iter().flat_map(|points| points.0);
    let mut counted = counts.flat_map(|Count { points, breaks: [one, two, three] }| [points, one, two, three]);
    players[0] != players[1]
        && values.all(|value| is_known(value))
        && termination.may_give(*outcome)
        && counts_points.is_none_or(|counts_points| counts_points == points.is_some())
        && counted.all(|number| number <= MAX_COUNTED)
}

/// The bytes of hexadecimal digits.
fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let pairs = digits.as_bytes().as_chunks::<2>().0;
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from(16 * high? + low?).ok()?;
    }
    Some(bytes)
}
