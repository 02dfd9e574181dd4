//! Records find their boards: by round, board, leg and names. One that does not fit says why.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
};

use quipu_notation::{Side, record};
use quipu_referee::{
    competition::{Entry, likely},
    report::hex,
};

use crate::{
    fault::{self, Fault},
    model::{Board, GameOutcome, GameResult, Origin, Tally, Tournament},
};

/// The id of a record.
pub type RecordId = [u8; 32];

/// A game of an encounter. All numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The round.
    pub round: u32,
    /// The board.
    pub board: u32,
    /// The game of the encounter.
    pub game: u32,
}

/// A record, and the reason why it gives no result, or replaces one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The record.
    pub record: RecordId,
    /// The reason.
    pub fault: Fault,
}

/// The records of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// The records that give results, by their places.
    pub places: BTreeMap<Place, RecordId>,
    /// Places with several records, which contradict each other.
    pub contradicted: BTreeMap<Place, Vec<RecordId>>,
    /// The others, and those that replace another result of the arbiter.
    pub misfits: Vec<Misfit>,
}

impl Bindings {
    /// The records at a place: one that gives its result, several that contradict each other, or none.
    pub fn at(&self, place: Place) -> Vec<RecordId> {
        let one = self.places.get(&place).map(|id| vec![*id]);
        one.or_else(|| self.contradicted.get(&place).cloned()).unwrap_or_default()
    }
}

/// Gives the boards of a tournament the results of verified games. A result of the arbiter gives way. Of several records for
/// one place none counts.
pub fn bind(tournament: &mut Tournament, entries: &[Entry]) -> Bindings {
    let mut bindings = Bindings::default();
    if entries.is_empty() {
        return bindings;
    }
    let mut placed: BTreeMap<Place, Vec<&Entry>> = BTreeMap::new();
    let index = BoardIndex::new(tournament);
    for entry in entries {
        match index.place(entry) {
            Ok(place) => placed.entry(place).or_default().push(entry),
            Err(fault) => bindings.misfits.push(Misfit { record: entry.id, fault }),
        }
    }
    for (place, entries) in placed {
        let at = |code| Fault::new(code).with("round", place.round).with("board", place.board);
        let [entry] = entries[..] else {
            for entry in &entries {
                let others = entries.iter().filter(|other| other.id != entry.id).map(|other| hex(&other.id));
                let fault = at(fault::CONTRADICTED).with("records", others.collect::<Vec<_>>().join(", "));
                bindings.misfits.push(Misfit { record: entry.id, fault });
            }
            bindings.contradicted.insert(place, entries.iter().map(|entry| entry.id).collect());
            continue;
        };
        let round = &mut tournament.rounds[place.round as usize - 1];
        let game = place.game as usize - 1;
        let slot = &mut round.boards[place.board as usize - 1].games[game];
        let result = result_of(entry, place.game);
        if slot.as_ref().is_some_and(|before| before.outcome != result.outcome) {
            bindings.misfits.push(Misfit { record: entry.id, fault: at(fault::REPLACES_RESULT) });
        }
        *slot = Some(result);
        bindings.places.insert(place, entry.id);
    }
    bindings
}

/// The names and boards of a tournament, found without walking them for each record.
#[derive(Debug)]
pub struct BoardIndex<'t> {
    tournament: &'t Tournament,
    names: HashSet<&'t str>,
    /// The board of two players in a round, the lower name first.
    pairs: HashMap<(u32, [&'t str; 2]), u32>,
    /// The board of a player in a round.
    boards: HashMap<(u32, &'t str), u32>,
    /// The likely players for names that are not entered, which takes a walk to find.
    likely: RefCell<HashMap<String, Option<&'t str>>>,
}

impl<'t> BoardIndex<'t> {
    /// The index of a tournament.
    pub fn new(tournament: &'t Tournament) -> Self {
        let names = tournament.entrants.iter().map(|entrant| entrant.player.name.as_str()).collect();
        let (mut pairs, mut boards) = (HashMap::new(), HashMap::new());
        for (round, paired) in (1..).zip(&tournament.rounds) {
            for (number, board) in (1..).zip(&paired.boards) {
                let names = board.players.map(|id| tournament.name(id));
                // Tournaments of earlier versions may have a name twice: the first board counts.
                pairs.entry((round, sorted(names))).or_insert(number);
                for name in names {
                    boards.entry((round, name)).or_insert(number);
                }
            }
        }
        Self { tournament, names, pairs, boards, likely: RefCell::default() }
    }

    /// The place of a game, or the reason why it has none. Its players have the names by which they are entered.
    ///
    /// # Errors
    /// The reason.
    pub fn place(&self, entry: &Entry) -> Result<Place, Fault> {
        for player in &entry.players {
            self.check_name(player)?;
        }
        let text = entry.round.as_deref().ok_or_else(|| Fault::new(fault::NO_ROUND_GIVEN))?;
        let paired = number(text).and_then(|round| Some((round, self.tournament.round(round)?)));
        let (round, paired) = paired.ok_or_else(|| Fault::new(fault::OTHER_ROUNDS).with("round", text))?;
        let board = self.board(entry, round)?;
        if let Some(given) = entry.board.as_deref().filter(|given| number(given) != Some(board)) {
            return Err(Fault::new(fault::OTHER_BOARD).with("round", round).with("board", board).with("found", given));
        }
        let game = game(self.tournament, entry, &paired.boards[board as usize - 1])?;
        Ok(Place { round, board, game })
    }

    /// The places that a game can have whose record does not name its round or its leg.
    pub fn candidates(&self, entry: &Entry) -> Vec<Place> {
        let pair = sorted(entry.players.each_ref().map(String::as_str));
        let rounds: Vec<_> = match &entry.round {
            Some(text) => number(text).into_iter().collect(),
            None => (1..self.tournament.next_round()).collect(),
        };
        let mut places = Vec::new();
        for round in rounds {
            let Some(board) = self.pairs.get(&(round, pair)).copied() else { continue };
            let is_other = entry.board.as_deref().is_some_and(|given| number(given) != Some(board));
            let Some(paired) = self.tournament.round(round).and_then(|round| round.board(board)) else { continue };
            if !is_other {
                let games = games(self.tournament, entry, paired).into_iter();
                places.extend(games.map(|game| Place { round, board, game }));
            }
        }
        places
    }

    fn check_name(&self, name: &str) -> Result<(), Fault> {
        if self.names.contains(name) {
            return Ok(());
        }
        let names = self.tournament.entrants.iter().map(|entrant| entrant.player.name.as_str());
        let find = || likely(name, names).first().copied();
        let found = *self.likely.borrow_mut().entry(name.to_owned()).or_insert_with(find);
        Err(match found {
            Some(near) => Fault::new(fault::OTHER_SPELLING).with("player", name).with("likely", near),
            None => Fault::new(fault::NOT_ENTERED).with("player", name),
        })
    }

    /// The board of the players of a game in a round.
    fn board(&self, entry: &Entry, round: u32) -> Result<u32, Fault> {
        let pair = sorted(entry.players.each_ref().map(String::as_str));
        if let Some(board) = self.pairs.get(&(round, pair)) {
            return Ok(*board);
        }
        if let Some(other) = (1..self.tournament.next_round()).find(|other| self.pairs.contains_key(&(*other, pair))) {
            return Err(Fault::new(fault::OTHER_ROUND).with("round", round).with("other", other));
        }
        for player in &entry.players {
            let Some(number) = self.boards.get(&(round, player.as_str())) else { continue };
            let board = self.tournament.round(round).and_then(|round| round.board(*number));
            let [one, two] = board.map_or([""; 2], |board| board.players.map(|id| self.tournament.name(id)));
            let fault = Fault::new(fault::OTHER_OPPONENT).with("player", player).with("round", round);
            return Err(fault.with("board", number).with("opponent", if one == player { two } else { one }));
        }
        Err(Fault::new(fault::NO_BOARD).with("player", &entry.players[0]).with("round", round))
    }
}

fn sorted(mut names: [&str; 2]) -> [&str; 2] {
    names.sort_unstable();
    names
}

/// The leg that a record names.
fn leg(entry: &Entry) -> Option<&str> {
    entry.leg.as_deref().filter(|leg| !matches!(leg.trim(), "" | "?"))
}

/// True if the sides of a game are those of this game of the encounter: the first player of the board has side 1 in the first,
/// the third and all further odd games.
fn has_sides(tournament: &Tournament, entry: &Entry, board: &Board, game: u32) -> bool {
    (game % 2 == 1) == (entry.players[0] == tournament.name(board.players[0]))
}

/// The games of the encounter that a game can be, by leg and sides.
fn games(tournament: &Tournament, entry: &Entry, board: &Board) -> Vec<u32> {
    let named = leg(entry).map(number);
    let is_named = |game: &u32| named.is_none_or(|named| named == Some(*game));
    let games = 1..=tournament.settings.encounter.games();
    games.filter(is_named).filter(|game| has_sides(tournament, entry, board, *game)).collect()
}

/// The game of the encounter, by leg and sides.
fn game(tournament: &Tournament, entry: &Entry, board: &Board) -> Result<u32, Fault> {
    let all = tournament.settings.encounter.games();
    if let Some(leg) = leg(entry)
        && !number(leg).is_some_and(|game| (1..=all).contains(&game))
    {
        return Err(Fault::new(fault::OTHER_LEG).with("leg", leg).with("games", all));
    }
    match games(tournament, entry, board)[..] {
        [game] => Ok(game),
        [] => Err(Fault::new(fault::OTHER_SIDES).with("player", &entry.players[0])),
        _ => Err(Fault::new(fault::NO_LEG)),
    }
}

/// The result of a verified game, counted from 1 in its encounter, for the players of its board in their order.
pub fn result_of(entry: &Entry, game: u32) -> GameResult {
    let game = game as usize - 1;
    let index_of = |side: Side| usize::from(side != Board::side(0, game));
    let outcome = match entry.outcome {
        record::Outcome::Win(side) if index_of(side) == 0 => GameOutcome::First,
        record::Outcome::Win(_) => GameOutcome::Second,
        record::Outcome::Draw | record::Outcome::Open => GameOutcome::Draw,
    };
    let tallies = entry.points.map(|points| {
        [0, 1].map(|index| {
            let count = points.0[Board::side(index, game).index()];
            Tally { points: count.points, counts: count.breaks }
        })
    });
    GameResult { outcome, tallies, rated: true, origin: Origin::Record(hex(&entry.id)) }
}

/// A text that is a whole number from 1.
fn number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number > 0)
}
