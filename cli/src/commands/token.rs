//! `quipu token`: adds, lists and revokes tokens.

use std::io::Write;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use clap::ArgMatches;
use quipu_archive::{
    model::{Number, TokenLimit},
    report::{TokenLimitReport, TokenReport},
    store::{StoreError, TokenRefusal},
};
use quipu_options::Scope;
use quipu_referee::report;

use super::archive::{failure, open_or_create_store, open_store};
use crate::{
    args::{number, text},
    context::{CommandError, CommandResult, Context, ExitStatus, harmless, print_to_stderr, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

pub(super) fn add(context: Context, matches: &ArgMatches) -> CommandResult {
    let missing = |argument: &str| CommandError::Usage(context.fill("usage.missing", &[("argument", &argument)]));
    let name = text(matches, "name").ok_or_else(|| missing("--name"))?.to_owned();
    let scopes = matches.get_many::<String>("scope").ok_or_else(|| missing("--scope"))?;
    let scopes: Vec<_> = scopes.filter_map(|scope| Scope::parse(scope)).collect();
    let found = text(matches, "expires");
    let wrong = |found: &str| CommandError::Usage(context.fill("token.add.bad-expiry", &[("found", &harmless(found))]));
    let expires = found.map(|found| expiry(found, Utc::now()).ok_or_else(|| wrong(found))).transpose()?;
    let limit = limit(context, matches)?;
    let store = open_or_create_store(context, matches)?;
    let own = name.clone();
    let made = store.write(move |writing| writing.add_limited_token(&own, &scopes, expires, limit)).wait();
    let (token, secret) = made.map_err(|refusal| match refusal {
        TokenRefusal::NoTournament => {
            let tournament = limit.map_or(0, |limit| limit.tournament);
            CommandError::Usage(context.fill("token.add.no-tournament", &[("tournament", &tournament)]))
        }
        TokenRefusal::Expired => {
            let found = harmless(found.unwrap_or_default());
            CommandError::Usage(context.fill("token.add.past", &[("found", &found)]))
        }
        refusal => refused(context, &name, &refusal),
    })?;
    let mut out = stdout();
    writeln!(out, "{}", secret.reveal())?;
    out.flush()?;
    print_to_stderr(context.fill("token.add.done", &[("id", &token.id), ("name", &token.name)]));
    Ok(ExitStatus::Clean)
}

/// The limit on the command line: a tournament, or a board of it with its round.
fn limit(context: Context, matches: &ArgMatches) -> Result<Option<TokenLimit>, CommandError> {
    let tournament = matches.get_one("tournament").map(|asked: &u64| Number::try_from(*asked).unwrap_or(Number::MAX));
    match (tournament, number(matches, "round"), number(matches, "board")) {
        (None, None, None) => Ok(None),
        (Some(tournament), None, None) => Ok(Some(TokenLimit { tournament, board: None, players: None })),
        (Some(tournament), Some(round), Some(board)) => {
            Ok(Some(TokenLimit { tournament, board: Some((round, board)), players: None }))
        }
        _ => Err(CommandError::Usage(context.say("token.add.limit").to_owned())),
    }
}

/// Units of a duration in minutes.
const UNITS: [(char, i64); 4] = [('m', 1), ('h', 60), ('d', 24 * 60), ('w', 7 * 24 * 60)];

/// The time of an expiry: the end of a day in UTC, a time in RFC 3339, or a duration from now.
fn expiry(text: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Some(day.succ_opt()?.and_time(NaiveTime::MIN).and_utc());
    }
    let (unit, minutes) = UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let count = text.strip_suffix(unit)?;
    let count: i64 = count.parse().ok().filter(|_| count.bytes().all(|byte| byte.is_ascii_digit()))?;
    now.checked_add_signed(TimeDelta::try_minutes(count.checked_mul(minutes)?)?)
}

/// A refusal about a token in words.
fn refused(context: Context, name: &str, refusal: &TokenRefusal) -> CommandError {
    CommandError::Usage(match refusal {
        TokenRefusal::Store(error) => return failure(context, error),
        TokenRefusal::Name => context.say("token.add.bad-name").to_owned(),
        TokenRefusal::Taken => context.fill("token.add.taken", &[("name", &name)]),
        TokenRefusal::TooMany(most) => context.fill("token.add.many", &[("most", most)]),
        TokenRefusal::TooManyOfBoards(most) => context.fill("token.add.many-boards", &[("most", most)]),
        TokenRefusal::NoScope => context.fill("usage.missing", &[("argument", &"--scope")]),
        TokenRefusal::Unlimited => context.say("token.add.unlimited").to_owned(),
        // Only a token that is made has an expiry or a limit.
        TokenRefusal::NoToken | TokenRefusal::Revoked(_) | TokenRefusal::Expired | TokenRefusal::NoTournament => {
            context.fill("token.revoke.unknown", &[("name", &name)])
        }
    })
}

pub(super) fn list(context: Context, matches: &ArgMatches) -> CommandResult {
    let store = open_store(context, matches)?;
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime, and this of any")]
    let tokens = store.read(|reading| reading.tokens()).map_err(|error: StoreError| failure(context, &error))?;
    let mut out = stdout();
    if matches.get_flag("json") {
        let reports: Vec<_> = tokens.iter().map(TokenReport::new).collect();
        report::write(&reports, &mut out)?;
    } else {
        let columns = vec![
            TableColumn::text("id", context.say("token.column.id")),
            TableColumn::text("name", context.say("token.column.name")),
            TableColumn::text("scopes", context.say("token.column.scopes")),
            TableColumn::text("limit", context.say("token.column.limit")),
            TableColumn::text("created", context.say("token.column.created")),
            TableColumn::text("expires", context.say("token.column.expires")),
            TableColumn::text("revoked", context.say("token.column.revoked")),
        ];
        let rows = tokens.iter().map(TokenReport::new).map(|token| {
            let scopes = token.scopes.join(" ");
            let (expires, revoked) = (TableCell::maybe(token.expires), TableCell::maybe(token.revoked));
            vec![
                TableCell::of(token.id),
                TableCell::foreign(token.name),
                TableCell::of(scopes),
                TableCell::maybe(token.limit.map(|limit| limited(context, &limit))),
                TableCell::of(token.created),
                expires,
                revoked,
            ]
        });
        let table = Table { headings: Vec::new(), columns, rows: rows.collect() };
        table::print(context, TableFormat::Text, &[table], &mut out)?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

/// The limit of a token in words.
fn limited(context: Context, limit: &TokenLimitReport) -> String {
    match (limit.round, limit.board) {
        (Some(round), Some(board)) => context
            .fill("token.limit.board", &[("tournament", &limit.tournament), ("round", &round), ("board", &board)]),
        _ => context.fill("token.limit.tournament", &[("tournament", &limit.tournament)]),
    }
}

pub(super) fn revoke(context: Context, matches: &ArgMatches) -> CommandResult {
    let wanted = text(matches, "token").unwrap_or_default().to_owned();
    let store = open_store(context, matches)?;
    let own = wanted.clone();
    match store.write(move |writing| writing.revoke(&own)).wait() {
        Ok(token) => print_to_stderr(context.fill("token.revoke.done", &[("id", &token.id), ("name", &token.name)])),
        // The token is revoked, as requested.
        Err(TokenRefusal::Revoked(_)) => print_to_stderr(context.fill("token.revoke.before", &[("name", &wanted)])),
        Err(refusal) => return Err(refused(context, &wanted, &refusal)),
    }
    Ok(ExitStatus::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let now = DateTime::parse_from_rfc3339("2026-08-15T14:03:07Z").expect("a time").to_utc();
        let expected = expected.map(|time| DateTime::parse_from_rfc3339(time).expect("a time").to_utc());
        assert_eq!(expiry(text, now), expected, "{text}");
    }

    #[test]
    fn expiries() {
        check("2026-12-31", Some("2027-01-01T00:00:00Z"));
        check("2026-12-31T18:00:00-05:00", Some("2026-12-31T23:00:00Z"));
        check("90m", Some("2026-08-15T15:33:07Z"));
        check("12h", Some("2026-08-16T02:03:07Z"));
        check("30d", Some("2026-09-14T14:03:07Z"));
        check("8w", Some("2026-10-10T14:03:07Z"));
        // Not in the future, which the archive refuses.
        check("0d", Some("2026-08-15T14:03:07Z"));
        for text in ["", "d", "7", "-1d", "+1d", "1.5h", "1y", "2026-13-01", "2026-12-31T18:00:00", "9999999999999999w"]
        {
            check(text, None);
        }
        check("99999999999999999999d", None);
    }
}
