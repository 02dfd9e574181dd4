//! One record: its board ply by ply with its moves, clocks and points, the verdict, every form to take it away in, and
//! the board alone for pages of others.

use maud::{Markup, html};
use quipu_notation::{
    LineColumn, Side,
    record::{Format, Record},
};
use quipu_referee::{End, Lang, Referee, codes, drawing::Drawing, replay::Replay, report::hex};

use super::{
    super::{
        call::{Cache, Call},
        problem::{self, Problem},
        routes::{
            Answered, positions,
            records::{no_record, size as record_size, with_source},
        },
    },
    Page, View, answered, answered_as_of, boards, charts, check,
    excerpt::Excerpt,
    line, records, rules,
    sides::{Sides, clock_text},
    status, time,
};
use quipu_archive::{
    model::{Card, Change, Id, Judgement, Kind, Source, State, StoredDiagnostic},
    store::History,
};
use quipu_pictures::{self as pictures, MOST_FRAMES, MOST_PLIES};

/// Plies whose moves are listed on one page.
const MOVES: usize = 1_000;
const SCRIPTS: &[&str] = &["/assets/game.js"];

/// A game as far as it is lawful, and the position that is shown.
struct Game {
    referee: &'static dyn Referee,
    /// Who moves first.
    first: Side,
    plies: Vec<Told>,
    /// Points at the start and after each ply, in games that count them.
    points: Vec<[u32; 2]>,
    /// The move that was refused, and how many follow it that nobody judged.
    refused: Option<(String, usize)>,
    /// The ply that is shown.
    at: usize,
    shown: Shown,
}

/// A ply that was played.
struct Told {
    side: Side,
    token: String,
    clock: Option<u64>,
}

/// What is said of the position that is shown.
struct Shown {
    drawing: Drawing,
    facts: Vec<String>,
    words: String,
    turn: Side,
    end: Option<End>,
}

impl Shown {
    fn of(replay: &Replay<'_>, lang: Lang) -> Self {
        let (game, board) = (replay.game(), replay.board());
        let drawing = board.drawing();
        Self {
            facts: pictures::facts(&drawing, lang),
            words: pictures::description(game, &drawing, lang),
            drawing,
            turn: board.turn(),
            end: board.end(),
        }
    }
}

impl Game {
    /// Replays a record; nothing if there is nothing to replay on. Without `at` its last position is shown.
    fn of(record: &Record<'_>, at: Option<usize>, lang: Lang) -> Option<Result<Self, Problem>> {
        let mut replay = Replay::of(record)?;
        let first = replay.board().turn();
        let mut shown = (at == Some(0)).then(|| Shown::of(&replay, lang));
        let mut points: Vec<_> = replay.board().points().map(|points| points.counted()).into_iter().collect();
        let mut plies = Vec::new();
        while let Some(played) = replay.play() {
            plies.push(Told { side: played.side, token: played.token, clock: played.clock });
            points.extend(replay.board().points().map(|points| points.counted()));
            if at == Some(plies.len()) {
                shown = Some(Shown::of(&replay, lang));
            }
        }
        let last = plies.len();
        let shown = match (shown, at) {
            (Some(shown), _) => shown,
            (None, None) => Shown::of(&replay, lang),
            (None, Some(ply)) => {
                return Some(Err(Problem::variant(problem::NOT_FOUND, "ply").with("found", ply).with("last", last)));
            }
        };
        let rest = &record.line.plies[last..];
        let refused =
            rest.split_first().map(|(refused, behind)| (quipu_referee::shown(refused.token.as_bytes()), behind.len()));
        let at = at.unwrap_or(last);
        Some(Ok(Self { referee: replay.game(), first, plies, points, refused, at, shown }))
    }

    fn last(&self) -> usize {
        self.plies.len()
    }

    fn tag(&self, side: Side) -> &'static str {
        self.referee.notation().side(side).tag
    }

    fn has_clocks(&self) -> bool {
        self.plies.iter().any(|ply| ply.clock.is_some())
    }

    /// Milliseconds that a side has left.
    fn clock(&self, side: Side) -> Option<u64> {
        self.plies[..self.at].iter().rev().filter(|ply| ply.side == side).find_map(|ply| ply.clock)
    }
}

/// A page of a record replayed to the ply that is asked for, written when it is its turn.
async fn replayed(
    call: &Call,
    write: impl FnOnce(&Whole) -> Result<String, Problem> + Send + 'static,
) -> Result<String, Problem> {
    let (id, lang) = (call.record(), call.lang);
    let at = call.number("ply").map(|ply| usize::try_from(ply).unwrap_or(usize::MAX));
    let store = call.store().clone();
    with_source(call, &id, move |source| {
        let history = store.read(|reading| reading.history(&id))?.ok_or_else(|| no_record(&id))?;
        let record = positions::readable(&id, source).ok();
        let game = record.as_ref().and_then(|record| Game::of(record, at, lang)).transpose()?;
        let excerpts = excerpts(&history, source);
        if at.is_some() && game.is_none() {
            return Err(nothing_to_show(&hex(&id)));
        }
        write(&Whole { id: hex(&id), history, form: source.form, readable: record.is_some(), game, excerpts })
    })
    .await
}

/// There is nothing to replay on.
fn nothing_to_show(id: &str) -> Problem {
    Problem::variant(problem::NOT_FOUND, "replay").with("found", id)
}

/// A record with all that is told of it.
struct Whole {
    id: String,
    history: History,
    /// The form that it came in.
    form: Format,
    readable: bool,
    game: Option<Game>,
    /// For each of the first diagnostics of the verdict that holds, the lines around it.
    excerpts: Vec<Option<Excerpt>>,
}

/// The lines of what was handed in around what was found in it.
fn excerpts(history: &History, source: &Source) -> Vec<Option<Excerpt>> {
    let found = history.judgements.last().map(|judgement| &*judgement.diagnostics).unwrap_or_default();
    let around = |one: &StoredDiagnostic| {
        let place = LineColumn { line: one.line?, column: one.column? };
        Some(Excerpt::at(&source.bytes, place, one.token.as_deref().unwrap_or_default()))
    };
    found.iter().take(check::EXPLAINED).map(around).collect()
}

pub(crate) async fn page(call: Call) -> Answered {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, and this of any")]
    let last = call.read(|reading| reading.last_change())?;
    if let Some(answer) = call.unchanged(Cache::Revalidate, format_args!("{last}")) {
        return Ok(answer);
    }
    let view = View::of(&call);
    let write = move |whole: &Whole| {
        let title = records::title(&whole.history.card, &whole.id);
        Ok(view.write(&Page { scripts: SCRIPTS, ..Page::new(title, "/records", whole.body(&view)) }))
    };
    let page = replayed(&call, write).await?;
    Ok(answered_as_of(&call, last, page))
}

/// The board alone, to be shown inside of other pages. It changes with the program and with nothing else.
pub(crate) async fn embedded(call: Call) -> Answered {
    let id = hex(&call.record());
    record_size(&call, &call.record())?;
    if let Some(answer) = call.unchanged(Cache::Revalidate, format_args!("{id}")) {
        return Ok(answer);
    }
    let view = View::of(&call);
    let page = replayed(&call, move |whole| embedded_page(&view, whole)).await?;
    Ok(call.tagged(answered(&call, page), Cache::Revalidate, format_args!("{id}")))
}

fn embedded_page(view: &View, whole: &Whole) -> Result<String, Problem> {
    let id = &whole.id;
    let Some(game) = &whole.game else { return Err(nothing_to_show(id)) };
    let title = records::title(&whole.history.card, id);
    let own = Own { view, base: format!("/embed/{id}"), whole, game };
    let at = game.at.to_string();
    let content = html! {
        main #game data-last=(game.last()) {
            h1 { (title) }
            (own.board())
            (own.steps())
            (own.sides())
            p data-part="whole" {
                a href=(view.href(&format!("/records/{id}"), &[("ply", &at)])) target="_blank" rel="noopener" {
                    (view.say("game.whole"))
                }
            }
        }
    };
    Ok(view.document(&title, "embedded", SCRIPTS, &content))
}

impl Whole {
    fn body(&self, view: &View) -> Markup {
        let Self { id, history, game, .. } = self;
        let History { card, judgements, .. } = history;
        let about = html! {
            @if let Some(judgement) = judgements.last() { (verdict(view, judgement, &self.excerpts)) }
            (self.downloads(view))
        };
        html! {
            h1 { (records::title(card, id)) }
            (occasion(view, card))
            (self.standing(view))
            @if let Some(game) = game {
                @let own = Own { view, base: format!("/records/{id}"), whole: self, game };
                div.game #game data-last=(game.last()) {
                    section.shown aria-label=(view.say("game.board")) {
                        (own.board())
                        (own.steps())
                        (own.sides())
                        ul.facts data-part="facts" { @for fact in &game.shown.facts { li { (fact) } } }
                        details {
                            summary { (view.say("game.words")) }
                            p data-part="words" { (game.shown.words) }
                        }
                        (own.chart())
                    }
                    div.told {
                        section { h2 { (view.say("game.moves")) } (own.moves()) }
                        (about)
                    }
                }
            } @else {
                p { (view.say("game.nothing")) }
                (about)
            }
            (self.embedding(view))
            (self.changes(view))
        }
    }

    /// Whether it stands, and what does in its place.
    fn standing(&self, view: &View) -> Markup {
        let History { card, changes, .. } = &self.history;
        let corrections = || changes.iter().filter(|one| one.kind == Kind::Correction && one.undone_by.is_none());
        let link = |id: &Id| {
            let id = hex(id);
            html! { a href=(view.href(&format!("/records/{id}"), &[])) { code { (super::short(&id)) } } }
        };
        html! {
            @if card.state != State::Current { p.notice { strong { (records::state(view, card.state)) } } }
            @for change in corrections() {
                @if let (Some(old), Some(new)) = (&change.corrects, &change.record) {
                    @if *old == card.id { p { (view.say("game.replaced-by")) " " (link(new)) } }
                    @if *new == card.id { p { (view.say("game.replaces")) " " (link(old)) } }
                }
            }
        }
    }

    fn downloads(&self, view: &View) -> Markup {
        let id = &self.id;
        let plies = self.game.as_ref().map(Game::last);
        let file = |path: String, key: &str| html! { li { a href=(path) download { (view.say(key)) } } };
        let at = |ending: &str, ply: usize| view.spoken(&format!("/v1/records/{id}/positions/{ply}.{ending}"), &[]);
        html! {
            section aria-labelledby="downloads" {
                h2 #downloads { (view.say("game.downloads")) }
                ul.downloads {
                    @if self.readable {
                        (file(format!("/records/{id}/game.quipu"), "download.quipu"))
                        (file(format!("/records/{id}/game.json"), "download.json"))
                        (file(format!("/records/{id}/game.csv"), "download.csv"))
                    }
                    (file(format!("/v1/records/{id}/source"), "download.source"))
                    (file(format!("/v1/records/{id}/receipt"), "download.receipt"))
                    @if self.readable && plies.is_none_or(|plies| plies <= MOST_PLIES) {
                        (file(view.spoken(&format!("/v1/records/{id}/verdict.pdf"), &[]), "download.pdf"))
                    }
                    @if plies.is_some_and(|plies| plies <= MOST_PLIES) {
                        (file(view.spoken(&format!("/v1/records/{id}/replay.html"), &[]), "download.html"))
                    }
                    @if plies.is_some_and(|plies| plies <= MOST_FRAMES) {
                        (file(view.spoken(&format!("/v1/records/{id}/replay.gif"), &[]), "download.gif"))
                    }
                }
                @if let Some(game) = &self.game {
                    ul.downloads data-part="pictures" {
                        (file(at("svg", game.at), "download.svg"))
                        (file(at("png", game.at), "download.png"))
                    }
                }
            }
        }
    }

    /// What another page writes to show the board.
    fn embedding(&self, view: &View) -> Markup {
        let Some(game) = &self.game else { return html! {} };
        let source = view.spoken(&format!("/embed/{}", self.id), &[("ply", &game.at.to_string())]);
        let title = records::title(&self.history.card, &self.id);
        let snippet = html! { iframe src=(source) title=(title) width="420" height="640" loading="lazy" {} };
        html! {
            section aria-labelledby="embed" {
                h2 #embed { (view.say("game.embed")) }
                p { label for="snippet" { (view.say("game.snippet")) } }
                div data-part="embed" { textarea #snippet readonly rows="3" { (snippet.into_string()) } }
                p { a href=(view.href(&format!("/embed/{}", self.id), &[])) { (view.say("game.embedded")) } }
            }
        }
    }

    /// What happened to it.
    fn changes(&self, view: &View) -> Markup {
        let History { by, changes, .. } = &self.history;
        let form = self.form.as_str();
        html! {
            section aria-labelledby="history" {
                h2 #history { (view.say("game.history")) }
                p { (view.fill("game.handed-in", &[("who", &by.submitter), ("form", &form)])) }
                ol.names { @for change in changes { li { (self.change(view, change)) } } }
                p.note { (view.say("game.id")) " " code { (self.id) } }
            }
        }
    }

    fn change(&self, view: &View, change: &Change) -> Markup {
        let kind = view.say(match change.kind {
            Kind::Record => "change.record",
            Kind::Verdict => "change.verdict",
            Kind::Correction if change.corrects == Some(self.history.card.id) => "change.corrected",
            Kind::Correction => "change.correction",
            Kind::Retraction => "change.retraction",
            Kind::Merge => "change.merge",
            Kind::Undo => "change.undo",
        });
        html! {
            (time(change.at)) " · " (kind)
            @if let Some(author) = &change.by.author { " · " (author) }
            @if let Some(reason) = &change.by.reason { ": " (reason) }
        }
    }
}

/// What it came to, game, event, round, day, and what became of it.
fn occasion(view: &View, card: &Card) -> Markup {
    let last = [Some(status(view, card.status))];
    line([records::result(card)].into_iter().chain(records::occasion(view, card)).chain(last))
}

/// The verdict that holds.
fn verdict(view: &View, judgement: &Judgement, excerpts: &[Option<Excerpt>]) -> Markup {
    html! {
        section aria-labelledby="verdict" {
            h2 #verdict { (view.say("game.verdict")) " " (status(view, judgement.status)) }
            (check::outcome(view, &judgement.verdict()))
            @for (index, one) in judgement.diagnostics.iter().enumerate() {
                div class={ "found " (one.severity) } {
                    h3 { @if codes::find(&one.code).is_some() { (rules::link(view, &one.code)) } @else { code { (one.code) } } }
                    p { (one.message(view.lang)) }
                    (check::place(view, one.ply, one.line.zip(one.column)))
                    @if let Some(Some(excerpt)) = excerpts.get(index) { (excerpt.show(view)) }
                }
            }
            p.note { (view.fill("game.judged-by", &[("program", &judgement.program), ("edition", &judgement.edition)])) }
        }
    }
}

/// A game on a page, and what the address of that page begins with.
struct Own<'p> {
    view: &'p View,
    base: String,
    whole: &'p Whole,
    game: &'p Game,
}

impl Own<'_> {
    fn at(&self, ply: usize) -> String {
        self.view.href(&self.base, &[("ply", &ply.to_string())])
    }

    /// What was played last, in a line.
    fn now(&self) -> String {
        let (view, game) = (self.view, self.game);
        let Some(ply) = game.at.checked_sub(1).and_then(|index| game.plies.get(index)) else {
            return view.say("game.start").to_owned();
        };
        let (at, side) = (game.at, game.tag(ply.side));
        let line =
            view.fill("game.now", &[("ply", &at), ("last", &game.last()), ("side", &side), ("token", &ply.token)]);
        match game.shown.end {
            Some(end) => {
                let ended = view.fill("game.ended", &[("end", &view.word(end.termination.word))]);
                format!("{line} · {ended} · {}", end.outcome.as_str())
            }
            None => line,
        }
    }

    fn board(&self) -> Markup {
        let (view, game) = (self.view, self.game);
        let label = view.fill("game.after", &[("ply", &game.at)]);
        let board = boards::after(view, &self.whole.id, game.at, game.referee, &game.shown.drawing, &label);
        html! {
            (board)
            p.now data-part="now" role="status" { (self.now()) }
        }
    }

    /// The ways to other plies. At the ends they lead where one is, so that who goes by the keyboard is not lost.
    fn steps(&self) -> Markup {
        let (view, at, last) = (self.view, self.game.at, self.game.last());
        let step = |go: &str, ply: usize, sign: &str, key: &str| {
            html! {
                a data-go=(go) href=(self.at(ply)) aria-label=(view.say(key)) title=(view.say(key)) {
                    span aria-hidden="true" { (sign) }
                }
            }
        };
        html! {
            nav.steps aria-label=(view.say("game.steps")) {
                (step("first", 0, "«", "game.first"))
                (step("previous", at.saturating_sub(1), "‹", "game.previous"))
                (step("next", (at + 1).min(last), "›", "game.next"))
                (step("last", last, "»", "game.last"))
            }
            p.slider hidden {
                label for="ply" { (view.say("game.ply")) }
                input #ply type="range" min="0" max=(last) value=(at) autocomplete="off";
                span.keys { (view.say("game.keys")) }
            }
        }
    }

    /// Who plays which side, with the clock and the points.
    fn sides(&self) -> Markup {
        let game = self.game;
        let sides = Sides {
            game: game.referee.notation(),
            to_move: game.shown.end.is_none().then_some(game.shown.turn),
            players: Side::BOTH.map(|side| self.player(side)),
            clocks: game.has_clocks().then(|| Side::BOTH.map(|side| game.clock(side))),
            points: game.points.get(game.at).copied(),
        };
        sides.table(self.view)
    }

    fn player(&self, side: Side) -> Markup {
        let player = self.whole.history.card.players[side.index()].as_ref();
        player.map_or_else(|| html! { "?" }, |(number, name)| super::players::name(self.view, *number, name))
    }

    /// How the points grew.
    fn chart(&self) -> Markup {
        let (view, game) = (self.view, self.game);
        let Some([one, two]) = game.points.get(game.at).filter(|_| game.points.len() > 1) else { return html! {} };
        let [first, second] = Side::BOTH.map(|side| game.tag(side));
        let said = view.fill(
            "game.chart",
            &[("ply", &game.at), ("first", &first), ("one", one), ("second", &second), ("two", two)],
        );
        html! {
            figure data-part="chart" {
                figcaption {
                    (view.say("game.points")) " "
                    span.key.one { (first) " " strong { (one) } } " " span.key.two { (second) " " strong { (two) } }
                }
                (charts::points(&said, &game.points, game.at))
            }
        }
    }

    /// The moves in pairs, all of them or those around the one that is shown.
    fn moves(&self) -> Markup {
        let (view, game) = (self.view, self.game);
        let start = game.at.saturating_sub(1) / MOVES * MOVES;
        let end = (start + MOVES).min(game.last());
        let sides = [game.first, !game.first];
        let label = view.say("game.moves");
        let cell = |index: usize| {
            let ply = game.plies.get(index).filter(|_| index < end);
            let Some(Told { token, clock, .. }) = ply else { return html! { td {} } };
            html! {
                td {
                    a data-ply=(index + 1) href=(self.at(index + 1)) aria-current=[(game.at == index + 1).then_some("step")] {
                        (token)
                    }
                    @if let Some(clock) = clock { " " span.clock { (clock_text(*clock)) } }
                }
            }
        };
        html! {
            div.list data-part="moves" data-start=(start) role="region" aria-label=(label) tabindex="0" {
                @if game.plies.is_empty() { p { (view.say("game.no-moves")) } }
                @else {
                    @if start > 0 { p { a href=(self.at(start)) { (view.say("game.earlier")) } } }
                    table {
                        caption.unseen { (label) }
                        thead {
                            tr {
                                th.number scope="col" { (view.say("figure.number")) }
                                @for side in sides { th scope="col" { (game.tag(side)) } }
                            }
                        }
                        tbody {
                            @for index in (start..end).step_by(2) {
                                tr { th.number scope="row" { (Record::expected_number(index)) } (cell(index)) (cell(index + 1)) }
                            }
                        }
                    }
                    @if end < game.last() { p { a href=(self.at(end + 1)) { (view.say("game.later")) } } }
                }
                @if let Some((token, behind)) = game.refused.as_ref().filter(|_| end == game.last()) {
                    p.found.error {
                        (view.fill("game.refused", &[("ply", &(game.last() + 1))])) " " code { (token) }
                        @if *behind > 0 { " " (view.fill("game.unjudged", &[("count", behind)])) }
                    }
                }
            }
        }
    }
}
