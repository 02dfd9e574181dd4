//! The fields of a submitted form: the chosen file, or else the text; how they are read; and the button that was pressed.

use actix_web::web::Bytes;
use quipu_archive::model::Id;
use quipu_notation::record::{Encoding, Format};
use quipu_referee::games;

use crate::{
    pages::form_data::{FormData, typed},
    params,
    problem::Problem,
};

/// Records, which take precedence over [`TEXT`].
pub(super) const FILE: &str = "file";
/// Records in the text box.
pub(super) const TEXT: &str = "text";
/// The game of records that name none.
pub(super) const GAME: &str = "game";
/// A format of [`FORMATS`].
pub(super) const FORMAT: &str = "format";
/// The encoding of a file. A text arrives in UTF-8.
pub(super) const ENCODING: &str = "encoding";
/// A reading that is taken into the text box: the numbers of the record and of the reading, from 1, or [`MERGED`].
pub(super) const TAKE: &str = "take";
pub(super) const MERGED: &str = "merged";
/// May be repeated: a ply and the token that is chosen there. Without a token nothing is chosen.
pub(crate) const CHOICE: &str = "choice";
/// The name of the person who chose.
pub(super) const PERSON: &str = "by";
/// The record that is replayed, from 1, and the ply that is shown.
pub(super) const REPLAY: &str = "replay";
/// The records that are submitted: [`ALL`] verified ones, or the one with this id.
pub(super) const SUBMIT: &str = "submit";
pub(super) const ALL: &str = "all";
/// The token with which records are submitted.
pub(super) const TOKEN: &str = "token";

/// The formats that can be chosen: their names in the form, with the keys of their words.
pub(super) const FORMATS: [(&str, &str); 8] = [
    ("quipu", "check.format.quipu"),
    ("csv", "check.format.csv"),
    ("tsv", "check.format.tsv"),
    ("json", "check.format.json"),
    ("ndjson", "check.format.ndjson"),
    ("otg", "check.format.otg"),
    ("hnefatafl", "check.format.hnefatafl"),
    ("pgn", "check.format.pgn"),
];

/// Bytes of the value of a field, records excepted.
const LENGTH: usize = 400;
/// Bytes of the name of an encoding.
const ENCODING_LENGTH: usize = 64;
/// Bytes of a choice: a number and the longest token.
const CHOICE_LENGTH: usize = 100;
/// Choices of plies.
const MAX_CHOICES: usize = 64;

#[derive(Default)]
pub(super) struct FormContent {
    pub(super) records: Bytes,
    pub(super) is_file: bool,
    pub(super) options: Options,
    pub(super) action: Action,
    pub(super) choice: FormChoice,
    /// It is neither shown nor logged.
    pub(super) token: Option<String>,
}

/// Options of reading the records. The form shows them again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) game: Option<&'static str>,
    /// A name of [`FORMATS`].
    pub(super) format: Option<&'static str>,
    /// The name of an encoding.
    pub(super) encoding: Option<String>,
}

impl Options {
    pub(super) fn format(&self) -> Option<Format> {
        self.format.and_then(|name| Format::of_extension(name).or_else(|| Format::parse(name)))
    }

    pub(super) fn encoding(&self) -> Option<Encoding> {
        self.encoding.as_deref().and_then(Encoding::find)
    }
}

/// The button that was pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Action {
    #[default]
    Check,
    /// Takes a reading into the text box. Both numbers count from 0.
    Take { record: usize, reading: usize },
    /// Takes the merged game into the text box.
    TakeMerged,
    /// Submits all verified records, or the one with this id.
    Submit(Option<Id>),
    /// Shows a record, counted from 0, after some plies.
    Replay { record: usize, ply: usize },
}

/// The moves chosen for a merged game, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FormChoice {
    /// Plies of the merged game, from 1, with the tokens chosen there.
    pub(crate) plies: Vec<(u64, String)>,
    /// The name of the person who chose.
    pub(crate) person: Option<String>,
}

impl FormChoice {
    /// Notes a choice. A later one for a ply replaces an earlier one.
    pub(crate) fn note(&mut self, value: &str) {
        if value.len() > CHOICE_LENGTH {
            return;
        }
        let (ply, token) = value.split_once(' ').unwrap_or((value, ""));
        let Ok(ply) = ply.parse() else { return };
        self.plies.retain(|(known, _)| *known != ply);
        if !token.is_empty() && self.plies.len() < MAX_CHOICES {
            self.plies.push((ply, token.to_owned()));
        }
    }
}

impl FormContent {
    /// Notes a field. Values that are not understood count as none.
    fn note(&mut self, name: &str, value: &[u8]) {
        let Some(value) = str::from_utf8(value).ok().map(str::trim).filter(|value| value.len() <= LENGTH) else {
            return;
        };
        match name {
            GAME => self.options.game = games::find(value).map(|game| game.notation().id),
            FORMAT => self.options.format = FORMATS.iter().map(|(name, _)| *name).find(|name| *name == value),
            ENCODING if value.len() <= ENCODING_LENGTH && Encoding::find(value).is_some() => {
                self.options.encoding = Some(value.to_owned());
            }
            TOKEN if !value.is_empty() => self.token = Some(value.to_owned()),
            PERSON if !value.is_empty() => self.choice.person = Some(value.to_owned()),
            CHOICE => self.choice.note(value),
            _ => self.action = action(name, value).unwrap_or(self.action),
        }
    }
}

fn action(name: &str, value: &str) -> Option<Action> {
    let index = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
    match (name, value) {
        (TAKE, MERGED) => Some(Action::TakeMerged),
        (TAKE, _) => {
            let (record, reading) = value.split_once(' ')?;
            Some(Action::Take { record: index(record)?, reading: index(reading)? })
        }
        (SUBMIT, ALL) => Some(Action::Submit(None)),
        (SUBMIT, _) => Some(Action::Submit(Some(params::id(value)?))),
        (REPLAY, _) => {
            let (record, ply) = value.split_once(' ')?;
            Some(Action::Replay { record: index(record)?, ply: ply.parse().ok()? })
        }
        _ => None,
    }
}

/// The content of a form; the body itself if it is not a form.
///
/// # Errors
/// `api.body` if the form is malformed.
pub(super) fn content(form: FormData, body: Bytes) -> Result<FormContent, Problem> {
    let Some(parts) = form.parts(&body)? else {
        return Ok(FormContent { records: body, is_file: true, ..FormContent::default() });
    };
    let (mut chosen, mut content) = (ChosenSource::default(), FormContent::default());
    for part in parts {
        match &*part.name {
            FILE => ChosenSource::set_if_unset(&mut chosen.file, part.value),
            TEXT => ChosenSource::set_if_unset(&mut chosen.text, typed(&part.value)),
            name => content.note(name, &part.value),
        }
    }
    Ok(chosen.into_content(content))
}

/// The records: the first file that is not blank, or else the first text.
#[derive(Default)]
struct ChosenSource {
    file: Option<Bytes>,
    text: Option<Bytes>,
}

impl ChosenSource {
    fn set_if_unset(place: &mut Option<Bytes>, value: Bytes) {
        if place.is_none() && !value.trim_ascii().is_empty() {
            *place = Some(value);
        }
    }

    /// The form with them.
    fn into_content(self, content: FormContent) -> FormContent {
        let is_file = self.file.is_some();
        FormContent { records: self.file.or(self.text).unwrap_or_default(), is_file, ..content }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::form_data::{MULTIPART, URLENCODED};

    const TYPE: &str = "multipart/form-data; boundary=----WebKit7";

    #[track_caller]
    fn check(media: &str, body: &str, expected: Option<&str>) {
        let form = FormData::new(media.split(';').next().expect("a type").to_owned(), media);
        let found = super::content(form, Bytes::copy_from_slice(body.as_bytes())).ok();
        assert_eq!(found.map(|found| found.records).as_deref(), expected.map(str::as_bytes), "{body:?}");
    }

    #[test]
    fn forms_without_files() {
        check(URLENCODED, "text=a+b%0D%0A%C3%B1&lang=es", Some("a b\nñ"));
        check(URLENCODED, "lang=es&text=", Some(""));
        check(URLENCODED, "", Some(""));
        check(URLENCODED, "text=%", None);
        check(URLENCODED, "text=a&file=b", Some("b"));
        check(URLENCODED, "text=a&file=+", Some("a"));
        check("text/plain", "text=a", Some("text=a"));
    }

    fn content(fields: &str) -> FormContent {
        let form = FormData::new(URLENCODED.to_owned(), URLENCODED);
        super::content(form, Bytes::copy_from_slice(fields.as_bytes())).unwrap_or_else(|_| panic!("{fields}"))
    }

    #[test]
    fn choices() {
        let choice = |fields: &str| content(&format!("text=a{fields}")).choice;
        let of = |plies: &[(u64, &str)], person: Option<&str>| {
            let plies = plies.iter().map(|(ply, token)| (*ply, (*token).to_owned())).collect();
            FormChoice { plies, person: person.map(str::to_owned) }
        };
        assert_eq!(choice("&by=Ana+L%C3%B3pez"), of(&[], Some("Ana López")));
        assert_eq!(choice("&by=Ana&by=+"), of(&[], Some("Ana")));
        let plies = "&choice=3+0b0&choice=5+0D0C&choice=3+0a1&choice=5+&choice=x+0a1&choice=7";
        assert_eq!(choice(plies), of(&[(3, "0a1")], None));
        assert_eq!(choice(&format!("&choice=1+{}", "0".repeat(CHOICE_LENGTH))), of(&[], None));
        let many: String = (1..200).map(|ply| format!("&choice={ply}+0a1")).collect();
        assert_eq!(choice(&many).plies.len(), MAX_CHOICES);
    }

    #[test]
    fn buttons() {
        let id = "0a".repeat(32);
        for (fields, action) in [
            ("", Action::Check),
            ("take=2+1", Action::Take { record: 1, reading: 0 }),
            ("take=merged", Action::TakeMerged),
            ("take=0+1", Action::Check),
            ("take=1", Action::Check),
            ("replay=3+0", Action::Replay { record: 2, ply: 0 }),
            ("replay=3+x", Action::Check),
            ("submit=all", Action::Submit(None)),
            (&*format!("submit={id}"), Action::Submit(Some([10; 32]))),
            ("submit=0a", Action::Check),
        ] {
            assert_eq!(content(fields).action, action, "{fields}");
        }
    }

    #[test]
    fn options() {
        let found = content("game=querni&format=tsv&encoding=windows-1252&token=+x+");
        assert_eq!((found.options.game, found.options.format()), (Some("querni"), Some(Format::Csv)));
        assert!(found.options.encoding().is_some() && found.token.as_deref() == Some("x"));
        for (name, _) in FORMATS {
            assert!(content(&format!("format={name}")).options.format().is_some(), "{name}");
        }
        let none = content("game=&format=&encoding=klingon&token=+");
        assert_eq!((none.options, none.token), (Options::default(), None));
    }

    #[test]
    fn forms_with_files() {
        let part = |head: &str, value: &str| {
            format!("------WebKit7\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n")
        };
        let whole = |parts: &[String]| parts.concat() + "------WebKit7--\r\n";
        let text = part("name=\"text\"", "a\r\n\r\nb");
        let file = part("name=\"file\"; filename=\"a;b.quipu\"\r\nContent-Type: text/plain", "c");
        let none = part("name=\"file\"; filename=\"\"\r\nContent-Type: application/octet-stream", "");
        check(TYPE, &whole(&[text.clone(), file]), Some("c"));
        check(TYPE, &whole(&[text.clone(), none.clone()]), Some("a\n\nb"));
        check(TYPE, &whole(&[none]), Some(""));
        check(TYPE, &whole(&[]), Some(""));
        check(TYPE, &whole(&[part("name=other", "x")]), Some(""));
        check(TYPE, &text, None);
        check(TYPE, "", None);
        check(TYPE, "------WebKit7\r\nno head\r\n------WebKit7--", None);
        check(MULTIPART, &whole(std::slice::from_ref(&text)), None);
        check("multipart/form-data; Boundary=\"----WebKit7\"", &whole(&[text]), Some("a\n\nb"));
    }
}
