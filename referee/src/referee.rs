//! The interface of a game for programs: the same for all games, with dynamic dispatch.

use std::{marker::PhantomData, num::NonZero};

use quipu_notation::{
    Side, Span,
    games::GameNotation,
    record::{
        OpenRecord, Record,
        write::{BASE_RULES, Bytes, Writer, as_written},
    },
};

use crate::{
    Arrangement, Code, Diagnostic, End, Game, Located, Message, PointRule, Points, Position, Remark, Verdict,
    drawing::{Drawing, Glyph},
    judge, perft,
    record::Breach,
    repair::{self, Merged, Readings},
    restore::{self, Restored},
    suggest,
    symmetry::{self, PositionKey, Symmetries, Symmetry},
    tap::Tapped,
    termination::Termination,
    text::Messages,
};

/// One game. The table of them is [`crate::games::ALL`].
pub trait Referee: Send + Sync {
    /// The notation of the game.
    fn notation(&self) -> &'static GameNotation;
    /// Key of the word for its name.
    fn name(&self) -> &'static str;
    /// Keys of the words for its sides.
    fn side_words(&self) -> [&'static str; 2];
    /// Its codes, in order of precedence.
    fn codes(&self) -> &'static [Code];
    /// The texts of its `messages.toml`.
    fn messages(&self) -> &'static Messages;
    /// Names of its rule sets, `base` first.
    fn rule_sets(&self) -> Vec<&'static str>;
    /// The ends that its board shows.
    fn ends(&self) -> &'static [Termination];
    /// Names of the forms that an arrangement can have.
    fn forms(&self) -> &'static [&'static str];

    /// Characters of a long but common move: the width of an input for it.
    fn move_length(&self) -> u8;

    /// Seconds on each clock at the start of a game without the tag `TimeControl`; none if such a game has no clock.
    fn time_control(&self) -> Option<u64>;

    /// The points of its laws, in games that have them.
    fn point_rule(&self) -> Option<PointRule>;

    /// Tags that are reported and not judged.
    fn remarks(&self) -> &'static [Remark];

    /// A piece of each kind and side, for a legend.
    fn pieces(&self) -> Vec<Glyph>;

    /// The verdict on a record of this game, without its id. The canonical text, which the id is computed from, or the part of
    /// it that the writer is for, is written to `text` if there is one.
    fn judge(&self, record: &Record<'_>, text: Option<Writer<&mut Bytes>>) -> Verdict;

    /// The verdict on a record of this game, without its id and perhaps without the position, while its moves are read. Nothing if
    /// there is anything to report, which only [`judge`](Self::judge) does; then part of the canonical text may have been appended
    /// to `text`.
    fn judge_while_reading(
        &self,
        open: OpenRecord<'_, '_>,
        text: Option<Writer<&mut Bytes>>,
        with_position: bool,
    ) -> Option<Verdict>;

    /// The legal games closest to what a record of this game says.
    fn readings(&self, record: &Record<'_>) -> Readings;

    /// The game that explains several sheets of a game of this kind best, with the chosen tokens at their plies; none if
    /// there is no such legal game near them.
    fn merged<'r>(&self, sheets: &'r [&'r Record<'r>], chosen: &'r [(u64, String)]) -> Option<Merged>;

    /// A board with the position of this string, or the one that games start from.
    ///
    /// # Errors
    /// All faults found, at least one; their places are in `position`.
    fn board(&self, rules: Option<&str>, position: Option<&str>) -> Result<Box<dyn Board>, Vec<Located>>;
    /// A board with the position that a record starts from.
    ///
    /// # Errors
    /// The reason why there is no start position; its span is in the record's chunk.
    fn start(&self, record: &Record<'_>) -> Result<Box<dyn Board>, Located>;
    /// The position string of rows with a side to move, whose other fields are as they mostly are with these pieces; none if the
    /// rows or the rule set cannot be read. The position need not be valid.
    fn completed(&self, rules: Option<&str>, rows: &str, turn: Side) -> Option<String>;
    /// Reads an arrangement in any form of the game.
    ///
    /// # Errors
    /// All faults found, at least one.
    fn arrange(&self, rules: Option<&str>, text: &str) -> Result<Arrangement, Vec<Located>>;
    /// A board with a start position dealt at random from a seed, in games that begin so. `first` is the side that
    /// starts, if it is chosen.
    ///
    /// # Errors
    /// `record.rules`
    fn deal(&self, rules: Option<&str>, seed: u64, first: Option<Side>) -> Result<Option<Box<dyn Board>>, Message>;

    /// A record of this game with the cells restored that a spreadsheet has changed, and the diagnostics about them. Cells
    /// without a single legal reading stay as they were found.
    fn restored<'a>(&self, record: Record<'a>) -> (Record<'a>, Vec<Diagnostic>);

    /// A record of this game with its tokens in canonical form and changed cells restored. A refused token and all after it stay as they were
    /// written, and so do all tokens without a start position.
    fn normalized<'a>(&self, record: &Record<'a>) -> Record<'a> {
        let (mut record, _) = self.restored(record.clone());
        if let Ok(mut board) = self.start(&record) {
            for ply in &mut record.movetext.plies {
                let Ok(token) = board.play(&ply.token) else { break };
                ply.token = token.into();
            }
        }
        record
    }

    /// The canonical text of a record of this game.
    fn canonical(&self, record: &Record<'_>) -> String {
        as_written(&self.normalized(record))
    }
}

/// A board in play.
pub trait Board: Send + Sync {
    /// The position string.
    fn position(&self) -> String;
    /// The side to move.
    fn turn(&self) -> Side;
    /// The end on the board.
    fn end(&self) -> Option<End>;
    /// The points, in games that have them.
    fn points(&self) -> Option<Points>;
    /// Plays a move and returns its canonical token.
    ///
    /// # Errors
    /// The reason why it cannot be played. The board is unchanged.
    fn play(&mut self, token: &str) -> Result<String, Message>;
    /// The canonical tokens of all legal moves, sorted by bytes; none when the game is over.
    fn legal_moves(&self) -> Vec<String>;
    /// The same moves, each with the taps that enter it.
    fn tapped_moves(&self) -> Vec<Tapped>;
    /// Legal moves that may have been meant by a refused token, the likeliest first, at most 5. A verdict has better
    /// ones: it knows the moves written after it.
    fn suggestions(&self, token: &str) -> Vec<String>;
    /// The board as a drawing, with the last move and the pieces that it removed.
    fn drawing(&self) -> Drawing;
    /// The board after a move, or the board as it is if the move is refused; then the path has the squares that the move
    /// names, and [`Drawing::refused`] is set.
    fn tried(&self, token: &str) -> Drawing;
    /// The position before the last move, and that move in canonical form; none at the start.
    fn last_move(&self) -> Option<(String, String)>;
    /// The key of the position and of its images.
    fn key(&self) -> PositionKey;
    /// The token of a legal move in the least image of the position: moves that are images of each other have the same. None for a
    /// refused move.
    fn common_token(&self, token: &str) -> Option<String>;
    /// A move of this position with such a token, the first by its bytes; none if there is none.
    fn own_token(&self, common: &str) -> Option<String>;
    /// A copy of the board.
    fn copied(&self) -> Box<dyn Board>;
    /// Perft: the number of sequences of exactly `depth` legal plies.
    fn perft(&self, depth: u32, threads: NonZero<usize>) -> u64;
    /// Perft for each first move, sorted by the bytes of the tokens. `depth` is at least 1.
    fn divide(&self, depth: u32, threads: NonZero<usize>) -> Vec<(String, u64)>;
}

/// Implements [`Referee`] for a [`Game`].
pub(crate) struct Adapter<G>(PhantomData<G>);

impl<G> Adapter<G> {
    /// The only value.
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<G: Game> Referee for Adapter<G> {
    fn notation(&self) -> &'static GameNotation {
        G::NOTATION
    }

    fn name(&self) -> &'static str {
        G::NAME
    }

    fn side_words(&self) -> [&'static str; 2] {
        G::SIDE_WORDS
    }

    fn codes(&self) -> &'static [Code] {
        G::CODES
    }

    fn messages(&self) -> &'static Messages {
        G::MESSAGES
    }

    fn rule_sets(&self) -> Vec<&'static str> {
        G::RULE_SETS.iter().map(|set| set.name).collect()
    }

    fn ends(&self) -> &'static [Termination] {
        G::ENDS
    }

    fn forms(&self) -> &'static [&'static str] {
        G::FORMS
    }

    fn move_length(&self) -> u8 {
        G::MOVE_LENGTH
    }

    fn time_control(&self) -> Option<u64> {
        G::TIME_CONTROL
    }

    fn point_rule(&self) -> Option<PointRule> {
        G::POINTS
    }

    fn remarks(&self) -> &'static [Remark] {
        G::REMARKS
    }

    fn pieces(&self) -> Vec<Glyph> {
        G::pieces()
    }

    fn judge(&self, record: &Record<'_>, text: Option<Writer<&mut Bytes>>) -> Verdict {
        judge::verdict::<G>(record, text)
    }

    fn judge_while_reading(
        &self,
        open: OpenRecord<'_, '_>,
        text: Option<Writer<&mut Bytes>>,
        with_position: bool,
    ) -> Option<Verdict> {
        judge::verdict_while_reading::<G>(open, text, with_position)
    }

    fn readings(&self, record: &Record<'_>) -> Readings {
        repair::readings::<G>(record)
    }

    fn merged<'r>(&self, sheets: &'r [&'r Record<'r>], chosen: &'r [(u64, String)]) -> Option<Merged> {
        repair::merged::<G>(sheets, chosen)
    }

    fn restored<'a>(&self, record: Record<'a>) -> (Record<'a>, Vec<Diagnostic>) {
        if record.damaged.is_empty() {
            return (record, Vec::new());
        }
        let Restored { record, found } = restore::record::<G>(record);
        (record, found)
    }

    fn board(&self, rules: Option<&str>, position: Option<&str>) -> Result<Box<dyn Board>, Vec<Located>> {
        let rules = named::<G>(rules).map_err(alone)?;
        let position = match position {
            Some(text) => G::position(rules, text)?,
            None => G::initial(rules, None).ok_or_else(|| alone(Breach::NoStart.into()))?,
        };
        Ok(Playing::board(G::NOTATION.id, position))
    }

    fn start(&self, record: &Record<'_>) -> Result<Box<dyn Board>, Located> {
        judge::start::<G>(record).map(|position| Playing::board(G::NOTATION.id, position))
    }

    fn completed(&self, rules: Option<&str>, rows: &str, turn: Side) -> Option<String> {
        G::completed(named::<G>(rules).ok()?, rows, turn)
    }

    fn arrange(&self, rules: Option<&str>, text: &str) -> Result<Arrangement, Vec<Located>> {
        G::arrange(named::<G>(rules).map_err(alone)?, text)
    }

    fn deal(&self, rules: Option<&str>, seed: u64, first: Option<Side>) -> Result<Option<Box<dyn Board>>, Message> {
        Ok(G::deal(named::<G>(rules)?, seed, first).map(|position| Playing::board(G::NOTATION.id, position)))
    }
}

/// The rule set of this name, `base` if there is none.
fn named<G: Game>(rules: Option<&str>) -> Result<G::Rules, Message> {
    judge::rule_set::<G>(rules.unwrap_or(BASE_RULES)).map(|set| set.rules)
}

/// A fault that is in no text.
fn alone(message: Message) -> Vec<Located> {
    vec![Located { message, span: Span::default() }]
}

/// A position, and the move that led to it with the position before it.
struct Playing<P: Position> {
    /// The identifier of the game.
    game: &'static str,
    position: P,
    last: Option<(P, P::Move)>,
}

impl<P: Position> Playing<P> {
    fn board(game: &'static str, position: P) -> Box<dyn Board> {
        Box::new(Self { game, position, last: None })
    }

    fn token(&self, mv: P::Move) -> String {
        token(&self.position, mv)
    }

    /// The symmetries that lead to the least image of the position.
    fn to_least(&self) -> Symmetries {
        self.position.likeness().least(self.position.symmetries())
    }
}

/// The canonical token of a move in a position.
fn token<P: Position>(position: &P, mv: P::Move) -> String {
    let mut token = String::new();
    let written = position.write_move(mv, &mut token);
    debug_assert!(written.is_ok(), "a String takes everything");
    token
}

impl<P: Position> Board for Playing<P> {
    fn position(&self) -> String {
        self.position.to_string()
    }

    fn turn(&self) -> Side {
        self.position.turn()
    }

    fn end(&self) -> Option<End> {
        self.position.end()
    }

    fn points(&self) -> Option<Points> {
        self.position.points()
    }

    fn play(&mut self, token: &str) -> Result<String, Message> {
        if let Some(end) = self.position.end() {
            return Err(Breach::AfterEnd(end.termination).into());
        }
        let mv = self.position.resolve(token).map_err(Into::into)?;
        let canonical = self.token(mv);
        self.last = Some((self.position, mv));
        self.position.play(mv);
        Ok(canonical)
    }

    fn legal_moves(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        if self.position.end().is_none() {
            self.position.each_move(|mv| tokens.push(self.token(mv)));
            tokens.sort_unstable();
        }
        tokens
    }

    fn tapped_moves(&self) -> Vec<Tapped> {
        let mut moves = Vec::new();
        if self.position.end().is_none() {
            self.position.each_move(|mv| {
                let mut taps = Vec::new();
                self.position.each_tap(mv, |tap| taps.push(tap));
                moves.push(Tapped { token: self.token(mv), taps });
            });
            moves.sort_unstable_by(|one, other| one.token.cmp(&other.token));
        }
        moves
    }

    fn suggestions(&self, token: &str) -> Vec<String> {
        suggest::suggestions(&self.position, token, &[], |_| 0)
    }

    fn drawing(&self) -> Drawing {
        let mut drawing = self.position.drawing(self.last.map(|(_, mv)| mv));
        if let Some((before, _)) = &self.last {
            drawing.taken_from(&before.drawing(None));
        }
        drawing
    }

    fn last_move(&self) -> Option<(String, String)> {
        let (before, mv) = self.last?;
        Some((before.to_string(), token(&before, mv)))
    }

    fn key(&self) -> PositionKey {
        self.position.likeness().key(self.game, self.position.symmetries())
    }

    fn common_token(&self, token: &str) -> Option<String> {
        let mv = self.position.resolve(token).ok()?;
        let images = self.to_least().into_iter().map(|symmetry| {
            let carried = P::carried(mv, |square| symmetry::image(symmetry, square));
            self::token(&self.position.image(symmetry), carried)
        });
        images.min()
    }

    fn own_token(&self, common: &str) -> Option<String> {
        let least = self.to_least();
        let mv = self.position.image(least.first()?).resolve(common).ok()?;
        let own = |symmetry: Symmetry| self.token(P::carried(mv, |square| usize::from(symmetry[square])));
        least.into_iter().map(own).min()
    }

    fn tried(&self, token: &str) -> Drawing {
        let mut after = self.copied();
        if after.play(token).is_ok() {
            return after.drawing();
        }
        Drawing { path: P::named_squares(token), refused: true, ..self.position.drawing(None) }
    }

    fn copied(&self) -> Box<dyn Board> {
        Box::new(Self { game: self.game, position: self.position, last: self.last })
    }

    fn perft(&self, depth: u32, threads: NonZero<usize>) -> u64 {
        if threads.get() == 1 || depth < 2 {
            return perft::perft(&self.position, depth);
        }
        perft::divide(&self.position, depth, threads).into_iter().map(|(_, nodes)| nodes).sum()
    }

    fn divide(&self, depth: u32, threads: NonZero<usize>) -> Vec<(String, u64)> {
        let mut rows: Vec<_> = perft::divide(&self.position, depth, threads)
            .into_iter()
            .map(|(mv, nodes)| (self.token(mv), nodes))
            .collect();
        rows.sort_unstable();
        rows
    }
}
