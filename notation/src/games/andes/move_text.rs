//! Move tokens: `0d3` places, `2a3c` moves, with optional claims (6.6).

use nom::{Parser, branch::alt, combinator::opt};

use super::{
    Kind, SIZE, Square,
    square::{DIGITS, LETTERS, NOTHING},
};
use crate::{
    Side, Span,
    games::grammar::{Expected, GrammarFault, one, whole},
};

/// A token that has the form of a move, legal or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveText {
    /// Kind of the piece placed or moved.
    pub kind: Kind,
    /// Mark of the square placed on or left.
    pub mark: Mark,
    /// Scale of that square.
    pub scale: u8,
    /// The coordinates that a movement changes; none for a placing.
    pub destination: Option<Destination>,
    /// Claims about the effect of the move.
    pub claims: Claims,
}

/// A mark, in either player's case (2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// 0 for `a` and `A`.
    pub index: u8,
    /// The player who writes marks in this case.
    pub side: Side,
}

impl Mark {
    #[inline]
    fn from_letter(letter: u8) -> Option<Self> {
        let index = letter.to_ascii_lowercase().wrapping_sub(b'a');
        let side = if letter.is_ascii_lowercase() { Side::One } else { Side::Two };
        if usize::from(index) < SIZE { Some(Self { index, side }) } else { None }
    }
}

/// Destination of a movement: at least one of the two is written (6.6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The new mark, if written.
    pub mark: Option<Mark>,
    /// The new scale, if written.
    pub scale: Option<u8>,
}

/// Claims after a move: first `x`, then `+N`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// `x` is written: the move attacks.
    pub attack: bool,
    /// The `N` of `+N`: the number of captured pieces. Numbers above 255 are read as 255, more than any move captures.
    pub captures: Option<u8>,
}

impl Claims {
    /// True if anything is claimed.
    #[inline]
    pub fn any(self) -> bool {
        self.attack || self.captures.is_some()
    }
}

/// A fault in the form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveTextFault {
    /// The token is empty.
    Empty,
    /// A piece type `0` to `3` was expected.
    Type,
    /// A mark `a` to `g` or `A` to `G` was expected.
    Mark,
    /// A scale `0` to `6` was expected.
    Scale,
    /// The rest is neither a destination nor a claim.
    Rest,
    /// After `+` a number of at least 1 without leading zeros was expected.
    Captures,
}

#[inline]
fn scale(byte: u8) -> Option<u8> {
    byte.checked_sub(b'0').filter(|&scale| usize::from(scale) < SIZE)
}

type Error = Expected<MoveTextFault>;

fn destination<'a>() -> impl Parser<&'a [u8], Output = Destination, Error = Error> {
    use MoveTextFault::Rest;
    let marked = (one(Mark::from_letter, Rest), opt(one(scale, Rest)))
        .map(|(mark, scale)| Destination { mark: Some(mark), scale });
    alt((marked, one(scale, Rest).map(|scale| Destination { mark: None, scale: Some(scale) })))
}

fn captures(input: &[u8]) -> nom::IResult<&[u8], Option<u8>, Error> {
    let Some(digits) = input.strip_prefix(b"+") else { return Ok((input, None)) };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 || digits[0] == b'0' {
        let kind = Some(MoveTextFault::Captures);
        return Err(nom::Err::Failure(Error { rest: digits.len(), kind }));
    }
    let number =
        digits[..length].iter().fold(0u8, |number, digit| number.saturating_mul(10).saturating_add(digit - b'0'));
    Ok((&digits[length..], Some(number)))
}

fn attack(byte: u8) -> Option<()> {
    (byte == b'x').then_some(())
}

impl MoveText {
    /// Parses a whole token.
    #[cold]
    pub fn parse(token: &str) -> Result<Self, GrammarFault<MoveTextFault>> {
        use MoveTextFault::{Empty, Rest, Scale, Type};
        if token.is_empty() {
            return Err(GrammarFault { kind: Empty, span: Span::default() });
        }
        let grammar = (
            one(Kind::from_digit, Type),
            one(Mark::from_letter, MoveTextFault::Mark),
            one(scale, Scale),
            opt(destination()),
            opt(one(attack, Rest)),
            captures,
        );
        let (kind, mark, scale, destination, attack, captures) = whole(token, grammar, Rest)?;
        let claims = Claims { attack: attack.is_some(), captures };
        Ok(Self { kind, mark, scale, destination, claims })
    }
}

/// A token without claims, as nearly all are, with its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainMove {
    /// Kind of the piece placed or moved.
    pub kind: Kind,
    /// The square left; none for a placing.
    pub from: Option<Square>,
    /// The square placed on, or moved to.
    pub to: Square,
}

impl PlainMove {
    /// Reads a token whose marks are those of `side`, a few table look-ups instead of a grammar. Any other token gives `None`.
    #[inline]
    pub fn parse(token: &[u8], side: Side) -> Option<Self> {
        let (letters, digits) = (&LETTERS[side.index()], &DIGITS[side.index()]);
        let (letter, digit) = (|byte: u8| letters[usize::from(byte)], |byte: u8| digits[usize::from(byte)]);
        let (&[kind, mark, scale], rest) = token.split_first_chunk()?;
        let (kind, mark, scale) = (Kind::from_digit(kind)?, letter(mark), digit(scale));
        let square = Square::of_shares(mark, scale)?;
        let (mark, scale) = match *rest {
            [] => return Some(Self { kind, from: None, to: square }),
            [one] if letter(one) == NOTHING => (mark, digit(one)),
            [one] => (letter(one), scale),
            [mark, scale] => (letter(mark), digit(scale)),
            _ => return None,
        };
        Some(Self { kind, from: Some(square), to: Square::of_shares(mark, scale)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(token: &str, kind: MoveTextFault, start: usize, end: usize) {
        assert_eq!(MoveText::parse(token), Err(GrammarFault::new(kind, start..end)));
    }

    #[test]
    fn forms() {
        let sol = |index| Mark { index, side: Side::One };
        let plain =
            MoveText { kind: Kind::Persona, mark: sol(3), scale: 3, destination: None, claims: Claims::default() };
        assert_eq!(MoveText::parse("0d3"), Ok(plain));
        let to = |mark, scale| Some(Destination { mark, scale });
        assert_eq!(MoveText::parse("0d3e"), Ok(MoveText { destination: to(Some(sol(4)), None), ..plain }));
        assert_eq!(MoveText::parse("0d35"), Ok(MoveText { destination: to(None, Some(5)), ..plain }));
        assert_eq!(MoveText::parse("0d3e4"), Ok(MoveText { destination: to(Some(sol(4)), Some(4)), ..plain }));
        let claims = Claims { attack: true, captures: Some(12) };
        assert_eq!(MoveText::parse("0d3x+12"), Ok(MoveText { claims, ..plain }));
        let claims = Claims { attack: false, captures: Some(255) };
        assert_eq!(MoveText::parse("0d3+99999999999"), Ok(MoveText { claims, ..plain }));
    }

    /// A plain move is the text of its token with the squares of the side that writes so, on every token of up to five characters.
    #[test]
    fn plain_moves_agree_with_the_grammar() {
        let signs = b"03adgADG467hx+";
        let mut tokens = vec![Vec::new()];
        let mut plain = 0;
        for length in 1..=5 {
            tokens = tokens.iter().flat_map(|token| signs.map(|sign| [token.as_slice(), &[sign]].concat())).collect();
            for (token, side) in tokens.iter().flat_map(|token| Side::BOTH.map(|side| (token, side))) {
                let text = MoveText::parse(std::str::from_utf8(token).unwrap()).ok().filter(|text| !text.claims.any());
                let expected = text.and_then(|MoveText { kind, mark, scale, destination, .. }| {
                    let square =
                        |mark: Mark, scale| (mark.side == side).then(|| Square::named(side, mark.index, scale));
                    let first = square(mark, scale)?;
                    let to = destination.map(|to| square(to.mark.unwrap_or(mark), to.scale.unwrap_or(scale)));
                    Some(PlainMove { kind, from: to.is_some().then_some(first), to: to.unwrap_or(Some(first))? })
                });
                assert_eq!(PlainMove::parse(token, side), expected, "{token:?} {side:?}");
                plain += usize::from(expected.is_some());
            }
            if length >= 3 {
                tokens.retain(|token| Side::BOTH.iter().any(|&side| PlainMove::parse(&token[..3], side).is_some()));
            }
        }
        // Two sides, two kinds, three marks and four scales; then nothing, either of mark and scale, or both.
        assert_eq!(plain, 2 * 2 * 3 * 4 * (1 + (3 + 4) + 3 * 4));
    }

    #[test]
    fn faults_have_their_place() {
        refused("", MoveTextFault::Empty, 0, 0);
        refused("4d3", MoveTextFault::Type, 0, 1);
        refused("ñd3", MoveTextFault::Type, 0, 2);
        refused("0h3", MoveTextFault::Mark, 1, 2);
        refused("0", MoveTextFault::Mark, 1, 1);
        refused("0d7", MoveTextFault::Scale, 2, 3);
        refused("0d3h", MoveTextFault::Rest, 3, 4);
        refused("0d3e4e", MoveTextFault::Rest, 5, 6);
        refused("0d3+0", MoveTextFault::Captures, 4, 5);
        refused("0d3+", MoveTextFault::Captures, 4, 4);
        refused("0d3+1x", MoveTextFault::Rest, 5, 6);
        refused("0d3xx", MoveTextFault::Rest, 4, 5);
    }
}
