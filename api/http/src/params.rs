//! Parameters of routes: their kinds, their parsers and their JSON Schemas. A parameter that a route does not declare
//! is refused.

use chrono::NaiveDate;
use serde_json::{Value as Json, json};

use super::problem::{self, Problem};
use quipu_archive::model::{Id, Number};

/// The location of a parameter in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
}

impl Location {
    /// The name in OpenAPI.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

/// The set of values of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// 64 lower-case hexadecimal digits.
    Id,
    /// A whole number from this minimum on.
    Number(i64),
    /// A whole number in this range.
    Between(i64, i64),
    /// The number of items on a page.
    Limit,
    /// A cursor from the page before.
    Cursor,
    /// A text of at most this many characters, without control characters.
    Text(usize),
    /// At most this many visible ASCII characters.
    Key(usize),
    Date,
    /// One of these values.
    Choice(fn() -> Vec<&'static str>),
    /// Some of these values, each at most once, separated by commas.
    Choices(fn() -> Vec<&'static str>),
    /// Ids of records, at most so many, separated by commas.
    Ids(usize),
    /// The id of the last server-sent event, a number. Any other text is ignored, because a browser that gets an error for it
    /// never connects again.
    EventId,
}

/// A parameter of a route. Its words are `param.<route>.<name>` or else `param.<name>`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) location: Location,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// True if an empty value counts as none: browsers send all fields of a form, the empty ones included.
    pub(crate) blank: bool,
}

impl Param {
    pub(crate) const fn path(name: &'static str, kind: Kind) -> Self {
        Self { name, location: Location::Path, kind, required: true, blank: false }
    }

    pub(crate) const fn query(name: &'static str, kind: Kind) -> Self {
        Self { name, location: Location::Query, kind, required: false, blank: false }
    }

    pub(crate) const fn header(name: &'static str, kind: Kind) -> Self {
        Self { name, location: Location::Header, kind, required: false, blank: false }
    }

    /// A parameter in the query of an HTML form.
    pub(crate) const fn field(name: &'static str, kind: Kind) -> Self {
        Self { blank: true, ..Self::query(name, kind) }
    }

    /// The same parameter, but required.
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// The header with the version that a client has seen.
pub(crate) const SEEN_VERSION: &str = "If-Match";

/// Items on a page by default.
pub(crate) const DEFAULT_LIMIT: usize = 50;
/// Most items on a page.
pub(crate) const MAX_LIMIT: usize = 200;
/// Most characters of a cursor.
const MAX_CURSOR: usize = 1024;
/// The greatest number that every JSON parser represents exactly.
pub(crate) const MAX_NUMBER: i64 = (1 << 53) - 1;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Number(Number),
    Date(NaiveDate),
    Id(Id),
    Ids(Vec<Id>),
}

impl Kind {
    /// True if the value is a list, separated by commas.
    pub(super) const fn is_list(self) -> bool {
        matches!(self, Self::Choices(_) | Self::Ids(_))
    }

    pub(super) fn read(self, name: &str, text: &str) -> Result<Value, Problem> {
        let wrong =
            |variant| Problem::variant(problem::PARAMETER, variant).with("name", name).with_quoted("found", text);
        let number = |min: i64, max: i64| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse().ok().filter(|number| digits && (min..=max).contains(number));
            number.map(Value::Number).ok_or_else(|| wrong("number").with("min", min).with("max", max))
        };
        let length = |max: usize| (1..=max).contains(&text.chars().count());
        let read_id = |text: &str| id(text).ok_or_else(|| Problem::new(problem::ID).with_quoted("found", text));
        match self {
            Self::Id => read_id(text).map(Value::Id),
            Self::Ids(max) => {
                let ids = text.split(',').map(read_id).collect::<Result<Vec<_>, _>>()?;
                if ids.len() > max { Err(wrong("many-values").with("max", max)) } else { Ok(Value::Ids(ids)) }
            }
            Self::EventId => Ok(number(0, MAX_NUMBER).unwrap_or_else(|_| Value::Text(text.to_owned()))),
            Self::Number(min) => number(min, MAX_NUMBER),
            Self::Between(min, max) => number(min, max),
            Self::Limit => number(1, i64::try_from(MAX_LIMIT).unwrap_or(i64::MAX)),
            Self::Cursor if length(MAX_CURSOR) => Ok(Value::Text(text.to_owned())),
            Self::Cursor => Err(Problem::new(problem::CURSOR).with_quoted("found", text)),
            Self::Text(max) if length(max) && !text.chars().any(char::is_control) => Ok(Value::Text(text.to_owned())),
            Self::Text(max) => Err(wrong("text").with("max", max)),
            Self::Key(max) if length(max) && text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Ok(Value::Text(text.to_owned()))
            }
            Self::Key(max) => Err(wrong("key").with("max", max)),
            Self::Date => {
                let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
                // The parser accepts other forms of a date too, such as `2026-1-1`.
                let date = date.filter(|date| text.len() == "2026-02-28".len() && date.to_string() == text);
                date.map(Value::Date).ok_or_else(|| wrong("date"))
            }
            Self::Choice(values) => {
                let values = values();
                if values.contains(&text) {
                    return Ok(Value::Text(text.to_owned()));
                }
                Err(wrong("choice").with("known", values.join(", ")))
            }
            Self::Choices(values) => {
                let wrong = |variant, one| {
                    Problem::variant(problem::PARAMETER, variant).with("name", name).with_quoted("found", one)
                };
                let values = values();
                let mut found = Vec::new();
                for one in text.split(',') {
                    if !values.contains(&one) {
                        return Err(wrong("choice", one).with("known", values.join(", ")));
                    }
                    if found.contains(&one) {
                        return Err(wrong("repeated", one));
                    }
                    found.push(one);
                }
                Ok(Value::Text(text.to_owned()))
            }
        }
    }

    /// The JSON Schema of the values.
    pub(super) fn schema(self) -> Json {
        match self {
            Self::Id => json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }),
            Self::Number(min) => json!({ "type": "integer", "minimum": min, "maximum": MAX_NUMBER }),
            Self::Between(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
            Self::Limit => {
                json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT })
            }
            Self::Cursor => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{2,}$", "maxLength": MAX_CURSOR }),
            Self::Text(max) => {
                let pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$";
                json!({ "type": "string", "minLength": 1, "maxLength": max, "pattern": pattern })
            }
            Self::Key(max) => {
                json!({ "type": "string", "minLength": 1, "maxLength": max, "pattern": "^[!-~]+$" })
            }
            Self::Date => json!({ "type": "string", "format": "date" }),
            Self::Choice(values) => json!({ "type": "string", "enum": values() }),
            Self::Choices(values) => {
                let one = json!({ "type": "string", "enum": values() });
                json!({ "type": "array", "items": one, "minItems": 1, "uniqueItems": true })
            }
            Self::Ids(max) => {
                json!({ "type": "array", "items": Self::Id.schema(), "minItems": 1, "maxItems": max })
            }
            Self::EventId => json!({ "type": "string" }),
        }
    }
}

/// Parses an id: 64 lower-case hexadecimal digits.
pub(crate) fn id(text: &str) -> Option<Id> {
    let nibble = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let digits: &[u8; 64] = text.as_bytes().try_into().ok()?;
    let mut id = Id::default();
    for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Some(id)
}

/// The parameters of one request.
#[derive(Debug, Default)]
pub(crate) struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// The value of a parameter, if it is there.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Parses and adds a parameter.
    pub(super) fn add(&mut self, param: &Param, text: &str) -> Result<(), Problem> {
        if let (true, Kind::Choices(_)) = (param.blank, param.kind) {
            return self.add_choices(param, text);
        }
        if self.get(param.name).is_some() {
            return Err(Problem::variant(problem::PARAMETER, "twice").with("name", param.name));
        }
        self.0.push((param.name, param.kind.read(param.name, text)?));
        Ok(())
    }

    /// Adds choices of a field that a form may send several times. A repeated choice counts once.
    fn add_choices(&mut self, param: &Param, text: &str) -> Result<(), Problem> {
        let known = match self.get(param.name) {
            Some(Value::Text(known)) => known.clone(),
            _ => String::new(),
        };
        let mut all: Vec<_> = known.split(',').filter(|one| !one.is_empty()).collect();
        for one in text.split(',') {
            param.kind.read(param.name, one)?;
            if !all.contains(&one) {
                all.push(one);
            }
        }
        let all = Value::Text(all.join(","));
        self.0.retain(|(name, _)| *name != param.name);
        self.0.push((param.name, all));
        Ok(())
    }

    /// Parses and adds all parameters of a query.
    pub(super) fn add_query(&mut self, params: &'static [Param], query: &str) -> Result<(), Problem> {
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let [name, value] = [decoded(name)?, decoded(value)?];
            let known = || params.iter().filter(|param| param.location == Location::Query);
            let Some(param) = known().find(|param| param.name == name) else {
                let names: Vec<_> = known().map(|param| param.name).collect();
                let variant = if names.is_empty() { "none" } else { "unknown" };
                let problem = Problem::variant(problem::PARAMETER, variant).with_quoted("name", &name);
                return Err(problem.with("known", names.join(", ")));
            };
            if !(param.blank && value.is_empty()) {
                self.add(param, &value)?;
            }
        }
        Ok(())
    }

    /// Checks that all required parameters are present.
    pub(super) fn complete(&self, params: &'static [Param]) -> Result<(), Problem> {
        match params.iter().find(|param| param.required && self.get(param.name).is_none()) {
            Some(missing) if missing.name == SEEN_VERSION => Err(Problem::new(problem::PRECONDITION)),
            Some(missing) => Err(Problem::variant(problem::PARAMETER, "missing").with("name", missing.name)),
            None => Ok(()),
        }
    }
}

/// Decodes a part of a path or a query.
pub(super) fn decoded(text: &str) -> Result<String, Problem> {
    let decoded = decoded_bytes(text.as_bytes()).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.ok_or_else(|| Problem::variant(problem::PARAMETER, "encoding").with_quoted("found", text))
}

/// Decodes percent-encoding and `+` in a query or a form; none if it is malformed.
pub(super) fn decoded_bytes(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|&digit| char::from(digit).to_digit(16));
                let pair = digit().zip(digit())?;
                u8::try_from(pair.0 << 4 | pair.1).ok()?
            }
            byte => byte,
        });
    }
    Some(bytes)
}

/// The first value of a name in a query, if it can be decoded.
pub(super) fn value(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(own, _)| decoded(own).is_ok_and(|own| own == name))?;
    decoded(value).ok()
}

/// The pairs of a query as written, without those of this name.
pub(super) fn without(query: &str, name: &str) -> Vec<String> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let others = pairs.filter(|pair| {
        // A name may be percent-encoded too.
        let own = pair.split_once('=').map_or(*pair, |(name, _)| name);
        decoded(own).is_ok_and(|own| own != name)
    });
    others.map(str::to_owned).collect()
}

/// Percent-encodes a text for a query.
pub(super) fn encoded(text: &str) -> String {
    let mut query = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            query.push(char::from(byte));
        } else {
            query += &format!("%{byte:02X}");
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param::query("text", Kind::Text(5)),
        Param::field("field", Kind::Text(5)),
        Param::query("limit", Kind::Limit),
        Param::query("from", Kind::Date),
        Param::query("game", Kind::Choice(|| vec!["andes", "querni"])),
        Param::query("order", Kind::Choices(|| vec!["wins", "points"])),
        Param::field("orders", Kind::Choices(|| vec!["wins", "points"])),
        Param::query("id", Kind::Id),
        Param::query("size", Kind::Between(64, 100)),
    ];

    #[track_caller]
    fn check(query: &str, expected: Result<(&str, Value), &str>) {
        let mut values = Values::default();
        let read = values.add_query(PARAMS, query).map_err(|problem| problem.code());
        match expected {
            Ok((name, value)) => {
                assert_eq!(read, Ok(()), "{query}");
                assert_eq!(values.get(name), Some(&value), "{query}");
            }
            Err(code) => assert_eq!(read, Err(code), "{query}"),
        }
    }

    #[test]
    fn values() {
        let text = |text: &str| Value::Text(text.to_owned());
        check("text=a%20b", Ok(("text", text("a b"))));
        check("text=a+b&", Ok(("text", text("a b"))));
        check("text=%C3%B1", Ok(("text", text("ñ"))));
        check("text=ñandú", Ok(("text", text("ñandú"))));
        check("text=%ff", Err("api.parameter"));
        check("text=%f", Err("api.parameter"));
        check("text=%0A", Err("api.parameter"));
        check("text=", Err("api.parameter"));
        check("text=123456", Err("api.parameter"));
        check("limit=200", Ok(("limit", Value::Number(200))));
        check("limit=0", Err("api.parameter"));
        check("limit=201", Err("api.parameter"));
        check("limit=+1", Err("api.parameter"));
        check("limit=-1", Err("api.parameter"));
        check("limit=1&limit=1", Err("api.parameter"));
        check("from=2026-02-28", Ok(("from", Value::Date(NaiveDate::from_ymd_opt(2026, 2, 28).expect("a day")))));
        check("from=2026-02-29", Err("api.parameter"));
        check("from=2026-2-28", Err("api.parameter"));
        check("from=%2B10000-01-01", Err("api.parameter"));
        check("from=0000-01-01", Ok(("from", Value::Date(NaiveDate::from_ymd_opt(0, 1, 1).expect("a day")))));
        check("game=andes", Ok(("game", text("andes"))));
        check("game=chess", Err("api.parameter"));
        check("order=points,wins", Ok(("order", text("points,wins"))));
        check("order=points%2Cwins", Ok(("order", text("points,wins"))));
        check("order=", Err("api.parameter"));
        check("order=points,", Err("api.parameter"));
        check("order=points,age", Err("api.parameter"));
        check("order=points,points", Err("api.parameter"));
        check("order=points&order=wins", Err("api.parameter"));
        check("orders=points&orders=&orders=wins&orders=points", Ok(("orders", text("points,wins"))));
        check("orders=points,wins&orders=wins", Ok(("orders", text("points,wins"))));
        check("orders=points&orders=age", Err("api.parameter"));
        check("size=64", Ok(("size", Value::Number(64))));
        check("size=63", Err("api.parameter"));
        check("size=101", Err("api.parameter"));
        check("id=ab", Err("api.id"));
        check(&format!("id={}", "0f".repeat(32)), Ok(("id", Value::Id([15; 32]))));
        check(&format!("id={}", "0F".repeat(32)), Err("api.id"));
        check("other=1", Err("api.parameter"));
    }

    #[test]
    fn fields_that_nobody_filled_in_say_nothing() {
        let mut values = Values::default();
        assert!(values.add_query(PARAMS, "field=&text=a&field=").is_ok());
        assert_eq!(values.get("field"), None);
        check("field=a", Ok(("field", Value::Text("a".to_owned()))));
        check("field=&field=a", Ok(("field", Value::Text("a".to_owned()))));
        check("field=a&field=b", Err("api.parameter"));
        check("field=123456", Err("api.parameter"));
    }

    #[test]
    fn a_query_without_a_parameter() {
        let pairs = without("a=1&%61=2&b=3&&aa=4&=5&a", "a");
        assert_eq!(pairs, ["b=3", "aa=4", "=5"]);
        assert_eq!(value("b=1&%61=2%20&a=3", "a").as_deref(), Some("2 "));
        assert_eq!(value("b=1&a&a=%f", "a"), None);
    }

    #[test]
    fn percent_encoding_is_decoded() {
        for text in ["", "a b", "ñ&=%+#", "1/2-1/2"] {
            assert_eq!(decoded(&encoded(text)).ok().as_deref(), Some(text));
        }
    }
}
