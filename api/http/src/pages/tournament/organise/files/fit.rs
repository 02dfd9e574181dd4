//! The boards that the records of a pile belong to, or the reasons why they fit none.

use std::collections::{BTreeMap, HashMap};

use quipu_archive::{
    model::{Id, Number, RecordState, Submission},
    store::{ReadTx, StoreError, StoredTournament},
};
use quipu_referee::competition::{Entry, HashedSheet};
use quipu_tournament::{
    fault::{self, Fault},
    model::Origin,
    records::{BoardIndex, Place, result_of},
};

use super::pile::Sheet;

/// A record of a pile, and the tournament.
pub(super) struct Fit {
    /// Its state in the archive, if it is there.
    pub(super) state: Option<RecordState>,
    pub(super) place: Result<Place, Fault>,
    /// A change with which it fits.
    pub(super) proposal: Option<Proposal>,
    /// Other records of the same game, those that contradict it first.
    pub(super) others: Vec<OtherSheet>,
    /// Further ones, which are not named.
    pub(super) more: usize,
    /// True if the arbiter wrote another result.
    pub(super) other_result: bool,
}

/// Other records in the archive, and in the pile, that are named for a record.
const OTHERS: usize = 3;

/// A change that an organiser may confirm, so that a record fits.
#[derive(Clone)]
pub(super) struct Proposal {
    pub(super) place: Place,
    pub(super) step: Step,
}

#[derive(Clone)]
pub(super) enum Step {
    /// These tags are missing.
    Tags(Vec<(&'static str, String)>),
    /// Each first name counts as the second one.
    Names(Vec<[String; 2]>),
}

/// Another record of a game.
pub(super) struct OtherSheet {
    pub(super) place: OtherPlace,
    pub(super) agrees: bool,
}

pub(super) enum OtherPlace {
    Stored(Id),
    /// In the pile, by its index.
    Pile(usize),
}

impl Fit {
    /// The place that it has, or would have.
    pub(super) fn meant(&self) -> Option<Place> {
        self.place.as_ref().ok().copied().or_else(|| self.proposal.as_ref().map(|proposal| proposal.place))
    }

    /// Names other records of the same game.
    fn name(&mut self, mut others: Vec<OtherSheet>) {
        others.sort_by_key(|other| other.agrees);
        self.more += others.len().saturating_sub(OTHERS);
        others.truncate(OTHERS);
        self.others.extend(others);
    }

    /// The place and the change as the form says them back: `1-2-1 Round=1`; none if it cannot be stored for a board.
    pub(super) fn seen(&self) -> Option<String> {
        let Place { round, board, game } = self.meant()?;
        let change = self.place.is_err().then_some(self.proposal.as_ref()).flatten().map(Proposal::text);
        Some(format!("{round}-{board}-{game} {}", change.unwrap_or_default()).trim_end().to_owned())
    }
}

impl Proposal {
    fn text(&self) -> String {
        let pairs: Vec<_> = match &self.step {
            Step::Tags(tags) => tags.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            Step::Names(names) => names.iter().map(|[name, into]| format!("{name}={into}")).collect(),
        };
        pairs.join(";")
    }
}

/// The tournament with the fits of records; none if there is no such tournament.
///
/// # Errors
/// If the archive fails.
pub(super) fn fits(
    reading: &ReadTx<'_>,
    tournament: Number,
    sheets: &[Sheet],
) -> Result<Option<(StoredTournament, Vec<Fit>)>, StoreError> {
    let Some(stored) = reading.tournament(tournament)? else { return Ok(None) };
    let mut entries: Vec<_> = sheets.iter().map(|sheet| sheet.submission.facts.entry.clone()).collect();
    reading.enter_names(&stored.tournament, entries.iter_mut().flatten())?;
    let index = BoardIndex::new(&stored.tournament);
    let mut fitting = Fitting { reading, stored: &stored, index, known: HashMap::new() };
    let fits = sheets.iter().zip(&entries).map(|(sheet, entry)| fitting.fit(&sheet.submission, entry.as_ref()));
    let mut fits = fits.collect::<Result<Vec<_>, _>>()?;
    compare(&mut fits, sheets);
    Ok(Some((stored, fits)))
}

/// Notes the records of the pile that are of the same game.
fn compare(fits: &mut [Fit], sheets: &[Sheet]) {
    let facts: Vec<_> = sheets.iter().map(|sheet| sheet.submission.facts.sheet.as_ref()).collect();
    let mut placed: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for (index, fit) in fits.iter().enumerate() {
        if let Some(place) = fit.meant() {
            placed.entry(place).or_default().push(index);
        }
    }
    let is_stored: Vec<_> = fits.iter().map(|fit| fit.state.is_some()).collect();
    for indices in placed.into_values() {
        for index in &indices {
            let others = indices.iter().filter(|other| *other != index && !is_stored[**other]);
            let others = others.map(|other| OtherSheet {
                place: OtherPlace::Pile(*other),
                agrees: agree(facts[*other], facts[*index]),
            });
            fits[*index].name(others.collect());
        }
    }
}

struct Fitting<'a> {
    reading: &'a ReadTx<'a>,
    stored: &'a StoredTournament,
    index: BoardIndex<'a>,
    /// Stored records.
    known: HashMap<Id, Option<HashedSheet>>,
}

fn agree(one: Option<&HashedSheet>, other: Option<&HashedSheet>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.agrees(other))
}

impl Fitting<'_> {
    fn fit(&mut self, submission: &Submission, entry: Option<&Entry>) -> Result<Fit, StoreError> {
        let state = self.reading.find(&submission.id)?.map(|(_, state)| state);
        let place = self.place(submission, entry);
        let own = submission.facts.sheet.as_ref();
        let proposal = match (&place, entry) {
            (Err(fault), Some(entry)) => self.proposal(fault, entry, own)?,
            _ => None,
        };
        let mut fit = Fit { state, place, proposal, others: Vec::new(), more: 0, other_result: false };
        if let (Some(place), Some(entry)) = (fit.meant(), entry) {
            let mut others = Vec::new();
            for id in self.stored.bindings.at(place) {
                if id != submission.id {
                    let agrees = agree(own, self.known(&id)?);
                    others.push(OtherSheet { place: OtherPlace::Stored(id), agrees });
                }
            }
            fit.name(others);
            let outcome = result_of(entry, place.game).outcome;
            let written = self.stored.result(place);
            fit.other_result =
                written.is_some_and(|result| result.origin == Origin::Arbiter && result.outcome != outcome);
        }
        Ok(fit)
    }

    fn place(&self, submission: &Submission, entry: Option<&Entry>) -> Result<Place, Fault> {
        let Some(entry) = entry else {
            let status = format!("status.{}", submission.verdict.status.as_str());
            return Err(Fault::new(fault::NOT_VERIFIED).with("status", status));
        };
        if entry.game.id != self.stored.game.id {
            return Err(Fault::new(fault::OTHER_GAME));
        }
        match entry.event.as_deref() {
            None => Err(Fault::new(fault::NO_EVENT_GIVEN)),
            Some(event) if event != self.stored.tournament.settings.name => {
                Err(Fault::new(fault::OTHER_EVENT).with("event", event))
            }
            Some(_) => self.index.place(entry),
        }
    }

    /// The only change with which a record fits.
    fn proposal(
        &mut self,
        fault: &Fault,
        entry: &Entry,
        own: Option<&HashedSheet>,
    ) -> Result<Option<Proposal>, StoreError> {
        if fault.code == fault::OTHER_SPELLING {
            return Ok(self.same_names(entry));
        }
        if ![fault::NO_EVENT_GIVEN, fault::NO_ROUND_GIVEN, fault::NO_LEG].contains(&fault.code) {
            return Ok(None);
        }
        let Some(place) = self.only_place(entry, own)? else { return Ok(None) };
        let mut entry = entry.clone();
        let mut tags = Vec::new();
        if entry.event.is_none() {
            tags.push(("Event", self.stored.tournament.settings.name.clone()));
        }
        if entry.round.is_none() {
            tags.push(("Round", place.round.to_string()));
            entry.round = Some(place.round.to_string());
        }
        if self.index.place(&entry) != Ok(place) {
            tags.push(("Leg", place.game.to_string()));
            entry.leg = Some(place.game.to_string());
        }
        let fits = self.index.place(&entry) == Ok(place);
        Ok(fits.then_some(Proposal { place, step: Step::Tags(tags) }))
    }

    /// The only place that a game can have: of several that of a record which agrees, or the one without a record. The arbiter
    /// writes results before files arrive, so a result that has none may be that of the game.
    fn only_place(&mut self, entry: &Entry, own: Option<&HashedSheet>) -> Result<Option<Place>, StoreError> {
        let places = self.index.candidates(entry);
        if let [place] = places[..] {
            return Ok(Some(place));
        }
        for place in &places {
            for id in self.stored.bindings.at(*place) {
                if agree(own, self.known(&id)?) {
                    return Ok(Some(*place));
                }
            }
        }
        let mut open = places.into_iter().filter(|place| self.stored.bindings.at(*place).is_empty());
        let first = open.next();
        Ok(first.filter(|_| open.next().is_none()))
    }

    /// The names that are spelled differently, if the record fits with those of the tournament.
    fn same_names(&self, entry: &Entry) -> Option<Proposal> {
        let (mut entry, mut names) = (entry.clone(), Vec::new());
        loop {
            match self.index.place(&entry) {
                Ok(place) => return Some(Proposal { place, step: Step::Names(names) }),
                Err(fault) if fault.code == fault::OTHER_SPELLING && names.len() < entry.players.len() => {
                    let fact = |name: &str| fault.facts.iter().find(|(known, _)| *known == name);
                    let ((_, name), (_, likely)) = fact("player").zip(fact("likely"))?;
                    let player = entry.players.iter_mut().find(|player| *player == name)?;
                    names.push([name.clone(), likely.clone()]);
                    player.clone_from(likely);
                }
                Err(_) => return None,
            }
        }
    }

    /// A stored record.
    fn known(&mut self, id: &Id) -> Result<Option<&HashedSheet>, StoreError> {
        if !self.known.contains_key(id) {
            let source = self.reading.source(id)?;
            let submission = source.and_then(|source| Submission::again(&source.bytes, source.format));
            self.known.insert(*id, submission.and_then(|submission| submission.facts.sheet));
        }
        Ok(self.known.get(id).and_then(Option::as_ref))
    }
}
