//! Positions of Querni with very many moves, of which none is listed to judge one.

use quipu_referee::{Board, games};

use crate::rows;

/// A position with very many moves.
pub struct Hard {
    /// The position.
    pub position: String,
    /// The square of the piece with the most paths.
    pub from: String,
    /// Number of paths of that piece.
    pub paths: u64,
    /// Number of moves.
    pub moves: u64,
    /// The token of the longest move.
    pub longest: String,
}

/// Those of the fixture.
///
/// # Panics
/// If it is not as it should be.
pub fn all() -> Vec<Hard> {
    let row = |[_, position, from, paths, moves, longest]: [String; 6]| {
        let number = |text: String| text.parse().expect("a number");
        Hard { position, from, paths: number(paths), moves: number(moves), longest }
    };
    rows("querni/hard.tsv").into_iter().map(row).collect()
}

/// The board of a position.
///
/// # Panics
/// If it cannot be read.
#[track_caller]
pub fn board(position: &str) -> Box<dyn Board> {
    let game = games::find("querni").expect("it is in the table");
    game.board(None, Some(position)).unwrap_or_else(|faults| panic!("{position}: {faults:?}"))
}

impl Hard {
    /// Has a pass, a jump that ends where it began, and the longest move judged.
    ///
    /// # Panics
    /// If they are not judged as they should be.
    pub fn judge(&self) {
        let mut board = board(&self.position);
        let (last, _) = self.longest.rsplit_once('^').expect("it jumps");
        let back = format!("{last}^{}", &self.longest[..2]);
        assert_eq!(board.play("--").map_err(|message| message.code.id), Err("querni.Q-8"));
        assert_eq!(board.play(&back).map_err(|message| message.code.id), Err("querni.Q-7"));
        assert_eq!(board.end(), None);
        assert!(board.play(&self.longest).is_ok());
    }

    /// Asks for suggestions for a jump that ends where it began.
    ///
    /// # Panics
    /// If there are more than five.
    pub fn suggest(&self) {
        let (last, _) = self.longest.rsplit_once('^').expect("it jumps");
        let back = format!("{last}^{}", &self.longest[..2]);
        assert!(board(&self.position).suggestions(&back).len() <= 5);
    }
}
