//! Messages about the relations of a record to earlier records.

use quipu_referee::competition::Related;

use crate::{
    context::Context,
    origins::{Origins, difference_message},
};

/// The relations of a record to earlier ones, and their sources.
pub(super) type RelatedTo<'r> = Option<(&'r Related, &'r Origins)>;

/// The message that the record is another sheet of a game, if it is one.
pub(super) fn same(context: Context, related: &Related, origins: &Origins) -> Option<String> {
    related.sheet_of.map(|place| context.fill("sheets.same", &[("other", &origins.shown(place))]))
}

/// The message that the record has the moves of another game, if it has.
pub(super) fn repeats(context: Context, related: &Related, origins: &Origins) -> Option<String> {
    related.repeats.map(|place| context.fill("sheets.repeats", &[("other", &origins.shown(place))]))
}

/// The message that the record contradicts another sheet, if it does.
pub(super) fn contradicts(context: Context, related: &Related, origins: &Origins) -> Option<String> {
    related.contradicts.as_ref().map(|found| {
        let what = difference_message(context, &origins.shown(found.place), &found.difference);
        context.fill("sheets.contradicts", &[("sheet", &context.say("sheets.this")), ("what", &what)])
    })
}
