//! Best-first search for the readings of a sheet.
//!
//! A node is a sheet read up to some written ply, with the edits made so far; from there it is played as written up to the
//! ply where that stops being legal. Its children have one edit more, at that ply or at any between the last edit and it: a
//! slip that made another legal move shows only later. The search takes the node that is likeliest to lead to a reading
//! first and gives up those that cannot come near the cost of the readings found. Its steps depend on the sheet alone,
//! and its work is bounded.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
};

use quipu_notation::record::{Outcome, Record};

use super::{
    Edit, PlySlip, Reading, Readings,
    odds::{likelihood, one_of},
};
use crate::{
    Game, Position,
    judge::{self, WrongClaim},
    slips::{self, Cost, SlipKind, Written},
};

/// Suggested readings, at most.
pub const MOST_READINGS: usize = 10;

/// Readings, some of them the same game, after which dearer ones are not looked for.
const MANY: usize = 3 * MOST_READINGS;

/// Cost beyond that of the best reading up to which others are looked for.
const MARGIN: Cost = 20;

/// The most that a slip costs which is looked for in the best reading.
const UNNOTICED: Cost = 50;

/// The most that a reading may cost.
const MAX_COST: Cost = 180;

/// The most that a slip may cost in a ply that is legal as it is written, beside its [`SPREAD`].
const MAX_LEGAL_COST: Cost = 36;

/// Cost of a slip at one character of a token, beyond its cost anywhere in the token: one of so many at each character.
const SPREAD: Cost = 8;

/// The most that a slip of a character costs which shows itself, so that no other character can have it.
const SHOWN: Cost = 12;

/// Cost of a declared end that is not written.
const NO_TERMINATION: Cost = 20;

/// Cost of an end by resignation or on time while the other player was to move.
const OUT_OF_TURN: Cost = 15;

/// Moves that are tried and plies that are played, at most.
const WORK: u64 = 1_500_000;

/// Nodes that are kept, at most.
const NODES: usize = 100_000;

/// The least that one more edit costs, in a sheet with tokens that nobody can read, and in another.
const MIN_EDIT: [Cost; 2] = [5, 18];

/// Cost of plies that are not yet played, in the order of the search: one for so many.
const UNPLAYED: usize = 1;

/// The readings of a record; none where there is nothing to replay on.
pub(crate) fn readings<G: Game>(record: &Record<'_>) -> Readings {
    let Ok(start) = judge::start::<G>(record) else { return Readings::new(Vec::new(), true, &[]) };
    let tokens = record.movetext.plies.iter().map(|ply| &*ply.token).collect();
    let mut search = Search::<G>::new(record, tokens, start, MARGIN, false);
    search.run();
    let is_complete = search.queue.is_empty() && !search.is_exhausted();
    let readings = search.readings(start);
    let mut unnoticed = readings.first().map(|first| unnoticed::<G>(record, first, start)).unwrap_or_default();
    if lacks_termination::<G>(record, start) {
        let first = readings.first().map_or(0, |first| first.cost);
        unnoticed.push(NO_TERMINATION.saturating_sub(first));
    }
    Readings::new(readings, is_complete, &unnoticed)
}

/// True if all moves are legal, the game is decided and not over on the board, and the record does not say how it ended: then
/// that may be all that is missing, and no move.
fn lacks_termination<G: Game>(record: &Record<'_>, mut position: G::Position) -> bool {
    let is_decided = record.result.is_some_and(|result| result.value != Outcome::Open);
    let is_said = record.value("Termination").is_some_and(|value| !matches!(value.trim(), "" | "?"));
    is_decided
        && !is_said
        && record.movetext.plies.iter().all(|ply| {
            let mv = position.resolve(&ply.token).ok().filter(|_| position.end().is_none());
            mv.is_some_and(|mv| {
                position.play(mv);
                true
            })
        })
        && position.end().is_none()
}

/// Costs of the slips that a reading may still have, each of which the record would not betray.
fn unnoticed<G: Game>(record: &Record<'_>, reading: &Reading, start: G::Position) -> Vec<Cost> {
    let tokens = reading.moves.iter().map(String::as_str).collect();
    let mut search = Search::<G>::new(record, tokens, start, UNNOTICED, true);
    // A ply that was edited is not as it is written, so no second slip is hidden in it: its other readings were found.
    let edited = |edit: &Edit| usize::try_from(edit.ply).unwrap_or(usize::MAX) - 1;
    search.many = usize::MAX;
    search.spared = reading.edits.iter().filter(|edit| edit.to.is_some()).map(edited).collect();
    let own = search.found.first().map_or(0, |(cost, _)| *cost);
    search.expand(0);
    // The first is the reading itself.
    search.found.into_iter().skip(1).map(|(cost, _)| cost.saturating_sub(own)).collect()
}

/// True if a token has a slip that is cheap.
fn is_doubtful(token: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-x^*/".contains(character);
    !token.chars().all(is_plain) || token.is_empty() || token.bytes().all(|byte| byte.is_ascii_digit())
}

/// The change of the sheet at a ply.
#[derive(Clone, Copy)]
enum Change<M> {
    /// A token is read as this move.
    Read(M, SlipKind),
    /// This move is put in.
    Insert(M),
    /// A ply is taken out.
    Remove,
    /// Two plies change places.
    Swap,
    /// The plies of so many rows change places.
    Columns(usize),
}

/// A sheet that is read up to a written ply.
struct Node<P: Position> {
    parent: Option<usize>,
    /// The written ply that was changed last, and how.
    change: Option<(usize, Change<P::Move>)>,
    cost: Cost,
    /// The written ply that is next, and the position before it.
    next: usize,
    position: P,
    /// The written ply that cannot be played; beyond the last if all can.
    stop: usize,
}

struct Search<'r, G: Game> {
    record: &'r Record<'r>,
    tokens: Vec<&'r str>,
    /// The tokens made ready to be compared, as far as they were needed.
    written: Vec<Option<Written>>,
    least_edit: Cost,
    nodes: Vec<Node<G::Position>>,
    /// Nodes by the cost that is expected of a reading that comes of them.
    queue: BinaryHeap<Reverse<(Cost, usize)>>,
    /// Nodes that are readings, the cheapest first.
    found: Vec<(Cost, usize)>,
    /// The most that a reading may cost now to be of interest.
    bound: Cost,
    /// Readings of which dearer ones are not of interest.
    many: usize,
    /// Cost beyond that of the best reading up to which others are of interest.
    margin: Cost,
    /// Written plies that are not edited.
    spared: Vec<usize>,
    /// True if the tokens are themselves a reading. A sheet that is legal as it is written costs nothing.
    is_guess: bool,
    work: u64,
}

type Move<G> = <<G as Game>::Position as Position>::Move;

impl<'r, G: Game> Search<'r, G> {
    fn new(record: &'r Record<'r>, tokens: Vec<&'r str>, start: G::Position, margin: Cost, is_guess: bool) -> Self {
        let mut search = Self {
            record,
            written: tokens.iter().map(|_| None).collect(),
            least_edit: MIN_EDIT[usize::from(!tokens.iter().any(|token| is_doubtful(token)))],
            tokens,
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            found: Vec::new(),
            bound: MAX_COST,
            many: MANY,
            margin,
            spared: Vec::new(),
            is_guess,
            work: 0,
        };
        search.add(None, None, 0, 0, start);
        search
    }

    /// Adds a reading. Where there are many, only as cheap ones are still of interest.
    fn add_reading(&mut self, cost: Cost, node: usize) {
        let place = self.found.partition_point(|(known, _)| *known <= cost);
        self.found.insert(place, (cost, node));
        let best = self.found[0].0;
        let many = self.found.get(self.many).map_or(Cost::MAX, |(cost, _)| *cost);
        self.bound = MAX_COST.min(best + self.margin).min(many);
    }

    /// The most that a reading may cost now to be of interest.
    fn bound(&self) -> Cost {
        self.bound
    }

    fn is_exhausted(&self) -> bool {
        self.work >= WORK || self.nodes.len() >= NODES
    }

    fn run(&mut self) {
        while let Some(Reverse((_, node))) = self.queue.pop() {
            if self.is_exhausted() {
                // The nodes that are left are not looked at.
                self.queue.push(Reverse((0, node)));
                return;
            }
            if self.nodes[node].cost + self.least_edit <= self.bound() {
                self.expand(node);
            }
        }
    }

    /// Plays the written moves from a ply on as far as they are legal; says where that stops, and the position there.
    fn play(&mut self, mut position: G::Position, next: usize) -> (usize, G::Position) {
        for (index, token) in self.tokens.iter().enumerate().skip(next) {
            self.work += 1;
            let is_over = position.end().is_some();
            let Some(mv) = position.resolve(token).ok().filter(|_| !is_over) else { return (index, position) };
            position.play(mv);
        }
        (self.tokens.len(), position)
    }

    /// Adds a node, unless nothing can come of it.
    fn add(
        &mut self,
        parent: Option<usize>,
        change: Option<(usize, Change<Move<G>>)>,
        cost: Cost,
        next: usize,
        position: G::Position,
    ) {
        if cost > self.bound() {
            return;
        }
        let (stop, end) = self.play(position, next);
        let is_worse = parent.is_some_and(|parent| stop < self.nodes[parent].stop);
        let is_whole = stop == self.tokens.len();
        // Cost of what the record claims beside the moves.
        let is_written = parent.is_none() && !self.is_guess;
        let claims = is_whole.then(|| self.claims(end, is_written)).flatten();
        let is_clean = claims == Some(0);
        let reading = claims.map(|claims| cost + claims).filter(|cost| *cost <= self.bound());
        if is_worse || reading.is_none() && cost + self.least_edit > self.bound() {
            return;
        }
        let node = self.nodes.len();
        self.nodes.push(Node { parent, change, cost, next, position, stop });
        if let Some(cost) = reading {
            self.add_reading(cost, node);
        }
        if !is_clean {
            let unplayed = Cost::try_from((self.tokens.len() - stop) / UNPLAYED).unwrap_or(Cost::MAX / 2);
            self.queue.push(Reverse((cost + unplayed, node)));
        }
    }

    /// Cost of the claims of the record about a game that came to this position; none if they cannot be right. An end out of
    /// turn breaks no rule, so it speaks only against changes.
    fn claims(&self, end: G::Position, is_written: bool) -> Option<Cost> {
        let wrong = judge::wrong_claims::<G>(end, self.record)?.len();
        let wrong = PlySlip::Claim.row().cost * Cost::try_from(wrong).unwrap_or(Cost::MAX / 1_000);
        Some(wrong + if !is_written && judge::ends_out_of_turn::<G>(end, self.record) { OUT_OF_TURN } else { 0 })
    }

    /// Adds the nodes with one edit more.
    fn expand(&mut self, node: usize) {
        let Node { cost, next, stop, mut position, .. } = self.nodes[node];
        let mut positions = Vec::with_capacity(stop - next + 1);
        for index in next..=stop {
            positions.push(position);
            if index < stop
                && let Ok(mv) = position.resolve(self.tokens[index])
            {
                position.play(mv);
            }
        }
        for index in (next..=stop).rev() {
            if self.is_exhausted() {
                return;
            }
            if !self.spared.contains(&index) {
                self.edit(node, cost, index, stop, positions[index - next]);
            }
        }
    }

    /// Adds the nodes with one edit more at a written ply.
    fn edit(&mut self, node: usize, cost: Cost, index: usize, stop: usize, position: G::Position) {
        let is_over = position.end().is_some();
        let doubled = index > 0 && self.tokens.get(index) == Some(&self.tokens[index - 1]);
        if doubled {
            let cost = cost + PlySlip::Doubled.row().cost;
            self.add(Some(node), Some((index, Change::Remove)), cost, index + 1, position);
        }
        if is_over {
            return;
        }
        let pair = self.tokens.get(index).copied().zip(self.tokens.get(index + 1).copied());
        if let Some((one, other)) = pair
            && let Some(after) = played(position, other).and_then(|position| played(position, one))
        {
            let cost = cost + PlySlip::Swapped.row().cost;
            self.add(Some(node), Some((index, Change::Swap)), cost, index + 2, after);
        }
        if index.is_multiple_of(2) {
            self.columns(node, cost, index, position);
        }
        if index < self.tokens.len() {
            self.misread(node, cost, index, index < stop, position);
        }
        let cost = cost + PlySlip::Omitted.row().cost;
        if cost <= self.bound() {
            let mut moves = Vec::new();
            position.each_outcome(|mv| moves.push((position.rarity(mv), mv)));
            self.work += moves.len() as u64;
            let share = one_of(moves.iter().map(|(rarity, _)| likelihood(*rarity) / 1_000).sum());
            for (rarity, mv) in moves {
                let mut after = position;
                after.play(mv);
                self.add(Some(node), Some((index, Change::Insert(mv))), cost + rarity + share, index, after);
            }
        }
    }

    /// Adds the nodes in which the plies of two rows or more, from a ply on, are in each other's column.
    fn columns(&mut self, node: usize, cost: Cost, index: usize, mut position: G::Position) {
        let cost = cost + PlySlip::Columns.row().cost;
        if cost > self.bound() {
            return;
        }
        let mut next = index;
        while let Some([one, other]) = self.tokens.get(next..next + 2) {
            let Some(after) = played(position, other).and_then(|position| played(position, one)) else { return };
            (position, next) = (after, next + 2);
            self.work += 2;
            let goes_on = self.tokens.get(next).is_none_or(|token| played(position, token).is_some());
            if goes_on && next > index + 2 {
                let change = Change::Columns((next - index) / 2);
                self.add(Some(node), Some((index, change)), cost, next, position);
            }
        }
    }

    /// Adds the nodes in which a written token is another move.
    fn misread(&mut self, node: usize, cost: Cost, index: usize, is_legal: bool, position: G::Position) {
        let as_written = position.resolve(self.tokens[index]).ok();
        let most = if is_legal { MAX_LEGAL_COST } else { slips::LIMIT }.min(self.bound().saturating_sub(cost));
        let token = self.tokens[index];
        let written = self.written[index].get_or_insert_with(|| Written::new(token));
        let is_unreadable = written.is_unreadable();
        let mut near = Vec::new();
        let mut tried = 0;
        position.each_near(written, most, |mv, miswriting| {
            tried += 1;
            if let Some(slip) = miswriting.slip
                && as_written != Some(mv)
            {
                near.push((miswriting.cost, position.rarity(mv), mv, slip));
            }
        });
        self.work += tried;
        near.sort_by_key(|(cost, rarity, ..)| cost + rarity);
        // One of as many characters, or one of all the moves.
        let spread = match () {
            () if is_unreadable => one_of(near.iter().map(|(_, rarity, ..)| likelihood(*rarity) / 1_000).sum()),
            () => SPREAD + one_of(1_000 * token.chars().filter(|character| character.is_alphanumeric()).count() as u64),
        };
        for (slips, rarity, mv, slip) in near {
            let spread = if is_unreadable || slips > SHOWN { spread } else { 0 };
            let mut after = position;
            after.play(mv);
            let change = Change::Read(mv, slip);
            self.add(Some(node), Some((index, change)), cost + slips + rarity + spread, index + 1, after);
        }
    }

    /// The readings found, the cheapest first.
    fn readings(mut self, start: G::Position) -> Vec<Reading> {
        self.found.sort_unstable();
        let bound = self.bound();
        let near = self.found.iter().take_while(|(cost, _)| *cost <= bound);
        let mut readings: Vec<_> = near.flat_map(|&(cost, node)| self.reading(start, cost, node)).collect();
        readings.sort_by(|one, other| (one.cost, &one.moves).cmp(&(other.cost, &other.moves)));
        // The same game in two ways is one reading, at the lower cost.
        let mut games = BTreeSet::new();
        readings.retain(|reading| games.insert(reading.moves.clone()));
        readings.truncate(MOST_READINGS);
        readings
    }

    /// The readings that a node is: more than one where a move that nobody can read may have come to its square in several
    /// ways.
    fn reading(&self, start: G::Position, cost: Cost, node: usize) -> Vec<Reading> {
        let mut changes = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at.map(|at| &self.nodes[at]) {
            changes.extend(node.change);
            at = node.parent;
        }
        let reading = Reading { cost, moves: Vec::new(), edits: Vec::new(), written: Vec::new() };
        let mut reader = Reader { position: start, reading, alternatives: Vec::new() };
        let mut next = 0;
        for &(index, change) in changes.iter().rev() {
            reader.tokens(&self.tokens, next..index);
            next = index + reader.change(change, &self.tokens, index);
        }
        reader.tokens(&self.tokens, next..self.tokens.len());
        let claims = judge::wrong_claims::<G>(reader.position, self.record).unwrap_or_default();
        for claim in claims {
            reader.claim(claim);
        }
        reader.readings()
    }
}

/// The position after a written move, if it is legal.
fn played<P: Position>(mut position: P, token: &str) -> Option<P> {
    let mv = position.resolve(token).ok().filter(|_| position.end().is_none())?;
    position.play(mv);
    Some(position)
}

/// Writes down a reading, ply by ply.
struct Reader<P> {
    position: P,
    reading: Reading,
    /// Of moves that could as well be others: the edit, and the tokens of the others with what they cost more.
    alternatives: Vec<(usize, Vec<(Cost, String)>)>,
}

impl<P: Position> Reader<P> {
    fn write(&self, mv: P::Move) -> String {
        let mut token = String::new();
        let written = self.position.write_move(mv, &mut token);
        debug_assert!(written.is_ok(), "a String takes everything");
        token
    }

    fn play(&mut self, mv: P::Move, written: Option<usize>) {
        self.reading.moves.push(self.write(mv));
        self.reading.written.push(written);
        self.position.play(mv);
    }

    fn tokens(&mut self, tokens: &[&str], plies: impl Iterator<Item = usize>) {
        for ply in plies {
            if let Ok(mv) = self.position.resolve(tokens[ply]) {
                self.play(mv, Some(ply));
            }
        }
    }

    /// Notes the moves that lead to the same position as one of which nothing can be read.
    fn note_alternatives(&mut self, mv: P::Move) {
        let mut others = Vec::new();
        let rarity = |mv| self.position.rarity(mv);
        let more = |other| rarity(other).saturating_sub(rarity(mv));
        self.position.each_alternative(mv, MOST_READINGS, |other| others.push((more(other), self.write(other))));
        if !others.is_empty() {
            self.alternatives.push((self.reading.edits.len(), others));
        }
    }

    /// Makes a change before a written ply, and says how many of them it is about.
    fn change(&mut self, change: Change<P::Move>, tokens: &[&str], index: usize) -> usize {
        let before = self.reading.moves.len();
        let (kind, about) = match change {
            Change::Read(mv, slip) => {
                if slip == SlipKind::Unreadable {
                    self.note_alternatives(mv);
                }
                self.play(mv, Some(index));
                (slip.row().name, 1)
            }
            Change::Insert(mv) => {
                self.note_alternatives(mv);
                self.play(mv, None);
                (PlySlip::Omitted.row().name, 0)
            }
            Change::Remove => (PlySlip::Doubled.row().name, 1),
            Change::Swap => {
                self.tokens(tokens, [index + 1, index].into_iter());
                (PlySlip::Swapped.row().name, 2)
            }
            Change::Columns(rows) => {
                self.tokens(tokens, (0..2 * rows).map(|ply| index + (ply ^ 1)));
                (PlySlip::Columns.row().name, 2 * rows)
            }
        };
        let joined = |tokens: &[&str]| (!tokens.is_empty()).then(|| tokens.join(" "));
        let to: Vec<_> = self.reading.moves[before..].iter().map(String::as_str).collect();
        let from = joined(&tokens[index..index + about]);
        let edit = Edit { ply: before as u64 + 1, kind, from, to: joined(&to) };
        self.reading.edits.push(edit);
        about
    }

    /// Corrects a claim.
    fn claim(&mut self, claim: WrongClaim) {
        let ply = (self.reading.moves.len() as u64).max(1);
        let from = Some(claim.written).filter(|written| !written.is_empty());
        self.reading.edits.push(Edit { ply, kind: claim.tag, from, to: Some(claim.shown) });
    }

    /// The reading, and those with other moves in it.
    fn readings(self) -> Vec<Reading> {
        let mut readings = vec![self.reading];
        for (edit, others) in self.alternatives {
            let with = |reading: &Reading, (more, token): &(Cost, String)| {
                let mut reading = reading.clone();
                reading.cost += more;
                let edit = &mut reading.edits[edit];
                edit.to = Some(token.clone());
                let index = usize::try_from(edit.ply).unwrap_or(1) - 1;
                reading.moves[index].clone_from(token);
                reading
            };
            let more: Vec<_> =
                readings.iter().flat_map(|reading| others.iter().map(move |other| with(reading, other))).collect();
            readings.extend(more.into_iter().take(MOST_READINGS));
        }
        readings
    }
}
