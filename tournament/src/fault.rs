//! Faults: changes that a tournament refuses, and remarks on pairings, as facts. [`crate::messages`] has the words.

use serde::Serialize;

/// The severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It is allowed, and the arbiter should know.
    Remark,
    /// It is refused.
    Error,
}

/// A kind of fault.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Its permanent name.
    pub id: &'static str,
    /// Its severity.
    pub severity: Severity,
}

/// A fault: a code and the values that fill its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code.
    pub code: &'static Code,
    /// Values by their names in the sentence.
    pub facts: Vec<(&'static str, String)>,
}

impl Fault {
    /// A fault without facts.
    pub fn new(code: &'static Code) -> Self {
        Self { code, facts: Vec::new() }
    }

    /// The same for a step of a change: of several, it has the number of the step.
    #[must_use]
    pub fn at(self, step: usize, steps: usize) -> Self {
        if steps > 1 { self.with("step", step) } else { self }
    }

    /// Adds a value.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "values are handed over as they are made")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.facts.push((name, value.to_string()));
        self
    }
}

/// `{"code":"tournament.round-open","severity":"error","facts":{"round":"2"}}`.
impl Serialize for Fault {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let facts: std::collections::BTreeMap<_, _> = self.facts.iter().map(|(name, value)| (*name, value)).collect();
        let mut object = serializer.serialize_struct("Fault", 3)?;
        object.serialize_field("code", self.code.id)?;
        object.serialize_field("severity", &self.code.severity)?;
        object.serialize_field("facts", &facts)?;
        object.end()
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $severity:ident $id:literal;)*) => {
        $($(#[$doc])* pub const $name: &Code = &Code { id: $id, severity: Severity::$severity };)*
        /// All codes.
        pub const CODES: &[&Code] = &[$($name),*];
    };
}

codes! {
    /// The first change does not create the tournament.
    NOT_CREATED Error "tournament.not-created";
    /// A later change creates it again.
    CREATED_TWICE Error "tournament.created-twice";
    /// A setting is outside its bounds.
    SETTING Error "tournament.setting";
    /// No player has this number.
    UNKNOWN_PLAYER Error "tournament.unknown-player";
    /// A player has the name of another one.
    SAME_NAME Error "tournament.same-name";
    /// A change gives a result the origin of a record.
    RESULT_OF_RECORD Error "tournament.result-of-record";
    /// The tournament has no name.
    UNNAMED Error "tournament.unnamed";
    /// A player has no name.
    NO_NAME Error "tournament.no-name";
    /// A text has a control character.
    CONTROL Error "tournament.control-character";
    /// A text is too long.
    TOO_LONG Error "tournament.text-too-long";
    /// There are as many players as a tournament may have.
    TOO_MANY Error "tournament.too-many-players";
    /// The round is already paired.
    ROUND_PAIRED Error "tournament.round-paired";
    /// The round is not paired.
    ROUND_NOT_PAIRED Error "tournament.round-not-paired";
    /// The round is not the next one.
    ROUND_ORDER Error "tournament.round-order";
    /// The round before is open.
    ROUND_OPEN Error "tournament.round-open";
    /// The round is closed.
    ROUND_CLOSED Error "tournament.round-closed";
    /// Games of the round have no result.
    RESULTS_MISSING Error "tournament.results-missing";
    /// The tournament has no further round.
    NO_ROUND Error "tournament.no-round";
    /// The round has no such board.
    UNKNOWN_BOARD Error "tournament.unknown-board";
    /// The board has no such game.
    UNKNOWN_GAME Error "tournament.unknown-game";
    /// The board was paired again after the result was written.
    OTHER_PLAYERS Error "tournament.other-players";
    /// Both players of a forbidden pair are the same.
    SAME_PLAYER Error "tournament.same-player";
    /// The entry of a player is undone before later entries.
    LATER_ENTRY Error "tournament.later-entry";
    /// A player is placed more than once.
    PLACED_TWICE Error "tournament.placed-twice";
    /// A player does not play in this round.
    NOT_PLAYING Error "tournament.not-playing";
    /// A player has neither board nor bye.
    NOT_PLACED Error "tournament.not-placed";
    /// Fewer players than the system needs.
    TOO_FEW Error "tournament.too-few-players";
    /// No pairing satisfies the absolute criteria.
    NO_PAIRING Error "tournament.no-pairing";
    /// The list of tie-breaks names one twice.
    TIE_BREAK_TWICE Error "tournament.tie-break-twice";
    /// The field of a round robin or knock-out changed after the first round.
    FIXED_FIELD Error "tournament.fixed-field";
    /// A round robin or knock-out has no byes for absences.
    NO_ABSENCES Error "tournament.no-absences";
    /// An absence has the points of the bye that the pairing gives.
    BYE_OF_PAIRING Error "tournament.bye-of-pairing";
    /// The player has withdrawn already.
    WITHDRAWN Error "tournament.withdrawn";
    /// The player who comes back has not withdrawn.
    NOT_WITHDRAWN Error "tournament.not-withdrawn";
    /// The player is not excused from the round.
    NOT_ABSENT Error "tournament.not-absent";
    /// The pair that is allowed again was not forbidden.
    NOT_FORBIDDEN Error "tournament.not-forbidden";
    /// The arbiter pairs this tournament.
    BY_HAND Error "tournament.by-hand";
    /// A game that was not played has points.
    POINTS_OF_UNPLAYED Error "tournament.points-of-unplayed-game";
    /// A result has points, in a game that counts none.
    GAME_WITHOUT_POINTS Error "tournament.game-without-points";
    /// The points of both players are more or fewer than all pieces are worth.
    IMPOSSIBLE_POINTS Error "tournament.impossible-points";
    /// The counts of both players are not those of all pieces, or not worth their points.
    IMPOSSIBLE_COUNTS Error "tournament.impossible-counts";
    /// A tie-break that is equal for all players of a round robin with equal scores.
    NO_EFFECT Remark "tournament.tie-break-without-effect";
    /// The winner of a game has fewer points, or the points of a draw are not equal.
    OTHER_POINTS Remark "tournament.other-points";
    /// A game that was played has no points, and the order of the standings counts them.
    NO_POINTS Remark "tournament.no-points";
    /// An encounter of a knock-out has no winner.
    NO_WINNER Error "tournament.no-winner";
    /// C1: two players met before.
    MET_BEFORE Error "pairing.met-before";
    /// Two players must not be paired.
    FORBIDDEN Error "pairing.forbidden";
    /// C2: a player had a bye or a win by forfeit before.
    SECOND_BYE Error "pairing.second-bye";
    /// C3: two players with the same absolute preference for a side.
    ABSOLUTE_SIDES Error "pairing.absolute-sides";
    /// A bye although the number of players is even.
    NEEDLESS_BYE Error "pairing.needless-bye";
    /// A round robin or knock-out has this board in the round.
    PRESCRIBED Error "pairing.prescribed";
    /// A round robin or knock-out does not have this board in the round.
    NOT_PRESCRIBED Error "pairing.not-prescribed";
    /// Another pairing is that of the rules.
    OTHER_PAIRING Remark "pairing.other-pairing";
    /// Players of different scores.
    FLOATS Remark "pairing.floats";
    /// A preference for a side is not granted.
    PREFERENCE Remark "pairing.preference";
    /// A line of a file cannot be read.
    UNREADABLE Error "exchange.unreadable";
    /// A line of a file is not used.
    UNUSED Remark "exchange.unused";
    /// A value has no field in the format.
    NO_FIELD Remark "exchange.no-field";
    /// A value was shortened for its field.
    SHORTENED Remark "exchange.shortened";
    /// A table has no column of this name.
    NO_COLUMN Error "exchange.no-column";
    /// Two columns of a table are the same field.
    SAME_COLUMN Error "exchange.same-column";
    /// A row of a table has more cells than the headings.
    EXTRA_CELL Error "exchange.extra-cell";
    /// A quotation mark of a table is not closed.
    OPEN_QUOTE Error "exchange.open-quote";
    /// Two lines contradict each other.
    CONTRADICTION Error "exchange.contradiction";
    /// A record is not verified.
    NOT_VERIFIED Remark "record.not-verified";
    /// A record is of another game.
    OTHER_GAME Remark "record.other-game";
    /// A record does not name its event.
    NO_EVENT_GIVEN Remark "record.no-event";
    /// A record names another event.
    OTHER_EVENT Remark "record.other-event";
    /// A record does not name its round.
    NO_ROUND_GIVEN Remark "record.no-round";
    /// A record names a round that is not paired.
    OTHER_ROUNDS Remark "record.unknown-round";
    /// A player of a record is spelled almost like one of the tournament.
    OTHER_SPELLING Remark "record.other-spelling";
    /// A player of a record is not entered.
    NOT_ENTERED Remark "record.not-entered";
    /// The players of a record meet in another round.
    OTHER_ROUND Remark "record.other-round";
    /// A player of a record has another opponent in its round.
    OTHER_OPPONENT Remark "record.other-opponent";
    /// The players of a record have no board in its round.
    NO_BOARD Remark "record.no-board";
    /// The players of a record meet on another board.
    OTHER_BOARD Remark "record.other-board";
    /// The players of a record have the other sides.
    OTHER_SIDES Remark "record.other-sides";
    /// The encounter has no such leg.
    OTHER_LEG Remark "record.other-leg";
    /// Several games of the encounter have these sides, and the record does not name one.
    NO_LEG Remark "record.no-leg";
    /// Several records contradict each other about one game.
    CONTRADICTED Remark "record.contradicted";
    /// A record replaces another result of the arbiter.
    REPLACES_RESULT Remark "record.replaces-result";
}
