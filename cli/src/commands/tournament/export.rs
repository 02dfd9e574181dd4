//! `quipu tournament export`: report files of FIDE, workbooks, and lists to hang on the wall.

use std::io::{self, IsTerminal, Write};

use clap::ArgMatches;
use quipu_archive::store::StoredTournament;
use quipu_tournament::{
    exchange::trf::{self, Edition},
    fault::Fault,
};

use super::{NotDone, read, remark};
use crate::{
    args::{number, text},
    context::{CommandError, CommandResult, Context, ExitStatus},
    output::{self, Output},
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExportFormat {
    Trf(Edition),
    Xlsx,
    Pdf,
}

impl ExportFormat {
    fn parse(name: &str) -> Self {
        match name {
            "trf16" => Self::Trf(Edition::Trf16),
            "xlsx" => Self::Xlsx,
            "pdf" => Self::Pdf,
            _ => Self::Trf(Edition::Trf26),
        }
    }
}

pub(crate) fn run(context: Context, matches: &ArgMatches) -> CommandResult {
    let name = text(matches, "to").unwrap_or("trf26");
    let (format, is_text) = (ExportFormat::parse(name), name.starts_with("trf"));
    let (round, order) = (number(matches, "round"), text(matches, "order"));
    let idle = match (format, round) {
        (ExportFormat::Pdf, Some(_)) => None,
        (ExportFormat::Pdf, None) if order.is_some() => {
            return Err(CommandError::Usage(context.fill("usage.missing", &[("argument", &"--round")])));
        }
        _ => round.map(|_| "--round").or(order.map(|_| "--order")),
    };
    if let Some(option) = idle {
        return Err(CommandError::Usage(
            context.fill("tournament.export.idle", &[("option", &option), ("form", &name)]),
        ));
    }
    if !is_text && output::path_asked(matches).is_none() && io::stdout().is_terminal() {
        return Err(CommandError::Usage(context.fill("draw.terminal", &[("form", &name)])));
    }
    let failed = output::failed(context, matches);
    let mut out = Output::from_args(context, matches, is_text)?;
    let stored = read(context, matches)?;
    let mut remarks = Vec::new();
    let file = match format {
        ExportFormat::Trf(edition) => {
            let (file, left_out) = trf::write(&stored.tournament, edition);
            remarks = left_out;
            file.into_bytes()
        }
        ExportFormat::Xlsx => workbook(context, &stored)?,
        ExportFormat::Pdf => match printed(context, &stored, round, order)? {
            Ok(file) => file,
            Err(fault) => return NotDone::from(fault).tell(context, stored.number),
        },
    };
    out.write_all(&file).map_err(&failed)?;
    out.finish().map_err(&failed)?;
    remark(context, &remarks);
    Ok(ExitStatus::Clean)
}

#[cfg(feature = "spreadsheets")]
fn workbook(context: Context, stored: &StoredTournament) -> Result<Vec<u8>, CommandError> {
    use quipu_tournament::exchange::xlsx;
    let too_large = |error| CommandError::from(io::Error::new(io::ErrorKind::FileTooLarge, error));
    xlsx::write(&stored.tournament, stored.game, context.lang).map_err(too_large)
}

#[cfg(not(feature = "spreadsheets"))]
fn workbook(context: Context, _: &StoredTournament) -> Result<Vec<u8>, CommandError> {
    Err(CommandError::Usage(context.fill("command.not-built", &[("command", &"tournament export --to xlsx")])))
}

/// The crosstable, or the pairings of a round.
#[cfg(feature = "draw")]
#[expect(clippy::unnecessary_wraps, reason = "a build without pictures fails")]
fn printed(
    context: Context,
    stored: &StoredTournament,
    round: Option<u32>,
    order: Option<&str>,
) -> Result<Result<Vec<u8>, Fault>, CommandError> {
    use quipu_tournament::tables::{ListOrder, Tables};
    let tables = Tables::new(&stored.tournament, stored.game, context.lang);
    let Some(round) = round else { return Ok(Ok(quipu_pictures::wall_chart_pdf(&tables.crosstable(), context.lang))) };
    let order = order.and_then(ListOrder::parse).unwrap_or_default();
    let list = |round| tables.pairings(round, order);
    Ok(super::round_of(stored, Some(round))
        .map(|round| list(round).map(|list| quipu_pictures::wall_list_pdf(&list, context.lang)).unwrap_or_default()))
}

#[cfg(not(feature = "draw"))]
fn printed(
    context: Context,
    _: &StoredTournament,
    _: Option<u32>,
    _: Option<&str>,
) -> Result<Result<Vec<u8>, Fault>, CommandError> {
    Err(CommandError::Usage(context.fill("command.not-built", &[("command", &"tournament export --to pdf")])))
}
