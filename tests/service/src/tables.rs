//! Tables of an archive whose rows the benchmarks insert by plain statements.

/// Tables that have rows for each record, with the column that has its number, as the rows refer to each other. The full-text index
/// is not among them.
pub const OF_RECORDS: [(&str, &str); 8] = [
    ("change", "number"),
    ("record", "number"),
    ("verdict", "record"),
    ("receipt", "verdict"),
    ("card", "number"),
    ("part", "record"),
    ("sheet", "record"),
    ("entry", "record"),
];

/// Tables that have rows for many records. A row that several records changed is inserted once, as the last of them left it.
pub const OF_MANY: [&str; 7] = ["player", "name_word", "event", "rating", "total", "term", "term_rest"];
