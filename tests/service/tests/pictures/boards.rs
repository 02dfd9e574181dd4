//! Single boards: SVG and PNG.

use std::collections::{BTreeMap, BTreeSet};

use quipu_notation::Side;
use quipu_pictures::{self as pictures, Look, Refused, Theme, WIDTHS};
use quipu_referee::{Lang, Referee, drawing::Drawing, games, messages::catalog};
use roxmltree::Document;

use super::boards;

/// A board as SVG, read by an XML reader that knows nothing of it.
#[track_caller]
fn svg(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> String {
    let svg = pictures::svg(game, drawing, look).expect("it is of a good size");
    assert!(Document::parse(&svg).is_ok(), "{svg}");
    svg
}

/// Width and height of a PNG, and its pixels.
#[track_caller]
pub(crate) fn pixels(png: &[u8]) -> (u32, u32, Vec<[u8; 4]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgba, png::BitDepth::Eight));
    let pixels = bytes[..info.buffer_size()].chunks_exact(4).map(|pixel| pixel.try_into().expect("four bytes"));
    (info.width, info.height, pixels.collect())
}

#[test]
fn a_board_says_what_it_is_for_who_cannot_see_it() {
    for (game, board) in boards() {
        for lang in Lang::ALL {
            let drawing = board.drawing();
            let text = svg(game, &drawing, &Look::new(lang));
            let document = Document::parse(&text).expect("XML");
            let said = |name: &str| {
                let found = document.descendants().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name)));
                found.and_then(|node| node.text()).unwrap_or_default().to_owned()
            };
            assert_eq!(said("title"), catalog().word(game.name(), lang));
            let description = said("desc");
            for cell in &drawing.cells {
                let Some(piece) = &cell.piece else { continue };
                let kind = piece.word.map_or(&*piece.label, |word| catalog().word(word, lang));
                assert!(description.contains(&format!("{kind} {}", cell.name)), "{description}");
            }
            let root = document.root_element();
            assert_eq!((root.attribute("role"), root.attribute("lang")), (Some("img"), Some(lang.as_str())));
        }
    }
}

#[test]
fn both_players_coordinates_are_there() {
    for (game, board) in boards() {
        let drawing = board.drawing();
        let text = svg(game, &drawing, &Look::new(Lang::Es));
        let document = Document::parse(&text).expect("XML");
        let mut written: Vec<_> = document
            .descendants()
            .filter(|node| node.tag_name().name() == "text" && !in_symbol(*node))
            .filter_map(|node| node.text().map(str::to_owned))
            .collect();
        let mut expected: Vec<_> =
            [&drawing.top, &drawing.bottom, &drawing.left, &drawing.right].into_iter().flatten().cloned().collect();
        written.sort_unstable();
        expected.sort_unstable();
        assert_eq!(written, expected, "{}", game.notation().id);
    }
}

fn in_symbol(node: roxmltree::Node<'_, '_>) -> bool {
    node.ancestors().any(|node| node.tag_name().name() == "defs")
}

#[test]
fn nothing_in_it_is_from_elsewhere_or_runs() {
    for (game, board) in boards() {
        let text = svg(game, &board.drawing(), &Look::new(Lang::Es));
        let document = Document::parse(&text).expect("XML");
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            let name = node.tag_name().name();
            assert!(!["script", "style", "image", "foreignObject", "a"].contains(&name), "{name}");
            for attribute in node.attributes() {
                assert!(!attribute.name().starts_with("on") && attribute.name() != "style", "{attribute:?}");
                assert!(!attribute.value().contains("url("), "{attribute:?}");
                if attribute.name() == "href" {
                    assert!(attribute.value().starts_with('#'), "{attribute:?}");
                }
            }
        }
        assert!(text.len() < 24 * 1024, "{}: {} bytes", game.notation().id, text.len());
    }
}

#[test]
fn the_same_board_is_the_same_bytes() {
    for (game, board) in boards() {
        let look = Look { width: 100, ..Look::new(Lang::En) };
        let drawing = board.drawing();
        assert_eq!(svg(game, &drawing, &look), svg(game, &drawing, &look));
        assert_eq!(pictures::png(game, &drawing, &look), pictures::png(game, &drawing, &look));
    }
}

/// Titles as nobody should write them.
const TITLES: [&str; 5] = [
    "<script>alert(1)</script>",
    "a & \"b\" ]]> 'c'",
    "\u{0}\u{1b}[2J\u{ffff}\u{7f}",
    "Copa\u{202e}atsruc",
    "Ñusta Ĉapelo ½ 中文 \u{1f600}",
];

#[test]
fn any_title_can_stand_above_it() {
    let (game, board) = boards().remove(0);
    for title in TITLES {
        let look = Look { title: Some(title.to_owned()), width: 200, ..Look::new(Lang::Es) };
        let text = svg(game, &board.drawing(), &look);
        assert!(!text.contains("<script") && !text.contains('\u{202e}') && !text.contains('\u{1b}'), "{text}");
        let (_, height, _) = pixels(&pictures::png(game, &board.drawing(), &look).expect("a good size"));
        assert!(height > 200, "the title has a place of its own");
    }
    let long = Look { title: Some("w".repeat(pictures::TITLE_LENGTH)), ..Look::new(Lang::Es) };
    assert!(svg(game, &board.drawing(), &long).contains("w…</text>"), "it is cut where the picture ends");
}

#[test]
fn a_picture_is_as_wide_as_was_asked() {
    for (game, board) in boards() {
        for width in [*WIDTHS.start(), 200, 601] {
            let look = Look { width, ..Look::new(Lang::Es) };
            let (wide, high, _) = pixels(&pictures::png(game, &board.drawing(), &look).expect("a good size"));
            let drawing = board.drawing();
            let (columns, rows) = (drawing.columns, drawing.cells.len() / drawing.columns);
            assert_eq!(wide, width);
            assert_eq!(high < wide, rows < columns, "{}", game.notation().id);
            let text = svg(game, &drawing, &look);
            assert!(text.contains(&format!("width=\"{wide}\" height=\"{high}\"")), "both are of one form");
        }
        let drawing = board.drawing();
        for found in [WIDTHS.start() - 1, WIDTHS.end() + 1, 0, u32::MAX] {
            let look = Look { width: found, ..Look::new(Lang::Es) };
            let refused = Refused::Width { least: *WIDTHS.start(), most: *WIDTHS.end(), found };
            assert_eq!(pictures::svg(game, &drawing, &look), Err(refused));
            assert_eq!(pictures::png(game, &drawing, &look), Err(refused));
            assert_eq!(pictures::pdf(game, &drawing, &look), Err(refused));
        }
    }
}

/// The colours that many points have.
fn colors(game: &'static dyn Referee, drawing: &Drawing, look: &Look) -> BTreeSet<[u8; 3]> {
    let (_, _, pixels) = pixels(&pictures::png(game, drawing, look).expect("a good size"));
    let mut counts = BTreeMap::new();
    for [red, green, blue, alpha] in pixels {
        assert_eq!(alpha, 255, "nothing is seen through");
        *counts.entry([red, green, blue]).or_insert(0) += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 12).map(|(color, _)| color).collect()
}

/// At 200 points a board still shows all its grounds and both its sides.
#[test]
fn small_boards_have_all_their_colours() {
    for (game, board) in boards() {
        let drawing = board.drawing();
        let look = Look { width: 200, ..Look::new(Lang::Es) };
        let seen = colors(game, &drawing, &look);
        let grounds: BTreeSet<_> =
            drawing.cells.iter().map(|cell| cell.ground.colors[usize::from(cell.dark)]).collect();
        let standing = |color: &[u8; 3]| {
            let covered = |cell: &quipu_referee::drawing::Cell| cell.piece.is_some() || cell.taken.is_some();
            drawing.cells.iter().any(|cell| !covered(cell) && cell.ground.colors[usize::from(cell.dark)] == *color)
        };
        for ground in grounds.iter().filter(|color| standing(color)) {
            assert!(seen.contains(ground), "{}: {ground:?} in {seen:?}", game.notation().id);
        }
        for side in Side::BOTH {
            if drawing.cells.iter().any(|cell| cell.piece.as_ref().is_some_and(|piece| piece.side == side)) {
                let color = drawing.pieces[side.index()];
                assert!(seen.contains(&color), "{}: {color:?} in {seen:?}", game.notation().id);
            }
        }
    }
}

#[test]
fn themes_are_not_alike() {
    for (game, board) in boards() {
        let of = |theme| {
            let look = Look { theme, width: 120, ..Look::new(Lang::Es) };
            let (_, _, pixels) = pixels(&pictures::png(game, &board.drawing(), &look).expect("a good size"));
            let light: u64 = pixels.iter().flat_map(|pixel| &pixel[..3]).map(|value| u64::from(*value)).sum();
            light / pixels.len() as u64 / 3
        };
        let [light, dark] = Theme::ALL.map(of);
        assert!(light > dark + 30, "{}: {light} and {dark}", game.notation().id);
    }
}

/// Turned by half a turn, what is drawn on a board comes to the same places from the other side.
#[test]
fn flipping_turns_the_board_round() {
    for (game, board) in boards() {
        let mut drawing = board.drawing();
        // Names and shapes stay upright; what is left has nothing on it.
        drawing = drawing.emptied();
        let sides = [&mut drawing.top, &mut drawing.bottom, &mut drawing.left, &mut drawing.right];
        for name in sides.into_iter().flatten() {
            name.clear();
        }
        let squares = |flip| {
            let look = Look { flip, width: 128, ..Look::new(Lang::Es) };
            pixels(&pictures::png(game, &drawing, &look).expect("a good size")).2
        };
        let (mut turned, plain) = (squares(true), squares(false));
        turned.reverse();
        // Edges between points come out a little otherwise, and textures stay upright.
        let far = |(one, other): &(&[u8; 4], &[u8; 4])| one.iter().zip(*other).any(|(a, b)| a.abs_diff(*b) > 60);
        let differ = turned.iter().zip(&plain).filter(far).count();
        assert!(differ < plain.len() / 20, "{}: {differ} of {}", game.notation().id, plain.len());
    }
}

#[test]
fn marks_can_be_left_out() {
    for &game in games::ALL {
        let (_, board) =
            boards().into_iter().filter(|(of, _)| of.notation().id == game.notation().id).nth(1).expect("one");
        let drawing = board.drawing();
        let with = svg(game, &drawing, &Look::new(Lang::Es));
        let without = svg(game, &drawing, &Look { marks: false, ..Look::new(Lang::Es) });
        assert!(!drawing.path.is_empty() || drawing.cells.iter().any(|cell| cell.taken.is_some()));
        assert!(with.len() > without.len(), "{}", game.notation().id);
        let bare = game.arrange(None, &board.position());
        if let Ok(arrangement) = bare {
            assert_eq!(svg(game, &arrangement.drawing, &Look::new(Lang::Es)), without, "{}", game.notation().id);
        }
    }
}

/// Captured pieces are those that stood there: once for each game with captures.
#[test]
fn captures_of_the_last_move_are_known() {
    let taken = |game: &str, position: &str, token: &str| {
        let game = games::find(game).expect("a game");
        let mut board = game.board(None, Some(position)).unwrap_or_else(|faults| panic!("{position}: {faults:?}"));
        board.play(token).unwrap_or_else(|why| panic!("{token}: {why:?}"));
        let drawing = board.drawing();
        let of = |cell: &quipu_referee::drawing::Cell| Some((cell.name.clone(), cell.taken.clone()?.plain));
        let mut taken: Vec<_> =
            drawing.cells.iter().filter_map(of).map(|(name, piece)| format!("{piece} {name}")).collect();
        taken.sort_unstable();
        let path: Vec<_> = drawing.path.iter().map(|&index| drawing.cells[index].name.clone()).collect();
        (path.join(" "), taken.join(", "))
    };
    let told = |path: &str, pieces: &str| (path.to_owned(), pieces.to_owned());
    // A capture, an attack, and a stone that is replaced.
    assert_eq!(taken("andes", "7/7/7/3aA2/5a1/7/7 s 5-6 0-0 sl p 4", "0b23"), told("b2 b3", "A c3"));
    assert_eq!(taken("andes", "7/7/7/4aA1/7/7/7 s 6-6 0-0 sl - 4", "0c3b"), told("c3 b3", "A b3"));
    assert_eq!(taken("pastores", "5/1P3/1p3/5/5 n 00-00 - 16", "B2xC2"), told("B2 C2", "p C2"));
    // A pawn that walks in between two others is taken where it arrives.
    assert_eq!(taken("brandubh", "3K3/7/7/7/1t1t3/7/2T4 n 0", "c1-c3xc3"), told("c1 c3", "T c3"));
    // Removed pieces, the moved one among them.
    assert_eq!(taken("querni", "10/10/10/10/10/8p1/ABC7 a 0 0", "*1-3"), told("", "A1 a1, A2 b1, A3 c1"));
    assert_eq!(taken("querni", "10/10/10/10/3C6/10/AB6p1 a 0 0", "d3-c2*1-3"), told("d3 c2", "A1 a1, A2 b1, A3 c2"));
}

/// The side to move is shown beside the board, and none where the game is over.
#[test]
fn the_side_to_move_is_shown() {
    for (game, board) in boards() {
        let drawing = board.drawing();
        let expected = board.end().is_none().then(|| board.turn());
        assert_eq!(drawing.turn.map(|turn| turn.side), expected, "{}", game.notation().id);
        let arranged =
            game.arrange(None, &board.position()).map(|arranged| arranged.drawing.turn.map(|turn| turn.side));
        if let Ok(arranged) = arranged {
            assert_eq!(arranged, expected, "{}", game.notation().id);
        }
    }
}

/// Several boards can stand in one page: what has the same name in two of them is the same.
#[test]
fn names_in_documents_say_what_they_name() {
    let mut known = BTreeMap::new();
    for (game, board) in boards() {
        for theme in Theme::ALL {
            for flip in [false, true] {
                let text = svg(game, &board.drawing(), &Look { theme, flip, ..Look::new(Lang::Es) });
                let document = Document::parse(&text).expect("XML");
                for node in document.descendants().filter(|node| node.has_attribute("id")) {
                    let (id, what) = (node.attribute("id").expect("a name").to_owned(), text[node.range()].to_owned());
                    assert_eq!(known.entry(id).or_insert_with(|| what.clone()), &what);
                }
            }
        }
    }
    assert!(known.len() > 20, "{}", known.len());
}
