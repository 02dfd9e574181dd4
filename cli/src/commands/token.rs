//! `quipu token`: adds, lists and revokes tokens.

use std::io::Write;

use clap::ArgMatches;
use quipu_archive::{
    report::TokenReport,
    store::{StoreError, TokenRefusal},
};
use quipu_options::Scope;
use quipu_referee::report;

use super::archive::{failure, open_or_create_store, open_store};
use crate::{
    args::text,
    context::{CommandError, CommandResult, Context, ExitStatus, complain, stdout},
    table::{self, Table, TableCell, TableColumn, TableFormat},
};

pub(super) fn add(context: Context, matches: &ArgMatches) -> CommandResult {
    let missing = |argument: &str| CommandError::Usage(context.fill("usage.missing", &[("argument", &argument)]));
    let name = text(matches, "name").ok_or_else(|| missing("--name"))?.to_owned();
    let scopes = matches.get_many::<String>("scope").ok_or_else(|| missing("--scope"))?;
    let scopes: Vec<_> = scopes.filter_map(|scope| Scope::parse(scope)).collect();
    let store = open_or_create_store(context, matches)?;
    let own = name.clone();
    let made = store.write(move |writing| writing.add_token(&own, &scopes)).wait();
    let (token, secret) = made.map_err(|refusal| refused(context, &name, &refusal))?;
    let mut out = stdout();
    writeln!(out, "{}", secret.reveal())?;
    out.flush()?;
    complain(context.fill("token.add.done", &[("id", &token.id), ("name", &token.name)]));
    Ok(ExitStatus::Clean)
}

/// A refusal about a token in words.
fn refused(context: Context, name: &str, refusal: &TokenRefusal) -> CommandError {
    CommandError::Usage(match refusal {
        TokenRefusal::Store(error) => return failure(context, error),
        TokenRefusal::Name => context.say("token.add.bad-name").to_owned(),
        TokenRefusal::Taken => context.fill("token.add.taken", &[("name", &name)]),
        TokenRefusal::NoScope => context.fill("usage.missing", &[("argument", &"--scope")]),
        TokenRefusal::NoToken | TokenRefusal::Revoked(_) => context.fill("token.revoke.unknown", &[("name", &name)]),
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
            TableColumn::text("created", context.say("token.column.created")),
            TableColumn::text("revoked", context.say("token.column.revoked")),
        ];
        let rows = tokens.iter().map(TokenReport::new).map(|token| {
            let scopes = token.scopes.join(" ");
            let revoked = TableCell::maybe(token.revoked);
            vec![
                TableCell::of(token.id),
                TableCell::foreign(token.name),
                TableCell::of(scopes),
                TableCell::of(token.created),
                revoked,
            ]
        });
        let table = Table { headings: Vec::new(), columns, rows: rows.collect() };
        table::print(context, TableFormat::Text, &[table], &mut out)?;
    }
    out.flush()?;
    Ok(ExitStatus::Clean)
}

pub(super) fn revoke(context: Context, matches: &ArgMatches) -> CommandResult {
    let wanted = text(matches, "token").unwrap_or_default().to_owned();
    let store = open_store(context, matches)?;
    let own = wanted.clone();
    match store.write(move |writing| writing.revoke(&own)).wait() {
        Ok(token) => complain(context.fill("token.revoke.done", &[("id", &token.id), ("name", &token.name)])),
        // The token is revoked, as requested.
        Err(TokenRefusal::Revoked(_)) => complain(context.fill("token.revoke.before", &[("name", &wanted)])),
        Err(refusal) => return Err(refused(context, &wanted, &refusal)),
    }
    Ok(ExitStatus::Clean)
}
