//! Boards, games, verdicts and scoresheets as pictures. What they look like is said in `quipu_pictures`.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
    web::Bytes,
};
use quipu_notation::record::Record;
use quipu_referee::{Lang, Located, Referee, drawing::Drawing, games, report::hex, verify, words::catalog};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    super::{
        call::{Cache, Call},
        problem::{self, Problem},
        words,
    },
    Answered, PNG,
    positions::{readable, replayed},
    records,
};
use quipu_archive::{
    model::{Card, Id, Source, State},
    store::Store,
};
use quipu_pictures::{self as pictures, Look, Refused, Theme};

/// Points that count as one request, drawn in some six milliseconds.
const POINTS_A_REQUEST: u64 = 512 * 512;
/// Plies that count as one request where a whole game is written as one document.
const PLIES_A_REQUEST: u64 = 32;

/// A fault of a position that cannot be drawn.
#[derive(Debug, Serialize)]
struct Fault {
    code: &'static str,
    message: String,
}

/// How a picture is to look, as far as the route lets that be chosen.
fn look(call: &Call) -> Look {
    let chosen = |name: &str| call.declares(name).then(|| call.text(name)).flatten();
    let size = call.declares("size").then(|| call.number("size")).flatten();
    let usual = Look::new(call.lang);
    Look {
        theme: chosen("theme").and_then(Theme::parse).unwrap_or(usual.theme),
        width: size.and_then(|size| u32::try_from(size).ok()).unwrap_or(usual.width),
        title: chosen("title").map(str::to_owned),
        flip: chosen("flip") == Some("yes"),
        marks: chosen("marks") != Some("no"),
        lang: call.lang,
    }
}

/// What a picture depends on besides what is drawn.
fn state(what: &str, look: &Look) -> String {
    let chosen = Sha256::digest(format!("{look:?}"));
    format!("{what}-{}", hex(&chosen[..8]))
}

/// Cost in requests, beyond the one that it is, of drawing so many positions with pixels.
fn cost(frames: u64, look: &Look) -> u32 {
    let points = frames.saturating_mul(u64::from(look.width).pow(2));
    u32::try_from(points / POINTS_A_REQUEST).unwrap_or(u32::MAX)
}

/// What is said of a picture that would be too much.
fn refused(why: &Refused, lang: Lang) -> Problem {
    Problem::new(problem::PICTURE).with("why", why.message(lang))
}

/// A board as SVG or as PNG.
fn drawn(game: &'static dyn Referee, drawing: &Drawing, look: &Look, media: &str) -> Result<Vec<u8>, Problem> {
    let made = match media {
        PNG => pictures::png(game, drawing, look),
        _ => pictures::svg(game, drawing, look).map(String::into_bytes),
    };
    made.map_err(|why| refused(&why, look.lang))
}

/// A board, when it is its turn: as pixels, which are what costs, or in lines, which cost no more than a replay.
async fn board(
    call: &Call,
    state: &str,
    look: Look,
    draw: impl FnOnce(&Look) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Bytes, Problem> {
    if call.media != PNG {
        return Ok(call.work(move || draw(&look)).await?.into());
    }
    call.charge(cost(1, &look))?;
    call.draw(format!("png {state}"), move || draw(&look)).await
}

/// The card of a stored record, as lists show it.
fn card(call: &Call, id: &Id) -> Result<Card, Problem> {
    call.read(|reading| reading.card(id))?.ok_or_else(|| records::no_record(id))
}

/// A stored record. It is read when it is drawn: those that wait for their turn may be many, and it may be large.
fn source(store: &Store, id: &Id) -> Result<Source, Problem> {
    store.read(|reading| reading.source(id))?.ok_or_else(|| records::no_record(id))
}

/// The board after a ply of a stored game.
pub(super) async fn position(call: Call) -> Answered {
    let (id, ply, media, look) = (call.record(), call.path_number("ply"), call.media, look(&call));
    card(&call, &id)?;
    let state = state(&format!("{}-{ply}", hex(&id)), &look);
    if let Some(answer) = call.unchanged(Cache::Revalidate, format_args!("{state}")) {
        return Ok(answer);
    }
    let ply = u64::try_from(ply).unwrap_or_default();
    let (store, alone) = (call.store().clone(), records::permit_if_large(&call, &id).await?);
    let picture = board(&call, &state, look, move |look| {
        let _alone = alone;
        let source = source(&store, &id)?;
        let record = readable(&id, &source)?;
        let (replay, _) = replayed(ply, &id, &record)?;
        drawn(replay.game(), &replay.board().drawing(), look, media)
    })
    .await?;
    Ok(call.tagged(call.spoken(call.plain(picture)), Cache::Revalidate, format_args!("{state}")))
}

/// A position that comes with the request, or the one that games start from.
pub(super) async fn arrangement(call: Call) -> Answered {
    let (media, look) = (call.media, look(&call));
    let game = call.text("game").and_then(games::find).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let [rules, position] = ["rules", "position"].map(|name| call.text(name).map(str::to_owned));
    let wrong = |faults: &[Located]| no_position(faults, look.lang);
    let drawing = match &position {
        Some(text) => game.arrange(rules.as_deref(), text).map_err(|faults| wrong(&faults))?.drawing,
        None => game.board(rules.as_deref(), None).map_err(|faults| wrong(&faults))?.drawing(),
    };
    let own = format!("{} {rules:?} {position:?}", game.notation().id);
    let state = state(&hex(&Sha256::digest(own)[..8]), &look);
    if let Some(answer) = call.unchanged(Cache::Revalidate, format_args!("{state}")) {
        return Ok(answer);
    }
    let picture = board(&call, &state, look, move |look| drawn(game, &drawing, look, media)).await?;
    Ok(call.tagged(call.spoken(call.plain(picture)), Cache::Revalidate, format_args!("{state}")))
}

/// What is said of a position that cannot be drawn: what the referee says of it.
fn no_position(faults: &[Located], lang: Lang) -> Problem {
    let faults: Vec<_> = faults
        .iter()
        .map(|fault| Fault { code: fault.message.code.id, message: catalog().message(&fault.message, lang) })
        .collect();
    let why = faults.first().map_or("", |fault| &*fault.message);
    let why = why.trim_end_matches('.');
    Problem::variant(problem::PICTURE, "position").with("why", why).member("faults", &faults)
}

/// Something drawn of a stored game, when it is its turn; its cost follows from the number of its plies.
async fn of_game(
    call: &Call,
    besides: &str,
    cost: impl FnOnce(u64, &Look) -> u32,
    make: impl FnOnce(&Id, &Record<'_>, &Look) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Answered {
    let (id, look) = (call.record(), look(call));
    let plies = card(call, &id)?.plies.unwrap_or_default();
    let state = state(&format!("{}{besides}", hex(&id)), &look);
    if let Some(answer) = call.unchanged(Cache::Revalidate, format_args!("{state}")) {
        return Ok(answer);
    }
    call.charge(cost(plies, &look))?;
    let (store, alone) = (call.store().clone(), records::permit_if_large(call, &id).await?);
    let draw = move || {
        let _alone = alone;
        let source = source(&store, &id)?;
        make(&id, &readable(&id, &source)?, &look)
    };
    let bytes = call.draw(format!("{} {state}", call.route.id), draw).await?;
    Ok(call.tagged(call.spoken(call.plain(bytes)), Cache::Revalidate, format_args!("{state}")))
}

/// What was made of a game, if there was anything to make it of.
fn made<T: Into<Vec<u8>>>(id: &Id, look: &Look, made: Option<Result<T, Refused>>) -> Result<Vec<u8>, Problem> {
    let Some(made) = made else { return Err(Problem::variant(problem::NOT_FOUND, "replay").with("found", hex(id))) };
    made.map(Into::into).map_err(|why| refused(&why, look.lang))
}

/// Cost in requests, beyond the one that it is, of a document of so many plies.
fn cost_of_plies(plies: u64, _: &Look) -> u32 {
    u32::try_from(plies / PLIES_A_REQUEST).unwrap_or(u32::MAX)
}

/// A stored game as a picture that moves.
pub(super) async fn gif(call: Call) -> Answered {
    let frames = |plies: u64, look: &Look| cost(plies.min(pictures::MOST_FRAMES as u64) + 1, look);
    of_game(&call, "", frames, |id, record, look| made(id, look, pictures::gif(record, look))).await
}

/// A stored game as a page that steps through it. It runs the script that is in it, and nothing else.
pub(super) async fn html(call: Call) -> Answered {
    let html = |id: &Id, record: &Record<'_>, look: &Look| made(id, look, pictures::html(record, look));
    let mut answer = of_game(&call, "", cost_of_plies, html).await?;
    let policy = format!("{}; frame-ancestors 'none'", pictures::html_policy(look(&call).theme));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(answer)
}

/// The verdict on a stored game, to be printed: on paper nobody sees later that the record does not stand any more.
pub(super) async fn verdict(call: Call) -> Answered {
    let id = call.record();
    let notice = match card(&call, &id)?.state {
        State::Current => None,
        State::Corrected => Some("picture.corrected"),
        State::Retracted => Some("picture.retracted"),
    };
    of_game(&call, notice.unwrap_or_default(), cost_of_plies, move |_, record, look| {
        let (judged, notice) = (verify::record(record), notice.map(|key| words::get(key, look.lang)));
        pictures::verdict(record, &judged, notice, look).map_err(|why| refused(&why, look.lang))
    })
    .await
}

/// An empty scoresheet of a game, to be printed.
pub(super) async fn sheet(call: Call) -> Answered {
    let game = call.text("game").and_then(games::find).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let number = call.number("number").and_then(|number| u32::try_from(number).ok()).unwrap_or(1);
    let (lang, state) = (call.lang, format!("sheet-{}-{number}", game.notation().id));
    let key = format!("{state} {}", lang.as_str());
    let sheet = call.draw(key, move || Ok(pictures::sheet_pdf(game, number, lang))).await?;
    let answer: HttpResponse = call.spoken(call.plain(sheet));
    Ok(call.tagged(answer, Cache::Revalidate, format_args!("{state}")))
}
