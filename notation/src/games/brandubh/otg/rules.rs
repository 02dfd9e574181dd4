//! Rules strings of `OpenTafl`: `dim:7 surf:n ks:c … start:/3t3/…/`.
//!
//! The rule set of a game is decoded switch by switch ([`SWITCHES`]); a missing switch has the default of `OpenTafl`.
//! The set with the fewest differing switches is taken, and each differing switch is reported as dropped. The first
//! side is not a difference, because a start position can name it.

use super::{
    super::{
        SIZE,
        setup::{START, setup_tag},
    },
    scan::{OtgFault, rows_at, syntax},
};
use crate::{
    Side, Span,
    record::{BASE_RULES, Dropped, ReadError, text::is_blank},
};

/// The meaning of a rules string.
pub(super) struct Rules<'a> {
    /// The nearest rule set.
    pub(super) set: &'static Set,
    /// The side that begins.
    pub(super) first: Side,
    /// The rows of the start position, and their span.
    pub(super) start: Option<(String, Span)>,
    /// Switches that differ from the set, and unknown ones.
    pub(super) dropped: Vec<Dropped<'a>>,
    /// They are written as [`spelled`] writes them.
    pub(super) is_spelled: bool,
}

impl Default for Rules<'_> {
    /// Those of a replay without rules.
    fn default() -> Self {
        Self { set: &SETS[0], first: Side::Two, start: None, dropped: Vec::new(), is_spelled: false }
    }
}

impl<'a> Rules<'a> {
    /// Decodes a rules string; `span` is its place.
    pub(super) fn decode(text: &'a str, span: Span) -> Result<Self, ReadError> {
        let written: Vec<_> = components(text, span.start as usize).collect();
        // OpenTafl uses the last of several.
        let find = |key: &str| written.iter().rev().find(|component| component.key == key);
        if let Some(size) = find("dim").filter(|size| size.value != "7") {
            return Err(syntax(OtgFault::Board, size.span.range()));
        }
        let start = find("start").map(|start| {
            let end = start.span.end as usize;
            let span = Span::new(end - start.value.len(), end);
            rows_at(start.value, span).map(|rows| (rows, span))
        });
        let red_begins = find("atkf").is_none_or(|attackers_first| attackers_first.value == "y");
        let differing = |index: usize| {
            let differ = SWITCHES.iter().filter_map(|switch| {
                let (value, dropped) = if let Some(found) = find(switch.key) {
                    (found.value, Dropped::new(found.text, found.span))
                } else {
                    (switch.default, Dropped::new(format!("{}:{}", switch.key, switch.default), span))
                };
                (!switch.needs[index].met(value)).then_some(dropped)
            });
            differ.collect::<Vec<_>>()
        };
        let [nielsen, cuervo] = [differing(0), differing(1)];
        let (set, mut dropped) = if nielsen.len() <= cuervo.len() { (&SETS[0], nielsen) } else { (&SETS[1], cuervo) };
        let (set, is_spelled) = set_spelled(text).map_or((set, false), |set| (set, true));
        let known = |key: &str| SWITCHES.iter().any(|switch| switch.key == key) || SILENT.contains(&key);
        let unknown = written.iter().filter(|component| !known(component.key));
        dropped.extend(unknown.map(|component| Dropped::new(component.text, component.span)));
        let first = if red_begins { Side::Two } else { Side::One };
        Ok(Self { set, first, start: start.transpose()?, dropped, is_spelled })
    }

    /// The value of the tag `Setup`, if the game does not start as the rule set says. `rows` are those of a start position that
    /// has precedence over that of the rules.
    pub(super) fn setup(&self, rows: Option<&str>) -> Option<String> {
        let rows = rows.or(self.start.as_ref().map(|(rows, _)| &**rows)).unwrap_or(START);
        setup_tag(rows, self.first, self.set.first)
    }
}

/// The rule sets, and the switches that they are written with. `OpenTafl` has no switch for the capture of a pawn that walks
/// in between two enemies, so `base` has those of `cuervo` and is known by its name.
const SPELLED: [(&Set, &str); 3] = [
    (&SETS[0], "dim:7 name:Brandubh tfr:i surf:n ks:c cenh: cenhe:"),
    (&SETS[1], "dim:7 name:El_Cuervo tfr:i surf:n ka:n ks:m spd:-1,-1,-1,-1,-1,-1,-1,1 corh: cenh: cenhe:K cenp:K"),
    (&BASE, "dim:7 name:Brandubh_base tfr:i surf:n ka:n ks:m spd:-1,-1,-1,-1,-1,-1,-1,1 corh: cenh: cenhe:K cenp:K"),
];

/// The rule set of this name.
pub(super) fn set(name: &str) -> Option<&'static Set> {
    SPELLED.iter().map(|(set, _)| *set).find(|set| set.name == name)
}

/// The rules string of a rule set with this first side and position.
pub(super) fn spelled(set: &Set, first: Side, position: &str) -> String {
    let switches = SPELLED.iter().find(|(spelled, _)| spelled.name == set.name).map_or("", |(_, switches)| *switches);
    let red_begins = if first == Side::Two { "y" } else { "n" };
    format!("{switches} atkf:{red_begins} start:{position}")
}

/// The rule set whose switches are written as [`spelled`] writes them.
fn set_spelled(text: &str) -> Option<&'static Set> {
    let (switches, rest) = text.split_once(" atkf:")?;
    let start = rest.strip_prefix(['y', 'n'])?.strip_prefix(" start:")?;
    let (set, _) = SPELLED.iter().find(|(_, spelled)| *spelled == switches && !start.contains(is_blank))?;
    Some(set)
}

/// True if a rules string gives this rule set and this start position.
pub(super) fn gives(text: &str, name: &str, setup: Option<&str>) -> bool {
    Rules::decode(text, Span::new(0, text.len()))
        .is_ok_and(|rules| rules.set.name == name && rules.setup(None).as_deref() == setup)
}

/// True if a rules string has switches that its rule set does not have.
pub(super) fn differs(text: &str) -> bool {
    Rules::decode(text, Span::new(0, text.len())).is_ok_and(|rules| !rules.dropped.is_empty())
}

/// One component: `ks:c`.
struct Component<'a> {
    key: &'a str,
    value: &'a str,
    text: &'a str,
    span: Span,
}

/// The components of a rules string that begins at `start`.
fn components(text: &str, start: usize) -> impl Iterator<Item = Component<'_>> {
    let mut at = start;
    text.split(is_blank).filter_map(move |text| {
        let span = Span::new(at, at + text.len());
        at += text.len() + 1;
        let (key, value) = text.split_once(':').unwrap_or((text, ""));
        (!text.is_empty()).then_some(Component { key, value, text, span })
    })
}

/// A rule set of the referee.
pub(super) struct Set {
    /// Its name in the tag `Rules`.
    pub(super) name: &'static str,
    /// The side that begins.
    pub(super) first: Side,
}

/// The rule sets that switches can tell; on a tie the first.
pub(super) const SETS: [Set; 2] = [Set { name: "nielsen", first: Side::Two }, Set { name: "cuervo", first: Side::One }];

/// The rule set of the author's text.
const BASE: Set = Set { name: BASE_RULES, first: Side::One };

/// The requirement of a rule set on a switch.
enum Need {
    /// This value.
    Is(&'static str),
    /// Exactly these squares.
    Squares(&'static [&'static str]),
    /// All pieces of the first list and none of the second.
    Pieces(&'static str, &'static str),
    /// No piece has a limit of distance.
    Sliding,
    /// The king alone has a limit, of one square.
    KingSteps,
}

/// A switch: its key, its default, and the requirement of each of [`SETS`].
struct Switch {
    key: &'static str,
    default: &'static str,
    needs: [Need; 2],
}

/// The table that decodes rules strings. Pieces are `t` the attackers' pawns, `T` the defenders' and `K` the king; a
/// board has no others.
const SWITCHES: &[Switch] = {
    use Need::{Is, KingSteps, Pieces, Sliding, Squares};
    const fn switch(key: &'static str, default: &'static str, nielsen: Need, cuervo: Need) -> Switch {
        Switch { key, default, needs: [nielsen, cuervo] }
    }
    &[
        // The king wins in a corner.
        switch("esc", "c", Is("c"), Is("c")),
        // Being surrounded as a side does not lose.
        switch("surf", "y", Is("n"), Is("n")),
        // Repetition has no effect. OpenTafl draws by default; such a game ends by its result.
        switch("tfr", "i", Is("i"), Is("i")),
        // Captures by the king.
        switch("ka", "y", Is("y"), Is("n")),
        // Capture of the king: strong near the centre only, or enclosed on all sides.
        switch("ks", "s", Is("c"), Is("m")),
        switch("kj", "n", Is("n"), Is("n")),
        switch("spd", "-1", Sliding, KingSteps),
        switch("cor", "default", Squares(&["a1", "a7", "g1", "g7"]), Squares(&["a1", "a7", "g1", "g7"])),
        switch("cen", "default", Squares(&["d4"]), Squares(&["d4"])),
        switch("afor", "", Squares(&[]), Squares(&[])),
        switch("dfor", "", Squares(&[]), Squares(&[])),
        // Pieces that corners and centre are hostile to: the centre occupied, and empty. The capture of a king beside
        // the centre on three sides follows in one set from the king's strength, in the other from `cenhe`.
        switch("corh", "tcnkTCNK", Pieces("tTK", ""), Pieces("", "tTK")),
        switch("cenh", "tcnk", Pieces("", "tT"), Pieces("", "tT")),
        switch("cenhe", "tcnkTCNK", Pieces("", "tTK"), Pieces("K", "tT")),
        // Pieces that may pass over the centre, stop on corners and centre, and enter them again.
        switch("cenp", "tcnkTCNK", Pieces("tTK", ""), Pieces("", "tT")),
        switch("cors", "K", Pieces("K", "tT"), Pieces("K", "tT")),
        switch("cens", "K", Pieces("K", "tT"), Pieces("K", "tT")),
        switch("corre", "tcnkTCNK", Pieces("K", ""), Pieces("K", "")),
        switch("cenre", "tcnkTCNK", Pieces("tTK", ""), Pieces("K", "")),
        // Captures along an edge, forts there, captures in series, and Linnaeus's capture.
        switch("sw", "n", Is("n"), Is("n")),
        switch("efe", "n", Is("n"), Is("n")),
        switch("ber", "n", Is("n"), Is("n")),
        switch("linc", "n", Is("n"), Is("n")),
    ]
};

/// Keys without effect here: decoded elsewhere, about pieces and squares that no board has, or about something that
/// another switch turns off.
const SILENT: [&str; 17] = [
    "dim", "name", "start", "atkf", "nj", "cj", "mj", "corp", "swf", "aforh", "dforh", "aforp", "dforp", "afors",
    "dfors", "aforre", "dforre",
];

impl Need {
    fn met(&self, value: &str) -> bool {
        let listed = || value.split(',').filter(|item| !item.is_empty());
        match *self {
            Self::Is(needed) => value == needed,
            Self::Squares(needed) => {
                let by_default = value == "default" && !needed.is_empty();
                by_default
                    || (listed().all(|square| needed.contains(&square))
                        && needed.iter().all(|square| listed().any(|item| item == *square)))
            }
            Self::Pieces(all, none) => all.chars().all(|c| value.contains(c)) && !value.contains(|c| none.contains(c)),
            Self::Sliding => speeds(value) == Some([None; 3]),
            Self::KingSteps => speeds(value) == Some([None, None, Some(1)]),
        }
    }
}

/// The largest distance of `t`, `T` and `K`; no number means no limit. The value is one number for all, one for each
/// side, or one for each kind of piece, the attackers' before the defenders', the pawn first and the king fourth.
fn speeds(value: &str) -> Option<[Option<u64>; 3]> {
    let limit = |item: &str| match item {
        "-1" => Some(None),
        _ => item.parse().ok().map(|squares: u64| Some(squares).filter(|&squares| squares < SIZE as u64 - 1)),
    };
    let limits: Vec<Option<u64>> =
        value.split(',').filter(|item| !item.is_empty()).map(limit).collect::<Option<_>>()?;
    match *limits {
        [] => Some([None; 3]),
        [all] => Some([all; 3]),
        [attackers, defenders] => Some([attackers, defenders, defenders]),
        _ if limits.len() >= 8 && limits.len().is_multiple_of(2) => {
            let half = limits.len() / 2;
            Some([limits[0], limits[half], limits[half + 3]])
        }
        _ => None,
    }
}
