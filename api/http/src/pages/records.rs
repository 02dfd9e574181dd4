//! Records: the list with its filters, and a record in any list.

use maud::{Markup, display, html};
use quipu_notation::games::{GAMES, GameNotation};
use quipu_referee::{Points, Status, report::hex};

use super::{
    boards,
    frame::{Page, View, game_name, line, list_end, page_response, search_form, short, status},
};
use crate::{
    endpoint::Endpoint,
    params,
    problem::{self, HandlerResult},
    request::RequestContext,
    route::Route,
    routes::{
        enum_values::ends,
        records::{Search, SearchPage},
        shared::{CURSOR, LANG, PAGE, filters},
    },
};
use quipu_archive::{
    model::{Card, RecordState},
    store::{ListPage, NameFilter, Person, ReadTx, StoreError},
};

pub(crate) const ROUTES: &[Endpoint] = &[Endpoint {
    route: Route {
        path: "/records",
        id: "page-records",
        params: filters![field; CURSOR, LANG],
        problems: &[problem::CURSOR],
        ..PAGE
    },
    handler: |context| Box::pin(index(context)),
}];

const PATH: &str = "/records";

/// Players shown for a part of a name, at most.
const CHOICES: usize = 20;

/// Fields for players, each with the words before the only player that a part of a name finds.
const PLAYER_FIELDS: [(&str, &str); 2] = [("player", "records.of"), ("against", "records.of-opponent")];

/// A field of the form for a player, with its text and the players that it finds.
struct FoundPlayers {
    field: &'static str,
    /// Key of the words before the only player.
    words: &'static str,
    text: String,
    found: PlayerMatch,
}

/// The players that a text finds.
enum PlayerMatch {
    /// The player of a whole name or a number.
    Given,
    /// The only player with words of the search in a name.
    One(Person),
    /// Several players or none, and true if there are more.
    Several(Vec<Person>, bool),
}

impl PlayerMatch {
    fn find(reading: &ReadTx<'_>, text: &str) -> Result<Self, StoreError> {
        if reading.find_player(text)?.is_some() {
            return Ok(Self::Given);
        }
        let people = reading.players(NameFilter::new(text).as_ref(), None, CHOICES)?;
        let (people, more) = people.map_or_else(Default::default, |ListPage { items, next }| (items, next.is_some()));
        // Several names of one player are one choice.
        Ok(match &people[..] {
            [first, others @ ..] if !more && others.iter().all(|other| other.root() == first.root()) => {
                Self::One(first.clone())
            }
            _ => Self::Several(people, more),
        })
    }
}

async fn index(context: RequestContext) -> HandlerResult {
    let (search, address, view) = (Search::of_form(&context)?, context.own_address(), View::of(&context));
    let (form, query) = (form(&view, &context), context.query.clone());
    let given = PLAYER_FIELDS.iter().filter_map(|field| Some((field, context.text(field.0)?.to_owned())));
    let given: Vec<_> = given.collect();
    let ask = move |reading: &ReadTx<'_>| {
        let (mut search, mut players) = (search, Vec::new());
        for (place, (field, text)) in given.into_iter().enumerate() {
            let found = PlayerMatch::find(reading, &text)?;
            if let PlayerMatch::One(person) = &found {
                search = search.with_player(place, person.root());
            }
            players.push(FoundPlayers { field: field.0, words: field.1, text, found });
        }
        Ok((search.read(reading)?, players))
    };
    let write = move |(SearchPage { page: ListPage { items, next }, .. }, players): (_, Vec<FoundPlayers>)| {
        let is_unsure = players.iter().any(|player| matches!(player.found, PlayerMatch::Several(..)));
        let title = view.say("records.title");
        let body = html! {
            h1 { (title) }
            (form)
            @for FoundPlayers { field, words, text, found } in &players {
                @match found {
                    PlayerMatch::Several(people, more) => (choice(&view, &query, (field, text), people, *more)),
                    PlayerMatch::Given => {}
                    PlayerMatch::One(person) => p {
                        (view.say(words)) " "
                        a href=(view.href(&format!("/players/{}", person.root()), &[])) { (person.name) }
                    }
                }
            }
            (cards(&view, &items))
            @if !is_unsure {
                (list_end(&view, items.len(), next.and_then(|next| address.next_page(&next))))
            }
        };
        Ok(view.write(&Page { scripts: &["/assets/names.js"], ..Page::new(title, PATH, body) }))
    };
    let page = context.read_then(ask, write).await?;
    Ok(context.cacheable(page_response(&context, page)))
}

/// The players that a part of a name in a field may mean, each as a link to the same search for that player.
fn choice(view: &View, query: &str, (field, text): (&str, &str), people: &[Person], more: bool) -> Markup {
    let others = params::without(&params::without(query, field).join("&"), "cursor");
    let link = |person: &Person| {
        let pairs = others.iter().cloned().chain([format!("{field}={}", person.number)]);
        format!("{PATH}?{}", pairs.collect::<Vec<_>>().join("&"))
    };
    html! {
        @let id = format!("choice-{field}");
        section aria-labelledby=(id) {
            h2 id=(id) { (view.say("records.choice")) }
            @if people.is_empty() { p { (view.fill("records.nobody", &[("text", &text)])) } }
            ul.names { @for person in people { li { a href=(link(person)) { (person.name) } } } }
            @if more { p { a href=(view.href("/players", &[("q", text)])) { (view.say("records.more-players")) } } }
        }
    }
}

/// The form with the filters. Further filters are open if one is in use.
fn form(view: &View, context: &RequestContext) -> Markup {
    let narrowed = ["game", "status", "state", "result", "termination", "player", "against", "event", "round"];
    let narrowed = narrowed.iter().any(|name| context.text(name).is_some())
        || context.date("from").or(context.date("to")).is_some();
    let text = |name: &str, key: &str| {
        html! {
            label for=(name) { (view.say(key)) }
            input id=(name) name=(name) value=(context.text(name).unwrap_or_default()) maxlength="256";
        }
    };
    let name = |name: &str, key: &str, names: &str| {
        html! {
            label for=(name) { (view.say(key)) }
            input id=(name) name=(name) value=(context.text(name).unwrap_or_default()) maxlength="256"
                list={ (name) "-names" } autocomplete="off" data-names=(names);
            datalist id={ (name) "-names" } {}
        }
    };
    let day = |name: &str, key: &str| {
        let day = context.date(name).map(|day| day.to_string()).unwrap_or_default();
        html! { label for=(name) { (view.say(key)) } input id=(name) name=(name) type="date" value=(day); }
    };
    let choice = |name: &str, key: &str, first: &str, all: &[(&str, &str)]| {
        html! {
            label for=(name) { (view.say(key)) }
            select id=(name) name=(name) {
                option value="" { (view.say(first)) }
                @for (value, word) in all {
                    option value=(value) selected[context.text(name) == Some(value)] { (word) }
                }
            }
        }
    };
    let games: Vec<_> = GAMES.iter().map(|game| (game.id, game_name(view, game))).collect();
    let statuses = Status::ALL.map(|status| (status.as_str(), view.word(status.word())));
    let states = RecordState::ALL.into_iter().skip(1).map(|state| (state.as_str(), self::state(view, state)));
    let states: Vec<_> = states.chain([("all", view.say("state.all"))]).collect();
    let endings: Vec<_> = ends().map(|end| (end.name, view.word(end.word))).collect();
    let more = html! {
        details open[narrowed] {
            summary { (view.say("records.more")) }
            div.fields {
                div { (choice("game", "records.game", "records.any", &games)) }
                div { (choice("status", "records.status", "records.any", &statuses)) }
                div { (choice("state", "records.state", "state.current", &states)) }
                div { (choice("result", "records.result", "records.any", &["1-0", "0-1", "1/2-1/2", "*"].map(|one| (one, one)))) }
                div { (choice("termination", "records.termination", "records.any", &endings)) }
                div { (name("player", "records.player", "/v1/players")) }
                div { (name("against", "records.against", "/v1/players")) }
                div { (name("event", "records.event", "/v1/events")) }
                div { (text("round", "records.round")) }
                div { (day("from", "records.from")) }
                div { (day("to", "records.to")) }
            }
        }
    };
    search_form(view, PATH, "records.words", context.text("q").unwrap_or_default(), &more)
}

pub(super) fn cards(view: &View, cards: &[Card]) -> Markup {
    html! { @if !cards.is_empty() { ul.cards { @for card in cards { li { (self::card(view, card)) } } } } }
}

fn card(view: &View, card: &Card) -> Markup {
    html! {
        (boards::end(view, card))
        p.title {
            (link(view, card))
            @if let Some(result) = result(card) { " " (result) }
            @if let (Some(game), Some(points)) = (card.game, card.points) {
                " " span.points { (self::points(view, game, points)) }
            }
        }
        (line(event_facts(view, card).into_iter().chain([
            (card.status != Status::Verified).then(|| status(view, card.status)),
            (card.state != RecordState::Current).then(|| html! { span.status { (state(view, card.state)) } }),
        ])))
    }
}

/// The title of a record as a link.
pub(super) fn link(view: &View, card: &Card) -> Markup {
    let id = hex(&card.id);
    html! { a href=(view.href(&format!("/records/{id}"), &[])) { (title(card, &id)) } }
}

/// Game, event, round and day.
pub(super) fn event_facts(view: &View, card: &Card) -> [Option<Markup>; 4] {
    let event = |number: i64, name: &str| html! { a href=(view.href(&format!("/events/{number}"), &[])) { (name) } };
    [
        card.game.map(|game| html! { (game_name(view, game)) }),
        card.event.as_ref().map(|(number, name)| event(*number, name)),
        card.round.as_ref().map(|round| html! { (view.fill("records.in-round", &[("round", round)])) }),
        card.date.map(|date| html! { time datetime=(display(date)) { (display(date)) } }),
    ]
}

/// The result; none while the game is open.
pub(super) fn result(card: &Card) -> Option<Markup> {
    let result = card.result.as_deref().filter(|result| *result != "*")?;
    Some(html! { strong.result { (result) } })
}

/// The points of both sides.
pub(super) fn points(view: &View, game: &GameNotation, points: Points) -> String {
    let [one, two] = points.counted();
    let [first, second] = game.sides.each_ref().map(|side| side.tag);
    view.fill("records.points", &[("first", &first), ("one", &one), ("second", &second), ("two", &two)])
}

/// The title of a record: its players, or its id if it names none.
pub(super) fn title(card: &Card, id: &str) -> String {
    let [one, two] = card.players.each_ref().map(|player| player.as_ref().map(|(_, name)| name.as_str()));
    match (one, two) {
        (None, None) => short(id),
        _ => format!("{} – {}", one.unwrap_or("?"), two.unwrap_or("?")),
    }
}

/// The state of a record in words.
pub(super) fn state(view: &View, state: RecordState) -> &'static str {
    view.say(match state {
        RecordState::Current => "state.current",
        RecordState::Corrected => "state.corrected",
        RecordState::Retracted => "state.retracted",
    })
}
