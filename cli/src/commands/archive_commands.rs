//! Subcommands of `quipu archive`.

#[cfg(feature = "archive")]
use super::archive;
use super::arguments::{
    AFTER, AUTHOR, BEFORE, CSV, DATA, DATABASE, DRY, ENCODING, EVENT, FORCE, FROM, GAME, ID, JOBS, JSON, MD, PATH,
    PLAYER, REASON, RESULT, ROUND, RULES, STATUS, TERMINATION, TEXT, argument,
};
#[cfg(feature = "archive")]
use crate::command::Action::Run;
use crate::command::{Command, STATES, Shape, ValueKind};

pub(super) const ARCHIVE: &[Command] = &[
    Command {
        name: "import",
        arguments: &[
            PATH,
            DATA,
            DATABASE,
            FROM,
            ENCODING,
            JOBS,
            argument("keep-unverified", Shape::Flag).formerly("keep-refused"),
            argument("unverified", Shape::Option(ValueKind::Path)).formerly("refused"),
            AUTHOR,
            REASON,
            JSON,
        ],
        does: with_feature!("archive", Run(archive::import::run)),
    },
    Command {
        name: "list",
        arguments: &[
            DATA,
            DATABASE,
            argument("game", Shape::Option(ValueKind::Game)),
            PLAYER,
            EVENT,
            ROUND,
            RESULT,
            TERMINATION,
            STATUS,
            argument("state", Shape::Option(ValueKind::Choice(&STATES))),
            AFTER,
            BEFORE,
            TEXT,
            argument("limit", Shape::Option(ValueKind::Number("value.number", 1, u32::MAX))),
            argument("cursor", Shape::Option(ValueKind::Text("value.cursor"))),
            JSON,
        ],
        does: with_feature!("archive", Run(archive::list::run)),
    },
    Command {
        name: "show",
        arguments: &[ID, DATA, DATABASE, JSON],
        does: with_feature!("archive", Run(archive::show::run)),
    },
    Command {
        name: "position",
        arguments: &[
            GAME,
            argument("position", Shape::Word { required: false, values: ValueKind::Text("value.position") }),
            RULES,
            argument("limit", Shape::Option(ValueKind::Number("value.number", 1, 200))),
            argument("cursor", Shape::Option(ValueKind::Text("value.cursor"))),
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(archive::position::run)),
    },
    Command {
        name: "correct",
        arguments: &[
            ID,
            argument("file", Shape::Word { required: true, values: ValueKind::Path }),
            REASON,
            AUTHOR,
            FROM,
            ENCODING,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(archive::decide::correct)),
    },
    Command {
        name: "retract",
        arguments: &[ID, REASON, AUTHOR, DATA, DATABASE, JSON],
        does: with_feature!("archive", Run(archive::decide::retract)),
    },
    Command {
        name: "merge",
        arguments: &[
            argument("name", Shape::Word { required: true, values: ValueKind::Name("value.player") }),
            argument("into", Shape::Word { required: true, values: ValueKind::Name("value.player") }),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(archive::decide::merge)),
    },
    Command {
        name: "undo",
        arguments: &[
            argument("change", Shape::Word { required: true, values: ValueKind::Long("value.number") }),
            REASON,
            AUTHOR,
            DATA,
            DATABASE,
            JSON,
        ],
        does: with_feature!("archive", Run(archive::decide::undo)),
    },
    Command {
        name: "export",
        arguments: &[
            DATA,
            DATABASE,
            argument("to", Shape::Option(ValueKind::Exported)),
            argument("source", Shape::Flag),
            argument("output", Shape::Short('o', ValueKind::Path)),
            argument("game", Shape::Option(ValueKind::Game)),
            PLAYER,
            EVENT,
            ROUND,
            RESULT,
            TERMINATION,
            STATUS,
            AFTER,
            BEFORE,
            TEXT,
            argument("since", Shape::Option(ValueKind::Long("value.number"))),
        ],
        does: with_feature!("archive", Run(archive::export::run)),
    },
    Command {
        name: "ratings",
        arguments: &[
            GAME,
            argument("date", Shape::Option(ValueKind::Text("value.date"))),
            PLAYER,
            argument("against", Shape::Option(ValueKind::Text("value.player"))),
            DATA,
            DATABASE,
            JSON,
            CSV,
            MD,
        ],
        does: with_feature!("archive", Run(archive::ratings::run)),
    },
    Command {
        name: "reverify",
        arguments: &[DATA, DATABASE, argument("all", Shape::Flag), DRY, AUTHOR, REASON],
        does: with_feature!("archive", Run(archive::reverify::run)),
    },
    Command {
        name: "rebuild",
        arguments: &[DATA, DATABASE],
        does: with_feature!("archive", Run(archive::rebuild::run)),
    },
    Command {
        name: "backup",
        arguments: &[argument("file", Shape::Word { required: true, values: ValueKind::Path }), DATA, DATABASE, FORCE],
        does: with_feature!("archive", Run(archive::backup::run)),
    },
    Command {
        name: "copy",
        arguments: &[
            argument("from", Shape::Option(ValueKind::Text("value.archive"))),
            argument("to", Shape::Option(ValueKind::Text("value.archive"))),
        ],
        does: with_feature!("archive", Run(archive::copy::run)),
    },
    Command {
        name: "check",
        arguments: &[argument("head", Shape::Option(ValueKind::Path)), DATA, DATABASE],
        does: with_feature!("archive", Run(archive::check::run)),
    },
    Command {
        name: "rotate-key",
        arguments: &[argument("lost", Shape::Flag), DATA, DATABASE],
        does: with_feature!("archive", Run(archive::rotate::run)),
    },
];
