//! Pictures of boards, games, verdicts and scoresheets, drawn by `quipu_pictures`.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderValue},
    web::Bytes,
};
use quipu_notation::record::Record;
use quipu_referee::{
    Lang, Located, Referee, drawing::Drawing, games, messages::catalog, replay::declared_end, report::hex, verify,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    enum_values::{coordinates, yes_or_no},
    positions::{readable, replayed},
    records,
    shared::{FLIP, GAME, LANG, NAME, PATH_GAME, PLY, RECORD, THEME, between},
};
use crate::{
    endpoint::Endpoint,
    messages,
    params::{Kind, Param},
    problem::{self, HandlerResult, Problem},
    request::RequestContext,
    respond::CachePolicy,
    route::{Access, Content, GET, GIF, HTML, PDF, PNG, Response, Route, SVG},
};
use quipu_archive::{
    model::{Card, Id, RecordState, Source},
    store::Store,
};
use quipu_pictures::{
    self as pictures, Coordinates, Look, MOVING_WIDTHS, Refused, SHEETS, TITLE_LENGTH, Theme, WIDTHS,
};

pub(super) const RULES: Param = Param::query("rules", Kind::Text(NAME));
pub(super) const POSITION: Param = Param::query("position", Kind::Text(NAME));
const MOVE: Param = Param::query("move", Kind::Text(NAME));
const TITLE: Param = Param::query("title", Kind::Text(TITLE_LENGTH));
const MARKS: Param = Param::query("marks", Kind::Choice(yes_or_no));
const COORDINATES: Param = Param::query("coordinates", Kind::Choice(coordinates));
const SIZE: Param = Param::query("size", between(&WIDTHS));
const ANIMATION_SIZE: Param = Param::query("size", between(&MOVING_WIDTHS));

pub(crate) const ROUTES: &[Endpoint] = &[
    // Before the one below, which would take the ending for part of the number.
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/positions/{ply}.svg",
            id: "position-svg",
            group: "pictures",
            params: &[RECORD, PLY, THEME, SIZE, TITLE, FLIP, MARKS, COORDINATES, LANG],
            responses: &[Response::ok(&[Content::text(SVG)])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
            ..GET
        },
        handler: |context| Box::pin(position(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/positions/{ply}.png",
            id: "position-png",
            group: "pictures",
            params: &[RECORD, PLY, THEME, SIZE, TITLE, FLIP, MARKS, COORDINATES, LANG],
            responses: &[Response::ok(&[Content::bytes(PNG)])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE],
            ..GET
        },
        handler: |context| Box::pin(position(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/replay.gif",
            id: "replay-gif",
            group: "pictures",
            params: &[RECORD, THEME, ANIMATION_SIZE, TITLE, FLIP, MARKS, LANG],
            responses: &[Response::ok(&[Content::bytes(GIF)])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE, problem::PICTURE],
            ..GET
        },
        handler: |context| Box::pin(gif(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/replay.html",
            id: "replay-html",
            group: "pictures",
            params: &[RECORD, THEME, TITLE, FLIP, MARKS, LANG],
            responses: &[Response::ok(&[Content::text(HTML)])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE, problem::PICTURE],
            ..GET
        },
        handler: |context| Box::pin(html(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/records/{id}/verdict.pdf",
            id: "verdict-pdf",
            group: "pictures",
            params: &[RECORD, TITLE, LANG],
            responses: &[Response::ok(&[Content::bytes(PDF)])],
            problems: &[problem::ID, problem::NOT_FOUND, problem::UNREADABLE, problem::PICTURE],
            ..GET
        },
        handler: |context| Box::pin(verdict(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/positions.svg",
            id: "arrangement-svg",
            group: "pictures",
            access: Access::Open,
            params: &[GAME.required(), RULES, POSITION, MOVE, THEME, SIZE, TITLE, FLIP, MARKS, COORDINATES, LANG],
            responses: &[Response::ok(&[Content::text(SVG)])],
            problems: &[problem::PICTURE],
            ..GET
        },
        handler: |context| Box::pin(arrangement(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/positions.png",
            id: "arrangement-png",
            group: "pictures",
            access: Access::Open,
            params: &[GAME.required(), RULES, POSITION, MOVE, THEME, SIZE, TITLE, FLIP, MARKS, COORDINATES, LANG],
            responses: &[Response::ok(&[Content::bytes(PNG)])],
            problems: &[problem::PICTURE],
            ..GET
        },
        handler: |context| Box::pin(arrangement(context)),
    },
    Endpoint {
        route: Route {
            path: "/v1/games/{game}/sheet.pdf",
            id: "sheet",
            group: "pictures",
            access: Access::Open,
            params: &[PATH_GAME, Param::query("number", between(&SHEETS)), LANG],
            responses: &[Response::ok(&[Content::bytes(PDF)])],
            ..GET
        },
        handler: |context| Box::pin(sheet(context)),
    },
];

/// Pixels that count as one request; drawing them takes some six milliseconds.
const POINTS_A_REQUEST: u64 = 512 * 512;
/// Plies that count as one request in a document of a whole game.
const PLIES_A_REQUEST: u64 = 32;

/// A fault of a position.
#[derive(Debug, Serialize)]
struct PositionFault {
    code: &'static str,
    message: String,
}

/// The display options that the route declares.
fn look(context: &RequestContext) -> Look {
    let chosen = |name: &str| context.declares(name).then(|| context.text(name)).flatten();
    let size = context.declares("size").then(|| context.number("size")).flatten();
    let usual = Look::new(context.lang);
    Look {
        theme: chosen("theme").and_then(Theme::parse).unwrap_or(usual.theme),
        width: size.and_then(|size| u32::try_from(size).ok()).unwrap_or(usual.width),
        title: chosen("title").map(str::to_owned),
        flip: chosen("flip") == Some("yes"),
        marks: chosen("marks") != Some("no"),
        coordinates: chosen("coordinates").and_then(Coordinates::parse).unwrap_or(usual.coordinates),
        lang: context.lang,
    }
}

/// The state that a picture depends on, for its entity tag.
fn state(what: &str, look: &Look) -> String {
    let chosen = Sha256::digest(format!("{look:?}"));
    format!("{what}-{}", hex(&chosen[..8]))
}

/// Cost of drawing frames of pixels, in requests beyond the first.
fn cost(frames: u64, look: &Look) -> u32 {
    let points = frames.saturating_mul(u64::from(look.width).pow(2));
    u32::try_from(points / POINTS_A_REQUEST).unwrap_or(u32::MAX)
}

/// The problem of a picture that is too large.
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

/// A board, drawn with a permit: PNG is expensive, SVG costs no more than a replay.
async fn board(
    context: &RequestContext,
    state: &str,
    look: Look,
    draw: impl FnOnce(&Look) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Bytes, Problem> {
    if context.media != PNG {
        return Ok(context.work(move || draw(&look)).await?.into());
    }
    context.charge(cost(1, &look))?;
    context.draw(format!("png {state}"), move || draw(&look)).await
}

/// The card of a stored record.
fn card(context: &RequestContext, id: &Id) -> Result<Card, Problem> {
    context.read(|reading| reading.card(id))?.ok_or_else(|| records::no_record(id))
}

/// A stored record. It is read only when it is drawn, because many requests may wait, and it may be large.
fn source(store: &Store, id: &Id) -> Result<Source, Problem> {
    store.read(|reading| reading.source(id))?.ok_or_else(|| records::no_record(id))
}

/// The board after a ply of a stored game.
async fn position(context: RequestContext) -> HandlerResult {
    let (id, ply, media, look) = (context.record(), context.path_number("ply"), context.media, look(&context));
    card(&context, &id)?;
    let state = state(&format!("{}-{ply}", hex(&id)), &look);
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{state}")) {
        return Ok(response);
    }
    let ply = u64::try_from(ply).unwrap_or_default();
    let (store, alone) = (context.store().clone(), records::permit_if_large(&context, &id).await?);
    let picture = board(&context, &state, look, move |look| {
        let _alone = alone;
        let source = source(&store, &id)?;
        let record = readable(&id, &source)?;
        let (replay, _) = replayed(ply, &id, &record)?;
        let mut drawing = replay.board().drawing();
        if replay.ply() == record.movetext.plies.len() as u64 && declared_end(&record).is_some() {
            drawing.turn = None;
        }
        drawn(replay.game(), &drawing, look, media)
    })
    .await?;
    Ok(context.with_etag(
        context.with_language(context.bytes(picture)),
        CachePolicy::UntilChange,
        format_args!("{state}"),
    ))
}

/// A position of the request, or the start position of a game.
async fn arrangement(context: RequestContext) -> HandlerResult {
    let (media, look) = (context.media, look(&context));
    let game = context.text("game").and_then(games::find).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let [rules, position, token] = ["rules", "position", "move"].map(|name| context.text(name).map(str::to_owned));
    let unfit = || Problem::variant(problem::PICTURE, "position");
    let wrong = |faults: &[Located]| with_faults(unfit(), faults, look.lang);
    let start = || game.board(rules.as_deref(), position.as_deref()).map_err(|faults| wrong(&faults));
    let drawing = match (&position, &token) {
        (_, Some(token)) => start()?.tried(token),
        (Some(text), None) => game.arrange(rules.as_deref(), text).map_err(|faults| wrong(&faults))?.drawing,
        (None, None) => start()?.drawing(),
    };
    let own = format!("{} {rules:?} {position:?} {token:?}", game.notation().id);
    let state = state(&hex(&Sha256::digest(own)[..8]), &look);
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{state}")) {
        return Ok(response);
    }
    let picture = board(&context, &state, look, move |look| drawn(game, &drawing, look, media)).await?;
    Ok(context.with_etag(
        context.with_language(context.bytes(picture)),
        CachePolicy::UntilChange,
        format_args!("{state}"),
    ))
}

/// The problem of a position, with the faults that the referee finds.
pub(super) fn with_faults(problem: Problem, faults: &[Located], lang: Lang) -> Problem {
    let faults: Vec<_> = faults
        .iter()
        .map(|fault| PositionFault { code: fault.message.code.id, message: catalog().message(&fault.message, lang) })
        .collect();
    let why = faults.first().map_or("", |fault| &*fault.message);
    let why = why.trim_end_matches('.');
    problem.with("why", why).extension("faults", &faults)
}

/// A document of a stored game, made with a permit. Its cost follows from the number of plies.
async fn of_game(
    context: &RequestContext,
    besides: &str,
    cost: impl FnOnce(u64, &Look) -> u32,
    make: impl FnOnce(&Id, &Record<'_>, &Look) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> HandlerResult {
    let (id, look) = (context.record(), look(context));
    let plies = card(context, &id)?.plies.unwrap_or_default();
    let state = state(&format!("{}{besides}", hex(&id)), &look);
    if let Some(response) = context.not_modified(CachePolicy::UntilChange, format_args!("{state}")) {
        return Ok(response);
    }
    context.charge(cost(plies, &look))?;
    let (store, alone) = (context.store().clone(), records::permit_if_large(context, &id).await?);
    let draw = move || {
        let _alone = alone;
        let source = source(&store, &id)?;
        make(&id, &readable(&id, &source)?, &look)
    };
    let bytes = context.draw(format!("{} {state}", context.route.id), draw).await?;
    Ok(context.with_etag(
        context.with_language(context.bytes(bytes)),
        CachePolicy::UntilChange,
        format_args!("{state}"),
    ))
}

/// The document of a game, or a problem if there is nothing to replay.
fn made<T: Into<Vec<u8>>>(id: &Id, look: &Look, made: Option<Result<T, Refused>>) -> Result<Vec<u8>, Problem> {
    let Some(made) = made else { return Err(Problem::variant(problem::NOT_FOUND, "replay").with("found", hex(id))) };
    made.map(Into::into).map_err(|why| refused(&why, look.lang))
}

/// Cost of a document, in requests beyond the first.
fn cost_of_plies(plies: u64, _: &Look) -> u32 {
    u32::try_from(plies / PLIES_A_REQUEST).unwrap_or(u32::MAX)
}

/// A stored game as an animation.
async fn gif(context: RequestContext) -> HandlerResult {
    let frames = |plies: u64, look: &Look| cost(plies.min(pictures::MOST_FRAMES as u64) + 1, look);
    of_game(&context, "", frames, |id, record, look| made(id, look, pictures::gif(record, look))).await
}

/// A stored game as a page that steps through it. The page runs only the script inside it.
async fn html(context: RequestContext) -> HandlerResult {
    let html = |id: &Id, record: &Record<'_>, look: &Look| made(id, look, pictures::html(record, look));
    let mut response = of_game(&context, "", cost_of_plies, html).await?;
    let policy = format!("{}; frame-ancestors 'none'", pictures::html_policy(look(&context).theme));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// The verdict on a stored game, for printing. A notice tells if the record is no longer current, because paper does
/// not change.
async fn verdict(context: RequestContext) -> HandlerResult {
    let id = context.record();
    let notice = match card(&context, &id)?.state {
        RecordState::Current => None,
        RecordState::Corrected => Some("picture.corrected"),
        RecordState::Retracted => Some("picture.retracted"),
    };
    of_game(&context, notice.unwrap_or_default(), cost_of_plies, move |_, record, look| {
        let (judged, notice) = (verify::record(record), notice.map(|key| messages::get(key, look.lang)));
        pictures::verdict(record, &judged, notice, look).map_err(|why| refused(&why, look.lang))
    })
    .await
}

/// An empty scoresheet of a game, for printing.
async fn sheet(context: RequestContext) -> HandlerResult {
    let game = context.text("game").and_then(games::find).ok_or_else(|| Problem::new(problem::INTERNAL))?;
    let number = context.number("number").and_then(|number| u32::try_from(number).ok()).unwrap_or(1);
    let (lang, state) = (context.lang, format!("sheet-{}-{number}", game.notation().id));
    let key = format!("{state} {}", lang.as_str());
    let sheet = context.draw(key, move || Ok(pictures::sheet_pdf(game, number, lang))).await?;
    let response: HttpResponse = context.with_language(context.bytes(sheet));
    Ok(context.with_etag(response, CachePolicy::UntilChange, format_args!("{state}")))
}
