//! The table of commands. Parser, help, man page and completions are generated from it.

use quipu_options::look::{SHEETS, WIDTHS};
use quipu_options::settings::{COUNT, SETTINGS};

use crate::command::{
    Action::{Run, RunWithHelp, RunWithParser, Subcommands},
    Argument, Command, Shape, ValueKind,
};

/// The handler of a command that needs a feature.
macro_rules! with_feature {
    ($feature:literal, $handler:expr) => {{
        #[cfg(feature = $feature)]
        {
            $handler
        }
        #[cfg(not(feature = $feature))]
        {
            crate::command::Action::NotBuilt
        }
    }};
}

#[cfg(feature = "archive")]
mod archive;
mod archive_commands;
mod arguments;
mod completions;
mod convert;
#[cfg(feature = "draw")]
mod draw;
mod explain;
mod fmt;
mod help;
#[cfg(feature = "lsp")]
mod lsp;
mod man;
mod merge;
mod moves;
mod new;
mod perft;
mod play;
pub(crate) mod position;
mod rank;
#[cfg(feature = "archive")]
mod receipt;
mod repair;
mod replay;
pub(crate) mod score;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "draw")]
mod sheet;
pub(crate) mod standings;
#[cfg(feature = "archive")]
mod token;
#[cfg(feature = "archive")]
mod tournament;
mod tournament_commands;
mod verify;
#[cfg(feature = "view")]
mod view;
#[cfg(feature = "watch")]
mod watch;

use self::{
    archive_commands::ARCHIVE,
    arguments::{
        ALIASES, BY, CSV, DATA, DATABASE, ENCODING, EXPLAIN, FROM, GAME, JOBS, JSON, KEY, KEYS, MAX_BOARDS, MD, OUTPUT,
        PAIRED_ROUND, PATH, POSITION, RULES, TO, WHOLE_NUMBER, argument,
    },
    tournament_commands::TOURNAMENTS,
};

/// Upper bounds of the pauses, in seconds, and the attempts of `quipu watch`.
const MAX_WAIT: u32 = 3600;
const MAX_ATTEMPTS: u32 = 1000;
/// Upper bound of the depth of perft; results take too long far below it.
const MAX_DEPTH: u32 = 64;

/// Arguments of `quipu serve`: its own, and one for each setting.
static SERVE: [Argument; COUNT + 2] = {
    let mut all = [argument("config", Shape::Option(ValueKind::Path)); COUNT + 2];
    all[1] = argument("print-config", Shape::Flag);
    let mut index = 0;
    while index < COUNT {
        all[index + 2] = argument(SETTINGS[index].name, Shape::Setting(&SETTINGS[index]));
        index += 1;
    }
    all
};

/// Subcommands of `quipu receipt`.
const RECEIPT: &[Command] = &[
    Command {
        name: "check",
        arguments: &[
            argument("file", Shape::Word { required: true, values: ValueKind::Path }),
            KEY,
            KEYS,
            argument("record", Shape::Option(ValueKind::Path)),
            FROM,
            ENCODING,
        ],
        does: with_feature!("archive", Run(receipt::check)),
    },
    Command {
        name: "follow",
        arguments: &[
            argument("before", Shape::Word { required: true, values: ValueKind::Path }),
            argument("now", Shape::Word { required: true, values: ValueKind::Path }),
            argument("proof", Shape::Word { required: true, values: ValueKind::Path }),
            KEY,
            KEYS,
        ],
        does: with_feature!("archive", Run(receipt::follow)),
    },
];

/// Subcommands of `quipu token`.
const TOKEN: &[Command] = &[
    Command {
        name: "add",
        arguments: &[
            argument("name", Shape::Option(ValueKind::Text("value.name"))),
            argument("scope", Shape::Options(ValueKind::Scope)),
            argument("expires", Shape::Option(ValueKind::Text("value.expiry"))),
            argument("tournament", Shape::Option(WHOLE_NUMBER)),
            PAIRED_ROUND,
            argument("board", Shape::Option(ValueKind::Number("value.number", 1, MAX_BOARDS))),
            DATA,
            DATABASE,
        ],
        does: with_feature!("archive", Run(token::add)),
    },
    Command { name: "list", arguments: &[DATA, DATABASE, JSON], does: with_feature!("archive", Run(token::list)) },
    Command {
        name: "revoke",
        arguments: &[
            argument("token", Shape::Word { required: true, values: ValueKind::Name("value.token-name") }),
            DATA,
            DATABASE,
        ],
        does: with_feature!("archive", Run(token::revoke)),
    },
];

/// Every command, in the order of the help.
pub(crate) const ALL: &[Command] = &[
    Command {
        name: "verify",
        arguments: &[
            PATH,
            FROM,
            ENCODING,
            argument("output-format", Shape::Option(ValueKind::Report)),
            JSON,
            argument("boards", Shape::Flag),
            argument("only-faults", Shape::Flag),
            argument("quiet", Shape::ShortFlag('q')),
            OUTPUT,
            JOBS,
        ],
        does: Run(verify::run),
    },
    Command {
        name: "repair",
        arguments: &[
            PATH,
            FROM,
            ENCODING,
            JSON,
            argument("accept", Shape::Option(ValueKind::Text("value.reading"))),
            argument("margin", Shape::Option(ValueKind::Number("value.number", 0, 1000))),
            argument("choose", Shape::Flag),
            BY,
            TO,
            OUTPUT,
        ],
        does: Run(repair::run),
    },
    Command { name: "merge", arguments: &[PATH, FROM, ENCODING, JSON, BY, TO, OUTPUT], does: Run(merge::run) },
    Command {
        name: "fmt",
        arguments: &[
            PATH,
            ENCODING,
            argument("check", Shape::Flag),
            argument("diff", Shape::Flag),
            argument("write", Shape::Flag),
            argument("renumber", Shape::Flag),
            OUTPUT,
        ],
        does: Run(fmt::run),
    },
    Command { name: "convert", arguments: &[PATH, TO, FROM, ENCODING, OUTPUT], does: Run(convert::run) },
    Command {
        name: "replay",
        arguments: &[
            argument("file", Shape::Word { required: false, values: ValueKind::Path }),
            argument("record", Shape::Option(ValueKind::Number("value.number", 1, u32::MAX))),
            argument("ply", Shape::Option(ValueKind::Number("value.number", 0, u32::MAX))),
            argument("from", Shape::Option(ValueKind::Number("value.number", 0, u32::MAX))),
            argument("to", Shape::Option(ValueKind::Number("value.number", 0, u32::MAX))),
            argument("positions", Shape::Flag),
            JSON,
            argument("no-pager", Shape::Flag),
            OUTPUT,
            ENCODING,
        ],
        does: Run(replay::run),
    },
    Command {
        name: "view",
        arguments: &[
            PATH,
            FROM,
            ENCODING,
            argument("record", Shape::Option(ValueKind::Number("value.number", 1, u32::MAX))),
            argument("ply", Shape::Option(ValueKind::Number("value.number", 0, u32::MAX))),
            JOBS,
        ],
        does: with_feature!("view", RunWithHelp(view::run, view::guide)),
    },
    Command {
        name: "draw",
        arguments: &[
            argument("what", Shape::Word { required: false, values: ValueKind::PathOr("value.drawn") }),
            argument("output", Shape::Short('o', ValueKind::Path)),
            argument("to", Shape::Option(ValueKind::Picture)),
            argument("record", Shape::Option(ValueKind::Number("value.number", 1, u32::MAX))),
            argument("ply", Shape::Option(ValueKind::Number("value.number", 0, u32::MAX))),
            FROM,
            ENCODING,
            argument("game", Shape::Option(ValueKind::Game)),
            RULES,
            argument("theme", Shape::Option(ValueKind::Theme)),
            argument("size", Shape::Option(ValueKind::Number("value.pixels", *WIDTHS.start(), *WIDTHS.end()))),
            argument("title", Shape::Option(ValueKind::Text("value.text"))),
            argument("flip", Shape::Flag),
            argument("no-marks", Shape::Flag),
        ],
        does: with_feature!("draw", Run(draw::run)),
    },
    Command {
        name: "sheet",
        arguments: &[
            GAME,
            argument("output", Shape::Short('o', ValueKind::Path)),
            argument("to", Shape::Option(ValueKind::Sheet)),
            argument("number", Shape::Option(ValueKind::Number("value.number", *SHEETS.start(), *SHEETS.end()))),
        ],
        does: with_feature!("draw", Run(sheet::run)),
    },
    Command {
        name: "new",
        arguments: &[
            GAME,
            RULES,
            argument("seed", Shape::Option(ValueKind::Long("value.number"))),
            argument("tag", Shape::Options(ValueKind::Text("value.tag"))),
            TO,
            OUTPUT,
        ],
        does: Run(new::run),
    },
    Command {
        name: "position",
        arguments: &[
            GAME,
            argument("position", Shape::Word { required: false, values: ValueKind::Text("value.arrangement") }),
            RULES,
            argument("to", Shape::Option(ValueKind::PositionFormat)),
        ],
        does: Run(position::run),
    },
    Command { name: "moves", arguments: &[GAME, RULES, POSITION], does: Run(moves::run) },
    Command {
        name: "play",
        arguments: &[GAME, RULES, POSITION, argument("token", Shape::Words("value.token"))],
        does: Run(play::run),
    },
    Command {
        name: "perft",
        arguments: &[
            GAME,
            argument("depth", Shape::Word { required: true, values: ValueKind::Number("value.depth", 0, MAX_DEPTH) }),
            RULES,
            POSITION,
            argument("divide", Shape::Flag),
            JOBS,
        ],
        does: Run(perft::run),
    },
    Command {
        name: "score",
        arguments: &[PATH, FROM, ENCODING, EXPLAIN, ALIASES, JSON, CSV, MD, OUTPUT, JOBS],
        does: Run(score::run),
    },
    Command {
        name: "rank",
        arguments: &[PATH, FROM, ENCODING, EXPLAIN, ALIASES, JSON, CSV, MD, OUTPUT, JOBS],
        does: Run(rank::run),
    },
    Command {
        name: "standings",
        arguments: &[
            PATH,
            FROM,
            ENCODING,
            argument("event", Shape::Option(ValueKind::Text("value.event"))),
            argument("crosstable", Shape::Flag),
            argument("tie-breaks", Shape::Option(ValueKind::TieBreaks)),
            EXPLAIN,
            ALIASES,
            JSON,
            CSV,
            MD,
            OUTPUT,
            JOBS,
        ],
        does: Run(standings::run),
    },
    Command { name: "lsp", arguments: &[], does: with_feature!("lsp", Run(lsp::run)) },
    Command { name: "serve", arguments: &SERVE, does: with_feature!("serve", Run(serve::run)) },
    Command {
        name: "watch",
        arguments: &[
            argument("folder", Shape::Word { required: true, values: ValueKind::Folder }),
            argument("to", Shape::Option(ValueKind::Text("value.url"))),
            argument("token-file", Shape::Option(ValueKind::Path)),
            argument("state", Shape::Option(ValueKind::Path)),
            argument("once", Shape::Flag),
            argument("interval", Shape::Option(ValueKind::Number("value.seconds", 1, MAX_WAIT))),
            argument("timeout", Shape::Option(ValueKind::Number("value.seconds", 1, MAX_WAIT))),
            argument("attempts", Shape::Option(ValueKind::Number("value.number", 1, MAX_ATTEMPTS))),
            JSON,
        ],
        does: with_feature!("watch", Run(watch::run)),
    },
    Command { name: "archive", arguments: &[], does: Subcommands(ARCHIVE) },
    Command { name: "tournament", arguments: &[], does: Subcommands(TOURNAMENTS) },
    Command { name: "token", arguments: &[], does: Subcommands(TOKEN) },
    Command { name: "receipt", arguments: &[], does: Subcommands(RECEIPT) },
    Command {
        name: "explain",
        arguments: &[argument("code", Shape::Word { required: false, values: ValueKind::Code }), JSON],
        does: Run(explain::run),
    },
    Command {
        name: "completions",
        arguments: &[argument("shell", Shape::Word { required: true, values: ValueKind::Shell })],
        does: RunWithParser(completions::run),
    },
    Command { name: "man", arguments: &[], does: RunWithParser(man::run) },
    Command {
        name: "help",
        arguments: &[argument("command", Shape::Names(ValueKind::Command))],
        does: RunWithParser(help::run),
    },
    Command { name: "version", arguments: &[], does: Run(help::version) },
];
