//! The table of commands. Parser, help, man page and completions are generated from it.

use quipu_options::look::{SHEETS, WIDTHS};
use quipu_options::settings::{COUNT, SETTINGS};

use crate::command::{
    Action::{Run, RunWithHelp, RunWithParser, Subcommands},
    Argument, Command, STATES, Shape, ValueKind,
};

#[cfg(feature = "archive")]
mod archive;
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
mod verify;
#[cfg(feature = "view")]
mod view;
#[cfg(feature = "watch")]
mod watch;

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

/// Upper bound of `--jobs`.
const MAX_JOBS: u32 = 256;
/// Upper bounds of the numbers of rounds, boards and games of an encounter, as the model of tournaments has them.
const MAX_ROUNDS: u32 = 100;
const MAX_BOARDS: u32 = 2048;
const MAX_GAMES: u32 = 16;
/// Bounds of a time control in seconds, as the model of tournaments has them.
const MIN_TIME: u32 = 60;
const MAX_TIME: u32 = 36_000;
/// Upper bounds of the pauses, in seconds, and the attempts of `quipu watch`.
const MAX_WAIT: u32 = 3600;
const MAX_ATTEMPTS: u32 = 1000;
/// Upper bound of the depth of perft; results take too long far below it.
const MAX_DEPTH: u32 = 64;

const fn argument(name: &'static str, shape: Shape) -> Argument {
    Argument { name, former: None, shape }
}

const GAME: Argument = argument("game", Shape::Word { required: true, values: ValueKind::Game });
const RULES: Argument = argument("rules", Shape::Option(ValueKind::Text("value.rules")));
const POSITION: Argument = argument("position", Shape::Option(ValueKind::Text("value.position")));
const PATH: Argument = argument("path", Shape::Words("value.path"));
const EXPLAIN: Argument = argument("explain", Shape::Option(ValueKind::Text("value.player")));
const ALIASES: Argument = argument("aliases", Shape::Option(ValueKind::Path));
const FROM: Argument = argument("from", Shape::Option(ValueKind::Read));
const ENCODING: Argument = argument("encoding", Shape::Option(ValueKind::Encoding));
const TO: Argument = argument("to", Shape::Option(ValueKind::Written));
const OUTPUT: Argument = argument("output", Shape::Short('o', ValueKind::Path));
const BY: Argument = argument("by", Shape::Option(ValueKind::Text("value.name")));
const JSON: Argument = argument("json", Shape::Flag);
const CSV: Argument = argument("csv", Shape::Maybe(ValueKind::Csv));
const MD: Argument = argument("md", Shape::Flag);
const JOBS: Argument = argument("jobs", Shape::Option(ValueKind::Number("value.number", 1, MAX_JOBS)));

const KEY: Argument = argument("key", Shape::Option(ValueKind::PathOr("value.key")));
const KEYS: Argument = argument("keys", Shape::Option(ValueKind::Path));

const DATA: Argument = argument("data", Shape::Option(ValueKind::Folder));
const DATABASE: Argument = argument("database", Shape::Option(ValueKind::Text("value.url")));
const AUTHOR: Argument = argument("author", Shape::Option(ValueKind::Text("value.name")));
const REASON: Argument = argument("reason", Shape::Option(ValueKind::Text("value.text")));
const ID: Argument = argument("record-id", Shape::Word { required: true, values: ValueKind::Name("value.id") });
const PLAYER: Argument = argument("player", Shape::Option(ValueKind::Text("value.player")));
const EVENT: Argument = argument("event", Shape::Option(ValueKind::Text("value.event")));
const ROUND: Argument = argument("round", Shape::Option(ValueKind::Text("value.round")));
const RESULT: Argument = argument("result", Shape::Option(ValueKind::Result));
const TERMINATION: Argument = argument("termination", Shape::Option(ValueKind::Text("value.termination")));
const STATUS: Argument = argument("status", Shape::Option(ValueKind::Status));
const AFTER: Argument = argument("after", Shape::Option(ValueKind::Text("value.date")));
const BEFORE: Argument = argument("before", Shape::Option(ValueKind::Text("value.date")));
const TEXT: Argument = argument("text", Shape::Option(ValueKind::Text("value.text")));
const DRY: Argument = argument("dry-run", Shape::Flag);
const FORCE: Argument = argument("force", Shape::Flag);

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

/// Subcommands of `quipu archive`.
const ARCHIVE: &[Command] = &[
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

const WHOLE: ValueKind = ValueKind::Long("value.number");
const TOURNAMENT: Argument = argument("tournament", Shape::Word { required: true, values: WHOLE });
const PAIRED: Argument = argument("round", Shape::Option(ValueKind::Number("value.number", 1, MAX_ROUNDS)));
const RESULTS: ValueKind = ValueKind::Choice(&["1-0", "0-1", "1/2-1/2", "1-0F", "0-1F", "0-0F"]);
const TIME: ValueKind = ValueKind::Number("value.seconds", MIN_TIME, MAX_TIME);
const BYE: ValueKind = ValueKind::Choice(&["full", "half", "zero"]);

/// Subcommands of `quipu tournament`.
const TOURNAMENTS: &[Command] = &[
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
            PAIRED,
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
            PAIRED,
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
        arguments: &[TOURNAMENT, PAIRED, REASON, AUTHOR, DATA, DATABASE],
        does: with_feature!("archive", Run(tournament::rounds::unpair)),
    },
    Command {
        name: "result",
        arguments: &[
            TOURNAMENT,
            argument("result", Shape::Word { required: false, values: RESULTS }),
            PAIRED,
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
        arguments: &[TOURNAMENT, PAIRED, REASON, AUTHOR, DATA, DATABASE],
        does: with_feature!("archive", Run(tournament::rounds::close)),
    },
    Command {
        name: "reopen",
        arguments: &[TOURNAMENT, PAIRED, REASON, AUTHOR, DATA, DATABASE],
        does: with_feature!("archive", Run(tournament::rounds::reopen)),
    },
    Command {
        name: "boards",
        arguments: &[TOURNAMENT, PAIRED, argument("explain", Shape::Flag), DATA, DATABASE, JSON, CSV, MD],
        does: with_feature!("archive", Run(tournament::boards::run)),
    },
    Command {
        name: "standings",
        arguments: &[
            TOURNAMENT,
            PAIRED,
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
            PAIRED,
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
            PAIRED,
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
            argument("tournament", Shape::Option(WHOLE)),
            PAIRED,
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
