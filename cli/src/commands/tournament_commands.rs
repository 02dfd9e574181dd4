//! Subcommands of `quipu tournament`.

use super::arguments::{
    AUTHOR, CSV, DATA, DATABASE, FORCE, JSON, MAX_BOARDS, MAX_ROUNDS, MD, OUTPUT, PAIRED_ROUND, PLAYER, REASON,
    WHOLE_NUMBER, argument,
};
#[cfg(feature = "archive")]
use super::tournament;
#[cfg(feature = "archive")]
use crate::command::Action::Run;
use crate::command::{Argument, Command, Shape, ValueKind};

/// Upper bound of the games of an encounter, as the model of tournaments has it.
const MAX_GAMES: u32 = 16;
/// Bounds of a time control in seconds, as the model of tournaments has them.
const MIN_TIME: u32 = 60;
const MAX_TIME: u32 = 36_000;

const TOURNAMENT: Argument = argument("tournament", Shape::Word { required: true, values: WHOLE_NUMBER });
const RESULTS: ValueKind = ValueKind::Choice(&["1-0", "0-1", "1/2-1/2", "1-0F", "0-1F", "0-0F"]);
const TIME: ValueKind = ValueKind::Number("value.seconds", MIN_TIME, MAX_TIME);
const BYE: ValueKind = ValueKind::Choice(&["full", "half", "zero"]);

pub(super) const TOURNAMENTS: &[Command] = &[
    Command {
        name: "new",
        arguments: &[
            argument("name", Shape::Word { required: true, values: ValueKind::Name("value.name") }),
            argument("game", Shape::Option(ValueKind::Game)),
            argument("system", Shape::Option(ValueKind::Choice(&["swiss", "round-robin", "knockout", "manual"]))),
            argument("rounds", Shape::Option(ValueKind::Number("value.number", 1, MAX_ROUNDS))),
            argument("encounter", Shape::Option(ValueKind::Name("value.encounter"))),
            argument("tie-breaks", Shape::Option(ValueKind::Name("value.list"))),
            argument("accelerated", Shape::Flag),
            argument("double", Shape::Flag),
            argument("third-place", Shape::Flag),
            argument("bye", Shape::Option(BYE)),
            argument("time", Shape::Option(TIME)),
            argument("seed", Shape::Option(ValueKind::Long("value.number"))),
            argument("first-side", Shape::Option(ValueKind::Choice(&["1", "2"]))),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(tournament::new::run)),
    },
    Command {
        name: "list",
        arguments: &[DATA, DATABASE, JSON],
        does: with_feature!("archive", Run(tournament::list::run)),
    },
    Command {
        name: "players",
        arguments: &[
            TOURNAMENT,
            argument("add", Shape::Option(ValueKind::Path)),
            argument("enter", Shape::Option(ValueKind::Name("value.name"))),
            argument("rating", Shape::Option(ValueKind::Number("value.number", 0, 9999))),
            argument("id", Shape::Option(ValueKind::Name("value.id"))),
            argument("federation", Shape::Option(ValueKind::Name("value.text"))),
            argument("club", Shape::Option(ValueKind::Name("value.text"))),
            argument("withdraw", Shape::Options(ValueKind::Name("value.player"))),
            argument("back", Shape::Options(ValueKind::Name("value.player"))),
            argument("absent", Shape::Options(ValueKind::Name("value.player"))),
            argument("present", Shape::Options(ValueKind::Name("value.player"))),
            argument("bye", Shape::Option(BYE)),
            PAIRED_ROUND,
            argument("forbid", Shape::Options(ValueKind::Name("value.pair"))),
            argument("allow", Shape::Options(ValueKind::Name("value.pair"))),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(tournament::players::run)),
    },
    Command {
        name: "rate",
        arguments: &[
            TOURNAMENT,
            argument("date", Shape::Option(ValueKind::Text("value.date"))),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(tournament::rate::run)),
    },
    Command {
        name: "pair",
        arguments: &[
            TOURNAMENT,
            PAIRED_ROUND,
            argument("board", Shape::Options(ValueKind::Name("value.pair"))),
            argument("bye", Shape::Option(ValueKind::Name("value.player"))),
            FORCE,
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(tournament::pair::run)),
    },
    Command {
        name: "unpair",
        arguments: &[TOURNAMENT, PAIRED_ROUND, REASON, AUTHOR, DATA, DATABASE],
        does: with_feature!("archive", Run(tournament::rounds::unpair)),
    },
    Command {
        name: "result",
        arguments: &[
            TOURNAMENT,
            argument("result", Shape::Word { required: false, values: RESULTS }),
            PAIRED_ROUND,
            argument("board", Shape::Option(ValueKind::Number("value.number", 1, MAX_BOARDS))),
            argument("leg", Shape::Option(ValueKind::Number("value.number", 1, MAX_GAMES))),
            argument("player", Shape::Options(ValueKind::Name("value.player"))),
            argument("points", Shape::Option(ValueKind::Name("value.points"))),
            argument("clear", Shape::Flag),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
        ],
        does: with_feature!("archive", Run(tournament::result::run)),
    },
    Command {
        name: "close",
        arguments: &[TOURNAMENT, PAIRED_ROUND, REASON, AUTHOR, DATA, DATABASE],
        does: with_feature!("archive", Run(tournament::rounds::close)),
    },
    Command {
        name: "reopen",
        arguments: &[TOURNAMENT, PAIRED_ROUND, REASON, AUTHOR, DATA, DATABASE],
        does: with_feature!("archive", Run(tournament::rounds::reopen)),
    },
    Command {
        name: "boards",
        arguments: &[TOURNAMENT, PAIRED_ROUND, argument("explain", Shape::Flag), DATA, DATABASE, JSON, CSV, MD],
        does: with_feature!("archive", Run(tournament::boards::run)),
    },
    Command {
        name: "standings",
        arguments: &[
            TOURNAMENT,
            PAIRED_ROUND,
            argument("explain", Shape::Option(ValueKind::Name("value.player"))),
            DATA,
            DATABASE,
            JSON,
            CSV,
            MD,
        ],
        does: with_feature!("archive", Run(tournament::standings::run)),
    },
    Command {
        name: "tie-breaks",
        arguments: &[
            TOURNAMENT,
            argument("order", Shape::Word { required: true, values: ValueKind::Name("value.list") }),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
        ],
        does: with_feature!("archive", Run(tournament::tie_breaks::run)),
    },
    Command {
        name: "time",
        arguments: &[
            TOURNAMENT,
            argument("seconds", Shape::Word { required: true, values: TIME }),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
        ],
        does: with_feature!("archive", Run(tournament::time::run)),
    },
    Command {
        name: "what-if",
        arguments: &[TOURNAMENT, PLAYER, DATA, DATABASE, JSON],
        does: with_feature!("archive", Run(tournament::what_if::run)),
    },
    Command {
        name: "sheets",
        arguments: &[
            TOURNAMENT,
            PAIRED_ROUND,
            argument("url", Shape::Option(ValueKind::Name("value.url"))),
            OUTPUT,
            DATA,
            DATABASE,
        ],
        does: with_feature!("archive", with_feature!("draw", Run(tournament::sheets::run))),
    },
    Command {
        name: "export",
        arguments: &[
            TOURNAMENT,
            argument("to", Shape::Option(ValueKind::Choice(&["trf16", "trf26", "xlsx", "pdf"]))),
            PAIRED_ROUND,
            argument("order", Shape::Option(ValueKind::Choice(&["board", "name"]))),
            OUTPUT,
            DATA,
            DATABASE,
        ],
        does: with_feature!("archive", Run(tournament::export::run)),
    },
    Command {
        name: "import",
        arguments: &[
            argument("file", Shape::Word { required: true, values: ValueKind::Path }),
            argument("game", Shape::Option(ValueKind::Game)),
            argument("name", Shape::Option(ValueKind::Name("value.name"))),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(tournament::import::run)),
    },
    Command {
        name: "history",
        arguments: &[TOURNAMENT, DATA, DATABASE],
        does: with_feature!("archive", Run(tournament::history::run)),
    },
    Command {
        name: "undo",
        arguments: &[
            TOURNAMENT,
            argument("change", Shape::Option(ValueKind::Long("value.number"))),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(tournament::undo::run)),
    },
];
