//! One JSON object a record: one a line, one after another, or in one array.

mod cursor;
mod parser;
mod scanner;

pub(crate) use cursor::{Cursor, Text};
pub(super) use parser::{faults, read};
pub(super) use scanner::Splitter;
