//! The desk for scoring a game: position, verdict, legal moves with the taps that enter them, and the ways to end the
//! game. The referee derives all of it from the record in the body, and nothing is stored.

use std::{collections::BTreeMap, io::Cursor};

use quipu_notation::{Side, record::Record};
use quipu_referee::{
    Lang, Referee,
    drawing::{Cell, Drawing},
    messages::catalog,
    report::{self, PointsReport},
    scoring,
    scoring::{Ending, Tap, Tapped},
    verify,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ingest::{self, BodyFormat},
    positions::BoardEnd,
    record_body::ONE_RECORD,
    records,
    shared::{FLIP, FROM, LANG, THEME},
    stored_record,
};
use crate::{
    endpoint::Endpoint,
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    route::{Content, GET, Method, Response, Route},
    schema::Verdict,
    stream,
};
use quipu_archive::model::Draft;
use quipu_pictures::{self as pictures, Look, Theme};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        method: Method::Post,
        path: "/v1/desk",
        id: "desk",
        group: "live",
        params: &[FROM, THEME, FLIP, LANG],
        body: ONE_RECORD,
        responses: &[Response::ok(&[Content::json::<Desk<'_>>()])],
        problems: &[problem::INCOMPLETE],
        ..GET
    },
    handler: |context| Box::pin(show(context)),
}];

/// Width of the board in pixels.
const WIDTH: u32 = 960;
/// Width of a piece beside it in pixels.
const PIECE: u32 = 96;

/// The state of a game.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Desk<'d> {
    game: &'static str,
    /// Its sides, side 1 first.
    #[schemars(length(equal = 2))]
    sides: Vec<DeskSide>,
    /// The side that moves first.
    first: &'static str,
    /// Number of legal plies.
    plies: u64,
    /// The position after them.
    position: String,
    /// The side to move; null if the game is over.
    to_move: Option<&'static str>,
    /// Points by side, in games that count them.
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    points: Option<PointsReport>,
    /// The ending on the board, if there is one.
    end: Option<BoardEnd>,
    /// The same ending in words.
    ended: Option<&'static str>,
    /// The refused ply, if there is one.
    fault: Option<DeskFault>,
    moves: DeskMoves,
    /// Things beside the board that enter moves.
    beside: Vec<DeskPiece>,
    /// Ways to end the game now.
    endings: Vec<DeskEnding>,
    board: DeskBoard,
    /// The counts of the game in words.
    facts: Vec<String>,
    /// The canonical text of the record.
    text: &'d str,
    /// The record as JSON.
    record: records::Record<'d>,
    /// The verdict on the record as it is.
    verdict: Verdict<'d>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskSide {
    name: &'static str,
    /// The tag that names its player.
    tag: &'static str,
    /// The side in words.
    label: &'static str,
    /// Remaining time after its last legal ply, in milliseconds.
    clock_ms: Option<u64>,
}

/// An illegal ply.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskFault {
    /// Its number, from 1.
    ply: u64,
    /// The ply as written.
    token: Option<String>,
    code: &'static str,
    /// The reason in words.
    message: String,
    /// Legal moves similar to the written one.
    suggestions: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskMoves {
    /// Number of moves.
    count: u64,
    /// True if the list is complete; false if there are more than 2000.
    complete: bool,
    /// The moves, in the order of their bytes.
    list: Vec<DeskMove>,
}

/// A move with the taps that enter it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskMove {
    /// The move in canonical form.
    #[serde(rename = "move")]
    token: String,
    /// The taps in order: squares as side 1 names them, or things beside the board.
    taps: Vec<String>,
}

/// Something to tap beside the board.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskPiece {
    /// Its name among the taps.
    name: String,
    /// Its name for people.
    label: String,
    /// Its picture as SVG; null for something that is no piece.
    picture: Option<String>,
}

/// A square to tap.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskThing {
    /// Its name among the taps.
    name: String,
    /// Its name for people.
    label: String,
}

/// A way to end the game.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskEnding {
    /// The ending in words.
    label: String,
    termination: &'static str,
    /// The result to write.
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2"]))]
    result: &'static str,
    /// The winning side.
    winner: Option<&'static str>,
    /// The tags to write.
    tags: BTreeMap<&'static str, &'static str>,
}

/// The board, and the layout of its squares in the picture.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskBoard {
    picture: String,
    /// The board in words.
    description: String,
    /// Squares per row.
    columns: usize,
    /// Width of the margin around the squares, in hundredths of a square.
    margin: u8,
    /// The squares as seen, row by row from the top left.
    cells: Vec<DeskThing>,
}

struct DisplayOptions {
    lang: Lang,
    theme: Theme,
    flip: bool,
}

async fn show(mut context: RequestContext) -> HandlerResult {
    let body = context.body().await?;
    let form = ingest::body_format(&context);
    let theme = context.text("theme").and_then(Theme::parse).unwrap_or(Theme::Light);
    let options = DisplayOptions { lang: context.lang, theme, flip: context.text("flip") == Some("yes") };
    let json = context.work(move || single_record(&body, form, options.lang, |record| options.look(record))).await?;
    let mut response = actix_web::HttpResponse::Ok();
    response.content_type(actix_web::http::header::HeaderValue::from_static(context.media));
    Ok(context.with_language(response.body(json)))
}

/// Processes the only record of a body.
///
/// # Errors
/// The error of `make`, or `api.body` if there is not exactly one readable record.
fn single_record<T>(
    body: &[u8],
    form: BodyFormat,
    lang: Lang,
    make: impl FnOnce(&Record<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let source = Cursor::new(body);
    let mut reader = ingest::reader(source, form);
    let Some(chunk) = reader.next_chunk().map_err(stream::problem)? else { return Err(ingest::nothing()) };
    let mut records = chunk.records();
    let told = match records.next() {
        None => return Err(ingest::nothing()),
        Some(Err(error)) => return Err(stored_record::refused(&verify::unreadable(&error, &chunk), lang)),
        Some(Ok(record)) => make(&record)?,
    };
    let alone = records.next().is_none();
    if alone && matches!(reader.next_chunk(), Ok(None)) {
        return Ok(told);
    }
    Err(Problem::variant(problem::BODY, "several"))
}

impl DisplayOptions {
    fn look(&self, record: &Record<'_>) -> Result<Vec<u8>, Problem> {
        let found = scoring::look(record).map_err(|verdict| stored_record::refused(&verdict, self.lang))?;
        let text = found.game.canonical(record);
        if text.len() > Draft::MOST {
            return Err(too_long());
        }
        let record = found.game.normalized(record);
        let mut json = Vec::with_capacity(64 * 1024);
        // Writing to memory does not fail.
        drop(report::write(&self.desk(&found, &text, &record), &mut json));
        Ok(json)
    }

    fn desk<'d>(&self, found: &'d scoring::ScoringState, text: &'d str, record: &'d Record<'d>) -> Desk<'d> {
        let scoring::ScoringState { game, verdict, first, board, plies, clocks, count, moves, endings } = found;
        let (notation, drawing) = (game.notation(), board.drawing());
        let name = |side: Side| notation.side(side).name;
        let side = |side: Side| DeskSide {
            name: name(side),
            tag: notation.side(side).tag,
            label: self.side(*game, side),
            clock_ms: clocks[side.index()],
        };
        let end = board.end();
        let listed = moves.as_deref().unwrap_or_default();
        Desk {
            game: notation.id,
            sides: Side::BOTH.map(side).into(),
            first: name(*first),
            plies: *plies as u64,
            position: board.position(),
            to_move: end.is_none().then(|| name(board.turn())),
            points: board.points().map(|points| PointsReport::new(notation, points)),
            end: end.map(|end| BoardEnd::new(end, notation)),
            ended: end.map(|end| catalog().word(end.termination.word, self.lang)),
            fault: self.fault(found),
            moves: DeskMoves {
                count: *count,
                complete: moves.is_some(),
                list: listed.iter().map(|one| entered(one, &drawing)).collect(),
            },
            beside: self.beside(found, listed, &drawing),
            endings: endings.iter().map(|ending| self.ending(ending, *game)).collect(),
            board: self.board(found, &drawing),
            facts: pictures::facts(&drawing, self.lang),
            text,
            record: records::Record(record),
            verdict: Verdict(report::verdict(verdict, 1, self.lang)),
        }
    }

    /// The refused ply, if there is one.
    fn fault(&self, found: &scoring::ScoringState) -> Option<DeskFault> {
        let ply = found.plies as u64 + 1;
        let error = found.verdict.first_error().filter(|error| error.ply == Some(ply) && error.token.is_some())?;
        Some(DeskFault {
            ply,
            token: error.token.clone(),
            code: error.code().id,
            message: catalog().message(&error.message, self.lang),
            suggestions: error.suggestions.clone(),
        })
    }

    /// The things beside the board that enter moves, each once, sorted by name.
    fn beside(&self, found: &scoring::ScoringState, moves: &[Tapped], drawing: &Drawing) -> Vec<DeskPiece> {
        let things = moves.iter().flat_map(|one| &one.taps).filter_map(|tap| match tap {
            Tap::Beside { name, word } => Some((*name, *word)),
            Tap::Cell(_) => None,
        });
        let things: BTreeMap<_, _> = things.collect();
        let look = Look { width: PIECE, ..self.picture() };
        let piece = |(name, word): (&str, &'static str)| {
            let glyph = drawing.placed.iter().find(|(placed, _)| *placed == name);
            DeskPiece {
                name: name.to_owned(),
                label: catalog().word(word, self.lang).to_owned(),
                // The width is a valid one.
                picture: glyph.and_then(|(_, glyph)| pictures::piece_svg(found.game, drawing, glyph, &look).ok()),
            }
        };
        things.into_iter().map(piece).collect()
    }

    /// A side in words.
    fn side(&self, game: &dyn Referee, side: Side) -> &'static str {
        catalog().word(game.side_words()[side.index()], self.lang)
    }

    /// The look of all pictures.
    fn picture(&self) -> Look {
        Look { theme: self.theme, width: WIDTH, flip: self.flip, ..Look::new(self.lang) }
    }

    fn ending(&self, ending: &Ending, game: &dyn Referee) -> DeskEnding {
        let Ending { termination, outcome, tags } = ending;
        let winner = outcome.winner();
        let word = catalog().word(termination.word, self.lang);
        let result = outcome.as_str();
        let label = match winner {
            Some(side) => format!("{} · {result} · {word}", self.side(game, side)),
            None => format!("{result} · {word}"),
        };
        DeskEnding {
            label,
            termination: termination.name,
            result,
            winner: winner.map(|side| game.notation().side(side).name),
            tags: tags.iter().copied().collect(),
        }
    }

    fn board(&self, found: &scoring::ScoringState, drawing: &Drawing) -> DeskBoard {
        let cell = |cell: &Cell| {
            let piece = cell.piece.as_ref().map(|piece| {
                let side = self.side(found.game, piece.side);
                let kind = piece.word.map_or(&*piece.label, |word| catalog().word(word, self.lang));
                format!(", {kind} · {side}")
            });
            DeskThing { name: cell.name.clone(), label: format!("{}{}", cell.name, piece.unwrap_or_default()) }
        };
        let mut cells: Vec<_> = drawing.cells.iter().map(cell).collect();
        if self.flip {
            cells.reverse();
        }
        DeskBoard {
            // The width is a valid one.
            picture: pictures::svg(found.game, drawing, &self.picture()).unwrap_or_default(),
            description: pictures::description(found.game, drawing, self.lang),
            columns: drawing.columns,
            margin: drawing.margin,
            cells,
        }
    }
}

/// A move with its taps.
fn entered(one: &Tapped, drawing: &Drawing) -> DeskMove {
    let name = |tap: &Tap| match tap {
        Tap::Cell(index) => drawing.cells[*index].name.clone(),
        Tap::Beside { name, .. } => (*name).to_owned(),
    };
    DeskMove { token: one.token.clone(), taps: one.taps.iter().map(name).collect() }
}

/// The problem of a record that is too long for a game in progress.
pub(super) fn too_long() -> Problem {
    Problem::variant(problem::TOO_LARGE, "live").with("max", Draft::MOST)
}
