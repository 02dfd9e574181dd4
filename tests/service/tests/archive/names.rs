//! Searches for names of players: any words of a name, against a filter that looks at every name; their order and pages; and
//! an archive of an earlier version, whose words are brought up to date.

use quipu_archive::store::{Filter, NameFilter, Person, PlayerCursor, Store, TextFilter};
use quipu_referee::competition::folded;
use quipu_tests_service::{
    engine::{self, spoil},
    files_only,
};
use tempfile::tempdir;

use super::{
    generate::{SampleRecord, add, open},
    maintenance::faults,
};

const NAMES: [&str; 14] = [
    "Huamán, Rosa",
    "Rosales Quispe, Rosa",
    "Quispe Mamani, Rosalía",
    "Mamani Quispe, Luis",
    "Núñez, Inés",
    "Łucja Żółkiewska",
    "Søren Ærø",
    "Þór Guðrúnarson",
    "O'Higgins, Ambrosio",
    "Li Bo",
    "Rosa",
    "rosa",
    "李白",
    "--",
];

fn filled(folder: &std::path::Path) -> Store {
    let store = open(folder);
    for (number, names) in NAMES.chunks(2).enumerate() {
        let record = SampleRecord {
            template: number,
            players: [Some(names[0]), Some(names[1])],
            site: Some(format!("Sala {number}")),
            ..SampleRecord::default()
        };
        add(&store, &record.submission());
    }
    store
}

/// All pages of a search, each of `limit` players.
#[track_caller]
fn found(store: &Store, text: &str, limit: usize) -> Vec<String> {
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let filter = NameFilter::new(text);
        let page = store.read(|reading| reading.players(filter.as_ref(), after, limit)).expect("it answers");
        let page = page.expect("a cursor of the list");
        assert!(page.items.len() <= limit);
        names.extend(page.items.into_iter().map(|person| person.name));
        after = page.next;
        if after.is_none() {
            return names;
        }
    }
}

/// Words of a text; `letters` are those that do not decompose.
fn words(text: &str) -> Vec<String> {
    let letters = [('ł', "l"), ('ø', "o"), ('æ', "ae"), ('þ', "th"), ('ð', "d")];
    let text = letters.into_iter().fold(folded(text), |text, (from, to)| text.replace(from, to));
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[test]
fn any_words_of_a_name_find_it() {
    let folder = tempdir().expect("a folder");
    let store = filled(folder.path());
    for (text, expected) in [
        ("rosa", &["Huamán, Rosa", "Rosa", "rosa", "Rosales Quispe, Rosa", "Quispe Mamani, Rosalía"][..]),
        ("ROSA hua", &["Huamán, Rosa"]),
        ("mamani", &["Mamani Quispe, Luis", "Quispe Mamani, Rosalía"]),
        ("quispe r", &["Quispe Mamani, Rosalía", "Rosales Quispe, Rosa"]),
        ("lucja", &["Łucja Żółkiewska"]),
        ("Łuc", &["Łucja Żółkiewska"]),
        ("zolk", &["Łucja Żółkiewska"]),
        ("soren aero", &["Søren Ærø"]),
        ("thor gudr", &["Þór Guðrúnarson"]),
        ("higg", &["O'Higgins, Ambrosio"]),
        ("o'higgins", &["O'Higgins, Ambrosio"]),
        ("李", &["李白"]),
        ("osa", &["Huamán, Rosa", "Rosa", "rosa", "Rosales Quispe, Rosa", "Quispe Mamani, Rosalía"]),
        ("man", &["Huamán, Rosa", "Mamani Quispe, Luis", "Quispe Mamani, Rosalía"]),
        ("ami huis", &[]),
        ("uisp ani", &["Mamani Quispe, Luis", "Quispe Mamani, Rosalía"]),
        ("iggi bros", &["O'Higgins, Ambrosio"]),
        ("os", &[]),
        ("rosa zz", &[]),
        ("--", &[]),
        ("%", &[]),
    ] {
        assert_eq!(found(&store, text, 50), expected, "{text}");
    }
    assert_eq!(found(&store, " ", 50).len(), NAMES.len());
    // Against every name, with pages of every size.
    let parts =
        ["r", "ro", "rosa", "q", "quispe", "l", "m", "a", "i", "n", "rosales", "lu", "osa", "ani", "man", "ispe"];
    for text in
        parts.into_iter().map(str::to_owned).chain(parts.iter().flat_map(|one| parts.map(|two| format!("{one} {two}"))))
    {
        let whole = found(&store, &text, 50);
        let has_part = |word: &String, part: &String| word.starts_with(part) || (part.len() > 2 && word.contains(part));
        let has = |name: &&str| words(&text).iter().all(|part| words(name).iter().any(|word| has_part(word, part)));
        let mut expected: Vec<_> = NAMES.iter().copied().filter(has).collect();
        let mut sorted: Vec<_> = whole.iter().map(String::as_str).collect();
        expected.sort_unstable();
        sorted.sort_unstable();
        assert_eq!(sorted, expected, "{text}");
        for limit in 1..4 {
            assert_eq!(found(&store, &text, limit), whole, "{text} {limit}");
        }
    }
}

#[test]
fn a_cursor_of_another_search_is_none_of_this_one() {
    let folder = tempdir().expect("a folder");
    let store = filled(folder.path());
    let person =
        |name| -> Person { store.read(|reading| reading.player_named(name)).expect("read").expect("a player") };
    let page = |text: &str, player: i64| {
        let filter = NameFilter::new(text);
        store.read(|reading| reading.players(filter.as_ref(), Some(PlayerCursor { player }), 1)).expect("read")
    };
    assert!(page("rosa", person("Li Bo").number).is_none());
    assert!(page("rosa", 1_000).is_none());
    assert!(page("rosa", person("Huamán, Rosa").number).is_some());
}

/// An archive of the second schema, without words of names and with letters such as `ł` in its index.
#[test]
fn an_older_archive_gets_the_words_of_names() {
    files_only!("archives of this version are files");
    let folder = tempdir().expect("a folder");
    let store = filled(folder.path());
    let by_text = |store: &Store, text: &str| {
        let filter = Filter { text: TextFilter::new(text), ..Filter::default() };
        store.read(|reading| reading.cards(&filter, None, 50)).expect("read").items.len()
    };
    assert_eq!((by_text(&store, "lucja"), by_text(&store, "aero")), (1, 1));
    store.close().expect("closed");
    let newest = engine::number(folder.path(), "PRAGMA user_version");
    spoil(
        folder.path(),
        "DROP TABLE name_word; DROP TABLE term_rest; DROP TABLE word; DROP TABLE search; DELETE FROM term;
         CREATE VIRTUAL TABLE search USING fts5
           (text, content = '', columnsize = 0, prefix = '1 2', tokenize = 'ascii');
         CREATE VIRTUAL TABLE word USING fts5vocab (search, instance);
         INSERT INTO search (rowid, text) VALUES (3, 'nunez ines łucja zołkiewska'), (4, 'søren ærø þor guðrunarson');
         INSERT INTO term VALUES ('nunez'), ('ines'), ('łucja'), ('zołkiewska'), ('søren'), ('ærø'), ('þor'), ('guðrunarson');
         ALTER TABLE token DROP COLUMN expires;
         ALTER TABLE live DROP COLUMN clock_one;
         ALTER TABLE live DROP COLUMN clock_two;
         ALTER TABLE live DROP COLUMN running;
         DROP TABLE tournament_change;
         PRAGMA user_version = 2",
    );
    let store = open(folder.path());
    assert_eq!((by_text(&store, "lucja"), by_text(&store, "aero")), (1, 1));
    assert_eq!(found(&store, "lucja", 50), ["Łucja Żółkiewska"]);
    assert_eq!(faults(&store), []);
    store.close().expect("closed");
    assert_eq!(engine::number(folder.path(), "PRAGMA user_version"), newest);
}

/// A name with thousands of words does not fill the index.
#[test]
fn a_name_is_found_by_its_first_words() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let words: Vec<_> = (0..5_000).map(|number| format!("w{number:04}")).collect();
    let name: &'static str = words.join(" ").leak();
    add(&store, &SampleRecord { players: [Some(name), Some("Li Bo")], ..SampleRecord::default() }.submission());
    assert_eq!((found(&store, "w0015", 1).len(), found(&store, "w0016", 1).len()), (1, 0));
    // Of a search the first sixteen words count too.
    assert_eq!(found(&store, &format!("{} nada", words[..16].join(" ")), 1).len(), 1);
    assert_eq!(found(&store, &format!("{} nada", words[..15].join(" ")), 1).len(), 0);
    assert_eq!(faults(&store), []);
}

/// Records and events are found by parts inside of words, newest records first, also where many words have the part.
#[test]
fn parts_inside_of_words_find_records_and_events() {
    let folder = tempdir().expect("a folder");
    let store = filled(folder.path());
    let sites: Vec<_> = (0..70_u8)
        .map(|number| format!("x{}{}teca", char::from(97 + number / 26), char::from(97 + number % 26)))
        .collect();
    for (number, site) in sites.iter().enumerate() {
        let record = SampleRecord { template: number, site: Some(site.clone()), ..SampleRecord::default() };
        add(&store, &record.submission());
    }
    let by_text = |text: &str| {
        let filter = Filter { text: TextFilter::new(text), ..Filter::default() };
        store.read(|reading| reading.cards(&filter, None, 100)).expect("read").items.len()
    };
    let cases = [
        ("uaman", 1),
        ("olkiew", 1),
        ("ROSA", 3),
        ("osal", 2),
        ("uaman osa", 1),
        ("os", 0),
        ("xaateca", 1),
        ("aateca", 1),
    ];
    for (text, expected) in cases {
        assert_eq!(by_text(text), expected, "{text}");
    }
    // 70 words have this part inside, which is more than are searched; as a beginning it is found.
    assert_eq!((by_text("teca"), by_text("xa")), (0, 26));
    assert_eq!(faults(&store), []);
}

/// Of a text with very many words, the first are found by parts inside of them, and all by their beginnings.
#[test]
fn a_record_is_found_by_parts_of_its_first_words() {
    let folder = tempdir().expect("a folder");
    let store = open(folder.path());
    let words: Vec<_> = (0..500).map(|number| format!("w{}w{number:04}", 'y')).collect();
    let site = words.join(" ");
    add(&store, &SampleRecord { site: Some(site), ..SampleRecord::default() }.submission());
    let by_text = |text: &str| {
        let filter = Filter { text: TextFilter::new(text), ..Filter::default() };
        store.read(|reading| reading.cards(&filter, None, 100)).expect("read").items.len()
    };
    assert_eq!([by_text("yw0010"), by_text("yw0499"), by_text("wyw0499")], [1, 0, 1]);
    assert_eq!(faults(&store), []);
}
