//! The table of commands. Parser, help, man page, completions and guide are read off it.

use clap::ArgMatches;

use crate::context::{Context, Outcome};

mod completions;
mod convert;
mod explain;
mod fmt;
mod man;
mod moves;
mod new;
mod perft;
mod play;
pub(crate) mod position;
mod rank;
mod replay;
pub(crate) mod score;
pub(crate) mod standings;
mod verify;

/// One command. Its words are `<name>.about`, `<name>.more` and `<name>.<argument>`.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) run: fn(Context, &ArgMatches) -> Outcome,
}

/// One argument or option of a command.
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
}

/// What an argument looks like.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// One word, by its place.
    Word { required: bool, values: Values },
    /// Any number of words, by their place; the key of the word that help shows for one.
    Words(&'static str),
    /// `--name`
    Flag,
    /// `--name VALUE`
    Option(Values),
    /// `--name VALUE`, with a letter for short.
    Short(char, Values),
    /// `--name VALUE`, any number of times
    Options(Values),
}

/// What a value may be.
#[derive(Clone, Copy)]
pub(crate) enum Values {
    /// Any text; it may begin with a hyphen. The key of the word that help shows for it.
    Text(&'static str),
    /// A file or folder.
    Path,
    /// A whole number from one to another. The key of the word that help shows for it.
    Number(&'static str, u32, u32),
    /// A whole number of 64 bits. The key of the word that help shows for it.
    Long(&'static str),
    /// A form that some game's positions have, or a drawing.
    Form,
    /// A form that records are read in.
    Read,
    /// A form that records are written in.
    Written,
    /// Identifier of a game.
    Game,
    /// A shell that completions can be made for.
    Shell,
}

/// Threads at the most.
const MOST_JOBS: u32 = 256;
/// Plies that perft looks ahead at the most; long before that nobody waits for it.
const MOST_DEPTH: u32 = 64;

const fn argument(name: &'static str, shape: Shape) -> Argument {
    Argument { name, shape }
}

const GAME: Argument = argument("game", Shape::Word { required: true, values: Values::Game });
const RULES: Argument = argument("rules", Shape::Option(Values::Text("value.rules")));
const POSITION: Argument = argument("position", Shape::Option(Values::Text("value.position")));
const PATH: Argument = argument("path", Shape::Words("value.path"));
const EXPLAIN: Argument = argument("explain", Shape::Option(Values::Text("value.player")));
const ALIASES: Argument = argument("aliases", Shape::Option(Values::Path));
const FROM: Argument = argument("from", Shape::Option(Values::Read));
const JSON: Argument = argument("json", Shape::Flag);
const CSV: Argument = argument("csv", Shape::Flag);
const MD: Argument = argument("md", Shape::Flag);
const JOBS: Argument = argument("jobs", Shape::Option(Values::Number("value.number", 1, MOST_JOBS)));

/// Every command, in the order that help lists them.
pub(crate) const ALL: &[Command] = &[
    Command { name: "verify", arguments: &[PATH, FROM, JSON, argument("boards", Shape::Flag), JOBS], run: verify::run },
    Command {
        name: "fmt",
        arguments: &[PATH, argument("check", Shape::Flag), argument("write", Shape::Flag)],
        run: fmt::run,
    },
    Command {
        name: "convert",
        arguments: &[
            argument("file", Shape::Word { required: true, values: Values::Path }),
            argument("to", Shape::Option(Values::Written)),
            FROM,
            argument("output", Shape::Short('o', Values::Path)),
        ],
        run: convert::run,
    },
    Command {
        name: "replay",
        arguments: &[
            argument("file", Shape::Word { required: true, values: Values::Path }),
            argument("record", Shape::Option(Values::Number("value.number", 1, u32::MAX))),
            argument("ply", Shape::Option(Values::Number("value.number", 0, u32::MAX))),
            argument("from", Shape::Option(Values::Number("value.number", 0, u32::MAX))),
            argument("to", Shape::Option(Values::Number("value.number", 0, u32::MAX))),
            argument("positions", Shape::Flag),
        ],
        run: replay::run,
    },
    Command {
        name: "new",
        arguments: &[
            GAME,
            RULES,
            argument("seed", Shape::Option(Values::Long("value.number"))),
            argument("tag", Shape::Options(Values::Text("value.tag"))),
        ],
        run: new::run,
    },
    Command {
        name: "position",
        arguments: &[
            GAME,
            argument("position", Shape::Word { required: false, values: Values::Text("value.arrangement") }),
            RULES,
            argument("to", Shape::Option(Values::Form)),
        ],
        run: position::run,
    },
    Command { name: "moves", arguments: &[GAME, RULES, POSITION], run: moves::run },
    Command {
        name: "play",
        arguments: &[GAME, RULES, POSITION, argument("token", Shape::Words("value.token"))],
        run: play::run,
    },
    Command {
        name: "perft",
        arguments: &[
            GAME,
            argument("depth", Shape::Word { required: true, values: Values::Number("value.depth", 0, MOST_DEPTH) }),
            RULES,
            POSITION,
            argument("divide", Shape::Flag),
            JOBS,
        ],
        run: perft::run,
    },
    Command { name: "score", arguments: &[PATH, FROM, EXPLAIN, ALIASES, JSON, CSV, MD, JOBS], run: score::run },
    Command { name: "rank", arguments: &[PATH, FROM, EXPLAIN, ALIASES, JSON, CSV, MD, JOBS], run: rank::run },
    Command {
        name: "standings",
        arguments: &[
            PATH,
            FROM,
            argument("event", Shape::Option(Values::Text("value.event"))),
            argument("crosstable", Shape::Flag),
            argument("tie-breaks", Shape::Option(Values::Text("value.list"))),
            EXPLAIN,
            ALIASES,
            JSON,
            CSV,
            MD,
            JOBS,
        ],
        run: standings::run,
    },
    Command {
        name: "explain",
        arguments: &[argument("code", Shape::Word { required: false, values: Values::Text("value.code") })],
        run: explain::run,
    },
    Command {
        name: "completions",
        arguments: &[argument("shell", Shape::Word { required: true, values: Values::Shell })],
        run: completions::run,
    },
    Command { name: "man", arguments: &[], run: man::run },
];
