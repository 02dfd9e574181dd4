//! The formats of records.

/// A format that records are read from.
///
/// The format of a source is detected from its beginning, after a byte order mark and white space:
///
/// - `[`, a name of letters, digits, `_` and hyphens, `:` is that of `OpenTafl`;
/// - `{`, a field of hnefatafl.org and `:` is a game of that server, also in an array;
/// - `{`, then any other string and `:`, or `{}`, is a JSON object;
/// - `[` and then the same is a JSON array of records, and `[]` alone an empty one;
/// - tags without `Game`, of which one is `[Variant "brandubh"]`, or `Site` names playtafl or hnefatafl.org before `1.` and a
///   move such as `d2e2`, are a game in the style of PGN;
/// - a tag `#Name`, a known tag name beside its value, or a header that begins with `n` or a side, after a title or not, is a
///   scoresheet in CSV, with commas, semicolons or tabs;
/// - anything else, or anything undecided after 64 KiB, is quipu's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// quipu's own text, modelled on PGN.
    Quipu,
    /// One object a record: one a line (NDJSON), one after another, or in one array.
    Json,
    /// Scoresheets typed into a spreadsheet.
    Csv,
    /// The text of `OpenTafl`, a program for games of the tafl family; a file is one record.
    Otg,
    /// The JSON of hnefatafl.org, a server for games of the tafl family: objects as in [`Self::Json`].
    Hnefatafl,
    /// Games of the tafl family in the style of PGN, as playtafl and the program of hnefatafl.org write them.
    Pgn,
}

impl Format {
    /// All.
    pub const ALL: [Self; 6] = [Self::Quipu, Self::Json, Self::Csv, Self::Otg, Self::Hnefatafl, Self::Pgn];

    /// Its name, which is also the extension of its files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quipu => "quipu",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Otg => "otg",
            Self::Hnefatafl => "hnefatafl",
            Self::Pgn => "pgn",
        }
    }

    /// The format of files with this extension, in lower case. Workbooks are read as scoresheets, one for each sheet.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "tsv" | "xlsx" | "ods" => Some(Self::Csv),
            _ => Self::parse(extension),
        }
    }

    /// The format that the extension of a file name tells, in upper or lower case; of a file compressed with gzip or zstd, the
    /// extension before that.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        Self::of_extension(name.rsplit_once('.')?.1)
    }

    /// True if a file in this format can have the extension of `named`: the games of hnefatafl.org are in `.json` files.
    pub fn may_be_named(self, named: Self) -> bool {
        named == self || (self == Self::Hnefatafl && named == Self::Json)
    }

    /// The format with this name. Files written as `ndjson` are read as `json`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = if name == "ndjson" { "json" } else { name };
        Self::ALL.into_iter().find(|form| form.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_have_names() {
        for form in Format::ALL {
            assert_eq!(Format::parse(form.as_str()), Some(form));
        }
        assert_eq!(Format::parse("ndjson"), Some(Format::Json));
        for (name, form) in
            [("a.CSV", Some(Format::Csv)), ("b.c.json.Zst", Some(Format::Json)), ("d.xlsx", Some(Format::Csv))]
        {
            assert_eq!(Format::of_name(name), form);
        }
        for name in ["a", "csv", "a.gz", "a.zip", "a.txt.gz"] {
            assert_eq!(Format::of_name(name), None);
        }
        assert_eq!(Format::parse("JSON"), None);
        for form in Format::ALL {
            let names: Vec<_> = Format::ALL.into_iter().filter(|named| form.may_be_named(*named)).collect();
            assert_eq!(names, if form == Format::Hnefatafl { vec![Format::Json, form] } else { vec![form] });
        }
    }
}
