//! The buttons of the page of the organiser.

use quipu_archive::{
    model::Number,
    store::{Refusal, StoredTournament, WriteTx},
};
use quipu_tournament::{
    model::{Bye, Change, PlayerId},
    pairing::{Plan, Wanted},
};

use super::{
    change::{Refused, by, change, sign_in_to_direct},
    fields::{CHANGE, DO, Fields, LAST, REASON},
    forbidden::{self, FORBID},
    names::NameList,
};
use crate::{
    pages::frame::View,
    request::RequestContext,
    routes::{
        shared::COST,
        tournaments::{TournamentRefusal, missing, plan},
    },
};

/// The field with the list of names.
pub(super) const NAMES: &str = "names";
/// The field with the boards of a pairing by hand.
pub(super) const BY_HAND: &str = "by-hand";
/// The checkbox that allows a pairing by hand against the rules.
pub(super) const FORCE: &str = "force";
/// The hidden field with the pairing that the form showed.
pub(super) const SHOWN: &str = "shown";
/// The key of the sentence for a tournament that changed after the form was shown.
const MOVED: &str = "tournament.moved";

#[derive(Default)]
pub(super) struct FormResult {
    pub(super) refusal: Option<String>,
    /// The sentence about the change that was made.
    pub(super) done: Option<String>,
    /// A list of names before it is entered.
    pub(super) names: Option<NameList>,
    /// A pairing before it is made.
    pub(super) plan: Option<Plan>,
}

type Step = fn(PlayerId, u32) -> Change;

/// Changes of the presence of a player: names in the form, keys of words, and changes.
pub(super) const PRESENCE: [(&str, &str, Step); 6] = [
    ("absent-half", "tournament.absent.half", |id, round| Change::Absent { id, round, bye: Bye::Half }),
    ("absent-zero", "tournament.absent.zero", |id, round| Change::Absent { id, round, bye: Bye::Zero }),
    ("absent-full", "tournament.absent.full", |id, round| Change::Absent { id, round, bye: Bye::Full }),
    ("present", "tournament.present", |id, round| Change::Present { id, round }),
    ("withdraw", "tournament.withdraw", |id, round| Change::Withdraw { id, round }),
    ("return", "tournament.return", |id, round| Change::Return { id, round }),
];

/// The fields that an action takes, which the next one does not need.
pub(super) fn taken(action: &str) -> Vec<&'static str> {
    let own: &[&str] = match action {
        "names" => &[NAMES],
        "pair" => &[BY_HAND, FORCE],
        "presence" => &["player", "step", "from"],
        FORBID => &forbidden::PLAYERS,
        _ => &[],
    };
    [own, &[REASON]].concat()
}

/// A pairing as the form says it back: `4-1,2-5;3`, with the bye at the end.
pub(super) fn shown(plan: &Plan) -> String {
    let boards = plan.pairing.boards.iter().map(|board| board.players.map(|id| id.to_string()).join("-"));
    let bye = plan.pairing.bye.map(|id| id.to_string()).unwrap_or_default();
    format!("{};{bye}", boards.collect::<Vec<_>>().join(","))
}

/// Does what a button of the form asks for.
pub(super) async fn act(
    context: &mut RequestContext,
    view: &View,
    number: Number,
    fields: &Fields,
) -> Result<FormResult, Refused> {
    let said = |key| Ok(FormResult { done: Some(view.say(key).to_owned()), ..FormResult::default() });
    match fields.text(DO).unwrap_or_default() {
        "names-check" => {
            let tournament = read(context, number).await?.tournament;
            let list = NameList::of(fields.raw(NAMES), &tournament).tried(&tournament);
            Ok(FormResult { names: Some(list), ..FormResult::default() })
        }
        "names" => enter(context, view, number, fields).await,
        "pair-check" => {
            context.charge(COST)?;
            let (_, plan) = planned(context, view, number, fields).await?;
            Ok(FormResult { plan: Some(plan), ..FormResult::default() })
        }
        "pair" => {
            pair(context, view, number, fields).await?;
            said("tournament.paired")
        }
        "presence" => {
            let made = presence(view, fields)?;
            step(context, view, number, fields, false, move |_| Ok(made.clone())).await?;
            said("tournament.saved")
        }
        "close" => {
            let seen = fields.number(LAST);
            let close = move |stored: &_| last_round(stored, seen).map(|round| Change::Close { round });
            step(context, view, number, fields, false, close).await?;
            said("tournament.done.closed")
        }
        "reopen" => {
            let seen = fields.number(LAST);
            let reopen = move |stored: &_| last_round(stored, seen).map(|round| Change::Reopen { round });
            step(context, view, number, fields, true, reopen).await?;
            said("tournament.done.reopened")
        }
        "unpair" => {
            let seen = fields.number(CHANGE);
            let unpair = move |stored: &StoredTournament| {
                check_seen(stored, seen, MOVED)?;
                Ok(Change::Unpair { round: stored.tournament.next_round() - 1 })
            };
            step(context, view, number, fields, true, unpair).await?;
            said("tournament.done.unpaired")
        }
        "undo" => {
            undo(context, view, number, fields).await?;
            said("tournament.done.undone")
        }
        FORBID => {
            let players = forbidden::chosen(view, fields)?;
            let is_new = set_forbidden(context, view, number, fields, players, true).await?;
            said(if is_new { "tournament.saved" } else { "tournament.nothing-new" })
        }
        button => match forbidden::allowed(button) {
            Some(players) => {
                let is_new = set_forbidden(context, view, number, fields, players, false).await?;
                said(if is_new { "tournament.saved" } else { "tournament.nothing-new" })
            }
            None => Err(Refused::Said(view.say("tournament.no-button").to_owned())),
        },
    }
}

/// Forbids a pair, or allows it again. Returns false if there is nothing to do.
async fn set_forbidden(
    context: &mut RequestContext,
    view: &View,
    number: Number,
    fields: &Fields,
    players: [PlayerId; 2],
    is_forbidden: bool,
) -> Result<bool, Refused> {
    let bearer = sign_in_to_direct(context, fields, Some(number))?;
    let by = by(context, view, fields, false)?;
    let make = move |stored: &StoredTournament| {
        let step = if is_forbidden { Change::Forbid { players } } else { Change::Allow { players } };
        let is_there = stored.tournament.forbidden.contains(&players) == is_forbidden;
        Ok(if is_there { Vec::new() } else { vec![step] })
    };
    change(context, bearer, number, by, make).await
}

async fn read(context: &RequestContext, number: Number) -> Result<StoredTournament, Refused> {
    let stored = context.read_slowly(move |reading| reading.tournament(number)).await?;
    stored.ok_or_else(|| missing(number).into())
}

/// Enters the new names of a list; all of it or nothing.
async fn enter(
    context: &mut RequestContext,
    view: &View,
    number: Number,
    fields: &Fields,
) -> Result<FormResult, Refused> {
    let bearer = sign_in_to_direct(context, fields, Some(number))?;
    let by = by(context, view, fields, false)?;
    let list = NameList::of(fields.raw(NAMES), &read(context, number).await?.tournament);
    if list.is_broken || list.new.is_empty() {
        return Ok(FormResult { names: Some(list), ..FormResult::default() });
    }
    let done = view.fill("tournament.names.entered", &[("new", &list.new.len()), ("known", &list.known.len())]);
    let text = fields.raw(NAMES).to_owned();
    change(context, bearer, number, by, move |stored| {
        let first = stored.tournament.next_round();
        Ok(NameList::of(&text, &stored.tournament).changes(first))
    })
    .await?;
    Ok(FormResult { done: Some(done), ..FormResult::default() })
}

/// The next round as the form wants it, for the tournament as it is.
async fn planned(
    context: &RequestContext,
    view: &View,
    number: Number,
    fields: &Fields,
) -> Result<(StoredTournament, Plan), Refused> {
    let by_hand = fields.text(BY_HAND).map(|text| boards(view, text)).transpose()?;
    let wanted = Wanted { round: fields.number("round"), by_hand, force: fields.text(FORCE).is_some() };
    let stored = read(context, number).await?;
    let planned = context.work(move || Ok(plan(&stored.tournament, &wanted).map(|plan| (stored, plan)))).await?;
    planned.map_err(Refused::Tournament)
}

/// Boards and bye as numbers of players: `3-7` in a line of its own is a board, `5` the bye.
fn boards(view: &View, text: &str) -> Result<(Vec<[PlayerId; 2]>, Option<PlayerId>), Refused> {
    let (mut boards, mut bye) = (Vec::new(), None);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let number = |text: &str| text.trim().parse().map(PlayerId).ok();
        let pair = line.split_once(['-', '–']).map(|(one, two)| (number(one), number(two)));
        match (pair, number(line)) {
            (Some((Some(one), Some(two))), _) => boards.push([one, two]),
            (None, Some(alone)) if bye.is_none() => bye = Some(alone),
            _ => return Err(Refused::Said(view.fill("tournament.by-hand-line", &[("line", &line)]))),
        }
    }
    Ok((boards, bye))
}

/// Pairs the round as the form showed it. Pairing takes too long for the thread that writes, so it is done before, and made if
/// nothing has changed.
async fn pair(context: &mut RequestContext, view: &View, number: Number, fields: &Fields) -> Result<(), Refused> {
    let bearer = sign_in_to_direct(context, fields, Some(number))?;
    let by = by(context, view, fields, false)?;
    let (planned, plan) = planned(context, view, number, fields).await?;
    if fields.raw(SHOWN) != shown(&plan) {
        return Err(Refused::OtherPlan(Box::new(plan)));
    }
    let pair = move |stored: &StoredTournament| {
        if *stored == planned { Ok(plan.steps.clone()) } else { Err(Refused::Tournament(TournamentRefusal::Moved)) }
    };
    change(context, bearer, number, by, pair).await?;
    Ok(())
}

/// The change of the presence of a player.
fn presence(view: &View, fields: &Fields) -> Result<Change, Refused> {
    let player = fields.number("player").map(PlayerId);
    let step = PRESENCE.into_iter().find(|(name, ..)| *name == fields.raw("step"));
    let from: Option<u32> = fields.number("from");
    match (player, step, from) {
        (Some(player), Some((.., step)), Some(round)) => Ok(step(player, round)),
        _ => Err(Refused::Said(view.say("tournament.presence-incomplete").to_owned())),
    }
}

/// Fails unless the last change of a tournament is the one that the form saw.
fn check_seen(stored: &StoredTournament, seen: Option<Number>, key: &'static str) -> Result<(), Refused> {
    if seen == Some(stored.changed) { Ok(()) } else { Err(Refused::Moved(key)) }
}

/// The last round, if it is the one that the form saw.
fn last_round(stored: &StoredTournament, seen: Option<u32>) -> Result<u32, Refused> {
    let last = stored.tournament.next_round() - 1;
    if seen == Some(last) { Ok(last) } else { Err(Refused::Moved(MOVED)) }
}

/// Makes one change.
async fn step(
    context: &mut RequestContext,
    view: &View,
    number: Number,
    fields: &Fields,
    needs_reason: bool,
    make: impl Fn(&StoredTournament) -> Result<Change, Refused> + Send + 'static,
) -> Result<(), Refused> {
    let bearer = sign_in_to_direct(context, fields, Some(number))?;
    let by = by(context, view, fields, needs_reason)?;
    change(context, bearer, number, by, move |stored| Ok(vec![make(stored)?])).await?;
    Ok(())
}

/// Undoes the change that the form saw as the last one.
async fn undo(context: &mut RequestContext, view: &View, number: Number, fields: &Fields) -> Result<(), Refused> {
    sign_in_to_direct(context, fields, Some(number))?;
    let by = by(context, view, fields, true)?;
    let seen = fields.number(CHANGE).filter(|seen| *seen != number);
    let undo = move |writing: &WriteTx<'_>| -> Result<_, Refused> {
        let stored = writing.tournament(number)?.ok_or(Refusal::NoTournament)?;
        check_seen(&stored, seen, "tournament.undo-moved")?;
        writing.undo(stored.changed, &by).map_err(|refusal| match refusal {
            Refusal::BreaksLaterChange(_, fault) => (*fault).into(),
            refusal => refusal.into(),
        })
    };
    context.write(undo).await?;
    Ok(())
}
