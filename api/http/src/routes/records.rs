//! Records as they are kept: lists of them, one in its forms, as it was handed in, and the verdict on it.

use std::{borrow::Cow, collections::BTreeMap, io::Write};

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
};
use quipu_notation::record::{
    self, Chunk, Format,
    write::{self, OutputFormat},
};
use quipu_referee::report::{self, PointsReport, hex};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::{
    super::{
        call::{Cache, Call},
        params::DEFAULT_LIMIT,
        permits::Permit,
        problem::{self, Problem},
        schema,
        spool::SpoolWriter,
    },
    Answered, BYTES, CSV, JSON, TEXT, changes,
    filters::Asked,
};
use quipu_archive::{
    model::{self, Id, Number, Source},
    store::{self, Cursor, ReadTx, Size, StoreError},
};

/// Bytes of a record that is read and written here and now; what is larger goes to another thread.
pub(super) const SMALL: usize = 8 * 1024;
/// Bytes of a record that is read beside others; what is larger is read alone.
pub(crate) const LARGE: usize = 256 * 1024;

/// A record as lists show it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Card {
    /// Its id.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    id: String,
    /// The change that brought it.
    #[schemars(range(min = 1))]
    change: Number,
    /// When it was stored.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// The game, if known.
    game: Option<&'static str>,
    /// What the referee says of it.
    #[schemars(extend("enum" = super::enum_values::statuses()))]
    status: &'static str,
    /// Whether it stands.
    #[schemars(extend("enum" = super::enum_values::states()))]
    state: &'static str,
    /// The event, if it names one.
    event: Option<CardEvent>,
    /// The round, if it names one.
    round: Option<String>,
    /// Who played, side 1 first.
    #[schemars(length(equal = 2))]
    players: Vec<Option<CardPlayer>>,
    /// The day it was played.
    #[schemars(extend("format" = "date"))]
    date: Option<String>,
    /// The result that the referee found.
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2", "*", null]))]
    result: Option<String>,
    /// How it ended.
    termination: Option<String>,
    /// Points by side, in games that count them.
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    points: Option<PointsReport>,
    /// Lawful plies.
    plies: Option<u64>,
}

/// The event of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CardEvent {
    /// Its number.
    #[schemars(range(min = 1))]
    number: i64,
    /// Its name.
    name: String,
}

/// A player of a record.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CardPlayer {
    /// The side.
    side: &'static str,
    /// Number of the name.
    #[schemars(range(min = 1))]
    number: i64,
    /// The name, as the record has it.
    name: String,
}

impl From<model::Card> for Card {
    fn from(card: model::Card) -> Self {
        let game = card.game;
        let sides = game.into_iter().flat_map(|game| &game.sides).map(|side| side.name);
        let mut sides = sides.chain(["", ""]);
        let player = |player: Option<(i64, String)>| {
            let side = sides.next().unwrap_or_default();
            player.map(|(number, name)| CardPlayer { side, number, name })
        };
        Self {
            id: hex(&card.id),
            change: card.number,
            at: changes::time(card.at),
            game: game.map(|game| game.id),
            status: card.status.as_str(),
            state: card.state.as_str(),
            event: card.event.map(|(number, name)| CardEvent { number, name }),
            round: card.round,
            players: card.players.into_iter().map(player).collect(),
            date: card.date.map(|date| date.to_string()),
            result: card.result,
            termination: card.termination,
            points: game.zip(card.points).map(|(game, points)| PointsReport::new(game, points)),
            plies: card.plies,
        }
    }
}

pub(super) async fn list(call: Call) -> Answered {
    let search = Search::of(&call)?;
    let (is_quick, limit) = (search.asked.is_quick(), search.limit);
    let ask = move |reading: &ReadTx<'_>| search.read(reading);
    let page = if is_quick { call.read_page(limit, ask).await? } else { call.read_slowly(ask).await? };
    Ok(call.page(page.items.into_iter().map(Card::from).collect(), page.next.as_ref()))
}

/// One page of a search for records.
pub(crate) struct Search {
    asked: Asked,
    after: Option<Cursor>,
    limit: usize,
}

impl Search {
    /// The search that a request asks for.
    ///
    /// # Errors
    /// A parameter that no record can have, or a cursor of a list in another order.
    pub(crate) fn of(call: &Call) -> Result<Self, Problem> {
        let asked = Asked::of(call)?;
        let after: Option<Cursor> = call.cursor()?;
        if after.as_ref().is_some_and(|after| after.date.is_some() != asked.is_by_date()) {
            return Err(call.no_cursor());
        }
        let limit = if call.declares("limit") { call.limit() } else { DEFAULT_LIMIT };
        Ok(Self { asked, after, limit })
    }

    /// The cards of the page.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub(crate) fn read(self, reading: &ReadTx<'_>) -> Result<store::Page<model::Card>, StoreError> {
        match self.asked.filter(reading)? {
            Some(filter) => reading.cards(&filter, self.after.as_ref(), self.limit),
            None => Ok(store::Page { items: Vec::new(), next: None }),
        }
    }
}

pub(super) async fn one(call: Call) -> Answered {
    let (id, media) = (call.record(), call.media);
    let written = written(&call, &id, move |source, out| write_in(media, &id, source, out)).await?;
    Ok(call.tagged(written, Cache::Immutable, format_args!("{}", hex(&id))))
}

/// A record as a file, whose ending is that of the path.
pub(super) async fn file(call: Call) -> Answered {
    let ending = call.route.path.rsplit('.').next().unwrap_or_default();
    let name = format!("attachment; filename=\"{}.{ending}\"", hex(&call.record()));
    let mut answer = one(call).await?;
    if let Ok(name) = HeaderValue::from_str(&name) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(answer)
}

/// Writes a record in one of the forms that it can be had in.
fn write_in(media: &str, id: &Id, source: &Source, out: &mut SpoolWriter) -> Result<(), Problem> {
    let block = block(source);
    let Some(Ok(record)) = block.records().next() else { return Err(unreadable(id)) };
    // A response that cannot be spooled is reported by `finish`.
    drop(match media {
        TEXT => out.write_all(block.text()),
        CSV => out.write_all(OutputFormat::Csv.write(&record).0.as_bytes()),
        _ => report::write(&Record(&record), out),
    });
    Ok(())
}

/// Makes something of a stored record, on a thread that may block when it is its turn, and of a large one alone: so no more
/// records are in memory than are worked on.
pub(crate) async fn with_source<T: Send + 'static>(
    call: &Call,
    id: &Id,
    make: impl FnOnce(&Source) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let size = size(call, id)?.record;
    let (store, id) = (call.store().clone(), *id);
    let work = move || make(&store.read(|reading| reading.source(&id))?.ok_or_else(|| no_record(&id))?);
    if size <= LARGE { call.work(work).await } else { call.work_on_large(work).await }
}

/// Makes something cheap of a stored record: here and now of a small one, else as [`with_source`].
pub(crate) async fn with_source_now<T: Send + 'static>(
    call: &Call,
    id: &Id,
    make: impl FnOnce(&Source) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    if size(call, id)?.record > SMALL {
        return with_source(call, id, make).await;
    }
    make(&call.read(|reading| reading.source(id))?.ok_or_else(|| no_record(id))?)
}

/// The permit to work on a record, if it is a large one.
pub(super) async fn permit_if_large(call: &Call, id: &Id) -> Result<Option<Permit>, Problem> {
    let is_large = size(call, id)?.record > LARGE;
    Ok(if is_large { Some(call.permit_for_large().await?) } else { None })
}

/// A response that `write` writes of a stored record.
async fn written(
    call: &Call,
    id: &Id,
    write: impl FnOnce(&Source, &mut SpoolWriter) -> Result<(), Problem> + Send + 'static,
) -> Answered {
    let mut out = call.spool();
    let write = move |source: &Source| {
        write(source, &mut out)?;
        out.finish()
    };
    Ok(call.spooled(with_source_now(call, id, write).await?))
}

/// The canonical text of a stored record; what was handed in, where it cannot be read or is that text itself.
pub(super) fn block(source: &Source) -> Chunk<'_> {
    match &source.canonical {
        Some(text) => Chunk::in_form(text.as_bytes(), Format::Quipu),
        None => Chunk::in_form(&source.bytes, source.form),
    }
}

pub(super) async fn source(call: Call) -> Answered {
    let (id, mut out) = (call.record(), call.spool());
    let form = size(&call, &id)?.form;
    let written = with_source(&call, &id, move |source| {
        drop(out.write_all(&source.bytes));
        let is_text = std::str::from_utf8(&source.bytes).is_ok();
        Ok((out.finish()?, is_text))
    });
    let (written, is_text) = written.await?;
    let media = match form {
        _ if !is_text => BYTES,
        Format::Json => JSON,
        Format::Csv => CSV,
        Format::Quipu | Format::Otg => TEXT,
    };
    let id = hex(&id);
    let name = format!("attachment; filename=\"{id}.{}\"", form.as_str());
    let mut answer = HttpResponse::Ok();
    answer.content_type(HeaderValue::from_static(media));
    answer.insert_header((header::CONTENT_DISPOSITION, name));
    Ok(call.tagged(answer.body(written.into_body()), Cache::Immutable, format_args!("{id}-source")))
}

pub(super) async fn verdict(call: Call) -> Answered {
    let (id, lang) = (call.record(), call.lang);
    let is_large = size(&call, &id)?.verdicts > LARGE;
    let (answer, number) = if is_large {
        let (store, mut out) = (call.store().clone(), call.spool());
        let written = call.work_on_large(move || {
            let judgement = store.read(|reading| reading.judgement(&id))?.ok_or_else(|| no_record(&id))?;
            drop(report::write(&schema::Verdict(judgement.report(lang)), &mut out));
            Ok((out.finish()?, judgement.number))
        });
        let (written, number) = written.await?;
        (call.spoken(call.spooled(written)), number)
    } else {
        let judgement = call.read(|reading| reading.judgement(&id))?.ok_or_else(|| no_record(&id))?;
        (call.json(&schema::Verdict(judgement.report(lang))), judgement.number)
    };
    Ok(call.tagged(answer, Cache::Revalidate, format_args!("{number}")))
}

/// How large a record is, if the archive has it.
pub(crate) fn size(call: &Call, id: &Id) -> Result<Size, Problem> {
    call.read(|reading| reading.size(id))?.ok_or_else(|| no_record(id))
}

/// There is no such record.
pub(crate) fn no_record(id: &Id) -> Problem {
    Problem::variant(problem::NOT_FOUND, "record").with("found", hex(id))
}

/// The record is kept as it was handed in and cannot be given otherwise.
pub(super) fn unreadable(id: &Id) -> Problem {
    let id = hex(id);
    let source = format!("/v1/records/{id}/source");
    let problem = Problem::new(problem::UNREADABLE).with("found", id).with("source", &source);
    let link = format!("<{source}>; rel=\"alternate\"");
    problem.member("source", &source).header_text(header::LINK, &link)
}

/// A record in its JSON form.
pub(crate) struct Record<'r>(pub(super) &'r record::Record<'r>);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write::object(self.0).serialize(serializer)
    }
}

impl JsonSchema for Record<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Record".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let moves = generator.subschema_for::<Move>();
        let text = json_schema!({ "type": "string" });
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["moves"],
            "properties": {
                "game": text,
                "rules": text,
                "tags": { "type": "object", "additionalProperties": { "type": ["string", "null"] } },
                "setup": text,
                "first": text,
                "comments": { "type": "array", "items": text },
                "moves": { "type": "array", "items": moves },
                "result": text
            }
        })
    }
}

/// A move of a record in its JSON form.
enum Move {}

impl JsonSchema for Move {
    fn schema_name() -> Cow<'static, str> {
        "Move".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let variation = generator.subschema_for::<Variation>();
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["move"],
            "properties": {
                "move": { "type": "string" },
                "clock_ms": { "type": "integer", "minimum": 0 },
                "comment": { "type": ["string", "array"], "items": { "type": "string" } },
                "nags": { "type": "array", "items": { "type": "integer", "minimum": 0 } },
                "variations": { "type": "array", "items": variation }
            }
        })
    }
}

/// What could have been played instead of a move.
enum Variation {}

impl JsonSchema for Variation {
    fn schema_name() -> Cow<'static, str> {
        "Variation".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let moves = generator.subschema_for::<Move>();
        json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["moves"],
            "properties": {
                "comments": { "type": "array", "items": { "type": "string" } },
                "moves": { "type": "array", "items": moves }
            }
        })
    }
}
