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
    input::{self, Source},
    output::Output,
    parse::{form, text},
    rewrite,
};

pub(crate) fn run(context: Context, matches: &ArgMatches) -> Outcome {
    let file = matches.get_one("file").expect("the parser asks for it");
    let layout = text(matches, "to")
        .and_then(Layout::parse)
        .ok_or_else(|| Stop::Usage(context.fill("usage.missing", &[("argument", &"--to")])))?;
    let (source, reader) = Source::open_one(context, file, form(matches))?;
    let out = match matches.get_one::<OsString>("output") {
        Some(path) => Output::file(Path::new(path)).map_err(|error| failed(context, path, &error))?,
        None => Output::stdout(),
    };
    let mut pages = Pages { layout, out, first: None, many: false };
    let mut omitted = Omitted::default();
    let refused = rewrite::each(context, &source, reader, |_, record| {
        let (page, left_out) = layout.write(record);
        omitted += left_out;
        Ok(pages.add(page)?)
    })?;
    let ended = pages.end();
    match matches.get_one::<OsString>("output") {
        Some(path) => ended.map_err(|error| failed(context, path, &error))?,
        None => ended?,
    }
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

fn failed(context: Context, path: &OsString, error: &io::Error) -> Stop {
    let file = crate::context::harmless(&Path::new(path).display().to_string());
    Stop::Failed(context.fill("output.failed", &[("file", &file), ("error", &input::reason(context, error))]))
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
        if let Some(only) = self.first.take() {
            self.out.write_all(only.as_bytes())?;
        }
        if self.many {
            self.out.write_all(b"\n]\n")?;
        }
        self.out.finish()
    }
}
