//! `quipu convert`: records from one form into another.

use std::{
    ffi::OsString,
    io::{self, Write},
    path::Path,
};

use clap::ArgMatches;
use quipu_notation::record::write::{Layout, Omitted};

use crate::{
    context::{Context, Outcome, Status, Stop, complain},
    input::Source,
    output::{self, Output},
    parse::{form, text},
    rewrite,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> Outcome {
    let file = matches.get_one("file").expect("the parser asks for it");
    let layout = text(matches, "to")
        .and_then(Layout::parse)
        .ok_or_else(|| Stop::Usage(context.fill("usage.missing", &[("argument", &"--to")])))?;
    let (source, reader) = Source::open_one(context, file, form(matches))?;
    let path = matches.get_one::<OsString>("output").map(Path::new).filter(|path| *path != Path::new("-"));
    let out = path.map_or_else(|| Ok(Output::stdout()), Output::file);
    let failed = |error: io::Error| match path {
        Some(path) => output::failure(context, path, &error),
        None => Stop::from(error),
    };
    let mut pages = Pages { layout, out: out.map_err(failed)?, first: None, many: false };
    let mut omitted = Omitted::default();
    let refused = rewrite::each(context, &source, reader, |_, record| {
        let (page, left_out) = layout.write(record);
        omitted += left_out;
        pages.add(page).map_err(failed)
    })?;
    if refused > 0 && path.is_some_and(|path| source.is(path)) {
        // What cannot be read would be gone.
        complain(context.fill("fmt.kept", &[("file", &source.name())]));
        return Ok(Status::Findings);
    }
    pages.end().map_err(failed)?;
    if omitted != Omitted::default() {
        let Omitted { comments, annotations, variations } = omitted;
        complain(context.fill(
            "convert.omitted",
            &[
                ("form", &layout.as_str()),
                ("comments", &comments),
                ("annotations", &annotations),
                ("variations", &variations),
            ],
        ));
    }
    Ok(if refused == 0 { Status::Clean } else { Status::Findings })
}

/// Records one after another in their form. JSON wants a list as soon as there are several.
struct Pages {
    layout: Layout,
    out: Output,
    /// A first record in JSON, held back until it is known whether it stays alone.
    first: Option<String>,
    /// A list is open.
    many: bool,
}

impl Pages {
    fn add(&mut self, page: String) -> io::Result<()> {
        if self.layout != Layout::Json {
            return self.out.write_all(page.as_bytes());
        }
        match self.first.take() {
            Some(first) => {
                self.many = true;
                write!(self.out, "[\n{},\n{}", first.trim_end(), page.trim_end())
            }
            None if self.many => write!(self.out, ",\n{}", page.trim_end()),
            None => {
                self.first = Some(page);
                Ok(())
            }
        }
    }

    fn end(mut self) -> io::Result<()> {
        match self.first.take() {
            Some(only) => self.out.write_all(only.as_bytes())?,
            None if self.many => self.out.write_all(b"\n]\n")?,
            None if self.layout == Layout::Json => self.out.write_all(b"[]\n")?,
            None => {}
        }
        self.out.finish()
    }
}
