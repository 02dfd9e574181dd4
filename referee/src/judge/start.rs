//! The rule set and the start position of a record.

use quipu_notation::{
    Side,
    record::{Record, Spanned, write::BASE_RULES},
};

use crate::{
    Game, Located, Message, Position, RuleSet,
    record::{self, Breach},
};

/// The rule set with this name.
pub(crate) fn rule_set<G: Game>(name: &str) -> Result<&'static RuleSet<G::Rules>, Message> {
    G::RULE_SETS.iter().find(|set| set.name == name).ok_or_else(|| {
        let known = G::RULE_SETS.iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
        Breach::Rules { found: name.to_owned(), known }.into()
    })
}

/// The rule set that a record names.
pub(super) fn rules_of<G: Game>(record: &Record<'_>) -> Result<&'static RuleSet<G::Rules>, Located> {
    rule_set::<G>(record.value("Rules").unwrap_or(BASE_RULES))
        .map_err(|message| Located { message, span: record.tag("Rules").map_or(record.span, |tag| tag.span) })
}

/// The start position of a record.
pub(crate) fn start<G: Game>(record: &Record<'_>) -> Result<G::Position, Located> {
    start_under::<G>(rules_of::<G>(record)?, record)
}

/// The same under rules that are known.
pub(super) fn start_under<G: Game>(rules: &RuleSet<G::Rules>, record: &Record<'_>) -> Result<G::Position, Located> {
    let first = if G::NOTATION.first { first::<G>(record)? } else { None };
    let setup = record.tag("Setup");
    let span = setup.map_or(record.span, |tag| tag.span);
    let refuse = |breach: Breach| Located { message: breach.into(), span };
    let position = match setup {
        Some(tag) => {
            let read = G::position(rules.rules, &tag.value);
            let position = read.map_err(|faults| record::setup_fault(faults, tag.span))?;
            G::can_start(&position).map_err(|why| refuse(Breach::SetupPosition(why)))?;
            position
        }
        None => G::initial(rules.rules, first.map(|tag| tag.value)).ok_or_else(|| refuse(Breach::SetupMissing))?,
    };
    let (turn, word) = (position.turn(), G::side_word(position.turn()));
    if let Some(first) = first.filter(|first| first.value != turn) {
        let found = G::NOTATION.side(first.value).name.to_owned();
        return Err(Located { message: Breach::First { found, turn: word }.into(), span: first.span });
    }
    position.end().map_or(Ok(position), |end| Err(refuse(Breach::SetupOver(end.termination))))
}

/// The side in the tag `First`, if there is one.
fn first<G: Game>(record: &Record<'_>) -> Result<Option<Spanned<Side>>, Located> {
    let Some(tag) = record.tag("First") else { return Ok(None) };
    let span = tag.span;
    G::NOTATION.side_named(&tag.value).map(|value| Some(Spanned { value, span })).ok_or_else(|| {
        let known = G::NOTATION.sides.each_ref().map(|side| side.name).join(", ");
        Located { message: Breach::FirstUnknown { found: tag.value.clone().into_owned(), known }.into(), span }
    })
}
