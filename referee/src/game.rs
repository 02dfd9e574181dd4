//! A game as its author writes it.

use std::fmt;

use quipu_notation::{
    Side,
    games::GameNotation,
    record::{Outcome, Record},
};

use crate::{
    Code, Diagnostic, Finding, Located, Message, Points,
    drawing::Drawing,
    slips::{Miswriting, Written},
    tap::Tap,
    termination::Termination,
};

/// The laws of one game. What each game has and no other thing is here.
pub trait Game: Send + Sync + 'static {
    /// A position that can be played from.
    type Position: Position;
    /// What distinguishes the game's rule sets.
    type Rules: Copy + Send + Sync + 'static;

    /// How the game is written.
    const NOTATION: &'static GameNotation;
    /// The word for its name.
    const NAME: &'static str;
    /// The words for its sides.
    const SIDE_WORDS: [&'static str; 2];
    /// Its codes, in order of precedence.
    const CODES: &'static [Code];
    /// Its `messages.toml`, as the build script makes it JSON.
    const WORDS: &'static str;
    /// Its rule sets; the first is `base`.
    const RULE_SETS: &'static [RuleSet<Self::Rules>];
    /// The ends that its board shows.
    const ENDS: &'static [Termination];
    /// Names of the forms that [`Game::arrange`] can give.
    const FORMS: &'static [&'static str];
    /// Seconds a player starts with where the record has no `TimeControl`.
    const TIME_CONTROL: Option<u64>;

    /// Signs of a move that is long and not rare: what a box for it has to hold.
    const MOVE_LENGTH: u8 = 12;

    /// Tags that people are told of and that are not judged.
    const REMARKS: &'static [Remark] = &[];

    /// Key of the word for a side: `andes.sol`.
    fn side_word(side: Side) -> &'static str {
        Self::SIDE_WORDS[side.index()]
    }

    /// The position that a game starts from if its record has no `Setup`, if there is one. `first` is the side that the
    /// record lets start, in games that leave it open.
    fn initial(rules: Self::Rules, first: Option<Side>) -> Option<Self::Position>;

    /// Whether a record may start from a position that can be played from.
    ///
    /// # Errors
    /// Why not; it is said of `Setup`.
    fn can_start(position: &Self::Position) -> Result<(), Message> {
        let _ = position;
        Ok(())
    }

    /// A start position dealt at random, in games that begin so. The same seed always deals the same. `first` is the side
    /// that is to start, if that is said.
    fn deal(rules: Self::Rules, seed: u64, first: Option<Side>) -> Option<Self::Position> {
        let _ = (rules, seed, first);
        None
    }

    /// Reads a position string.
    ///
    /// # Errors
    /// All faults found, at least one.
    fn position(rules: Self::Rules, text: &str) -> Result<Self::Position, Vec<Located>>;

    /// Reads an arrangement in any form the game has.
    ///
    /// # Errors
    /// All faults found, at least one.
    fn arrange(rules: Self::Rules, text: &str) -> Result<Arrangement, Vec<Located>>;

    /// What an end on the board is worth in this record, where the laws leave that to the arbiter.
    fn settle(end: End, record: &Record<'_>) -> End {
        let _ = record;
        end
    }

    /// Judges what only this game's records claim, when every move was lawful.
    fn judge(record: &Record<'_>, position: &Self::Position, finding: Option<&Finding>, found: &mut Vec<Diagnostic>) {
        let _ = (record, position, finding, found);
    }
}

/// One position of a game. It is small and copied freely; nothing here allocates but what returns a text or a list.
pub trait Position: Copy + PartialEq + fmt::Display + Send + Sync + 'static {
    /// A move that is lawful in the position it was resolved in.
    type Move: Copy + PartialEq + Send + Sync;
    /// Why a token is no lawful move: one variant a code.
    type Breach: Into<Message>;

    /// Who moves.
    fn turn(&self) -> Side;

    /// The end that this position is, if it is one.
    fn end(&self) -> Option<End>;

    /// The move that a token means here. It does not list all moves to find out.
    ///
    /// # Errors
    /// The first code of the game's table that applies.
    fn resolve(&self, token: &str) -> Result<Self::Move, Self::Breach>;

    /// Plays a move that was resolved here.
    fn play(&mut self, mv: Self::Move);

    /// Calls `each` with every lawful move; an end is not looked for.
    fn each_move(&self, each: impl FnMut(Self::Move));

    /// How many lawful moves there are; an end is not looked for.
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.each_move(|_| count += 1);
        count
    }

    /// Calls `each` with what is touched, one thing after the other, to enter a move that was resolved here: what a hand
    /// would do on a board. No two moves are entered alike.
    fn each_tap(&self, mv: Self::Move, each: impl FnMut(Tap));

    /// Writes the canonical token of a move that was resolved here.
    fn write_move(&self, mv: Self::Move, out: &mut impl fmt::Write) -> fmt::Result;

    /// Points counted now, in games that have them.
    fn points(&self) -> Option<Points> {
        None
    }

    /// Calls `each` with every accepted spelling of a move that was resolved here, the canonical token first. Claims are
    /// left out: nobody is known to have made them.
    fn each_spelling(&self, mv: Self::Move, mut each: impl FnMut(&str)) {
        let mut token = String::new();
        let written = self.write_move(mv, &mut token);
        debug_assert!(written.is_ok(), "a String takes everything");
        each(&token);
    }

    /// Calls `each` with legal moves and the cost at which each became what is written; an end is not looked for. A game
    /// with very many moves looks for the near ones only, and may come to one of them twice.
    fn each_near(&self, written: &Written, mut each: impl FnMut(Self::Move, Miswriting)) {
        let mut comparison = written.comparison();
        self.each_move(|mv| {
            let mut cheapest: Option<Miswriting> = None;
            self.each_spelling(mv, |spelling| {
                let found = comparison.cost(spelling);
                cheapest = cheapest.into_iter().chain(found).min_by_key(|one| one.cost);
            });
            if let Some(miswriting) = cheapest {
                each(mv, miswriting);
            }
        });
    }

    /// Calls `each` with one legal move for every position that a legal move leads to; an end is not looked for. Of jumps of
    /// Querni that come to the same it is the shortest.
    fn each_outcome(&self, each: impl FnMut(Self::Move)) {
        self.each_move(each);
    }

    /// The board as a picture, with the squares that the last move went through.
    fn drawing(&self, last: Option<Self::Move>) -> Drawing;
}

/// A named row of the switches that a game's rule sets differ in.
#[derive(Clone, Copy, Debug)]
pub struct RuleSet<R> {
    /// Value of the tag `Rules`.
    pub name: &'static str,
    /// The switches.
    pub rules: R,
}

/// A tag that people are told of and that is not judged.
#[derive(Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its name.
    pub tag: &'static str,
    /// The word for it.
    pub word: &'static str,
    /// The words for values that have one; any other is told as it is.
    pub values: &'static [(&'static str, &'static str)],
}

/// An end that a board shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Which.
    pub termination: &'static Termination,
    /// What it means.
    pub outcome: Outcome,
}

/// An arrangement in all the forms it can be written in.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// Names of forms (`position`, `diagram`, …) with the text in each. A form that needs more than was given is
    /// not there.
    pub forms: Vec<(&'static str, String)>,
    /// The board as a picture.
    pub drawing: Drawing,
}
