//! Best-first search for the game that several sheets of it explain best.
//!
//! A node is a position with the next ply of every sheet. As long as all sheets say the same, it is played as they say.
//! If they differ, there is a child for each move that one of them says or may have meant, and for each way in which
//! the sheets came to what they say. Costs are those of a single sheet, added up over the sheets.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use quipu_notation::record::Record;

use super::{PlySlip, odds::one_of};
use crate::{
    Game, Position, judge,
    slips::{Cost, SlipKind, Written},
};

/// Cost beyond that of the best game up to which others count as nearly as good.
const MARGIN: Cost = 20;

/// The most that a game may cost for each sheet.
const MAX_COST: Cost = 220;

/// The most that a misread token may cost.
const NEAR: Cost = 50;

/// Cost of a slip at one character of a token, beyond its cost anywhere in the token.
const SPREAD: Cost = 14;

/// Cost of each ply after the last of a sheet that breaks off.
const BROKEN_OFF: Cost = 4;

/// Cost of claims that no change makes right.
const WRONG: Cost = 90;

/// Cost that each ply ahead is expected to have, in the order of the search.
const AHEAD: Cost = 3;

/// Moves tried and plies played, at most.
const WORK: u64 = 700_000;

/// Nodes kept, at most.
const NODES: usize = 60_000;

/// Games compared with the best one, at most.
const MAX_GAMES: usize = 10;

/// Explanations of the sheets' tokens of one move, at most.
const WAYS: usize = 16;

/// Times that one position is looked at with the same plies of the sheets ahead.
const VISITS: usize = 4;

/// The game that explains several sheets best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Canonical tokens.
    pub moves: Vec<String>,
    /// Cost of the slips of all sheets.
    pub cost: Cost,
    /// The plies that the sheets or other games nearly as good give otherwise, in order.
    pub disputed: Vec<Disputed>,
    /// Plies on which all sheets agree.
    pub agreed: u64,
    /// For each sheet its cost, and for each move the written ply that it is read from.
    pub sheets: Vec<SheetOf>,
    /// False if the search hit its bound, so that another game may explain the sheets better.
    pub is_complete: bool,
}

/// A sheet beside the merged game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetOf {
    /// Cost of its slips.
    pub cost: Cost,
    /// For each move the written ply that it is read from, from 0.
    pub written: Vec<Option<usize>>,
}

/// A ply of the merged game that is not beyond doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disputed {
    /// The ply, from 1.
    pub ply: u64,
    /// Every sheet, then other moves that explain the sheets nearly as well.
    pub readings: Vec<DisputedReading>,
}

/// One account of a disputed ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisputedReading {
    /// The text of a sheet, by its number from 0; none if the ply is not in it.
    Sheet(usize, Option<String>),
    /// A move of another game, and the cost of that game beyond the best one.
    Other(String, Cost),
}

/// The next ply of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SheetProgress {
    next: usize,
    /// True if the ply after the next was already played: the two changed places.
    is_held: bool,
    /// True if the sheet has ended and the game went on.
    is_over: bool,
}

/// One way in which a sheet came to what it says of a move.
#[derive(Clone, Copy, Debug)]
struct Account {
    cost: Cost,
    after: SheetProgress,
    /// The written ply of the move.
    written: Option<usize>,
    is_exact: bool,
}

/// A token of a sheet, compared with the legal moves.
struct Heard<M> {
    /// Its move, if it is legal.
    exact: Option<M>,
    /// Other moves that it may have been meant for, with the costs of the slips.
    near: Vec<(M, Cost)>,
    is_unreadable: bool,
}

impl<M: Copy + PartialEq> Heard<M> {
    /// Cost of a move that is written so.
    fn cost(&self, mv: M) -> Option<Cost> {
        if self.is_unreadable {
            return Some(SlipKind::Unreadable.cost());
        }
        let near = self.near.iter().filter(|(known, _)| *known == mv).map(|(_, cost)| cost + SPREAD).min();
        if self.exact == Some(mv) { Some(0) } else { near }
    }
}

/// The choice of a person at a ply.
#[derive(Clone, Copy)]
enum Choice<M> {
    /// Nothing was chosen.
    Free,
    Move(M),
    /// The chosen token is not legal here.
    Illegal,
}

struct Node<P: Position> {
    parent: Option<usize>,
    /// The move that the sheets differ on, and their accounts.
    step: Option<(P::Move, Vec<Account>)>,
    cost: Cost,
    position: P,
    places: Vec<SheetProgress>,
    /// Plies after the step on which all agree.
    agreed: usize,
    ply: usize,
}

struct Search<'r, G: Game> {
    records: &'r [&'r Record<'r>],
    sheets: Vec<Vec<&'r str>>,
    nodes: Vec<Node<G::Position>>,
    /// Nodes by the cost that is expected of a game that comes of them.
    queue: BinaryHeap<Reverse<(Cost, usize)>>,
    longest: usize,
    /// True to look for plies that are in no sheet.
    looks_for_lost: bool,
    /// Tokens of the game that a person chose, by ply from 1.
    chosen: &'r [(u64, String)],
    seen: HashMap<Vec<SheetProgress>, Vec<G::Position>>,
    found: Vec<(Cost, usize)>,
    work: u64,
}

/// The game that explains these sheets best; none if none is near, or none has the chosen tokens at their plies.
pub(crate) fn merged<'r, G: Game>(records: &'r [&'r Record<'r>], chosen: &'r [(u64, String)]) -> Option<Merged> {
    let start = records.iter().find_map(|record| judge::start::<G>(record).ok())?;
    let longest = records.iter().map(|record| record.movetext.plies.len()).max()?;
    // Hardly ever a ply is in no sheet, and it may be any move.
    [false, true].into_iter().find_map(|looks_for_lost| {
        let mut search = Search::<G> { chosen, ..Search::new(records, longest, looks_for_lost) };
        let places = vec![SheetProgress { next: 0, is_held: false, is_over: false }; records.len()];
        search.add(None, None, 0, start, places, 0);
        let work = WORK + 4 * (longest * records.len()) as u64;
        let is_complete = search.run(work);
        search.best(start, is_complete)
    })
}

type Move<G> = <<G as Game>::Position as Position>::Move;

impl<'r, G: Game> Search<'r, G> {
    fn new(records: &'r [&'r Record<'r>], longest: usize, looks_for_lost: bool) -> Self {
        let tokens = |record: &&'r Record<'r>| record.movetext.plies.iter().map(|ply| &*ply.token).collect();
        Self {
            records,
            sheets: records.iter().map(tokens).collect(),
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            longest,
            looks_for_lost,
            chosen: &[],
            seen: HashMap::new(),
            found: Vec::new(),
            work: 0,
        }
    }

    fn bound(&self) -> Cost {
        let most = MAX_COST * Cost::try_from(self.sheets.len()).unwrap_or(1);
        self.found.iter().map(|(cost, _)| cost + MARGIN).min().unwrap_or(most)
    }

    /// Looks at the nodes; false if the bound was hit.
    fn run(&mut self, work: u64) -> bool {
        while let Some(Reverse((_, node))) = self.queue.pop() {
            if self.work >= work || self.nodes.len() >= NODES {
                return false;
            }
            if self.nodes[node].cost <= self.bound() {
                self.expand(node);
            }
        }
        true
    }

    fn token(&self, sheet: usize, ply: usize) -> Option<&'r str> {
        self.sheets[sheet].get(ply).copied()
    }

    /// The move of a written ply, if it is legal here.
    fn written(&self, position: &G::Position, sheet: usize, ply: usize) -> Option<Move<G>> {
        self.token(sheet, ply).and_then(|token| position.resolve(token).ok())
    }

    /// The choice of a person at a ply, counted from 0.
    fn chosen(&self, position: &G::Position, ply: usize) -> Choice<Move<G>> {
        let mut chosen = self.chosen.iter().filter(|(of, _)| usize::try_from(*of).is_ok_and(|of| of == ply + 1));
        let Some((_, token)) = chosen.next_back() else { return Choice::Free };
        position.resolve(token).map_or(Choice::Illegal, Choice::Move)
    }

    /// True if a game of so many plies has all that were chosen.
    fn has_all_chosen(&self, plies: usize) -> bool {
        self.chosen.iter().all(|(ply, _)| usize::try_from(*ply).is_ok_and(|ply| (1..=plies).contains(&ply)))
    }

    /// The move on which all sheets agree here.
    fn agreed(&self, position: &G::Position, places: &[SheetProgress], ply: usize) -> Option<Move<G>> {
        if position.end().is_some() || places.iter().any(|place| place.is_held) {
            return None;
        }
        let mut agreed = match self.chosen(position, ply) {
            Choice::Free => None,
            Choice::Move(mv) => Some(mv),
            Choice::Illegal => return None,
        };
        for (sheet, place) in places.iter().enumerate().filter(|(_, place)| !place.is_over) {
            let mv = self.written(position, sheet, place.next)?;
            if agreed.is_some_and(|known| known != mv) {
                return None;
            }
            agreed = Some(mv);
        }
        agreed
    }

    fn add(
        &mut self,
        parent: Option<usize>,
        step: Option<(Move<G>, Vec<Account>)>,
        cost: Cost,
        mut position: G::Position,
        mut places: Vec<SheetProgress>,
        ply: usize,
    ) {
        if cost > self.bound() {
            return;
        }
        let mut agreed = 0;
        let mut broken_off = 0;
        let before = ply + usize::from(step.is_some());
        while let Some(mv) = self.agreed(&position, &places, before + agreed) {
            position.play(mv);
            for place in &mut places {
                if place.is_over {
                    broken_off += BROKEN_OFF;
                } else {
                    place.next += 1;
                }
            }
            agreed += 1;
        }
        self.work += 1 + (agreed * places.len()) as u64;
        let cost = cost + broken_off;
        let ply = before + agreed;
        let is_end = places.iter().zip(&self.sheets).all(|(place, sheet)| !place.is_held && place.next >= sheet.len());
        let seen = self.seen.entry(places.clone()).or_default();
        if seen.iter().filter(|known| **known == position).count() >= VISITS {
            return;
        }
        seen.push(position);
        let node = self.nodes.len();
        let is_end = is_end && self.has_all_chosen(ply);
        let claims = is_end.then(|| self.claims(position)).flatten();
        if let Some(claims) = claims {
            self.found.push((cost + claims, node));
        } else {
            let ahead = Cost::try_from(self.longest.saturating_sub(ply)).unwrap_or(Cost::MAX / AHEAD / 2);
            self.queue.push(Reverse((cost + AHEAD * ahead, node)));
        }
        self.nodes.push(Node { parent, step, cost, position, places, agreed, ply });
    }

    /// Cost of the claims of all sheets about a game that came to this position; none if no change makes those of a single
    /// sheet right.
    fn claims(&self, end: G::Position) -> Option<Cost> {
        let wrong = |record: &&Record<'_>| judge::wrong_claims::<G>(end, record).map(|wrong| wrong.len());
        let wrong: Vec<_> = self.records.iter().map(wrong).collect();
        let cost = |wrong: &Option<usize>| {
            wrong.map_or(WRONG, |wrong| PlySlip::Claim.row().cost * Cost::try_from(wrong).unwrap_or(2))
        };
        wrong.iter().any(Option::is_some).then(|| wrong.iter().map(cost).sum())
    }

    /// Adds the nodes after the next move.
    fn expand(&mut self, node: usize) {
        let Node { cost, position, ref places, ply, .. } = self.nodes[node];
        let places = places.clone();
        // A last ply that is written twice.
        for (sheet, place) in places.iter().enumerate() {
            let is_twice = place.next > 0 && self.token(sheet, place.next) == self.token(sheet, place.next - 1);
            if is_twice && !place.is_held && place.next + 1 == self.sheets[sheet].len() {
                let mut places = places.clone();
                places[sheet].next += 1;
                self.add(Some(node), None, cost + PlySlip::Doubled.row().cost, position, places, ply);
            }
        }
        if position.end().is_some() {
            return;
        }
        let heard = self.heard(&position, &places, self.bound().saturating_sub(cost));
        let mut candidates: Vec<Move<G>> = Vec::new();
        let mut consider = |mv: Move<G>| {
            if !candidates.contains(&mv) {
                candidates.push(mv);
            }
        };
        let of_next = || heard.iter().filter_map(|heard| heard.first());
        let is_said = of_next().any(|token| token.exact.is_some());
        heard.iter().flatten().for_each(|token| token.exact.into_iter().for_each(&mut consider));
        heard.iter().flatten().flat_map(|token| &token.near).for_each(|(mv, _)| consider(*mv));
        if self.looks_for_lost || !is_said && of_next().any(|token| token.is_unreadable) {
            position.each_outcome(&mut consider);
        }
        let chosen = self.chosen(&position, ply);
        match chosen {
            Choice::Free => {}
            Choice::Move(mv) => candidates = vec![mv],
            Choice::Illegal => return,
        }
        self.work += candidates.len() as u64;
        let many = one_of(1_000 * candidates.len() as u64);
        for mv in candidates {
            let accounts: Vec<_> =
                (0..places.len()).map(|sheet| self.accounts(sheet, places[sheet], mv, &heard[sheet])).collect();
            let is_exact = accounts.iter().flatten().any(|account| account.is_exact);
            let mut after = position;
            let rarity = if is_exact { 0 } else { position.rarity(mv) };
            after.play(mv);
            self.combine(node, mv, cost + rarity, after, &accounts, matches!(chosen, Choice::Free).then_some(many));
        }
    }

    /// The next two tokens of every sheet, compared with the legal moves.
    fn heard(&mut self, position: &G::Position, places: &[SheetProgress], most: Cost) -> Vec<Vec<Heard<Move<G>>>> {
        let mut heard = Vec::new();
        for (sheet, place) in places.iter().enumerate() {
            let ahead = if place.is_held { 1 } else { 2 };
            let tokens: Vec<_> = (place.next..place.next + ahead).filter_map(|ply| self.token(sheet, ply)).collect();
            let mut of_sheet = Vec::new();
            for token in tokens {
                let written = Written::new(token);
                let exact = position.resolve(token).ok();
                let is_unreadable = written.is_unreadable();
                let mut near = Vec::new();
                if !is_unreadable {
                    position.each_near(&written, NEAR.min(most), |mv, found| {
                        if Some(mv) != exact && !near.iter().any(|(known, cost)| *known == mv && *cost <= found.cost) {
                            near.push((mv, found.cost));
                        }
                    });
                }
                self.work += 1 + near.len() as u64;
                of_sheet.push(Heard { exact, near, is_unreadable });
            }
            heard.push(of_sheet);
        }
        heard
    }

    /// The ways in which a sheet came to what it says of a move.
    fn accounts(&self, sheet: usize, place: SheetProgress, mv: Move<G>, heard: &[Heard<Move<G>>]) -> Vec<Account> {
        let at = |next: usize| SheetProgress { next, is_held: false, is_over: false };
        let account = |cost, after, written, is_exact| Account { cost, after, written, is_exact };
        let next = place.next;
        let Some(token) = heard.first() else {
            let cost = if place.is_over { BROKEN_OFF } else { PlySlip::Omitted.row().cost };
            return vec![account(cost, SheetProgress { is_over: true, ..place }, None, false)];
        };
        if place.is_held {
            return token.cost(mv).map(|cost| account(cost, at(next + 2), Some(next), false)).into_iter().collect();
        }
        if token.exact == Some(mv) {
            return vec![account(0, at(next + 1), Some(next), true)];
        }
        let mut accounts = Vec::new();
        accounts.extend(token.cost(mv).map(|cost| account(cost, at(next + 1), Some(next), false)));
        if let Some(cost) = heard.get(1).and_then(|token| token.cost(mv)) {
            let is_twice = next > 0 && self.token(sheet, next) == self.token(sheet, next - 1);
            if is_twice {
                accounts.push(account(cost + PlySlip::Doubled.row().cost, at(next + 2), Some(next + 1), false));
            }
            let held = SheetProgress { is_held: true, ..place };
            accounts.push(account(cost + PlySlip::Swapped.row().cost, held, Some(next + 1), false));
        }
        accounts.push(account(PlySlip::Omitted.row().cost, place, None, false));
        accounts
    }

    /// Adds a node for every way in which the sheets came to what they say of a move. A move that is in no sheet is one of
    /// `many`, as a cost; none if a person chose it.
    fn combine(
        &mut self,
        node: usize,
        mv: Move<G>,
        cost: Cost,
        after: G::Position,
        accounts: &[Vec<Account>],
        many: Option<Cost>,
    ) {
        let mut ways: Vec<(Cost, Vec<Account>)> = vec![(cost, Vec::new())];
        for of_sheet in accounts {
            let bound = self.bound();
            let with = |(cost, way): &(Cost, Vec<Account>)| {
                let longer = of_sheet.iter().map(|account| {
                    let mut way = way.clone();
                    way.push(*account);
                    (cost + account.cost, way)
                });
                longer.collect::<Vec<_>>()
            };
            ways = ways.iter().flat_map(with).filter(|(cost, _)| *cost <= bound).collect();
            ways.sort_by_key(|(cost, _)| *cost);
            ways.truncate(WAYS);
        }
        let ply = self.nodes[node].ply;
        for (cost, way) in ways {
            let is_lost = way.iter().all(|account| account.written.is_none());
            if is_lost && !self.looks_for_lost && many.is_some() {
                continue;
            }
            let cost = cost + many.filter(|_| is_lost).unwrap_or(0);
            let places = way.iter().map(|account| account.after).collect();
            self.add(Some(node), Some((mv, way)), cost, after, places, ply);
        }
    }

    fn best(mut self, start: G::Position, is_complete: bool) -> Option<Merged> {
        self.found.sort_unstable();
        let games: Vec<_> = self.found.iter().map(|&(cost, node)| (cost, self.explanation(start, node))).collect();
        let (best, first) =
            games.iter().min_by(|(cost, one), (other, two)| (cost, &one.moves).cmp(&(other, &two.moves)))?;
        let mut others: Vec<(Cost, &Explanation)> = Vec::new();
        for (cost, game) in &games {
            let is_new = game.moves != first.moves && others.iter().all(|(_, known)| known.moves != game.moves);
            if is_new && *cost <= best + MARGIN && others.len() < MAX_GAMES {
                others.push((cost - best, game));
            }
        }
        let others: Vec<_> =
            others.into_iter().map(|(cost, other)| (cost, other.differs(first), &other.moves)).collect();
        let mut disputed: Vec<Disputed> = Vec::new();
        for (index, says) in first.says.iter().enumerate() {
            let touching: Vec<_> = others.iter().filter(|(_, differs, _)| differs.contains(&index)).collect();
            if says.is_agreed && touching.is_empty() {
                continue;
            }
            let of_sheet = |(sheet, ply): (usize, &Option<usize>)| {
                DisputedReading::Sheet(sheet, ply.and_then(|ply| self.token(sheet, ply)).map(str::to_owned))
            };
            let mut readings: Vec<_> = says.written.iter().enumerate().map(of_sheet).collect();
            let mut listed = vec![&first.moves[index]];
            for (cost, _, moves) in touching {
                if let Some(mv) = moves.get(index).filter(|mv| !listed.contains(mv)) {
                    listed.push(mv);
                    readings.push(DisputedReading::Other(mv.clone(), *cost));
                }
            }
            disputed.push(Disputed { ply: index as u64 + 1, readings });
        }
        let sheets = (0..self.sheets.len()).map(|sheet| SheetOf {
            cost: first.costs[sheet],
            written: first.says.iter().map(|says| says.written[sheet]).collect(),
        });
        Some(Merged {
            agreed: first.says.iter().filter(|says| says.is_agreed).count() as u64,
            sheets: sheets.collect(),
            moves: first.moves.clone(),
            cost: *best,
            disputed,
            is_complete,
        })
    }

    /// The game of a node, ply by ply.
    fn explanation(&self, start: G::Position, node: usize) -> Explanation {
        let mut path = vec![node];
        while let Some(parent) = self.nodes[path[path.len() - 1]].parent {
            path.push(parent);
        }
        let mut position = start;
        let mut places = vec![SheetProgress { next: 0, is_held: false, is_over: false }; self.sheets.len()];
        let mut explanation = Explanation { costs: vec![0; self.sheets.len()], ..Explanation::default() };
        for node in path.into_iter().rev().map(|node| &self.nodes[node]) {
            if let Some((mv, accounts)) = &node.step {
                explanation.play::<G>(
                    &mut position,
                    *mv,
                    accounts.iter().map(|account| account.written).collect(),
                    accounts,
                );
                places = accounts.iter().map(|account| account.after).collect();
            } else if node.parent.is_some() {
                // A last ply that was written twice.
                places.clone_from(&node.places);
                if let Some(last) = explanation.says.last_mut() {
                    last.is_agreed = false;
                }
                continue;
            }
            for _ in 0..node.agreed {
                let Some(mv) = self.agreed(&position, &places, explanation.moves.len()) else { break };
                let written = places.iter().map(|place| (!place.is_over).then_some(place.next)).collect();
                explanation.play::<G>(&mut position, mv, written, &[]);
                for place in places.iter_mut().filter(|place| !place.is_over) {
                    place.next += 1;
                }
            }
        }
        explanation
    }
}

/// A game as the sheets tell it.
#[derive(Default)]
struct Explanation {
    moves: Vec<String>,
    says: Vec<Says>,
    /// Cost of the slips of each sheet.
    costs: Vec<Cost>,
}

/// A ply of it.
struct Says {
    /// The written ply of each sheet.
    written: Vec<Option<usize>>,
    is_agreed: bool,
}

impl Explanation {
    fn play<G: Game>(
        &mut self,
        position: &mut G::Position,
        mv: Move<G>,
        written: Vec<Option<usize>>,
        accounts: &[Account],
    ) {
        let mut token = String::new();
        let done = position.write_move(mv, &mut token);
        debug_assert!(done.is_ok(), "a String takes everything");
        position.play(mv);
        self.moves.push(token);
        let is_agreed = accounts.iter().all(|account| account.is_exact) && written.iter().all(Option::is_some);
        self.says.push(Says { written, is_agreed });
        for (cost, account) in self.costs.iter_mut().zip(accounts) {
            *cost += account.cost;
        }
    }

    /// The plies of the first game that are others in this one. Games of different lengths differ from the first such ply to
    /// the last.
    fn differs(&self, first: &Self) -> Vec<usize> {
        if self.moves.len() == first.moves.len() {
            let pairs = self.moves.iter().zip(&first.moves).enumerate();
            return pairs.filter(|(_, (one, other))| one != other).map(|(ply, _)| ply).collect();
        }
        let same = self.moves.iter().zip(&first.moves).take_while(|(one, other)| one == other).count();
        let left = |moves: &[String]| moves.len() - same;
        let ends =
            self.moves.iter().rev().zip(first.moves.iter().rev()).take_while(|(one, other)| one == other).count();
        let ends = ends.min(left(&self.moves)).min(left(&first.moves));
        let last = first.moves.len().saturating_sub(1);
        let from = same.min(last);
        (from..(first.moves.len() - ends).max(from + 1)).collect()
    }
}
