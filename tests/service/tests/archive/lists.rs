//! Lists of records: every filter, alone and with every other, against a filter that looks at every record; and paging.

use std::collections::BTreeSet;

use quipu_archive::{
    model::{Card, Number, RecordState},
    store::{Count, Cursor, Filter, RecordOrder, Store, TextFilter},
};
use quipu_notation::{games::GAMES, record::Outcome};
use quipu_referee::{Status, competition::folded};
use tempfile::{TempDir, tempdir};

use super::generate::{SampleRecord, add, by, open, submission};

/// A record as a list shows it, with what a search looks in.
struct Listed {
    card: Card,
    text: String,
}

/// An archive in which every filter finds something and leaves something out.
fn varied() -> (TempDir, Store, Vec<Listed>) {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let names = ["Quispe Mamani, Rosa", "Núñez, Inés", "Li Bo", "O'Higgins \"el Rey\""];
    let mut texts = Vec::new();
    for index in 0..60_usize {
        let made = SampleRecord {
            template: index * 7,
            players: [names.get(index % 5).copied(), names.get((index / 2 + 1) % 4).copied()],
            event: ["Copa de los Andes", "Liga"].get(index % 3).copied(),
            round: ["1", "2", "final"].get(index / 4 % 4).copied(),
            date: ["2026.01.01", "2026.01.02", "2025.12.31", "????.??.??"].get(index / 3 % 5).copied(),
            site: Some(format!("Sala {index}")),
            is_cut: index % 9 == 0,
            ..SampleRecord::default()
        };
        texts.push(made.text());
    }
    texts.push("[Game \"andes\"]\n[Sol \"Li Bo\"]\n[Event \"Liga\"]\n\n1. z9\n".to_owned());
    texts.push("[Game \"andes\"]\n[Event \"sin cerrar\n".to_owned());
    texts.push("[Game \"damas\"]\n[Event \"Liga\"]\n\n1. e4 *\n".to_owned());
    let numbers: Vec<_> = texts.iter().map(|text| add(&store, &submission(text))).collect();
    let ids: Vec<_> = texts.iter().map(|text| submission(text).id).collect();
    let other = SampleRecord { site: Some("corregida".to_owned()), ..SampleRecord::default() };
    texts.push(other.text());
    let other = other.submission();
    let correct = {
        let (other, old) = (other.clone(), ids[1]);
        store.write(move |writing| writing.correct(&old, &other, &by("test"))).wait()
    };
    let retract = {
        let ids = [ids[2], ids[11]];
        store.write(move |writing| ids.iter().map(|id| writing.retract(id, &by("test"))).collect::<Result<Vec<_>, _>>())
    };
    correct.expect("it stands");
    retract.wait().expect("they stand");
    let merged = store.write(|writing| writing.merge("Li Bo", "Núñez, Inés", &by("test")));
    merged.wait().expect("players");
    assert_eq!(numbers, (1..=63).collect::<Vec<Number>>());
    let listed = texts.iter().map(|text| {
        let id = submission(text).id;
        let card = store.read(|reading| reading.card(&id)).expect("a card").expect("a card");
        Listed { card, text: tags(text) }
    });
    let listed = listed.collect();
    (folder, store, listed)
}

/// Values of the tags that a search looks in.
fn tags(text: &str) -> String {
    let pairs = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once(' '));
    let values = pairs.filter(|(name, _)| !["Game", "Rules", "Setup", "Result"].contains(name));
    values.map(|(_, value)| value.replace('\\', "")).collect::<Vec<_>>().join("\n")
}

/// Pieces of a text as searches know them.
fn pieces(text: &str) -> Vec<String> {
    let text = folded(text);
    let pieces = text.split(|letter: char| !letter.is_alphanumeric()).filter(|piece| !piece.is_empty());
    pieces.map(str::to_owned).collect()
}

/// True if each word occurs in a text, its last piece as the beginning of one, or from three letters on as a part of one.
fn has_words(text: &str, words: &str) -> bool {
    let text = pieces(text);
    words.split_whitespace().map(pieces).filter(|word| !word.is_empty()).all(|word| {
        text.windows(word.len()).any(|found| {
            let (last, first) = word.split_last().expect("a piece");
            let is_part = first.is_empty() && last.chars().count() > 2 && found[0].contains(last.as_str());
            is_part || (found[..first.len()] == *first && found[first.len()].starts_with(last.as_str()))
        })
    })
}

/// A filter with one thing said, and whether a record passes.
type Case = (Filter, Box<dyn Fn(&Listed) -> bool>);

fn cases(store: &Store) -> Vec<Case> {
    fn case(filter: Filter, passes: impl Fn(&Listed) -> bool + 'static) -> Case {
        (filter, Box::new(passes))
    }
    let none = Filter::default;
    let mut cases = Vec::new();
    for game in ["andes", "querni"] {
        cases.push(case(Filter { games: vec![game.to_owned()], ..none() }, move |listed| {
            listed.card.game.is_some_and(|own| own.id == game)
        }));
    }
    let player = |name| store.read(|reading| reading.player_named(name)).expect("it answers").expect("a player").number;
    let [rosa, ines, li] = ["Quispe Mamani, Rosa", "Núñez, Inés", "Li Bo"].map(player);
    // Two of them are one.
    for (number, as_whom) in [(rosa, vec![rosa]), (ines, vec![ines, li]), (li, vec![ines, li]), (1_000, vec![])] {
        cases.push(case(Filter { player: Some(number), ..none() }, move |listed| {
            listed.card.players.iter().flatten().any(|(own, _)| as_whom.contains(own))
        }));
    }
    for (player, against, of_one, of_other) in
        [(rosa, ines, vec![rosa], vec![ines, li]), (li, rosa, vec![ines, li], vec![rosa])]
    {
        cases.push(case(Filter { player: Some(player), against: Some(against), ..none() }, move |listed| {
            let [one, two] =
                listed.card.players.each_ref().map(|player| player.as_ref().map_or(0, |(number, _)| *number));
            of_one.contains(&one) && of_other.contains(&two) || of_one.contains(&two) && of_other.contains(&one)
        }));
    }
    for records in [vec![], vec![3, 7, 8, 1_000]] {
        cases.push(case(Filter { records: Some(records.clone()), ..none() }, move |listed| {
            records.contains(&listed.card.number)
        }));
    }
    for number in [1, 2, 1_000] {
        cases.push(case(Filter { event: Some(number), ..none() }, move |listed| {
            listed.card.event.as_ref().is_some_and(|(own, _)| *own == number)
        }));
    }
    for round in ["1", "final", "FINAL"] {
        cases.push(case(Filter { round: Some(round.to_owned()), ..none() }, move |listed| {
            listed.card.round.as_deref() == Some(round)
        }));
    }
    for text in ["1-0", "1/2-1/2", "*"] {
        let results = Outcome::parse(text).into_iter().collect();
        cases.push(case(Filter { results, ..none() }, move |listed| listed.card.result.as_deref() == Some(text)));
    }
    for name in ["continent", "agreement"] {
        cases.push(case(Filter { terminations: vec![name.to_owned()], ..none() }, move |listed| {
            listed.card.termination.as_deref() == Some(name)
        }));
    }
    for status in Status::ALL {
        cases.push(case(Filter { statuses: vec![status], ..none() }, move |listed| listed.card.status == status));
    }
    for state in RecordState::ALL {
        cases.push(case(Filter { states: vec![state], ..none() }, move |listed| listed.card.state == state));
    }
    let several = |name: Option<&str>, names: &[&str]| name.is_some_and(|name| names.contains(&name));
    let both = ["andes", "querni"];
    cases.push(case(Filter { games: both.map(str::to_owned).to_vec(), ..none() }, move |listed| {
        several(listed.card.game.map(|game| game.id), &both)
    }));
    let won = ["1-0", "0-1"];
    let results = won.iter().filter_map(|text| Outcome::parse(text)).collect();
    cases.push(case(Filter { results, ..none() }, move |listed| several(listed.card.result.as_deref(), &won)));
    let ends = ["continent", "agreement", "time"];
    cases.push(case(Filter { terminations: ends.map(str::to_owned).to_vec(), ..none() }, move |listed| {
        several(listed.card.termination.as_deref(), &ends)
    }));
    for statuses in [[Status::Rejected, Status::Incomplete], [Status::Verified, Status::Unreadable]] {
        cases.push(case(Filter { statuses: statuses.to_vec(), ..none() }, move |listed| {
            statuses.contains(&listed.card.status)
        }));
    }
    for states in [[RecordState::Corrected, RecordState::Retracted], [RecordState::Current, RecordState::Retracted]] {
        cases.push(case(Filter { states: states.to_vec(), ..none() }, move |listed| {
            states.contains(&listed.card.state)
        }));
    }
    for day in ["2026-01-01", "2020-01-01"] {
        let day = day.parse().expect("a day");
        cases.push(case(Filter { from: Some(day), ..none() }, move |listed| {
            listed.card.date.is_some_and(|own| own >= day)
        }));
    }
    let day = "2026-01-01".parse().expect("a day");
    cases.push(case(Filter { to: Some(day), ..none() }, move |listed| listed.card.date.is_some_and(|own| own <= day)));
    for words in ["nun", "QUISPE sala", "copa andes-1", "nadie", "rey\""] {
        cases.push(case(Filter { text: TextFilter::new(words), ..none() }, move |listed| {
            has_words(&listed.text, words)
        }));
    }
    cases
}

/// Both filters in one; nothing if both say the same thing.
fn both(one: &Filter, two: &Filter) -> Option<Filter> {
    #[expect(clippy::option_option, clippy::ref_option, reason = "nothing fits where both say something")]
    fn either<T: Clone>(one: &Option<T>, two: &Option<T>) -> Option<Option<T>> {
        (one.is_none() || two.is_none()).then(|| one.clone().or_else(|| two.clone()))
    }
    fn some<T: Clone>(one: &[T], two: &[T]) -> Option<Vec<T>> {
        (one.is_empty() || two.is_empty()).then(|| [one, two].concat())
    }
    Some(Filter {
        records: either(&one.records, &two.records)?,
        games: some(&one.games, &two.games)?,
        player: either(&one.player, &two.player)?,
        against: either(&one.against, &two.against)?,
        event: either(&one.event, &two.event)?,
        round: either(&one.round, &two.round)?,
        results: some(&one.results, &two.results)?,
        terminations: some(&one.terminations, &two.terminations)?,
        statuses: some(&one.statuses, &two.statuses)?,
        states: some(&one.states, &two.states)?,
        from: either(&one.from, &two.from)?,
        to: either(&one.to, &two.to)?,
        text: either(&one.text, &two.text)?,
    })
}

/// All of a list, page by page.
#[track_caller]
fn paged(store: &Store, filter: &Filter, order: RecordOrder, limit: usize, mut between: impl FnMut()) -> Vec<Card> {
    let (mut cards, mut after): (Vec<Card>, Option<Cursor>) = (Vec::new(), None);
    loop {
        let page = store.read(|reading| reading.cards_in(order, filter, after.as_ref(), limit));
        let page = page.unwrap_or_else(|error| panic!("{filter:?}: {error}"));
        assert!(page.items.len() == limit || page.next.is_none());
        cards.extend(page.items);
        after = page.next;
        if after.is_none() {
            return cards;
        }
        between();
    }
}

/// Checks a list against all records, and the export of the same.
fn check(store: &Store, all: &[Listed], filter: &Filter, passes: &dyn Fn(&Listed) -> bool) -> usize {
    let mut expected: Vec<&Card> = all.iter().filter(|listed| passes(listed)).map(|listed| &listed.card).collect();
    let (mut exported, mut since) = (Vec::new(), 0);
    loop {
        let page = store.read(|reading| reading.export(filter, since, 8, usize::MAX)).expect("an export");
        let Some((last, _)) = page.last() else { break };
        since = last.number;
        assert!(page.iter().all(|(card, source)| source.as_ref().is_some_and(|source| source.number == card.number)));
        exported.extend(page.into_iter().map(|(card, _)| card.number));
    }
    let mut numbers: Vec<_> = expected.iter().map(|card| card.number).collect();
    numbers.sort_unstable();
    assert_eq!(exported, numbers, "{filter:?}");
    let order = filter.order();
    expected.sort_by_key(|card| (card.date.filter(|_| order.is_by_date()), card.number));
    expected.reverse();
    let found = paged(store, filter, order, 7, || ());
    assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?}");
    expected.len()
}

/// Checks a list in an order, and its count.
fn check_order(store: &Store, all: &[Listed], (filter, passes): &Case, order: RecordOrder) {
    let cards = all.iter().filter(|listed| passes(listed)).map(|listed| &listed.card);
    let mut expected: Vec<&Card> = cards.filter(|card| !order.is_by_date() || card.date.is_some()).collect();
    expected.sort_by_key(|card| (card.date.filter(|_| order.is_by_date()), card.number));
    if matches!(order, RecordOrder::LastEntered | RecordOrder::LastPlayed) {
        expected.reverse();
    }
    let found = paged(store, filter, order, 5, || ());
    assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{filter:?} {order:?}");
    let number = expected.len() as u64;
    for most in [1_000, 3] {
        match store.read(|reading| reading.count(filter, order, most)).expect("a count") {
            Some(Count { records, is_exact: true }) => assert_eq!(records, number, "{filter:?} {order:?}"),
            Some(Count { records, .. }) => assert_eq!((records, number > most), (most, true), "{filter:?} {order:?}"),
            None => assert!(!filter.is_quick(order), "{filter:?} {order:?}"),
        }
    }
}

#[test]
fn every_filter_in_every_order() {
    let (_folder, store, all) = varied();
    for case in cases(&store) {
        for order in RecordOrder::ALL {
            check_order(&store, &all, &case, order);
        }
    }
    for order in RecordOrder::ALL {
        assert_eq!(RecordOrder::parse(order.as_str()), Some(order));
        check_order(&store, &all, &(Filter::default(), Box::new(|_| true)), order);
    }
}

#[test]
fn every_filter_alone_and_with_every_other() {
    let (_folder, store, all) = varied();
    assert_eq!(check(&store, &all, &Filter::default(), &|_| true), 64);
    let cases = cases(&store);
    let (mut some, mut pairs) = (0, 0);
    for (index, (filter, passes)) in cases.iter().enumerate() {
        check(&store, &all, filter, passes);
        for (other, also) in &cases[index + 1..] {
            if let Some(filter) = both(filter, other) {
                pairs += 1;
                some += usize::from(check(&store, &all, &filter, &|listed| passes(listed) && also(listed)) > 0);
            }
        }
    }
    assert!(pairs > 400 && some > pairs / 4, "{some} of {pairs} find something");
    for game in GAMES {
        assert!(all.iter().any(|listed| listed.card.game == Some(*game)), "{}", game.id);
    }
}

#[test]
fn pages_give_everything_once_while_records_come_in() {
    let (_folder, store, all) = varied();
    let days = Filter { from: Some("2000-01-01".parse().expect("a day")), ..Filter::default() };
    let text = Filter { text: TextFilter::new("sala"), ..Filter::default() };
    let mut new = 0;
    for filter in [Filter::default(), days, text] {
        let before: BTreeSet<_> =
            paged(&store, &filter, filter.order(), 200, || ()).into_iter().map(|card| card.number).collect();
        for limit in 1..=3 {
            let cards = paged(&store, &filter, filter.order(), limit, || {
                new += 1;
                let date = Some(["2026.01.02", "2025.06.01"][new % 2]);
                add(
                    &store,
                    &SampleRecord { date, site: Some(format!("Sala nueva {new}")), ..SampleRecord::default() }
                        .submission(),
                );
            });
            let numbers: BTreeSet<_> = cards.iter().map(|card| card.number).collect();
            assert_eq!(numbers.len(), cards.len(), "each once");
            assert!(before.is_subset(&numbers), "{filter:?}");
        }
    }
    assert!(new > 100 && all.len() == 64);
}

/// Checks how many records a search finds.
#[track_caller]
fn finds(store: &Store, text: &str, expected: usize) {
    let Some(text) = TextFilter::new(text) else {
        assert_eq!(expected, 0, "{text:?} has no word");
        return;
    };
    let filter = Filter { text: Some(text), ..Filter::default() };
    let found = store.read(|reading| reading.cards(&filter, None, 200)).expect("a list").items.len();
    assert_eq!(found, expected, "{filter:?}");
}

/// Words that begin alike are looked for one by one while they are few, and by their beginning when they are many.
#[test]
fn few_and_many_words_that_begin_alike() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    for number in 1..=20 {
        add(
            &store,
            &SampleRecord { site: Some(format!("Sala{number:02} Otra")), ..SampleRecord::default() }.submission(),
        );
        finds(&store, "sala", number);
        finds(&store, "SALA otra", number);
        finds(&store, "sala1", number.saturating_sub(9).min(10));
        finds(&store, "salas", 0);
    }
}

#[test]
fn searches() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let sites = [
        "Ñuñoa, Núñez",
        "nunca AND NEAR(dos)",
        "a-b_c d'e \"f\"",
        "हिन्दी 記録 Straße",
        "Nu\u{301}n\u{303}ez",
        "Οδυσσέας",
    ];
    for site in sites {
        add(&store, &SampleRecord { site: Some(site.to_owned()), ..SampleRecord::default() }.submission());
    }
    for (text, count) in [
        ("ñuñoa", 1),
        ("NUNOA", 1),
        ("Nu\u{301}n\u{303}ez", 2),
        ("núñez", 2),
        ("nun", 3),
        ("unez", 2),
        ("ez", 0),
        ("nunca and", 1),
        ("NEAR(dos)", 1),
        ("near", 1),
        ("nunca OR ñuñoa", 0),
        ("NOT nunca", 0),
        ("\"f\"", 1),
        ("f\" OR \"a", 0),
        ("a-b_c", 1),
        ("b a", 1),
        ("d'e", 1),
        ("हिन्दी", 1),
        ("हि", 1),
        ("記", 1),
        ("ΟΔΥΣ", 1),
        ("οδυς", 1),
        ("ΟΔΥΣΣΕΑΣ", 1),
        ("STRASSE", 1),
        ("straße", 1),
        ("text:nunca", 0),
        ("^nunca", 1),
        ("nun*", 3),
        ("nu\0ez", 0),
        ("{nunca}", 1),
        ("-", 0),
        ("\"", 0),
        ("\"\"\" ' ( ) * ^ : \\ % _", 0),
        ("", 0),
    ] {
        finds(&store, text, count);
    }
    finds(&store, &"nunca ".repeat(2_000), 1);
    finds(&store, &"x".repeat(100_000), 0);
    finds(&store, "Ⓐ", 0);
}
