//! A record as a JSON object.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::{
    super::{Movetext, Ply, Record},
    order::tags,
};

/// On one line.
pub(super) fn line(record: &Record<'_>) -> String {
    ended(serde_json::to_string(&Object::new(record)))
}

/// On many lines.
pub(super) fn pretty(record: &Record<'_>) -> String {
    ended(serde_json::to_string_pretty(&Object::new(record)))
}

/// As a value in another object.
pub(super) fn object<'r>(record: &'r Record<'_>) -> impl Serialize + use<'r> {
    Object::new(record)
}

fn ended(text: serde_json::Result<String>) -> String {
    text.expect("all names are texts") + "\n"
}

#[derive(Serialize)]
struct Object<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    tags: Vec<(&'r str, Option<&'r str>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    setup: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<&'r str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    comments: &'r [Cow<'r, str>],
    moves: Vec<Move<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'r str>,
}

#[derive(Serialize)]
struct Move<'r> {
    #[serde(rename = "move")]
    token: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<Comment<'r>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    nags: &'r [u32],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variations: Vec<Variation<'r>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Comment<'r> {
    One(&'r str),
    Several(&'r [Cow<'r, str>]),
}

#[derive(Serialize)]
struct Variation<'r> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    comments: &'r [Cow<'r, str>],
    moves: Vec<Move<'r>>,
}

impl<'r> Object<'r> {
    fn new(record: &'r Record<'_>) -> Self {
        let (mut game, mut rules, mut setup, mut first, mut result) = (None, None, None, None, None);
        let mut others = Vec::new();
        for tag in tags(record, record.game()) {
            let value = Some(&*tag.value);
            match &*tag.name {
                "Game" => game = value,
                "Rules" => rules = value,
                "Setup" => setup = value,
                "First" => first = value,
                "Result" => result = value,
                name => others.push((name, value)),
            }
        }
        // The field is both the tag and the final token. If they differ, the tag is written by itself.
        if let Some(token) = record.result {
            let token = token.value.as_str();
            if result != Some(token) {
                others.push(("Result", result));
            }
            result = Some(token);
        }
        let Movetext { comments, plies } = &record.movetext;
        Self { game, rules, tags: others, setup, first, comments, moves: moves(plies), result }
    }
}

fn moves<'r>(plies: &'r [Ply<'_>]) -> Vec<Move<'r>> {
    plies.iter().map(Move::new).collect()
}

impl<'r> Move<'r> {
    fn new(ply: &'r Ply<'_>) -> Self {
        let notes = ply.notes.as_deref();
        let variations = notes.map(|notes| &*notes.variations).unwrap_or_default();
        Self {
            token: &ply.token,
            clock_ms: ply.clock.map(|clock| clock.value),
            comment: match notes.map(|notes| &*notes.comments).unwrap_or_default() {
                [] => None,
                [one] => Some(Comment::One(one)),
                several => Some(Comment::Several(several)),
            },
            nags: notes.map(|notes| &*notes.nags).unwrap_or_default(),
            variations: variations
                .iter()
                .map(|line| Variation { comments: &line.comments, moves: moves(&line.plies) })
                .collect(),
        }
    }
}

fn as_map<S: Serializer>(tags: &[(&str, Option<&str>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(tags.iter().copied())
}
