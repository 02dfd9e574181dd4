//! The traits that the author of a game implements.

use std::fmt;

use quipu_notation::{
    Side,
    games::GameNotation,
    record::{Outcome, Record},
};

use crate::{
    Code, Diagnostic, GameEnd, Located, Message, PointRule, Points,
    drawing::{Drawing, Glyph},
    slips::{Cost, Miswriting, Written},
    symmetry::{Likeness, Symmetry},
    tap::Tap,
    termination::Termination,
    text::Messages,
};

/// The laws of one game.
pub trait Game: Send + Sync + 'static {
    /// A position that can be played from.
    type Position: Position;
    /// The switches of the game's rule sets.
    type Rules: Copy + Send + Sync + 'static;

    /// The notation of the game.
    const NOTATION: &'static GameNotation;
    /// The word for its name.
    const NAME: &'static str;
    /// The words for its sides.
    const SIDE_WORDS: [&'static str; 2];
    /// Its codes, in order of precedence.
    const CODES: &'static [Code];
    /// Its `messages.toml`, as the build script makes it a constant.
    const MESSAGES: &'static Messages;
    /// Its rule sets; the first is `base`.
    const RULE_SETS: &'static [RuleSet<Self::Rules>];
    /// The ends that its board shows.
    const ENDS: &'static [Termination];
    /// Names of the forms that [`Game::arrange`] returns.
    const FORMS: &'static [&'static str];
    /// Seconds on each clock at the start, for records without `TimeControl`.
    const TIME_CONTROL: Option<u64>;

    /// The points of its laws, in games that have them.
    const POINTS: Option<PointRule> = None;

    /// Characters of a long but common move: the width of an input for it.
    const MOVE_LENGTH: u8 = 12;

    /// Tags that are reported and not judged.
    const REMARKS: &'static [Remark] = &[];

    /// A piece of each kind and side, for a legend. Each has a word.
    fn pieces() -> Vec<Glyph>;

    /// Key of the word for a side: `andes.sol`.
    fn side_word(side: Side) -> &'static str {
        Self::SIDE_WORDS[side.index()]
    }

    /// The start position of a record without `Setup`, if the game has one. `first` is the value of the tag `First`, in
    /// games that leave the first side open.
    fn initial(rules: Self::Rules, first: Option<Side>) -> Option<Self::Position>;

    /// Checks that a record may start from a playable position.
    ///
    /// # Errors
    /// The reason why not, reported for `Setup`.
    fn can_start(position: &Self::Position) -> Result<(), Message> {
        let _ = position;
        Ok(())
    }

    /// A start position dealt at random, in games that begin so. A seed always gives the same position. `first` is the
    /// side that starts, if it is chosen.
    fn deal(rules: Self::Rules, seed: u64, first: Option<Side>) -> Option<Self::Position> {
        let _ = (rules, seed, first);
        None
    }

    /// Reads a position string.
    ///
    /// # Errors
    /// All faults found, at least one.
    fn position(rules: Self::Rules, text: &str) -> Result<Self::Position, Vec<Located>>;

    /// The position string of rows with a side to move, whose other fields are as they mostly are with these pieces; none if the
    /// rows cannot be read. The position need not be valid.
    fn completed(rules: Self::Rules, rows: &str, turn: Side) -> Option<String>;

    /// Reads an arrangement in any form of the game.
    ///
    /// # Errors
    /// All faults found, at least one.
    fn arrange(rules: Self::Rules, text: &str) -> Result<Arrangement, Vec<Located>>;

    /// The outcome of an end on the board in this record, where the laws leave it to the arbiter.
    fn settle(end: End, record: &Record<'_>) -> End {
        let _ = record;
        end
    }

    /// Judges claims that only records of this game make, if every move is legal.
    fn judge(record: &Record<'_>, position: &Self::Position, end: Option<&GameEnd>, found: &mut Vec<Diagnostic>) {
        let _ = (record, position, end, found);
    }
}

/// One position of a game. It is small and copied freely; only methods that return a text or a list allocate.
pub trait Position: Copy + PartialEq + fmt::Display + Send + Sync + 'static {
    /// A move that is legal in the position it was resolved in.
    type Move: Copy + PartialEq + Send + Sync;
    /// The reason why a token is not a legal move: one variant for each code.
    type Breach: Into<Message>;

    /// The side to move.
    fn turn(&self) -> Side;

    /// The end of the game in this position, if it is over.
    fn end(&self) -> Option<End>;

    /// The move of a token in this position, found without listing all moves.
    ///
    /// # Errors
    /// The first code of the game's table that applies.
    fn resolve(&self, token: &str) -> Result<Self::Move, Self::Breach>;

    /// The move of a token if it is written without anything that canonical tokens do not have, and legal. Nearly every one is.
    /// Any other token is left to [`resolve`](Self::resolve), which says the reason.
    fn legal(&self, token: &[u8]) -> Option<Self::Move>;

    /// The squares that a token names, by their index in the drawing, in the order of the move; none if the token has not
    /// the form of a move.
    fn named_squares(token: &str) -> Vec<usize>;

    /// Plays a move that was resolved here.
    fn play(&mut self, mv: Self::Move);

    /// Calls `each` with every legal move; does not check for an end.
    fn each_move(&self, each: impl FnMut(Self::Move));

    /// The number of legal moves; does not check for an end.
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.each_move(|_| count += 1);
        count
    }

    /// Calls `each` with the taps that enter a move that was resolved here, in order, as a hand would play it on a
    /// board. No two moves have the same taps.
    fn each_tap(&self, mv: Self::Move, each: impl FnMut(Tap));

    /// Writes the canonical token of a move that was resolved here.
    fn write_move(&self, mv: Self::Move, out: &mut impl fmt::Write) -> fmt::Result;

    /// True if `token`, which was resolved here as this move, is its canonical token.
    #[inline]
    fn is_canonical(&self, mv: Self::Move, token: &[u8]) -> bool {
        is_written(token, |out| self.write_move(mv, out))
    }

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

    /// Calls `each` with the legal moves that became what is written at a cost of `most` at most, and that cost; an end is not
    /// looked for. A game with very many moves does not list them, and may come to one of them twice.
    fn each_near(&self, written: &Written, most: Cost, mut each: impl FnMut(Self::Move, Miswriting)) {
        let mut comparison = written.comparison(most);
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

    /// Calls `each` with other legal moves that lead to the same position as one that was resolved here, `most` at most.
    fn each_alternative(&self, mv: Self::Move, most: usize, each: impl FnMut(Self::Move)) {
        let _ = (mv, most, each);
    }

    /// The rarity of a move of this sort among those of players, compared with the commonest sort, as a cost. It was fitted to
    /// the games of the fixtures: players capture and remove several times as often as at random.
    fn rarity(&self, mv: Self::Move) -> Cost {
        let _ = mv;
        0
    }

    /// The board as a drawing, with the squares of the last move.
    fn drawing(&self, last: Option<Self::Move>) -> Drawing;

    /// The position as searches compare it.
    fn likeness(&self) -> Likeness;

    /// The symmetries that the laws have from this position on, identity first: each maps legal games to legal games with the
    /// same end. They do not exchange the sides.
    fn symmetries(&self) -> &'static [Symmetry];

    /// The position with its pieces where one of its symmetries takes them.
    #[must_use]
    fn image(&self, symmetry: Symmetry) -> Self;

    /// A move with every square replaced by the one that `to` gives for it, by their indices on the board. It is legal in the image
    /// of its position under the same symmetry.
    fn carried(mv: Self::Move, to: impl Fn(usize) -> usize) -> Self::Move;
}

/// An output that takes only this text, and keeps what is still to come.
pub(crate) struct Unwritten<'t>(&'t [u8]);

impl fmt::Write for Unwritten<'_> {
    #[inline]
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(part.as_bytes()).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// True if `write` writes exactly this token.
#[inline]
pub(crate) fn is_written(token: &[u8], write: impl FnOnce(&mut Unwritten<'_>) -> fmt::Result) -> bool {
    let mut rest = Unwritten(token);
    write(&mut rest).is_ok() && rest.0.is_empty()
}

/// A rule set: a named row of switches.
#[derive(Clone, Copy, Debug)]
pub struct RuleSet<R> {
    /// Value of the tag `Rules`.
    pub name: &'static str,
    /// The switches.
    pub rules: R,
}

/// A tag that is reported and not judged.
#[derive(Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its name.
    pub tag: &'static str,
    /// The word for it.
    pub word: &'static str,
    /// Words for some values; any other value is shown as it is.
    pub values: &'static [(&'static str, &'static str)],
}

/// An end on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The termination.
    pub termination: &'static Termination,
    /// The outcome.
    pub outcome: Outcome,
}

/// An arrangement in all the forms that can express it.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// Names of forms (`position`, `diagram`, …) with the text in each. Forms that need more information are missing.
    pub forms: Vec<(&'static str, String)>,
    /// The board as a drawing.
    pub drawing: Drawing,
}
