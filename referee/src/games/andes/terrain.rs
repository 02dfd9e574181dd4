//! The terrain of article 7: names, colours and textures.

use quipu_notation::games::andes::Square;

use super::board::{self, bit};
use crate::drawing::Ground;

/// The stepped cross of the Andes for the centre.
const CROSS: &str = "M -12 -36 L 12 -36 L 12 -24 L 24 -24 L 24 -12 L 36 -12 L 36 12 L 24 12 L 24 24 L 12 24 L 12 36 \
    L -12 36 L -12 24 L -24 24 L -24 12 L -36 12 L -36 -12 L -24 -12 L -24 -24 L -12 -24 Z";
const PEAKS: &str = "M -42 24 L -14 -22 L 4 8 L 16 -8 L 42 24";
const SPROUT: &str =
    "M 0 34 L 0 -4 C -24 -4 -32 -18 -30 -32 C -10 -32 0 -20 0 -4 C 0 -20 10 -32 30 -32 C 32 -18 24 -4 0 -4";
const SHORE: &str =
    "M -40 -4 C -26 -20 -14 -20 0 -4 C 14 12 26 12 40 -4 M -24 22 L -16 22 M -2 26 L 6 26 M 20 22 L 28 22";
const HILL: &str = "M -26 10 C -18 -26 18 -26 26 10 M -40 12 C -28 4 -14 4 0 12 C 14 20 28 20 40 12";
const WAVES: &str =
    "M -38 -10 C -26 -22 -14 -22 0 -10 C 14 2 26 2 38 -10 M -38 16 C -26 4 -14 4 0 16 C 14 28 26 28 38 16";

const CENTRE: Ground =
    Ground { word: "andes.centre", symbol: '*', colors: [[246, 214, 92], [246, 214, 92]], texture: CROSS };
const SIERRA: Ground =
    Ground { word: "andes.sierra", symbol: '^', colors: [[205, 173, 140], [158, 122, 90]], texture: PEAKS };
const JUNGLE: Ground =
    Ground { word: "andes.jungle", symbol: '"', colors: [[140, 196, 124], [78, 142, 78]], texture: SPROUT };
const COAST: Ground =
    Ground { word: "andes.coast", symbol: ':', colors: [[224, 200, 140], [212, 180, 112]], texture: SHORE };
const ISLAND: Ground =
    Ground { word: "andes.island", symbol: 'o', colors: [[150, 158, 84], [132, 140, 70]], texture: HILL };
const OCEAN: Ground =
    Ground { word: "andes.ocean", symbol: '.', colors: [[132, 184, 220], [88, 142, 190]], texture: WAVES };

/// The ground of a square.
pub(super) fn ground(square: Square) -> &'static Ground {
    let terrains = [
        (board::CENTRE, &CENTRE),
        (board::SIERRA, &SIERRA),
        (board::JUNGLE, &JUNGLE),
        (board::COAST, &COAST),
        (board::ISLANDS, &ISLAND),
    ];
    terrains.into_iter().find(|(squares, _)| squares & bit(square) != 0).map_or(&OCEAN, |(_, ground)| ground)
}
