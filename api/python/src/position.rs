//! `quipu.Position`: a position of a game, to play from.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    num::NonZero,
};

use pyo3::{prelude::*, types::PyDict};
use quipu_notation::{
    LineColumn,
    record::{Outcome, write::BASE_RULES},
};
use quipu_pictures::{Look, Theme, description, svg};
use quipu_referee::{Board, Lang, Referee};

use crate::{
    arguments::{Language, game, listed},
    errors::{ErrorFacts, IllegalMoveError, PositionError, QuipuError, refused},
    messages::fill,
    points::{points_by_side, points_dict},
};

/// Plies whose sequences are counted in one go.
const UNINTERRUPTED_PLIES: u32 = 3;

/// A position of a game. Positions do not change: playing a move returns another one.
///
/// Parameters
/// ----------
/// game : str
///     The game, such as ``"andes"``.
/// position : str, optional
///     A position string; by default the start position.
/// rules : str, optional
///     The rule set; by default ``"base"``.
/// lang : {"en", "es"}, default "en"
///     The language of messages and pictures.
///
/// Raises
/// ------
/// PositionError
///     The text is not a position of the game, or there is no such rule set.
/// QuipuError
///     There is no such game.
#[pyclass(frozen, name = "Position", module = "quipu")]
pub(crate) struct GamePosition {
    pub(crate) game: &'static dyn Referee,
    /// The rule set; none is that of [`BASE_RULES`].
    pub(crate) rules: Option<String>,
    pub(crate) board: Box<dyn Board>,
    pub(crate) lang: Lang,
}

impl GamePosition {
    /// The game, the rule set and the position string: positions with the same are equal.
    fn key(&self) -> (&str, &str, String) {
        (self.game.notation().id, self.rules(), self.board.position())
    }
}

/// Counts the sequences of legal plies. Ctrl-C is heard between subtrees of [`UNINTERRUPTED_PLIES`] plies.
fn perft(py: Python<'_>, board: &dyn Board, depth: u32) -> PyResult<u64> {
    py.check_signals()?;
    if depth <= UNINTERRUPTED_PLIES {
        return Ok(py.detach(|| board.perft(depth, NonZero::<usize>::MIN)));
    }
    let mut count = 0;
    for token in py.detach(|| board.legal_moves()) {
        let mut after = board.copied();
        after.play(&token).map_err(|message| ErrorFacts::of(&message, Lang::En).raised::<IllegalMoveError>(py))?;
        count += perft(py, &*after, depth - 1)?;
    }
    Ok(count)
}

#[pymethods]
impl GamePosition {
    #[new]
    #[pyo3(
        signature = (game, position = None, *, rules = None, lang = Language::DEFAULT),
        text_signature = "(game, position=None, *, rules=None, lang='en')"
    )]
    fn new(
        py: Python<'_>,
        game: String,
        position: Option<String>,
        rules: Option<String>,
        lang: Language,
    ) -> PyResult<Self> {
        let Language(lang) = lang;
        let game = self::game(py, &game, lang)?;
        let board = game.board(rules.as_deref(), position.as_deref()).map_err(|faults| {
            let fault = faults.first().map(|fault| {
                // Columns count characters.
                let before = position.as_deref().and_then(|text| text.get(..fault.span.start as usize));
                let column = before.map(|before| before.chars().count() as u64 + 1);
                let place = column.map(|column| LineColumn { line: 1, column });
                ErrorFacts { place, ..ErrorFacts::of(&fault.message, lang) }
            });
            fault.unwrap_or_default().raised::<PositionError>(py)
        })?;
        Ok(Self { game, rules, board, lang })
    }

    /// Deals a start position at random, in games that begin so.
    ///
    /// Parameters
    /// ----------
    /// game : str
    ///     The game, such as ``"querni"``.
    /// seed : int
    ///     The same seed gives the same position, as for ``quipu new --seed``.
    /// first : str, optional
    ///     The name of the side that starts; by default the seed decides.
    /// rules : str, optional
    ///     The rule set; by default ``"base"``.
    /// lang : {"en", "es"}, default "en"
    ///     The language of messages and pictures.
    ///
    /// Returns
    /// -------
    /// Position
    ///
    /// Raises
    /// ------
    /// PositionError
    ///     There is no such rule set.
    /// QuipuError
    ///     There is no such game or side, or the game has a fixed start.
    #[staticmethod]
    #[pyo3(
        signature = (game, seed, *, first = None, rules = None, lang = Language::DEFAULT),
        text_signature = "(game, seed, *, first=None, rules=None, lang='en')"
    )]
    fn deal(
        py: Python<'_>,
        game: String,
        seed: u64,
        first: Option<String>,
        rules: Option<String>,
        lang: Language,
    ) -> PyResult<Self> {
        let Language(lang) = lang;
        let game = self::game(py, &game, lang)?;
        let notation = game.notation();
        let known = || listed(notation.sides.iter().map(|side| side.name));
        let side = |name: String| {
            let side = notation.side_named(&name);
            side.ok_or_else(|| refused(py, "python.side", lang, &[("found", &name), ("known", &known())]))
        };
        let first = first.map(side).transpose()?;
        let dealt = game.deal(rules.as_deref(), seed, first);
        match dealt.map_err(|message| ErrorFacts::of(&message, lang).raised::<PositionError>(py))? {
            Some(board) => Ok(Self { game, rules, board, lang }),
            None => Err(refused(py, "python.not-dealt", lang, &[("game", &notation.id)])),
        }
    }

    /// The game.
    #[getter]
    fn game(&self) -> &'static str {
        self.game.notation().id
    }

    /// The rule set.
    #[getter]
    fn rules(&self) -> &str {
        self.rules.as_deref().unwrap_or(BASE_RULES)
    }

    /// The name of the side to move.
    #[getter]
    fn turn(&self) -> &'static str {
        self.game.notation().side(self.board.turn()).name
    }

    /// True if the game is over on the board.
    #[getter]
    fn is_over(&self) -> bool {
        self.board.end().is_some()
    }

    /// The termination, or ``None`` while the game goes on.
    #[getter]
    fn termination(&self) -> Option<&'static str> {
        self.board.end().map(|end| end.termination.name)
    }

    /// The result, or ``None`` while the game goes on.
    #[getter]
    fn result(&self) -> Option<&'static str> {
        self.board.end().map(|end| end.outcome).map(Outcome::as_str)
    }

    /// Points by the name of the side, or ``None`` in games without points.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        points_dict(py, points_by_side(Some(self.game()), self.board.points()))
    }

    /// The move that led here in canonical form, or ``None``.
    #[getter]
    fn last_move(&self) -> Option<String> {
        self.board.last_move().map(|(_, token)| token)
    }

    /// The legal moves.
    ///
    /// Returns
    /// -------
    /// list of str
    ///     Canonical tokens in byte order; empty if the game is over.
    fn legal_moves(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.board.legal_moves())
    }

    /// Plays moves.
    ///
    /// Parameters
    /// ----------
    /// *moves : str
    ///     Move tokens, canonical or not.
    ///
    /// Returns
    /// -------
    /// Position
    ///     The position after the last of them.
    ///
    /// Raises
    /// ------
    /// IllegalMoveError
    ///     A move is illegal; ``ply`` is its number among `moves`, from 1, and ``suggestions`` are legal moves that may have
    ///     been meant.
    #[pyo3(signature = (*moves))]
    fn play(&self, py: Python<'_>, moves: Vec<String>) -> PyResult<Self> {
        let mut board = self.board.copied();
        for (ply, token) in (1..).zip(&moves) {
            if let Err(message) = board.play(token) {
                let suggestions = board.suggestions(token);
                let fault = ErrorFacts::of(&message, self.lang);
                let values: [(&str, &dyn std::fmt::Display); 3] =
                    [("ply", &ply), ("token", token), ("reason", &fault.message)];
                let message = fill("move", self.lang, &values);
                return Err(ErrorFacts { message, ply: Some(ply), suggestions, ..fault }.raised::<IllegalMoveError>(py));
            }
        }
        Ok(Self { board, rules: self.rules.clone(), ..*self })
    }

    /// Counts the sequences of legal plies.
    ///
    /// Parameters
    /// ----------
    /// depth : int
    ///     The number of plies. The time grows exponentially with it.
    ///
    /// Returns
    /// -------
    /// int
    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        perft(py, &*self.board, depth)
    }

    /// The board in words: facts, and the pieces with their squares.
    ///
    /// Returns
    /// -------
    /// str
    fn describe(&self) -> String {
        description(self.game, &self.board.drawing(), self.lang)
    }

    /// Draws the board.
    ///
    /// Parameters
    /// ----------
    /// width : int, default 480
    ///     The width in pixels, 64 to 2048.
    /// theme : {"light", "dark"}, default "light"
    ///     The colours.
    /// flip : bool, default False
    ///     True to see the board from the other side.
    /// marks : bool, default True
    ///     True to mark the last move.
    ///
    /// Returns
    /// -------
    /// str
    ///     SVG.
    ///
    /// Raises
    /// ------
    /// QuipuError
    ///     The width is out of range, or there is no such theme.
    #[pyo3(
        signature = (*, width = quipu_pictures::WIDTH, theme = None, flip = false, marks = true),
        text_signature = "($self, *, width=480, theme='light', flip=False, marks=True)"
    )]
    fn svg(&self, py: Python<'_>, width: u32, theme: Option<String>, flip: bool, marks: bool) -> PyResult<String> {
        let usual = Look::new(self.lang);
        let theme = theme.map_or(Ok(usual.theme), |name| {
            let known = || listed(Theme::ALL.map(Theme::as_str));
            Theme::parse(&name)
                .ok_or_else(|| refused(py, "python.theme", self.lang, &[("found", &name), ("known", &known())]))
        })?;
        let look = Look { theme, width, flip, marks, ..usual };
        svg(self.game, &self.board.drawing(), &look).map_err(|reason| {
            let message = reason.message(self.lang);
            ErrorFacts { code: "python.width", message, ..ErrorFacts::default() }.raised::<QuipuError>(py)
        })
    }

    /// The board in a notebook.
    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        self.svg(py, quipu_pictures::WIDTH, None, false, true)
    }

    fn __str__(&self) -> String {
        self.board.position()
    }

    fn __repr__(&self) -> String {
        let (game, rules, position) = self.key();
        format!("<quipu.Position {game} {rules}: {position}>")
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.key().hash(&mut hasher);
        hasher.finish()
    }
}
