//! Move tokens: `b3-c4` steps, `b3^d5^d3` jumps, `*5-9` removes, `--` passes.

use nom::{
    IResult, Parser,
    branch::alt,
    combinator::{cut, opt, recognize},
    multi::many0_count,
    sequence::preceded,
};

use super::{Number, Run, Square};
use crate::{
    Span,
    games::grammar::{Expected, GrammarFault, one, whole},
};

/// A token that has the form of a turn, legal or not. With neither a motion nor a removal it is the pass, `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveText<'t> {
    /// The motion, if there is one.
    pub motion: Option<MotionText<'t>>,
    /// The removal, after the motion if there is one.
    pub removal: Option<Run>,
}

/// A motion as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MotionText<'t> {
    /// The number of the piece that the token claims.
    pub claim: Option<Number>,
    /// The origin.
    pub from: Square,
    /// The destination.
    pub path: PathText<'t>,
}

/// One of the two kinds of motion, which are never mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathText<'t> {
    /// `-c4`: a step to a square.
    Step(Square),
    /// `^d5^d3`: a jump that lands on one square after the other.
    Jump(Landings<'t>),
}

/// The squares of a jump, at least one. Their number has no bound, so they stay in the token and are read from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landings<'t>(&'t [u8]);

impl Landings<'_> {
    /// The squares in order.
    #[inline]
    pub fn squares(self) -> impl Iterator<Item = Square> + Clone {
        self.0.chunks_exact(3).filter_map(|hop| Square::named(hop[1], hop[2]))
    }
}

/// A fault in the form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveTextFault {
    /// The token is empty.
    Empty,
    /// No turn begins so.
    Start,
    /// A column `a` to `j` was expected.
    Column,
    /// A row `1` to `7` was expected.
    Row,
    /// After the square that a piece leaves, `-` or `^` was expected.
    Motion,
    /// After a step comes another motion, or after a jump a step.
    Mixed,
    /// A number of a piece, 1 to 16 without leading zeros, was expected.
    Number,
    /// A `-` between the two numbers of a removal was expected.
    Hyphen,
    /// Text after a complete turn.
    Rest,
}

type Error = Expected<MoveTextFault>;
type Parsed<'t, T> = IResult<&'t [u8], T, Error>;

fn sign<'t>(sign: u8, kind: MoveTextFault) -> impl Parser<&'t [u8], Output = (), Error = Error> {
    one(move |byte| (byte == sign).then_some(()), kind)
}

fn square(input: &[u8]) -> Parsed<'_, Square> {
    let name = (one(Square::column, MoveTextFault::Column), one(Square::row, MoveTextFault::Row));
    name.map(|(x, y)| Square::at(x, y)).parse(input)
}

/// A number. A fault covers all of it: `26` is not a `2` with something after it.
fn number(input: &[u8]) -> Parsed<'_, Number> {
    let error = Error { rest: input.len(), kind: Some(MoveTextFault::Number) };
    let length = input.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = input.split_at(length);
    if digits.is_empty() {
        return Err(nom::Err::Error(error));
    }
    Number::from_digits(digits).map(|number| (rest, number)).ok_or(nom::Err::Failure(error))
}

fn step(input: &[u8]) -> Parsed<'_, PathText<'_>> {
    preceded(sign(b'-', MoveTextFault::Motion), cut(square)).map(PathText::Step).parse(input)
}

fn hop(input: &[u8]) -> Parsed<'_, Square> {
    preceded(sign(b'^', MoveTextFault::Motion), cut(square)).parse(input)
}

fn motion(input: &[u8]) -> Parsed<'_, MotionText<'_>> {
    let jump = recognize((hop, many0_count(hop))).map(|hops| PathText::Jump(Landings(hops)));
    (opt(number), square, alt((step, jump))).map(|(claim, from, path)| MotionText { claim, from, path }).parse(input)
}

fn removal(input: &[u8]) -> Parsed<'_, Run> {
    let run = (number, sign(b'-', MoveTextFault::Hyphen), number);
    let run = run.map(|(first, (), last)| Run { first, last });
    preceded(sign(b'*', MoveTextFault::Rest), cut(run)).parse(input)
}

fn turn(input: &[u8]) -> Parsed<'_, MoveText<'_>> {
    let fault = |rest: &[u8], kind| nom::Err::Failure(Error { rest: rest.len(), kind: Some(kind) });
    match input {
        [b'-', b'-', rest @ ..] => Ok((rest, MoveText { motion: None, removal: None })),
        [b'*', ..] => removal.map(|run| MoveText { motion: None, removal: Some(run) }).parse(input),
        [b'0'..=b'9' | b'a'..=b'j', ..] => {
            let (rest, motion) = motion(input)?;
            if let [b'-' | b'^', ..] = rest {
                return Err(fault(rest, MoveTextFault::Mixed));
            }
            opt(removal).map(|removal| MoveText { motion: Some(motion), removal }).parse(rest)
        }
        _ => Err(fault(input, MoveTextFault::Start)),
    }
}

impl<'t> MoveText<'t> {
    /// Parses a whole token.
    #[cold]
    pub fn parse(token: &'t str) -> Result<Self, GrammarFault<MoveTextFault>> {
        if token.is_empty() {
            return Err(GrammarFault { kind: MoveTextFault::Empty, span: Span::default() });
        }
        whole(token, turn, MoveTextFault::Rest).map_err(|fault| {
            // The fault covers the whole number.
            let at = fault.span.range();
            let digits = token[at.start..].bytes().take_while(u8::is_ascii_digit).count();
            if digits > at.len() { GrammarFault::new(fault.kind, at.start..at.start + digits) } else { fault }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str) -> Square {
        Square::all().find(|square| square.to_string() == name).unwrap()
    }

    fn run(first: u8, last: u8) -> Option<Run> {
        Some(Run { first: Number::new(first)?, last: Number::new(last)? })
    }

    #[track_caller]
    fn steps(token: &str, claim: Option<u8>, from: &str, to: &str, removal: Option<Run>) {
        let claim = claim.and_then(Number::new);
        let motion = Some(MotionText { claim, from: at(from), path: PathText::Step(at(to)) });
        assert_eq!(MoveText::parse(token), Ok(MoveText { motion, removal }));
    }

    #[track_caller]
    fn jumps(token: &str, claim: Option<u8>, from: &str, landings: &[&str], removal: Option<Run>) {
        let text = MoveText::parse(token).unwrap();
        let motion = text.motion.unwrap();
        let PathText::Jump(found) = motion.path else { panic!("{token} is a step") };
        assert_eq!((motion.claim, motion.from, text.removal), (claim.and_then(Number::new), at(from), removal));
        assert!(found.squares().eq(landings.iter().map(|name| at(name))), "{token}: {found:?}");
    }

    #[track_caller]
    fn refused(token: &str, kind: MoveTextFault, start: usize, end: usize) {
        assert_eq!(MoveText::parse(token), Err(GrammarFault::new(kind, start..end)));
    }

    #[test]
    fn forms() {
        assert_eq!(MoveText::parse("--"), Ok(MoveText { motion: None, removal: None }));
        assert_eq!(MoveText::parse("*5-9"), Ok(MoveText { motion: None, removal: run(5, 9) }));
        assert_eq!(MoveText::parse("*16-1"), Ok(MoveText { motion: None, removal: run(16, 1) }));
        steps("b3-c4", None, "b3", "c4", None);
        steps("8b3-b3", Some(8), "b3", "b3", None);
        steps("16j7-a1*5-9", Some(16), "j7", "a1", run(5, 9));
        jumps("b3^d5", None, "b3", &["d5"], None);
        jumps("10b3^d5^d3*1-3", Some(10), "b3", &["d5", "d3"], run(1, 3));
    }

    #[test]
    fn removals_agree_with_the_grammar() {
        let numbers = ["", "0", "1", "9", "10", "16", "17", "01", "1x", "116"];
        for (first, last) in numbers.iter().flat_map(|first| numbers.map(|last| (first, last))) {
            for token in [format!("*{first}-{last}"), format!("*{first}{last}"), format!("*{first}--{last}")] {
                let text = MoveText::parse(&token).ok().and_then(|text| text.removal);
                assert_eq!(Run::parse(token.as_bytes()), text, "{token}");
            }
        }
    }

    /// Longer than any legal path: legality does not matter here.
    #[test]
    fn paths_are_as_long_as_they_are_written() {
        let landings = vec!["a1"; 84];
        jumps(&format!("a1{}", "^a1".repeat(84)), None, "a1", &landings, None);
    }

    #[test]
    fn faults_have_their_place() {
        use MoveTextFault::{Column, Empty, Hyphen, Mixed, Motion, Number, Rest, Row, Start};
        refused("", Empty, 0, 0);
        refused("x", Start, 0, 1);
        refused("ñ3-c4", Start, 0, 2);
        refused("-c4", Start, 0, 1);
        refused("^c4", Start, 0, 1);
        refused("---", Rest, 2, 3);
        refused("--*1-3", Rest, 2, 3);
        refused("5-c4", Column, 1, 2);
        refused("5", Column, 1, 1);
        refused("b3-", Column, 3, 3);
        refused("b3^k5", Column, 3, 4);
        refused("b3^d5^*1-3", Column, 6, 7);
        refused("b", Row, 1, 1);
        refused("b8-c4", Row, 1, 2);
        refused("b3-c0", Row, 4, 5);
        refused("b3^d5^d9", Row, 7, 8);
        refused("b3", Motion, 2, 2);
        refused("b3c4", Motion, 2, 3);
        refused("b3*1-3", Motion, 2, 3);
        refused("e15-d1", Motion, 2, 3);
        refused("b3-c45", Rest, 5, 6);
        refused("d5-40", Column, 3, 5);
        refused("b3-c4-d5", Mixed, 5, 6);
        refused("b3-c4^e6", Mixed, 5, 6);
        refused("b3^d5-d4", Mixed, 5, 6);
        refused("0b3-c4", Number, 0, 1);
        refused("08b3-c4", Number, 0, 2);
        refused("17b3-c4", Number, 0, 2);
        refused("123b3-c4", Number, 0, 3);
        refused("*", Number, 1, 1);
        refused("*a-3", Number, 1, 2);
        refused("*1-", Number, 3, 3);
        refused("*1--3", Number, 3, 4);
        refused("*1-26", Number, 3, 5);
        refused("b3-c4*0-3", Number, 6, 7);
        refused("*1", Hyphen, 2, 2);
        refused("*1^3", Hyphen, 2, 3);
        refused("*1-3*4-6", Rest, 4, 5);
        refused("*1-3b3", Rest, 4, 5);
        refused("b3-c4x", Rest, 5, 6);
        refused("b3-c4ñ", Rest, 5, 7);
    }
}
