//! JSON of the archive, for the commands and the service alike.

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Number, StoredToken, TokenLimit};

mod card;
mod change;
mod history;
mod position;
mod tournament;
mod webhook;

pub use card::CardReport;
pub use change::{ChangeReport, NewsReport};
pub use history::{HistoryReport, RecordReport, Verdict};
pub use position::PositionReport;
pub use tournament::{
    BoardReport, CreatedReport, EntriesReport, FaultReport, ListedReport, PairedReport, PairingReport,
    PlayerCardReport, ProspectsReport, RoundReport, StandingsReport, TournamentReport,
};
pub use webhook::{DeliveryReport, WebhookReport};

/// A time in RFC 3339 with milliseconds, UTC.
pub fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Counts of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// The folder of the archive.
    pub archive: String,
    /// Files that were read.
    pub files: usize,
    /// Records that were read.
    pub read: u64,
    /// Records that were stored.
    pub new: u64,
    /// Records that the archive had before.
    pub duplicate: u64,
    /// Incomplete records, stored or not.
    pub incomplete: u64,
    /// Rejected records, stored or not.
    pub rejected: u64,
    /// Unreadable records, stored or not.
    pub unreadable: u64,
    /// Warnings about records that are stored.
    #[serde(skip_serializing_if = "is_zero")]
    pub warnings: u64,
    /// Advice on records that are stored.
    #[serde(skip_serializing_if = "is_zero")]
    pub advice: u64,
    /// New records that are further sheets of a game, and so do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub sheets: u64,
    /// New records that contradict one before them.
    #[serde(skip_serializing_if = "is_zero")]
    pub contradictions: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A token without its secret. Times are RFC 3339 in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Token")]
pub struct TokenReport<'t> {
    /// Its public id.
    pub id: &'t str,
    /// Its name.
    pub name: &'t str,
    /// Its scopes.
    pub scopes: Vec<&'static str>,
    /// Time of its creation.
    #[schemars(extend("format" = "date-time"))]
    pub created: String,
    /// Time from which it is void, if it expires.
    #[schemars(extend("format" = "date-time"))]
    pub expires: Option<String>,
    /// Time of its revocation, if it was revoked.
    #[schemars(extend("format" = "date-time"))]
    pub revoked: Option<String>,
    /// The only tournament or board that it may change, if it is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<TokenLimitReport>,
}

/// A limit of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TokenLimit")]
pub struct TokenLimitReport {
    /// The tournament.
    #[schemars(range(min = 1))]
    pub tournament: Number,
    /// The round of the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub round: Option<u32>,
    /// The board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub board: Option<u32>,
}

impl From<TokenLimit> for TokenLimitReport {
    fn from(limit: TokenLimit) -> Self {
        let (round, board) = limit.board.unzip();
        Self { tournament: limit.tournament, round, board }
    }
}

impl<'t> TokenReport<'t> {
    /// The report of a stored token.
    pub fn new(token: &'t StoredToken) -> Self {
        Self {
            id: &token.id,
            name: &token.name,
            scopes: token.scopes.iter().map(|scope| scope.as_str()).collect(),
            created: time(token.created),
            expires: token.expires.map(time),
            revoked: token.revoked.map(time),
            limit: token.limit.map(TokenLimitReport::from),
        }
    }
}
