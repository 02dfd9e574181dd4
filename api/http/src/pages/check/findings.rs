//! The findings on a record, each with its place in the text, the law and the correction.

use std::collections::BTreeSet;

use maud::{Markup, html};
use quipu_notation::LineColumn;
use quipu_referee::{Diagnostic, Severity, Verdict, games, messages::catalog};

use super::judged::{Judged, Sheet};
use crate::pages::{
    frame::{View, joined, line},
    records, rules,
    snippet::Snippet,
};

/// The ending and the points.
pub(crate) fn outcome(view: &View, verdict: &Verdict) -> Markup {
    let game = verdict.game.and_then(games::find);
    let end = verdict.end.and_then(|end| end.termination);
    let said = [
        game.map(|game| html! { (view.word(game.name())) }),
        verdict.end.map(|end| html! { strong.result { (end.outcome.as_str()) } }),
        end.map(|end| html! { (view.fill("game.ended", &[("end", &view.word(end.word))])) }),
        verdict.points.zip(game).map(|(points, game)| html! { (records::points(view, game.notation(), points)) }),
        verdict.plies.map(|plies| html! { (view.fill("game.plies", &[("plies", &plies)])) }),
    ];
    html! { p { (joined(said)) } }
}

/// The place of a finding.
pub(crate) fn place(view: &View, ply: Option<u64>, place: Option<(u64, u64)>) -> Markup {
    let at = |(line, column)| html! { (view.fill("check.place", &[("line", &line), ("column", &column)])) };
    html! { @if ply.is_some() || place.is_some() { (line([self::ply(view, ply), place.map(at)])) } }
}

fn ply(view: &View, ply: Option<u64>) -> Option<Markup> {
    ply.map(|ply| html! { (view.fill("check.ply", &[("ply", &ply)])) })
}

/// The findings on all records of a page.
pub(super) struct Findings<'v> {
    pub(super) view: &'v View,
    /// Lines whose excerpt is on the page already. The first excerpt that marks a line is the target of its links.
    pub(super) lines: BTreeSet<u64>,
}

impl Findings<'_> {
    pub(super) fn of(&mut self, judged: &Judged) -> Markup {
        let Judged { told, more, sheet, .. } = judged;
        // Lines of parts of a source are not lines of the text box.
        let is_in_text = judged.part.is_none();
        let told = told.iter().enumerate().map(|(index, (one, snippet))| {
            let is_new = told[..index].iter().all(|(other, _)| other.code() != one.code());
            self.finding(one, snippet.as_ref(), *sheet, is_in_text, is_new)
        });
        let told: Vec<_> = told.collect();
        html! {
            @for one in &told { (one) }
            @if *more > 0 { p { (self.view.fill("check.more-found", &[("count", more)])) } }
        }
    }

    /// A finding with its place and, with the first of its code, the law and the correction.
    fn finding(
        &mut self,
        one: &Diagnostic,
        snippet: Option<&Snippet>,
        sheet: Sheet,
        is_in_text: bool,
        with_law: bool,
    ) -> Markup {
        let (view, code) = (self.view, one.code());
        let place = one.place.map(|at| {
            let said = view.fill("check.place", &[("line", &at.line), ("column", &at.column)]);
            html! {
                @if sheet == Sheet::Workbook { (view.fill("check.cell", &[("cell", &at.cell())])) }
                @else if is_in_text { (link(at, snippet.is_some(), &said)) }
                @else { (said) }
            }
        });
        let target = one.place.filter(|at| is_in_text && snippet.is_some() && self.lines.insert(at.line));
        html! {
            div class={ "found " (one.severity().as_str()) } {
                h3 { (view.word(one.severity().word())) " " (rules::link(view, code.id)) " " span.source { (catalog().source(code, view.lang)) } }
                p { (catalog().message(&one.message, view.lang)) }
                @if one.ply.is_some() || place.is_some() { (line([ply(view, one.ply), place])) }
                @if let Some(snippet) = snippet { (snippet.show_at(view, target.map(|at| anchor(at.line)))) }
                @if with_law && let Some(words) = catalog().code(code) {
                    @match words.cells.as_ref().filter(|_| sheet != Sheet::None) {
                        // The law is that of the text form.
                        Some(cells) => dl { dt { (view.say("rules.right")) } dd { (cells.get(view.lang)) } },
                        None => dl {
                            @if one.severity() != Severity::Advice {
                                dt { (view.say("rules.law")) } dd { (words.law.get(view.lang)) }
                            }
                            dt { (view.say("rules.right")) } dd { (words.right.get(view.lang)) }
                        },
                    }
                }
            }
        }
    }
}

/// A link to the excerpt with a line, and to the text box if there is none. With a script it selects the line in the box.
fn link(at: LineColumn, has_excerpt: bool, said: &str) -> Markup {
    let target = if has_excerpt { anchor(at.line) } else { "text".to_owned() };
    html! { a href={ "#" (target) } data-line=(at.line) { (said) } }
}

fn anchor(line: u64) -> String {
    format!("line-{line}")
}
