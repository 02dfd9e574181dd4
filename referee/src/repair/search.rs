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

use quipu_notation::record::Record;

use super::{Edit, PlySlip, Reading, Readings};
use crate::{
    Game, Position, judge,
    slips::{self, Cost, SlipKind, Written},
};

/// Suggested readings, at most.
const MOST: usize = 10;

/// Cost beyond that of the best reading up to which others are looked for.
const MARGIN: Cost = 15;

/// The most that a slip costs which is looked for in the best reading.
const UNNOTICED: Cost = 32;

/// The most that a reading may cost.
const LIMIT: Cost = 130;

/// The most that a slip may cost in a ply that is legal as it is written.
const LEGAL_LIMIT: Cost = 36;

/// Moves that are tried and plies that are played, at most.
const WORK: u64 = 3_000_000;

/// Nodes that are kept, at most.
const NODES: usize = 100_000;

/// The least that one more edit costs, in a sheet with tokens that nobody can read, and in another.
const LEAST_EDIT: [Cost; 2] = [5, 16];

/// Cost of plies that are not yet played, in the order of the search: one for so many.
const UNPLAYED: usize = 2;

/// The readings of a record; none where there is nothing to replay on.
pub(crate) fn readings<G: Game>(record: &Record<'_>) -> Readings {
    let Ok(start) = judge::start::<G>(record) else { return Readings::new(Vec::new(), true, &[]) };
    let tokens = record.movetext.plies.iter().map(|ply| &*ply.token).collect();
    let mut search = Search::<G>::new(record, tokens, start, MARGIN);
    search.run();
    let is_complete = search.queue.is_empty() && !search.is_exhausted();
    let readings = search.readings(start);
    let unnoticed = readings.first().map(|first| unnoticed::<G>(record, first, start)).unwrap_or_default();
    Readings::new(readings, is_complete, &unnoticed)
}

/// Costs of the slips that a reading may still have, each of which the record would not betray.
fn unnoticed<G: Game>(record: &Record<'_>, reading: &Reading, start: G::Position) -> Vec<Cost> {
    let tokens = reading.moves.iter().map(String::as_str).collect();
    let mut search = Search::<G>::new(record, tokens, start, UNNOTICED);
    search.expand(0);
    // The first is the reading itself.
    search.found.into_iter().skip(1).map(|(cost, _)| cost).collect()
}

/// True if a token has a slip that is cheap.
fn is_doubtful(token: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-x^*/".contains(character);
    !token.chars().all(is_plain) || token.is_empty() || token.bytes().all(|byte| byte.is_ascii_digit())
}

/// How the sheet is changed at a ply.
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
    /// Nodes that are readings, by cost.
    found: Vec<(Cost, usize)>,
    /// Cost beyond that of the best reading up to which others are of interest.
    margin: Cost,
    work: u64,
}

type Move<G> = <<G as Game>::Position as Position>::Move;

impl<'r, G: Game> Search<'r, G> {
    fn new(record: &'r Record<'r>, tokens: Vec<&'r str>, start: G::Position, margin: Cost) -> Self {
        let mut search = Self {
            record,
            written: tokens.iter().map(|_| None).collect(),
            least_edit: LEAST_EDIT[usize::from(!tokens.iter().any(|token| is_doubtful(token)))],
            tokens,
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            found: Vec::new(),
            margin,
            work: 0,
        };
        search.add(None, None, 0, 0, start);
        search
    }

    /// The most that a reading may cost now to be of interest.
    fn bound(&self) -> Cost {
        let best = self.found.iter().map(|(cost, _)| *cost).min();
        best.map_or(LIMIT, |best| LIMIT.min(best + self.margin))
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
        let is_reading = is_whole && judge::contradictions::<G>(end, self.record) == 0;
        if is_worse || !is_reading && cost + self.least_edit > self.bound() {
            return;
        }
        let node = self.nodes.len();
        self.nodes.push(Node { parent, change, cost, next, position, stop });
        if is_reading {
            self.found.push((cost, node));
        } else {
            let unplayed = Cost::try_from((self.tokens.len() - stop) / UNPLAYED).unwrap_or(Cost::MAX / 2);
            self.queue.push(Reverse((cost + unplayed, node)));
        }
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
            self.edit(node, cost, index, stop, positions[index - next]);
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
        if index < self.tokens.len() {
            self.misread(node, cost, index, index < stop, position);
        }
        let cost = cost + PlySlip::Omitted.row().cost;
        if cost <= self.bound() {
            let mut moves = Vec::new();
            position.each_outcome(|mv| moves.push(mv));
            self.work += moves.len() as u64;
            for mv in moves {
                let mut after = position;
                after.play(mv);
                self.add(Some(node), Some((index, Change::Insert(mv))), cost, index, after);
            }
        }
    }

    /// Adds the nodes in which a written token is another move.
    fn misread(&mut self, node: usize, cost: Cost, index: usize, is_legal: bool, position: G::Position) {
        let as_written = position.resolve(self.tokens[index]).ok();
        let most = if is_legal { LEGAL_LIMIT } else { slips::LIMIT }.min(self.bound().saturating_sub(cost));
        let token = self.tokens[index];
        let written = self.written[index].get_or_insert_with(|| Written::new(token));
        let mut near = Vec::new();
        let mut tried = 0;
        position.each_near(written, most, |mv, miswriting| {
            tried += 1;
            if let Some(slip) = miswriting.slip
                && as_written != Some(mv)
            {
                near.push((miswriting.cost, mv, slip));
            }
        });
        self.work += tried;
        near.sort_by_key(|(cost, ..)| *cost);
        for (slips, mv, slip) in near {
            let mut after = position;
            after.play(mv);
            self.add(Some(node), Some((index, Change::Read(mv, slip))), cost + slips, index + 1, after);
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
        readings.truncate(MOST);
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
        let reading = Reading { cost, moves: Vec::new(), edits: Vec::new() };
        let mut reader = Reader { position: start, reading, alternatives: Vec::new() };
        let mut next = 0;
        for &(index, change) in changes.iter().rev() {
            self.tokens[next..index].iter().for_each(|token| reader.token(token));
            next = index + reader.change(change, &self.tokens[index..]);
        }
        self.tokens[next..].iter().for_each(|token| reader.token(token));
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
    /// Of moves that could as well be others: the edit, and the tokens of the others.
    alternatives: Vec<(usize, Vec<String>)>,
}

impl<P: Position> Reader<P> {
    fn write(&self, mv: P::Move) -> String {
        let mut token = String::new();
        let written = self.position.write_move(mv, &mut token);
        debug_assert!(written.is_ok(), "a String takes everything");
        token
    }

    fn play(&mut self, mv: P::Move) {
        self.reading.moves.push(self.write(mv));
        self.position.play(mv);
    }

    fn token(&mut self, token: &str) {
        if let Ok(mv) = self.position.resolve(token) {
            self.play(mv);
        }
    }

    /// Notes the moves that lead to the same position as one of which nothing can be read.
    fn note_alternatives(&mut self, mv: P::Move) {
        let mut others = Vec::new();
        self.position.each_alternative(mv, MOST, |other| others.push(self.write(other)));
        if !others.is_empty() {
            self.alternatives.push((self.reading.edits.len(), others));
        }
    }

    /// Makes a change before these written plies, and says how many of them it is about.
    fn change(&mut self, change: Change<P::Move>, written: &[&str]) -> usize {
        let before = self.reading.moves.len();
        let (kind, about) = match change {
            Change::Read(mv, slip) => {
                if slip == SlipKind::Unreadable {
                    self.note_alternatives(mv);
                }
                self.play(mv);
                (slip.row().name, 1)
            }
            Change::Insert(mv) => {
                self.note_alternatives(mv);
                self.play(mv);
                (PlySlip::Omitted.row().name, 0)
            }
            Change::Remove => (PlySlip::Doubled.row().name, 1),
            Change::Swap => {
                self.token(written[1]);
                self.token(written[0]);
                (PlySlip::Swapped.row().name, 2)
            }
        };
        let joined = |tokens: &[&str]| (!tokens.is_empty()).then(|| tokens.join(" "));
        let to: Vec<_> = self.reading.moves[before..].iter().map(String::as_str).collect();
        let edit = Edit { ply: before as u64 + 1, kind, from: joined(&written[..about]), to: joined(&to) };
        self.reading.edits.push(edit);
        about
    }

    /// The reading, and those with other moves in it.
    fn readings(self) -> Vec<Reading> {
        let mut readings = vec![self.reading];
        for (edit, others) in self.alternatives {
            let with = |reading: &Reading, token: &String| {
                let mut reading = reading.clone();
                let edit = &mut reading.edits[edit];
                edit.to = Some(token.clone());
                let index = usize::try_from(edit.ply).unwrap_or(1) - 1;
                reading.moves[index].clone_from(token);
                reading
            };
            let more: Vec<_> =
                readings.iter().flat_map(|reading| others.iter().map(move |token| with(reading, token))).collect();
            readings.extend(more.into_iter().take(MOST));
        }
        readings
    }
}
