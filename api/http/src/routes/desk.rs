//! The desk of who keeps the score: what a record comes to so far, what can be played next and by touching what, how the
//! game can be ended. The referee says it of the record that comes along, and nothing is stored.

use std::{collections::BTreeMap, io::Cursor};

use quipu_notation::{
    Side,
    games::GameNotation,
    record::{Format, Reader, Record},
};
use quipu_referee::{
    Lang,
    drawing::{Cell, Drawing},
    games,
    report::{self, PointsReport},
    scoring,
    scoring::{Ending, Tap, Tapped},
    verify,
    words::catalog,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{
        call::Call,
        problem::{self, Problem},
        schema::Verdict,
    },
    Answered, ingest,
    positions::BoardEnd,
    records, submit,
};
use quipu_archive::model::{Draft, Number};
use quipu_pictures::{self as pictures, Look, Theme};

/// How wide the board is drawn.
const WIDTH: u32 = 960;

/// A game as it stands.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Desk<'d> {
    /// The game.
    game: &'static str,
    /// Its sides, side 1 first.
    #[schemars(length(equal = 2))]
    sides: Vec<DeskSide>,
    /// The side that moves first.
    first: &'static str,
    /// Lawful plies.
    plies: u64,
    /// The position after them.
    position: String,
    /// The side that moves then; null where the game is over.
    to_move: Option<&'static str>,
    /// Points by side, in games that count them.
    #[schemars(with = "Option<BTreeMap<String, u32>>")]
    points: Option<PointsReport>,
    /// The end that the board shows, if it shows one.
    end: Option<BoardEnd>,
    /// The end that the board shows, in words.
    ended: Option<&'static str>,
    /// The ply that was refused, if one was.
    fault: Option<DeskFault>,
    /// What can be played next.
    moves: DeskMoves,
    /// Things beside the board that moves are entered with.
    beside: Vec<DeskThing>,
    /// How the game can be ended now.
    endings: Vec<DeskEnding>,
    /// The board.
    board: DeskBoard,
    /// What is counted, in words.
    facts: Vec<String>,
    /// The canonical text of the record.
    text: &'d str,
    /// The record in its JSON form.
    record: records::Record<'d>,
    /// The verdict on it as it is.
    verdict: Verdict<'d>,
}

/// A side at the desk.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskSide {
    /// Its name.
    name: &'static str,
    /// The tag that names its player.
    tag: &'static str,
    /// The time that it had left after its last lawful ply, in milliseconds.
    clock_ms: Option<u64>,
}

/// A ply that was refused.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskFault {
    /// Its number, from 1.
    ply: u64,
    /// As it was written.
    token: Option<String>,
    /// The code.
    code: &'static str,
    /// Why, in words.
    message: String,
    /// Lawful moves that may have been meant.
    suggestions: Vec<String>,
}

/// What can be played.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskMoves {
    /// How many moves.
    count: u64,
    /// Whether all of them are listed; they are not if there are more than 2000.
    complete: bool,
    /// Which, in the order of their bytes.
    list: Vec<DeskMove>,
}

/// A move, and how it is entered.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskMove {
    /// The move, in its canonical form.
    #[serde(rename = "move")]
    token: String,
    /// What is touched for it, one after the other: squares as side 1 calls them, or things beside the board.
    taps: Vec<String>,
}

/// Something that a move is entered with.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskThing {
    /// What it is called among the taps.
    name: String,
    /// The same for people.
    label: String,
}

/// A way to end the game.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskEnding {
    /// In words.
    label: String,
    /// Which end.
    termination: &'static str,
    /// The result that is written then.
    #[schemars(extend("enum" = ["1-0", "0-1", "1/2-1/2"]))]
    result: &'static str,
    /// The side that wins.
    winner: Option<&'static str>,
    /// The tags that say it.
    tags: BTreeMap<&'static str, &'static str>,
}

/// The board, and where its squares are in its picture.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DeskBoard {
    /// The picture, as SVG.
    picture: String,
    /// The board in words.
    description: String,
    /// Squares in a row.
    columns: usize,
    /// How wide the margin around the squares is, in hundredths of a square.
    margin: u8,
    /// The squares as they are seen, row by row from the top left.
    cells: Vec<DeskThing>,
}

/// How a request wants the board to be.
struct View {
    lang: Lang,
    theme: Theme,
    flip: bool,
}

pub(super) async fn desk(mut call: Call) -> Answered {
    let body = call.body().await?;
    let form = ingest::form(&call);
    let theme = call.text("theme").and_then(Theme::parse).unwrap_or(Theme::Light);
    let view = View { lang: call.lang, theme, flip: call.text("flip") == Some("yes") };
    let json = call.work(move || sole(&body, form, view.lang, |record| view.look(record))).await?;
    let mut answer = actix_web::HttpResponse::Ok();
    answer.content_type(actix_web::http::header::HeaderValue::from_static(call.media));
    Ok(call.spoken(answer.body(json)))
}

/// Makes something of the one record of a body.
///
/// # Errors
/// What `make` reports, or that it is not one record that can be read.
fn sole<T>(
    body: &[u8],
    form: Option<Format>,
    lang: Lang,
    make: impl FnOnce(&Record<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let source = Cursor::new(body);
    let mut reader = match form {
        Some(form) => Reader::with_form(source, form),
        None => Reader::new(source),
    };
    // Memory can be read without failing.
    let Ok(Some(block)) = reader.next_block() else { return Err(ingest::nothing()) };
    let mut records = block.records();
    let told = match records.next() {
        None => return Err(ingest::nothing()),
        Some(Err(error)) => return Err(submit::refused(&verify::unreadable(&error, &block), lang)),
        Some(Ok(record)) => make(&record)?,
    };
    let alone = records.next().is_none();
    if alone && matches!(reader.next_block(), Ok(None)) {
        return Ok(told);
    }
    Err(Problem::variant(problem::BODY, "several"))
}

impl View {
    fn look(&self, record: &Record<'_>) -> Result<Vec<u8>, Problem> {
        let found = scoring::look(record).map_err(|verdict| submit::refused(&verdict, self.lang))?;
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

    fn desk<'d>(&self, found: &'d scoring::Desk, text: &'d str, record: &'d Record<'d>) -> Desk<'d> {
        let scoring::Desk { game, verdict, first, board, plies, clocks, count, moves, endings } = found;
        let (notation, drawing) = (game.notation(), board.drawing());
        let name = |side: Side| notation.side(side).name;
        let side =
            |side: Side| DeskSide { name: name(side), tag: notation.side(side).tag, clock_ms: clocks[side.index()] };
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
            beside: self.beside(listed),
            endings: endings.iter().map(|ending| self.ending(ending, notation)).collect(),
            board: self.board(found, &drawing),
            facts: pictures::facts(&drawing, self.lang),
            text,
            record: records::Record(record),
            verdict: Verdict(report::verdict(verdict, 1, self.lang)),
        }
    }

    /// What speaks against the ply that was refused, if one was.
    fn fault(&self, found: &scoring::Desk) -> Option<DeskFault> {
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

    /// The things beside the board that moves are entered with, each once, in the order of their names.
    fn beside(&self, moves: &[Tapped]) -> Vec<DeskThing> {
        let things = moves.iter().flat_map(|one| &one.taps).filter_map(|tap| match tap {
            Tap::Beside { name, word } => Some((*name, *word)),
            Tap::Cell(_) => None,
        });
        let things: BTreeMap<_, _> = things.collect();
        let thing = |(name, word): (&str, &'static str)| DeskThing {
            name: name.to_owned(),
            label: catalog().word(word, self.lang).to_owned(),
        };
        things.into_iter().map(thing).collect()
    }

    fn ending(&self, ending: &Ending, notation: &'static GameNotation) -> DeskEnding {
        let Ending { termination, outcome, tags } = ending;
        let winner = outcome.winner();
        let word = catalog().word(termination.word, self.lang);
        let result = outcome.as_str();
        let label = match winner {
            Some(side) => format!("{} · {result} · {word}", notation.side(side).tag),
            None => format!("{result} · {word}"),
        };
        DeskEnding {
            label,
            termination: termination.name,
            result,
            winner: winner.map(|side| notation.side(side).name),
            tags: tags.iter().copied().collect(),
        }
    }

    fn board(&self, found: &scoring::Desk, drawing: &Drawing) -> DeskBoard {
        let look = Look { theme: self.theme, width: WIDTH, flip: self.flip, ..Look::new(self.lang) };
        let cell = |cell: &Cell| {
            let piece = cell.piece.as_ref().map(|piece| {
                let side = found.game.notation().side(piece.side).tag;
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
            // It is of a width that there is.
            picture: pictures::svg(found.game, drawing, &look).unwrap_or_default(),
            description: pictures::description(found.game, drawing, self.lang),
            columns: drawing.columns,
            margin: drawing.margin,
            cells,
        }
    }
}

/// A move with what is touched for it.
fn entered(one: &Tapped, drawing: &Drawing) -> DeskMove {
    let name = |tap: &Tap| match tap {
        Tap::Cell(index) => drawing.cells[*index].name.clone(),
        Tap::Beside { name, .. } => (*name).to_owned(),
    };
    DeskMove { token: one.token.clone(), taps: one.taps.iter().map(name).collect() }
}

/// A start position dealt at random.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Deal {
    /// What it was dealt from: the same always gives the same.
    seed: Number,
    /// The position.
    position: String,
}

pub(super) async fn deal(call: Call) -> Answered {
    let game = call.text("game").and_then(games::find).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let first = call.text("first").map(|name| {
        let wrong = || Problem::variant(problem::NOT_FOUND, "side").with_quoted("found", name);
        game.notation().side_named(name).ok_or_else(wrong)
    });
    let seed = match call.number("seed") {
        Some(seed) => seed,
        None => random()?,
    };
    let dealt = game.deal(None, u64::try_from(seed).unwrap_or_default(), first.transpose()?);
    let board = dealt
        .ok()
        .flatten()
        .ok_or_else(|| Problem::variant(problem::NOT_FOUND, "deal").with("found", game.notation().id))?;
    Ok(call.json(&Deal { seed, position: board.position() }))
}

/// A seed that nobody chose; not too long to be written down.
fn random() -> Result<Number, Problem> {
    getrandom::u32().map(Number::from).map_err(|_| Problem::new(problem::INTERNAL))
}

/// That a record is longer than what is kept at a desk.
pub(super) fn too_long() -> Problem {
    Problem::variant(problem::TOO_LARGE, "live").with("max", Draft::MOST)
}
