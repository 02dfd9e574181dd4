//! Properties of every record and every position: no expectation here is an example.

use std::sync::LazyLock;

use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use quipu_referee::{Board, Referee, games};
use quipu_tests_core::{every_object, listed, slow_querni::Slow, verdicts};

mod positions;
mod records;
mod texts;

/// A position from which a game can be played.
struct Start {
    game: &'static dyn Referee,
    rules: String,
    position: String,
}

/// The positions of the fixtures that are not over, and the start of each game, dealt a few times where it is dealt.
static STARTS: LazyLock<Vec<Start>> = LazyLock::new(|| {
    let mut starts = Vec::new();
    for &game in games::ALL {
        for rules in game.rule_sets() {
            if let Ok(board) = game.board(Some(rules), None) {
                starts.push(Start { game, rules: rules.to_owned(), position: board.position() });
            }
        }
        let dealt = (0..5).filter_map(|seed| game.deal(None, seed, None).expect("there are base rules"));
        starts.extend(dealt.map(|board| Start { game, rules: "base".to_owned(), position: board.position() }));
        for row in every_object(game.notation().id, "positions") {
            let field = |name: &str| row[name].as_str().expect("a text").to_owned();
            starts.push(Start { game, rules: field("rules"), position: field("position") });
        }
    }
    starts.retain(|start| start.board().end().is_none());
    starts
});

impl Start {
    fn any() -> impl Strategy<Value = &'static Self> {
        Self::with(|_| true)
    }

    /// Of one game.
    fn of(game: &'static str) -> impl Strategy<Value = &'static Self> {
        Self::with(move |start| start.game.notation().id == game)
    }

    /// A position in which a record can start too.
    fn of_a_record() -> impl Strategy<Value = &'static Self> {
        Self::with(|start| verdicts(start.record(&[]).as_bytes())[0].diagnostics.is_empty())
    }

    fn with(wanted: impl Fn(&Self) -> bool) -> impl Strategy<Value = &'static Self> {
        let starts: Vec<_> = STARTS.iter().filter(|start| wanted(start)).collect();
        select(starts).boxed()
    }

    /// The game.
    fn id(&self) -> &'static str {
        self.game.notation().id
    }

    fn board(&self) -> Box<dyn Board> {
        self.at(&self.position)
    }

    /// Another position of the same game.
    fn at(&self, position: &str) -> Box<dyn Board> {
        self.game.board(Some(&self.rules), Some(position)).expect("a good position")
    }

    /// A legal game: its positions from the first to the last, and the moves between them.
    fn playout(&self, choices: &[Index]) -> (Vec<String>, Vec<String>) {
        let mut board = self.board();
        let (mut positions, mut moves) = (vec![board.position()], Vec::new());
        for choice in choices {
            let Some(legal) = listed(&*board).filter(|legal| !legal.is_empty()) else { break };
            let token = choice.get(&legal);
            board.play(token).expect("it is legal");
            positions.push(board.position());
            moves.push(token.clone());
        }
        (positions, moves)
    }

    /// The tags of a record that begins here.
    fn tags(&self) -> String {
        let (id, rules, position) = (self.id(), &self.rules, &self.position);
        format!("[Game \"{id}\"]\n[Rules \"{rules}\"]\n[Setup \"{position}\"]\n")
    }

    /// A record of these moves.
    fn record(&self, moves: &[String]) -> String {
        format!("{}\n{} *\n", self.tags(), moves.join(" "))
    }

    /// Another accepted spelling of a move in a position of the game, where there is one.
    fn respelled(&self, position: &str, token: &str) -> Option<String> {
        match self.id() {
            "andes" => andes_in_full(token),
            "querni" => querni_in_full(position, token),
            "brandubh" => unclaimed(token),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Start {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.game.notation().id, self.rules, self.position)
    }
}

fn choices(most: usize) -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..most)
}

/// A motion of Querni with the number of its piece.
fn querni_in_full(position: &str, token: &str) -> Option<String> {
    let number = Slow::read(position).number_on(token.get(..2)?)?;
    Some(format!("{number}{token}"))
}

/// A move of Andes with mark and scale both, though only one changes.
fn andes_in_full(token: &str) -> Option<String> {
    let &[_, mark, scale, changed] = token.as_bytes() else { return None };
    let place = &token[..3];
    let changed = char::from(changed);
    Some(match changed {
        '0'..='6' => format!("{place}{}{changed}", char::from(mark)),
        _ => format!("{place}{changed}{}", char::from(scale)),
    })
}

/// A move of Brandubh without its captures, and with a sign that is dropped.
fn unclaimed(token: &str) -> Option<String> {
    let (squares, _) = token.split_once('x')?;
    Some(format!("{squares}++"))
}
