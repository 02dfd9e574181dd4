//! The relation of a record to records before it, in words.

use quipu_referee::competition::Related;

use crate::{
    context::Context,
    origins::{Origins, told},
};

/// That the record is another sheet of a game.
pub(super) fn same(context: Context, related: &Related, origins: &Origins) -> Option<String> {
    related.sheet_of.map(|place| context.fill("sheets.same", &[("other", &origins.shown(place))]))
}

/// That the record contradicts another sheet.
pub(super) fn contradicts(context: Context, related: &Related, origins: &Origins) -> Option<String> {
    related.contradicts.as_ref().map(|found| {
        let what = told(context, &origins.shown(found.place), &found.parting);
        context.fill("sheets.contradicts", &[("sheet", &context.say("sheets.this")), ("what", &what)])
    })
}
