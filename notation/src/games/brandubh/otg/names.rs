//! Names of tags and ends that a replay and a record share.

/// Tags of `OpenTafl` and the tags of a record that mean the same.
const TAGS: [(&str, &str); 7] = [
    ("event", "Event"),
    ("site", "Site"),
    ("date", "Date"),
    ("round", "Round"),
    ("attackers", "Rojos"),
    ("defenders", "Negros"),
    ("annotator", "Annotator"),
];

/// Tags of `OpenTafl` with a meaning of their own.
const SPECIAL: [&str; 7] =
    ["rules", "position", "result", "termination", "time-control", "start-comment", "starting-comment"];

/// Prefix of a tag that a record has no name for.
pub(super) const FOREIGN: &str = "Otg_";

/// Prefix of a tag that `OpenTafl` has no name for: `[quipu-UTCDate:2026.08.15]`.
pub(super) const OWN: &str = "quipu-";

/// The name of an empty tag of quipu in a replay whose record has no tag `Result`. It is the name of no tag of a record.
pub(super) const NO_RESULT: &str = "quipu-no-Result";

/// The token of a resignation.
pub(super) const RESIGNS: &str = "---";

/// Terminations, and the sentences that they are written as.
const ENDS: [(&str, &str); 8] = [
    ("resignation", "Ended by resignation"),
    ("time", "Ended on time"),
    ("agreement", "Ended by agreement"),
    ("adjudication", "Ended by adjudication"),
    ("abandoned", "Ended unfinished, abandoned"),
    ("corner", "Ended with the king on a corner"),
    ("king-captured", "Ended with the capture of the king"),
    ("immobile", "Ended with a side that cannot move"),
];

/// The tag of a record that means the same as one of `OpenTafl`.
pub(super) fn tag_of_record(name: &str) -> Option<&'static str> {
    TAGS.iter().find(|(otg, _)| *otg == name).map(|(_, ours)| *ours)
}

/// The tag of `OpenTafl` that means the same as one of a record, or from which it came.
pub(super) fn tag_of_replay(name: &str) -> Option<String> {
    if let Some((otg, _)) = TAGS.iter().find(|(_, ours)| *ours == name) {
        return Some((*otg).to_owned());
    }
    // The names of OpenTafl have hyphens for the underscores of ours.
    let otg = name.strip_prefix(FOREIGN)?.replace('_', "-");
    let is_other = !otg.is_empty() && tag_of_record(&otg).is_none() && !SPECIAL.contains(&&*otg);
    (is_other && !otg.starts_with(OWN)).then_some(otg)
}

/// The termination that is written as this sentence.
pub(super) fn end_written(sentence: &str) -> Option<&'static str> {
    ENDS.iter().find(|(_, written)| *written == sentence).map(|(end, _)| *end)
}

/// The sentence that a termination is written as.
pub(super) fn sentence(end: &str) -> Option<&'static str> {
    ENDS.iter().find(|(name, _)| *name == end).map(|(_, written)| *written)
}
