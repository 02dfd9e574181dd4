//! Decisions about the records of a board: the sheet that counts, the merged game, and undoing either.

use std::collections::BTreeSet;

use quipu_archive::{
    model::{Attribution, Id, Number, RecordState, Submission},
    store::{Refusal, WriteTx},
};
use quipu_notation::record::{Format, Record, write::OutputFormat};
use quipu_referee::{Status, repaired, report::hex};

use super::{
    super::{
        change::{Refused, by, sign_in_to_direct},
        fields::{AUTHOR, DO, Fields},
    },
    sheets::{BoardSheets, Sheet, are_contradictory, current, different, seen},
};
use crate::{
    pages::{
        check::{CHOICE, FormChoice, stamp},
        frame::View,
    },
    params,
    request::RequestContext,
    routes::shared::COST,
};

/// The key of the words for records of which one counts now.
pub(super) const SETTLED: &str = "board.settled";
/// The current records of a game that the form showed, with the number of the game.
pub(super) const SEEN: &str = "seen";
/// The sentence about a board that has changed.
const MOVED: &str = "board.moved";
/// Sheets that are merged, and plies of each.
const MAX_SHEETS: usize = 4;
const MERGED: usize = 2_000;

pub(super) enum Button {
    /// This record counts.
    Keep(Id),
    /// The merged game of this game of the encounter, from 0, counts.
    Merge(usize),
    Undo(Number),
}

impl Button {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (action, value) = text.split_once(' ')?;
        match action {
            "keep" => params::id(value).map(Self::Keep),
            "merge" => value.parse().ok().map(Self::Merge),
            "undo" => value.parse().ok().map(Self::Undo),
            _ => None,
        }
    }
}

/// The choices of moves in the form.
pub(super) fn choice(fields: &Fields) -> FormChoice {
    let mut choice = FormChoice::default();
    fields.all(CHOICE).for_each(|value| choice.note(value));
    choice.person = fields.text(AUTHOR).map(str::to_owned);
    choice
}

/// The records of a game that contradict each other, to be merged; none if there are too many, or one is too long.
pub(super) fn mergeable(sheets: &[Sheet]) -> Option<Vec<Record<'static>>> {
    let sheets = different(sheets);
    let fits = |record: &&Record<'_>| record.movetext.plies.len() <= MERGED;
    let records: Vec<_> = sheets.iter().filter_map(|sheet| sheet.record.as_ref()).filter(fits).cloned().collect();
    (records.len() == sheets.len() && (2..=MAX_SHEETS).contains(&sheets.len())).then_some(records)
}

/// Does what a button of the form asks for. Returns the key of the sentence that says so.
pub(super) async fn act(
    context: &mut RequestContext,
    view: &View,
    fields: &Fields,
    board: &BoardSheets,
) -> Result<&'static str, Refused> {
    let no_button = || Refused::Said(view.say("tournament.no-button").to_owned());
    let button = Button::parse(fields.raw(DO)).ok_or_else(no_button)?;
    // Records are retracted and corrected in the whole archive.
    sign_in_to_direct(context, fields, None)?;
    let by = by(context, view, fields, true)?;
    match button {
        Button::Undo(change) => undo(context, board, change, by).await,
        Button::Keep(id) => {
            let game = board.games.iter().position(|sheets| sheets.iter().any(|sheet| sheet.card.id == id));
            let game = game.ok_or(Refused::Moved(MOVED))?;
            let sheets = &board.games[game];
            let kept = current(sheets).find(|sheet| sheet.card.id == id).ok_or(Refused::Moved(MOVED))?;
            if !are_contradictory(sheets) {
                return Ok("board.settled-before");
            }
            check_seen(fields, game, sheets)?;
            let retracted = current(sheets).filter(|sheet| sheet.first() != kept.first());
            retract(context, id, retracted.map(|sheet| sheet.card.id).collect(), None, by).await
        }
        Button::Merge(game) => {
            let sheets = board.games.get(game).ok_or(Refused::Moved(MOVED))?;
            if !are_contradictory(sheets) {
                return Ok("board.settled-before");
            }
            check_seen(fields, game, sheets)?;
            merge(context, view, fields, sheets, by).await
        }
    }
}

/// Fails unless the current records of a game are those that the form showed.
fn check_seen(fields: &Fields, game: usize, sheets: &[Sheet]) -> Result<(), Refused> {
    if fields.raw(&format!("{SEEN}-{game}")) == seen(sheets) { Ok(()) } else { Err(Refused::Moved(MOVED)) }
}

/// Replaces the first sheet by the merged game, and retracts the others.
async fn merge(
    context: &RequestContext,
    view: &View,
    fields: &Fields,
    sheets: &[Sheet],
    by: Attribution,
) -> Result<&'static str, Refused> {
    context.charge(COST)?;
    let none = || Refused::Said(view.say("board.not-merged").to_owned());
    let choice = choice(fields);
    let records = mergeable(sheets).ok_or_else(none)?;
    let made = context.work(move || {
        let merged = repaired::merge_with(&records, &choice.plies).ok();
        Ok(merged.and_then(|merged| {
            let record = repaired::merged_and_marked(&merged, stamp(choice.person.as_deref()));
            Submission::again(OutputFormat::Quipu.write(&record).0.as_bytes(), Format::Quipu)
        }))
    });
    let made = made.await?.filter(|made| made.verdict.status == Status::Verified).ok_or_else(none)?;
    let is_made = |sheet: &&Sheet| sheet.card.id == made.id;
    let Some(kept) = current(sheets).find(is_made).or_else(|| current(sheets).next()) else { return Err(none()) };
    let correction = (kept.card.id != made.id).then(|| (kept.card.id, made.clone()));
    let others = current(sheets).filter(|sheet| sheet.card.id != kept.card.id);
    retract(context, kept.card.id, others.map(|sheet| sheet.card.id).collect(), correction, by).await
}

/// Retracts records, each in a change of its own, after a correction of the one that is kept.
async fn retract(
    context: &RequestContext,
    kept: Id,
    retracted: BTreeSet<Id>,
    correction: Option<(Id, Submission)>,
    by: Attribution,
) -> Result<&'static str, Refused> {
    let decide = move |writing: &WriteTx<'_>| -> Result<_, Refused> {
        let moved = |refusal| match refusal {
            Refusal::Store(error) => Refused::from(error),
            _ => Refused::Moved(MOVED),
        };
        if let Some((id, submission)) = &correction {
            writing.correct(id, submission, &by).map_err(moved)?;
        } else if !matches!(writing.find(&kept)?, Some((_, RecordState::Current))) {
            // Another decision has retracted it meanwhile.
            return Err(Refused::Moved(MOVED));
        }
        for id in &retracted {
            writing.retract(id, &by).map_err(moved)?;
        }
        Ok(())
    };
    context.write(decide).await?;
    Ok(SETTLED)
}

async fn undo(
    context: &RequestContext,
    board: &BoardSheets,
    change: Number,
    by: Attribution,
) -> Result<&'static str, Refused> {
    let Some(decision) = board.decisions.iter().find(|decision| decision.number == change) else {
        return Err(Refused::Moved(MOVED));
    };
    if decision.undone_by.is_some() {
        return Ok("board.undone-before");
    }
    let undo = move |writing: &WriteTx<'_>| -> Result<_, Refused> {
        writing.undo(change, &by).map_err(|refusal| match refusal {
            Refusal::Store(error) => Refused::from(error),
            _ => Refused::Moved(MOVED),
        })
    };
    context.write(undo).await?;
    Ok("tournament.done.undone")
}

/// The value of the button that lets a record count.
pub(super) fn keep(id: &Id) -> String {
    format!("keep {}", hex(id))
}
