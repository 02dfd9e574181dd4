//! Arguments that several commands take, and the bounds of their values.

use crate::command::{Argument, Shape, ValueKind};

/// Upper bound of `--jobs`.
const MAX_JOBS: u32 = 256;
/// Upper bounds of the numbers of rounds and boards, as the model of tournaments has them.
pub(super) const MAX_ROUNDS: u32 = 100;
pub(super) const MAX_BOARDS: u32 = 2048;

pub(super) const fn argument(name: &'static str, shape: Shape) -> Argument {
    Argument { name, former: None, shape }
}

pub(super) const GAME: Argument = argument("game", Shape::Word { required: true, values: ValueKind::Game });
pub(super) const RULES: Argument = argument("rules", Shape::Option(ValueKind::Text("value.rules")));
pub(super) const POSITION: Argument = argument("position", Shape::Option(ValueKind::Text("value.position")));
pub(super) const PATH: Argument = argument("path", Shape::Words("value.path"));
pub(super) const EXPLAIN: Argument = argument("explain", Shape::Option(ValueKind::Text("value.player")));
pub(super) const ALIASES: Argument = argument("aliases", Shape::Option(ValueKind::Path));
pub(super) const FROM: Argument = argument("from", Shape::Option(ValueKind::Read));
pub(super) const ENCODING: Argument = argument("encoding", Shape::Option(ValueKind::Encoding));
pub(super) const TO: Argument = argument("to", Shape::Option(ValueKind::Written));
pub(super) const OUTPUT: Argument = argument("output", Shape::Short('o', ValueKind::Path));
pub(super) const BY: Argument = argument("by", Shape::Option(ValueKind::Text("value.name")));
pub(super) const JSON: Argument = argument("json", Shape::Flag);
pub(super) const CSV: Argument = argument("csv", Shape::Maybe(ValueKind::Csv));
pub(super) const MD: Argument = argument("md", Shape::Flag);
pub(super) const JOBS: Argument = argument("jobs", Shape::Option(ValueKind::Number("value.number", 1, MAX_JOBS)));

pub(super) const KEY: Argument = argument("key", Shape::Option(ValueKind::PathOr("value.key")));
pub(super) const KEYS: Argument = argument("keys", Shape::Option(ValueKind::Path));

pub(super) const DATA: Argument = argument("data", Shape::Option(ValueKind::Folder));
pub(super) const DATABASE: Argument = argument("database", Shape::Option(ValueKind::Text("value.url")));
pub(super) const AUTHOR: Argument = argument("author", Shape::Option(ValueKind::Text("value.name")));
pub(super) const REASON: Argument = argument("reason", Shape::Option(ValueKind::Text("value.text")));
pub(super) const ID: Argument =
    argument("record-id", Shape::Word { required: true, values: ValueKind::Name("value.id") });
pub(super) const PLAYER: Argument = argument("player", Shape::Option(ValueKind::Text("value.player")));
pub(super) const EVENT: Argument = argument("event", Shape::Option(ValueKind::Text("value.event")));
pub(super) const ROUND: Argument = argument("round", Shape::Option(ValueKind::Text("value.round")));
pub(super) const RESULT: Argument = argument("result", Shape::Option(ValueKind::Result));
pub(super) const TERMINATION: Argument = argument("termination", Shape::Option(ValueKind::Text("value.termination")));
pub(super) const STATUS: Argument = argument("status", Shape::Option(ValueKind::Status));
pub(super) const AFTER: Argument = argument("after", Shape::Option(ValueKind::Text("value.date")));
pub(super) const BEFORE: Argument = argument("before", Shape::Option(ValueKind::Text("value.date")));
pub(super) const TEXT: Argument = argument("text", Shape::Option(ValueKind::Text("value.text")));
pub(super) const DRY: Argument = argument("dry-run", Shape::Flag);
pub(super) const FORCE: Argument = argument("force", Shape::Flag);

pub(super) const WHOLE_NUMBER: ValueKind = ValueKind::Long("value.number");
pub(super) const PAIRED_ROUND: Argument =
    argument("round", Shape::Option(ValueKind::Number("value.number", 1, MAX_ROUNDS)));
