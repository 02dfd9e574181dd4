//! Stores the records of a pile that an organiser chose, as `POST /v1/records` does: each by itself, so that one which is refused
//! holds up no other.

use std::{collections::BTreeMap, sync::Arc};

use quipu_archive::{
    model::{Attribution, RecordState, Submission},
    store::{Added, Pending, Refusal, Relations, Store, StoreError, WriteTx},
};
use quipu_notation::record::{Chunk, Format, write::OutputFormat};
use quipu_options::Scope;
use quipu_referee::{Status, repaired};

use super::{
    super::{
        change::{Refused, by},
        fields::Fields,
    },
    fit::{Fit, Proposal, Step},
    pile::Sheet,
};
use crate::{
    auth::{self, Bearer},
    pages::{check::stamp, frame::View},
    params,
    problem::Problem,
    request::RequestContext,
    route::Access,
    routes::{shared::WRITE, submit::Submitter},
};

/// The id of a record that was chosen, and the place and change that the form showed: `2f… 1-2-1 Round=1`.
pub(super) const CHOSEN: &str = "store";

/// The id of a record that had a box.
pub(super) const OFFERED: &str = "offered";

/// The result for a record that was chosen.
pub(super) enum StoreResult {
    New,
    AlreadyStored,
    /// It is not stored; the reason.
    Refused(String),
}

/// Results by the indices of records.
pub(super) type Outcomes = BTreeMap<usize, StoreResult>;

struct Job {
    index: usize,
    submission: Submission,
    /// Names that are merged, the first into the second.
    names: Vec<[String; 2]>,
}

/// The reason that a record is not stored.
enum JobError {
    Problem(Problem),
    /// This name counts as another player already.
    Merged(String, String),
    Refused,
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        Self::Problem(error.into())
    }
}

impl From<Problem> for JobError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// The records that a form chose: their indices, and what it showed for them.
fn chosen(fields: &Fields, sheets: &[Sheet]) -> BTreeMap<usize, String> {
    let choice = |value: &str| {
        let (id, seen) = value.split_once(' ')?;
        let id = params::id(id)?;
        // Numbers of rows differ from those that the form showed, because it keeps not every record.
        let index = sheets.iter().position(|sheet| sheet.submission.id == id)?;
        Some((index, seen.to_owned()))
    };
    fields.all(CHOSEN).filter_map(choice).collect()
}

/// Stores the chosen records, and puts those that were changed into the pile.
///
/// # Errors
/// If the token or the reason does not allow any of it.
pub(super) async fn store(
    context: &mut RequestContext,
    view: &View,
    fields: &Fields,
    fits: &[Fit],
    sheets: &mut [Sheet],
) -> Result<Outcomes, Refused> {
    let bearer = auth::holder_in_form(fields.token(), WRITE, context.store(), context.settings().query_timeout)?;
    context.bearer = Some(bearer.clone());
    let (mut outcomes, mut jobs) = (Outcomes::new(), Vec::new());
    for (index, seen) in chosen(fields, sheets) {
        let Some((fit, sheet)) = fits.get(index).zip(sheets.get(index)) else { continue };
        if fit.state == Some(RecordState::Current) {
            outcomes.insert(index, StoreResult::AlreadyStored);
        } else if fit.seen().as_ref() != Some(&seen) {
            outcomes.insert(index, StoreResult::Refused(view.say("pile.moved").to_owned()));
        } else {
            match job(index, fit, sheet, &bearer) {
                Some(job) => jobs.push(job),
                None => drop(outcomes.insert(index, StoreResult::Refused(view.say("pile.not-completed").to_owned()))),
            }
        }
    }
    if outcomes.is_empty() && jobs.is_empty() {
        return Err(Refused::Said(view.say("pile.nothing-chosen").to_owned()));
    }
    let is_merging = jobs.iter().any(|job| !job.names.is_empty());
    if is_merging {
        // Names are merged in the whole archive.
        auth::holder_in_form(
            fields.token(),
            Access::Scope(Scope::EventsAdmin),
            context.store(),
            context.settings().query_timeout,
        )?;
        bearer.may_direct(None)?;
    }
    let storing = Storing {
        submitter: Submitter::of(context, false).await?,
        store: context.store().clone(),
        plain: context.by(None, None),
        merging: by(context, view, fields, is_merging)?,
        bearer,
    };
    for job in &jobs {
        context.count_verdicts(job.submission.verdict.status, 1);
    }
    let permit = context.permit().await?;
    let done = context.work_with(permit, move || Ok(storing.run(jobs))).await?;
    for (index, submission, done) in done {
        sheets[index].submission = submission;
        outcomes.insert(index, outcome(view, done));
    }
    Ok(outcomes)
}

fn outcome(view: &View, done: Result<Added, JobError>) -> StoreResult {
    match done {
        Ok(Added::New(_)) => StoreResult::New,
        Ok(Added::AlreadyStored(..)) => StoreResult::AlreadyStored,
        Ok(Added::Refused) | Err(JobError::Refused) => StoreResult::Refused(view.say("pile.refused").to_owned()),
        Err(JobError::Problem(problem)) => StoreResult::Refused(problem.detail(view.lang)),
        Err(JobError::Merged(name, into)) => {
            StoreResult::Refused(view.fill("pile.merged", &[("name", &name), ("into", &into)]))
        }
    }
}

/// A record with the change that the organiser confirmed; none if it is not verified with it.
fn job(index: usize, fit: &Fit, sheet: &Sheet, bearer: &Bearer) -> Option<Job> {
    let submission = sheet.submission.clone();
    let step = fit.place.is_err().then_some(fit.proposal.as_ref()).flatten().map(|proposal| &proposal.step);
    match step {
        None => Some(Job { index, submission, names: Vec::new() }),
        Some(Step::Names(names)) => Some(Job { index, submission, names: names.clone() }),
        Some(Step::Tags(tags)) => {
            let text = completed(&submission, tags, Some(&bearer.name))?;
            let submission = Submission::again(text.as_bytes(), Format::Quipu)?;
            (submission.verdict.status == Status::Verified).then_some(Job { index, submission, names: Vec::new() })
        }
    }
}

/// The text of a record with tags that it lacks.
fn completed(submission: &Submission, tags: &[(&'static str, String)], person: Option<&str>) -> Option<String> {
    let chunk = Chunk::in_format(&submission.source, submission.format);
    let record = repaired::owned(&chunk.records().next()?.ok()?);
    Some(OutputFormat::Quipu.write(&repaired::completed(&record, tags, stamp(person))).0)
}

/// The text of a record with the tags of a proposal, as it would be stored.
pub(super) fn preview(sheet: &Sheet, proposal: &Proposal) -> Option<String> {
    let Step::Tags(tags) = &proposal.step else { return None };
    completed(&sheet.submission, tags, None)
}

/// A record on its way to the disk.
enum Queued {
    Record(Pending<Vec<(Added, Relations)>, Problem>),
    Merge(Pending<Added, JobError>),
}

impl Queued {
    fn wait(self) -> Result<Added, JobError> {
        match self {
            Self::Record(pending) => pending.wait()?.pop().map(|(added, _)| added).ok_or(JobError::Refused),
            Self::Merge(pending) => pending.wait(),
        }
    }
}

/// The attribution of the records, and the checks of the token.
struct Storing {
    submitter: Submitter,
    store: Store,
    bearer: Bearer,
    plain: Attribution,
    merging: Attribution,
}

impl Storing {
    /// Stores records, each in a transaction of its own. Blocks the thread.
    fn run(self, jobs: Vec<Job>) -> Vec<(usize, Submission, Result<Added, JobError>)> {
        let queued: Vec<_> = jobs.into_iter().enumerate().map(|(place, job)| self.queue(job, place == 0)).collect();
        queued.into_iter().map(|(index, submission, queued)| (index, submission, queued.wait())).collect()
    }

    fn queue(&self, Job { index, submission, names }: Job, is_first: bool) -> (usize, Submission, Queued) {
        let queued = if names.is_empty() {
            let all = Arc::new(vec![submission.clone()]);
            Queued::Record(self.submitter.add(&all, is_first))
        } else {
            Queued::Merge(self.add_and_merge(submission.clone(), names))
        };
        (index, submission, queued)
    }

    /// Stores a record and merges names of its players, both or nothing.
    fn add_and_merge(&self, submission: Submission, names: Vec<[String; 2]>) -> Pending<Added, JobError> {
        let (bearer, plain, merging) = (self.bearer.clone(), self.plain.clone(), self.merging.clone());
        let job = move |writing: &WriteTx<'_>| -> Result<Added, JobError> {
            bearer.check(writing)?;
            let added = writing.add(&submission, &plain, false)?;
            for [name, into] in &names {
                match writing.merge_into_entrant(name, into, &merging) {
                    Ok(_) => {}
                    Err(Refusal::Store(error)) => return Err(error.into()),
                    Err(Refusal::AlreadyMerged(name, other)) if name != *into && other == *into => {}
                    Err(Refusal::AlreadyMerged(name, other)) => return Err(JobError::Merged(name, other)),
                    Err(_) => return Err(JobError::Refused),
                }
            }
            Ok(added)
        };
        self.store.write_blocking(job)
    }
}
