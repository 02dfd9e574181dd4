//! Submission of checked records with a token that is typed into the page, as `POST /v1/records` does it.

use std::{io::Cursor, sync::Arc};

use actix_web::web::Bytes;
use maud::{Markup, html};
use quipu_archive::{
    model::{Id, Submission},
    store::{Added, Relations},
};
use quipu_referee::{Status, report::hex};

use super::{
    fields, form,
    judged::{LISTED, names},
    text::{JoinedText, Source},
};
use crate::{
    auth,
    pages::frame::{View, line},
    problem::{self, Problem},
    request::RequestContext,
    routes::{
        ingest::{Ingest, RequestInfo},
        shared::WRITE,
        submit::{self, Submitter},
    },
};

/// The records that were submitted.
#[derive(Default)]
pub(super) struct Submitted {
    /// The first of those that are in the archive.
    records: Vec<StoredRecord>,
    new: u64,
    /// They were in the archive before.
    there: u64,
    /// They are not verified, or were not chosen.
    left: u64,
    /// The reason that the submission ended early.
    pub(super) problem: Option<Problem>,
}

struct StoredRecord {
    id: Id,
    title: String,
    is_new: bool,
    related: Relations,
}

/// Submits the verified records of a source, or the one with an id. Returns what is left: the source itself if the text
/// box cannot hold the rest.
///
/// # Errors
/// `api.token` or `api.scope`; later ones are in the result.
pub(super) async fn submit(
    context: &mut RequestContext,
    source: &Source,
    only: Option<Id>,
    token: Option<&str>,
) -> Result<(Submitted, Source), Problem> {
    context.bearer = Some(auth::holder_in_form(token, WRITE, context.store(), context.settings().query_timeout)?);
    let (client, info) = (Submitter::of(context, false).await?, RequestInfo::of(context));
    let permit = context.permit().await?;
    let body = Cursor::new(source.bytes.clone());
    let ingest = Ingest::in_format(context, body, submit::judge, source.form.clone()).at_once(permit);
    let work = move || Ok(submit_all(ingest, &client, &info, only));
    let (submitted, rest) = context.work_with((), work).await?;
    Ok((submitted, rest.unwrap_or_else(|| source.clone())))
}

fn submit_all(
    mut ingest: Ingest<Cursor<Bytes>, Submission>,
    client: &Submitter,
    info: &RequestInfo,
    only: Option<Id>,
) -> (Submitted, Option<Source>) {
    let (mut found, mut rest) = (Submitted::default(), JoinedText::default());
    let mut is_whole = true;
    let mut leave = |submission: &Submission| {
        is_whole &= submission.is_whole();
        rest.push(submission.format, &submission.source);
    };
    loop {
        let batch = match ingest.next_batch() {
            Ok(Some(batch)) => batch,
            Ok(None) => break,
            Err(problem) => {
                found.problem = Some(problem);
                return (found, None);
            }
        };
        let is_chosen = |one: &Submission| one.verdict.status == Status::Verified && only.is_none_or(|id| id == one.id);
        let (chosen, left): (Vec<_>, Vec<_>) = batch.into_iter().partition(is_chosen);
        left.iter().for_each(&mut leave);
        found.left += left.len() as u64;
        let chosen = Arc::new(chosen);
        let stored =
            if chosen.is_empty() { Ok(Vec::new()) } else { client.add(&chosen, found.new + found.there == 0).wait() };
        match stored {
            Ok(stored) => {
                for (submission, (added, related)) in chosen.iter().zip(stored) {
                    info.count(submission.verdict.status);
                    if !found.note(submission, added, related) {
                        leave(submission);
                    }
                }
            }
            Err(problem) => {
                found.problem = Some(problem);
                return (found, None);
            }
        }
    }
    (found, rest.source().filter(|_| is_whole))
}

impl Submitted {
    /// Notes the result for a record; false if it is not in the archive.
    fn note(&mut self, submission: &Submission, added: Added, related: Relations) -> bool {
        let is_new = match added {
            Added::New(_) => true,
            Added::AlreadyStored(..) => false,
            Added::Refused => {
                self.left += 1;
                return false;
            }
        };
        *(if is_new { &mut self.new } else { &mut self.there }) += 1;
        if self.records.len() < LISTED {
            let title = names(submission.facts.players.each_ref().map(Option::as_deref));
            self.records.push(StoredRecord { id: submission.id, title, is_new, related });
        }
        true
    }

    /// The records in the archive, and the number of the others.
    pub(super) fn body(&self, view: &View) -> Markup {
        let Self { new, there, left, .. } = self;
        html! {
            section aria-labelledby="submitted" {
                h2 #submitted { (view.say("check.submitted")) }
                p role="status" { (view.fill("check.submitted.counts", &[("new", new), ("there", there), ("left", left)])) }
                ol.names {
                    @for record in &self.records { li { (record.body(view)) } }
                }
                @if *left > 0 { p { (view.say("check.submitted.left")) } }
            }
        }
    }
}

impl StoredRecord {
    fn body(&self, view: &View) -> Markup {
        let id = hex(&self.id);
        let Relations { sheet_of, contradicts } = &self.related;
        let other = |key: &str, id: &Id| {
            html! { (view.say(key)) " " a href=(view.href(&format!("/records/{}", hex(id)), &[])) { (view.say("check.submitted.other")) } }
        };
        html! {
            a href=(view.href(&format!("/records/{id}"), &[])) {
                @if self.title.is_empty() { (crate::pages::frame::short(&id)) } @else { (self.title) }
            }
            (line([
                Some(html! { (view.say(if self.is_new { "check.submitted.new" } else { "check.submitted.there" })) }),
                sheet_of.as_ref().map(|id| other("game.sheet-of", id)),
                contradicts.as_ref().map(|found| other("check.submitted.contradicts", &found.earlier())),
            ]))
        }
    }
}

/// The field for a token, and the button that submits all verified records of the page.
pub(super) fn section(view: &View, verified: u64, has_text: bool) -> Markup {
    html! {
        section aria-labelledby="submit" {
            h2 #submit { (view.say("check.submit")) }
            p { (view.say("check.submit.about")) }
            @if !has_text { p { (view.say("check.submit.again")) } }
            p.line {
                label for="token" { (view.say("keep.token-label")) }
                input #token form=(form::ID) name=(fields::TOKEN) type="password" autocomplete="off" spellcheck="false";
                button form=(form::ID) name=(fields::SUBMIT) value=(fields::ALL) {
                    (view.fill("check.submit.all", &[("count", &verified)]))
                }
            }
            p.note #device-token hidden { (view.say("check.submit.device")) }
        }
    }
}

/// The sentence about a submission that was refused as a whole.
pub(super) fn refusal(view: &View, problem: &Problem, token: Option<&str>) -> String {
    match problem.code() {
        code if code == problem::TOKEN.id && token.is_none() => view.say("check.submit.no-token").to_owned(),
        code if code == problem::TOKEN.id || code == problem::TOKEN_EXPIRED.id => {
            view.say("check.submit.wrong-token").to_owned()
        }
        code if code == problem::SCOPE.id => view.say("check.submit.scope").to_owned(),
        _ => problem.detail(view.lang),
    }
}
