//! A referee of the tafl family that is slow on purpose: a board of letters, read sentence by sentence as
//! `docs/rules/brandubh.md` says them. It shares the switches with the quick one, and no line of code.

use std::collections::{BTreeMap, BTreeSet};

use quipu_notation::Side;
use quipu_referee::games::brandubh::{Against, KingCapturers, Reach, Rules, Siege, Throne, WalkingIn};

/// File and rank, from 1.
type Place = (i32, i32);

/// A position: what stands where, by the letters of position strings.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    rules: Rules,
    pieces: BTreeMap<Place, char>,
    turn: char,
    ply: u64,
    king_is_taken: bool,
}

const WAYS: [Place; 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const CENTRE: Place = (4, 4);

fn is_corner((file, rank): Place) -> bool {
    [1, 7].contains(&file) && [1, 7].contains(&rank)
}

fn is_on_board((file, rank): Place) -> bool {
    (1..=7).contains(&file) && (1..=7).contains(&rank)
}

fn beside((file, rank): Place, (right, up): Place) -> Place {
    (file + right, rank + up)
}

fn opposite((right, up): Place) -> Place {
    (-right, -up)
}

fn other(side: char) -> char {
    if side == 'n' { 'r' } else { 'n' }
}

fn letter(side: Side) -> char {
    match side {
        Side::One => 'n',
        Side::Two => 'r',
    }
}

/// The side of a piece.
fn owner(piece: char) -> char {
    if piece == 't' { 'r' } else { 'n' }
}

fn name((file, rank): Place) -> String {
    let file = "abcdefg".chars().nth(usize::try_from(file - 1).expect("on the board")).expect("on the board");
    format!("{file}{rank}")
}

fn place(name: &str) -> Option<Place> {
    let (file, rank) = name.split_at_checked(1)?;
    let file = i32::try_from("abcdefg".find(file)?).expect("seven files") + 1;
    let rank = ["1", "2", "3", "4", "5", "6", "7"].iter().position(|digit| *digit == rank)?;
    Some((file, i32::try_from(rank).expect("seven ranks") + 1))
}

/// All places in the order of the board: rank 7 to 1, then a to g.
fn board() -> impl Iterator<Item = Place> {
    (1..=7).rev().flat_map(|rank| (1..=7).map(move |file| (file, rank)))
}

impl Reference {
    /// The start of a game.
    pub(crate) fn start(rules: Rules) -> Self {
        let first = letter(rules.starts);
        Self::read(rules, &format!("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 {first} 0")).expect("a game starts from it")
    }

    /// A position string, if it is a good one.
    pub(crate) fn read(rules: Rules, text: &str) -> Option<Self> {
        let [rows, turn, ply] = text.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let ply = ply.parse::<u32>().ok()?.into();
        let mut pieces = BTreeMap::new();
        for (rank, row) in (1..=7).rev().zip(rows.split('/')) {
            let mut file = 1;
            for sign in row.chars() {
                if let Some(run) = sign.to_digit(10) {
                    file += i32::try_from(run).ok()?;
                } else {
                    pieces.insert((file, rank), sign);
                    file += 1;
                }
            }
        }
        let count = |piece| pieces.values().filter(|found| **found == piece).count();
        if count('K') != 1 || count('T') > 4 || count('t') > 8 || count('K') + count('T') + count('t') != pieces.len() {
            return None;
        }
        let on_throne = |throne: Place| pieces.get(&throne).is_some_and(|piece| *piece != 'K');
        if on_throne(CENTRE) && rules.centre != Throne::Open {
            return None;
        }
        if board().any(|place| is_corner(place) && on_throne(place)) && rules.corners != Throne::Open {
            return None;
        }
        let first = letter(rules.starts);
        let turn = [first, other(first)].into_iter().find(|side| side.to_string() == turn)?;
        if (turn == first) != (ply % 2 == 0) {
            return None;
        }
        let mut position = Self { rules, pieces, turn, ply, king_is_taken: false };
        position.king_is_taken = position.takes_the_king(None);
        // It is canonical if it is what would be written.
        (position.position() == text).then_some(position)
    }

    /// The position string.
    pub(crate) fn position(&self) -> String {
        let row = |rank: i32| {
            let row: String = (1..=7).map(|file| self.at((file, rank)).unwrap_or('.')).collect();
            (1..=7).rev().fold(row, |row, run| row.replace(&".".repeat(run), &run.to_string()))
        };
        format!("{} {} {}", (1..=7).rev().map(row).collect::<Vec<_>>().join("/"), self.turn, self.ply)
    }

    fn at(&self, place: Place) -> Option<char> {
        self.pieces.get(&place).copied()
    }

    fn king(&self) -> Place {
        *self.pieces.iter().find(|(_, piece)| **piece == 'K').expect("there is one king").0
    }

    /// The effect of a place on pawns.
    fn to_pawns(&self, place: Place) -> Throne {
        match place {
            CENTRE => self.rules.centre,
            corner if is_corner(corner) => self.rules.corners,
            _ => Throne::Open,
        }
    }

    /// The places to which the piece on a place may go.
    fn reached(&self, from: Place) -> Vec<Place> {
        let king = self.at(from) == Some('K');
        let mut reached = Vec::new();
        for way in WAYS {
            let mut to = beside(from, way);
            while is_on_board(to) && self.at(to).is_none() {
                // "They neither stop on nor pass through a throne."
                if !king && self.to_pawns(to) == Throne::Closed {
                    break;
                }
                // "Every piece may pass over the empty centre"; "only the king may stop".
                if king || self.to_pawns(to) == Throne::Open {
                    reached.push(to);
                }
                // "The king moves one square."
                if king && self.rules.king_reach == Reach::Step {
                    break;
                }
                to = beside(to, way);
            }
        }
        reached
    }

    /// True if a place has an enemy of `side`, or a throne that counts as one.
    fn is_enemy(&self, place: Place, side: char) -> bool {
        let hostile = |against: Against| match against {
            Against::Nobody => false,
            Against::Only(only) => letter(only) == side,
            Against::Everybody => true,
        };
        match self.at(place) {
            Some('K') => side == 'r' && self.rules.king_captures_standing,
            Some(pawn) => owner(pawn) != side,
            None if place == CENTRE => hostile(self.rules.centre_against),
            None if is_corner(place) => hostile(self.rules.corners_against),
            None => false,
        }
    }

    fn moved(&self, from: Place, to: Place) -> Self {
        let mut after = self.clone();
        let piece = after.pieces.remove(&from).expect("it stands there");
        after.pieces.insert(to, piece);
        after
    }

    /// Pieces that leave the board when a piece moves.
    fn captured(&self, from: Place, to: Place) -> BTreeSet<Place> {
        let piece = self.at(from).expect("it stands there");
        let (own, foe) = (owner(piece), other(owner(piece)));
        let mut taken = BTreeSet::new();
        if piece == 'K' && !self.rules.king_captures_moving {
            return taken;
        }
        let mut after = self.moved(from, to);
        for way in WAYS {
            let next = beside(to, way);
            let is_pawn = matches!(after.at(next), Some('t' | 'T'));
            if is_pawn && owner(after.at(next).expect("a pawn")) == foe && after.is_enemy(beside(next, way), foe) {
                taken.insert(next);
            }
        }
        for place in &taken {
            after.pieces.remove(place);
        }
        // "Then, if the moved pawn stands between two enemies in a rank or file, it is itself taken."
        let walks_in = WAYS
            .into_iter()
            .any(|way| [way, opposite(way)].into_iter().all(|way| after.is_enemy(beside(to, way), own)));
        if piece != 'K' && walks_in && self.rules.walking_in == WalkingIn::Taken {
            taken.insert(to);
        }
        taken
    }

    /// True if red captures the king after a piece has moved to `moved`.
    fn takes_the_king(&self, moved: Option<Place>) -> bool {
        let king = self.king();
        let how = if king == CENTRE {
            self.rules.king_on_centre
        } else if WAYS.into_iter().any(|way| beside(king, way) == CENTRE) {
            self.rules.king_beside_centre
        } else {
            self.rules.king_elsewhere
        };
        // Groups of places, each of which is enough.
        let groups: Vec<Vec<Place>> = match how {
            Siege::Around => {
                let around = WAYS.into_iter().map(|way| beside(king, way));
                vec![around.filter(|place| is_on_board(*place) && *place != CENTRE).collect()]
            }
            Siege::Between => [(1, 0), (0, 1)].map(|way| vec![beside(king, way), beside(king, opposite(way))]).to_vec(),
        };
        let after_red = self.turn == 'n';
        groups.into_iter().filter(|group| group.iter().all(|place| self.is_enemy(*place, 'n'))).any(|group| match self
            .rules
            .king_capturers
        {
            KingCapturers::EveryPly => true,
            KingCapturers::RedPlies => after_red,
            KingCapturers::RedMover => after_red && moved.is_some_and(|moved| group.contains(&moved)),
        })
    }

    /// The end that the board shows, and who wins.
    pub(crate) fn end(&self) -> Option<(&'static str, Side)> {
        let winner = |side| if side == 'n' { Side::One } else { Side::Two };
        if is_corner(self.king()) {
            Some(("corner", winner('n')))
        } else if self.king_is_taken {
            Some(("king-captured", winner('r')))
        } else if self.every_move().is_empty() {
            Some(("immobile", winner(other(self.turn))))
        } else {
            None
        }
    }

    fn every_move(&self) -> Vec<(Place, Place)> {
        let mine = board().filter(|place| self.at(*place).is_some_and(|piece| owner(piece) == self.turn));
        mine.flat_map(|from| self.reached(from).into_iter().map(move |to| (from, to))).collect()
    }

    fn token(&self, from: Place, to: Place) -> String {
        let taken = self.captured(from, to);
        let captures: Vec<_> = board().filter(|place| taken.contains(place)).map(name).collect();
        let mark = if captures.is_empty() { "" } else { "x" };
        format!("{}-{}{mark}{}", name(from), name(to), captures.join("/"))
    }

    /// The canonical tokens of all legal moves in the order of their bytes; none where the game is over.
    pub(crate) fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let mut moves: Vec<_> = self.every_move().into_iter().map(|(from, to)| self.token(from, to)).collect();
        moves.sort();
        moves
    }

    /// Plays a token and says its canonical form, or the first code of the table that refuses it.
    pub(crate) fn play(&mut self, token: &str) -> Result<String, &'static str> {
        let (named_king, from, to, claimed) = read_token(token).ok_or("brandubh.notation")?;
        let piece = self.at(from).ok_or("brandubh.empty")?;
        if owner(piece) != self.turn {
            return Err("brandubh.owner");
        }
        if named_king && piece != 'K' {
            return Err("brandubh.piece");
        }
        let (across, up) = (to.0 - from.0, to.1 - from.1);
        if (across == 0) == (up == 0) {
            return Err("brandubh.line");
        }
        let distance = across.abs() + up.abs();
        if piece == 'K' && distance > 1 && self.rules.king_reach == Reach::Step {
            return Err("brandubh.B-2");
        }
        let on_the_way = (1..distance).map(|step| beside(from, (across.signum() * step, up.signum() * step)));
        let passes = on_the_way.clone().any(|place| self.to_pawns(place) == Throne::Closed);
        if piece != 'K' && (self.to_pawns(to) != Throne::Open || passes) {
            return Err("brandubh.B-5");
        }
        if on_the_way.chain([to]).any(|place| self.at(place).is_some()) {
            return Err("brandubh.blocked");
        }
        assert!(self.reached(from).contains(&to), "{token} in {}: what is not refused is legal", self.position());
        let captured = self.captured(from, to);
        if !claimed.is_empty() && claimed != captured {
            return Err("brandubh.claim");
        }
        let canonical = self.token(from, to);
        let mut after = self.moved(from, to);
        after.pieces.retain(|place, _| !captured.contains(place));
        after.turn = other(self.turn);
        after.ply += 1;
        after.king_is_taken = after.takes_the_king(Some(to));
        *self = after;
        Ok(canonical)
    }

    /// Sequences of exactly so many legal plies.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        let after = |token: &String| {
            let mut after = self.clone();
            after.play(token).expect("it is legal");
            after.perft(depth - 1)
        };
        moves.iter().map(after).sum()
    }
}

/// `K` or not, where from, where to, what is said to be captured.
fn read_token(token: &str) -> Option<(bool, Place, Place, BTreeSet<Place>)> {
    let token = ["++", "--", "+", "-"].iter().find_map(|sign| token.strip_suffix(sign)).unwrap_or(token);
    let (named_king, token) = token.strip_prefix('K').map_or((false, token), |rest| (true, rest));
    let (squares, captures) = token.split_once('x').map_or((token, None), |(squares, rest)| (squares, Some(rest)));
    let (from, to) = squares.split_once('-')?;
    let mut claimed = BTreeSet::new();
    for capture in captures.into_iter().flat_map(|captures| captures.split('/')) {
        if !claimed.insert(place(capture)?) {
            return None;
        }
    }
    Some((named_king, place(from)?, place(to)?, claimed))
}
