//! Charts drawn as SVG in the page. Each has a text description and its numbers beside it. Colours come from the style
//! sheet.

use maud::{Markup, html};
use quipu_referee::competition::{Level, Tier};

use super::frame::View;

/// Width and height of the curves, in their own units.
const WIDTH: u64 = 600;
const HEIGHT: u64 = 160;
/// Margin for marks on the edge.
const EDGE: u64 = 6;
/// Most points of a curve: more cannot be distinguished.
const POINTS: usize = 300;

/// The lowest and the highest level of a tier (9.5).
fn bounds(tier: Tier) -> (u16, u16) {
    let of_tier = |value: &u16| Level::new(*value).is_some_and(|level| level.tier() == tier);
    let mut levels = (0..=Level::MAX).filter(of_tier);
    let first = levels.next().unwrap_or_default();
    (first, levels.next_back().unwrap_or(first))
}

/// A level on the scale of all levels, with the tiers as parts of it.
pub(super) fn gauge(view: &View, level: Level) -> Markup {
    let tier = view.word(level.tier().word());
    let said = view.fill("player.gauge", &[("level", &level.value()), ("max", &Level::MAX), ("tier", &tier)]);
    html! {
        svg.gauge viewBox="-10 0 380 54" role="img" aria-label=(said) {
            @for tier in Tier::ALL {
                @let (first, last) = bounds(tier);
                rect class={ "tier " (tier.as_str()) } x=(first) y="14" width=(last - first + 1) height="18" {}
                text.small x=(first.midpoint(last)) y="48" text-anchor="middle" { (view.word(tier.word())) }
            }
            path.pointer d={ "M" (level.value()) " 10l-6 -9h12zM" (level.value()) " 10v24" } {}
        }
    }
}

/// The history of a level, the oldest first, over the tiers.
pub(super) fn levels(view: &View, levels: &[Level]) -> Markup {
    let (Some(first), Some(last)) = (levels.first(), levels.last()) else { return html! {} };
    let (count, first, last) = (levels.len(), first.value(), last.value());
    let said = view.fill("player.chart", &[("count", &count), ("first", &first), ("last", &last)]);
    let scale = Scale { steps: levels.len(), most: Level::MAX.into() };
    let spots: Vec<_> = levels.iter().enumerate().map(|(step, level)| scale.spot(step, level.value().into())).collect();
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(said) {
            @for tier in Tier::ALL {
                @let (first, last) = bounds(tier);
                @let (top, bottom) = (scale.height(last.into()), scale.height(first.into()));
                rect class={ "tier " (tier.as_str()) } x="0" y=(top) width=(WIDTH) height=(bottom - top) {}
            }
            polyline.line.one points=(line(&spots)) {}
            @for (x, y) in &spots { circle.spot.one cx=(x) cy=(y) r="4" {} }
        }
    }
}

/// The points of both sides, ply by ply, with a mark at the ply that is shown.
pub(super) fn points(said: &str, points: &[[u32; 2]], at: usize) -> Markup {
    let most = points.iter().flatten().copied().max().unwrap_or_default().max(1);
    let scale = Scale { steps: points.len(), most: most.into() };
    let every = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let shown: Vec<_> = (0..points.len()).filter(|step| step % every == 0 || *step == last).collect();
    let curve =
        |side: usize| -> Vec<_> { shown.iter().map(|&step| scale.spot(step, points[step][side].into())).collect() };
    let (x, _) = scale.spot(at, 0);
    html! {
        svg.chart.free viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(said) {
            line.axis x1="0" x2=(WIDTH) y1=(HEIGHT - EDGE) y2=(HEIGHT - EDGE) {}
            line.now x1=(x) x2=(x) y1="0" y2=(HEIGHT) {}
            polyline.line.one points=(line(&curve(0))) {}
            polyline.line.two points=(line(&curve(1))) {}
        }
    }
}

/// The scale of the steps and values of a curve.
struct Scale {
    steps: usize,
    most: u64,
}

impl Scale {
    fn spot(&self, step: usize, value: u64) -> (u64, u64) {
        let last = self.steps.saturating_sub(1).max(1) as u64;
        (EDGE + (WIDTH - 2 * EDGE) * step as u64 / last, self.height(value))
    }

    fn height(&self, value: u64) -> u64 {
        HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * value.min(self.most) / self.most.max(1)
    }
}

fn line(spots: &[(u64, u64)]) -> String {
    spots.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_cover_all_levels() {
        let [cobre, plata, oro] = Tier::ALL.map(bounds);
        assert_eq!((cobre, plata, oro), ((0, 120), (121, 240), (241, Level::MAX)));
    }

    #[test]
    fn curves_stay_within_their_picture() {
        for (steps, most) in [(0, 0), (1, 1), (2, 360), (100_001, u64::from(u32::MAX))] {
            let scale = Scale { steps, most };
            for (step, value) in [(0, 0), (steps.saturating_sub(1), most), (0, u64::from(u32::MAX))] {
                let (x, y) = scale.spot(step, value);
                assert!(x <= WIDTH && y <= HEIGHT, "{steps} {most}: {x} {y}");
            }
        }
        let (left, right) = (Scale { steps: 3, most: 2 }.spot(0, 2), Scale { steps: 3, most: 2 }.spot(2, 0));
        assert_eq!((left, right), ((EDGE, EDGE), (WIDTH - EDGE, HEIGHT - EDGE)));
    }
}
