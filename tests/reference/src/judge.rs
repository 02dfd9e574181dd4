//! Replays a record and weighs what it claims. A sentence in quotes is of the page about records.

use std::collections::BTreeSet;

use crate::{Code, End, GAMES, Player, Position, Record, Verdict, position, querni::Querni, sha256};

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// The ends on the board of each game, in the order of `GAMES`.
const ENDS: [&[&str]; 4] = [
    &["continent", "immobile"],
    &["annihilation", "immobile", "countdown"],
    &["cleared", "dead", "idle"],
    &["corner", "king-captured", "immobile"],
];

/// "resignation, time, agreement, adjudication, abandoned"
const DECLARED: [&str; 5] = ["resignation", "time", "agreement", "adjudication", "abandoned"];

/// Judges what was read.
pub fn judge(reading: Result<&Record, Code>) -> Verdict {
    let nothing = Verdict {
        status: "unreadable",
        plies: None,
        position: None,
        termination: None,
        result: None,
        winner: None,
        points: None,
        id: None,
        findings: BTreeSet::new(),
    };
    match reading {
        // "it cannot be parsed as a record; the verdict's other fields are null"
        Err(code) => Verdict { findings: [(code.to_owned(), None)].into(), ..nothing },
        Ok(record) => Trial { record, verdict: Verdict { status: "rejected", plies: Some(0), ..nothing } }.hold(),
    }
}

struct Trial<'r> {
    record: &'r Record,
    verdict: Verdict,
}

/// The result that the record claims.
enum Claim {
    /// "the tag contradicts the final token (then what needs a result is not judged)", or it is none of the four.
    Contradicts,
    /// "the result is `*` or absent"
    Open,
    Draw,
    Win(Player),
}

impl Trial<'_> {
    fn tag(&self, name: &str) -> Option<&str> {
        self.record.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    fn find(&mut self, code: &str, ply: Option<usize>) {
        let ply = ply.map(|ply| u64::try_from(ply).expect("plies are few"));
        self.verdict.findings.insert((code.to_owned(), ply));
    }

    fn hold(mut self) -> Verdict {
        let written = self.record.plies.iter().map(|ply| ply.token.clone()).collect();
        // "`Game` is required (`record.game`)"
        let Some(game) = GAMES.iter().position(|(name, ..)| self.tag("Game") == Some(name)) else {
            // "A record without a known `Game` has no id."
            self.find("record.game", None);
            return self.verdict;
        };
        let rules = self.tag("Rules").unwrap_or("base");
        if !GAMES[game].2.contains(&rules) {
            self.find("record.rules", None);
            self.verdict.id = Some(self.id(game, written));
            return self.verdict;
        }
        let Some(start) = self.start(GAMES[game].0, rules) else {
            self.find("record.setup", None);
            self.verdict.id = Some(self.id(game, written));
            return self.verdict;
        };
        let (last, tokens, whole) = self.replay(start, written, game);
        self.verdict.position = Some(last.text());
        self.verdict.points = last.points();
        self.verdict.id = Some(self.id(game, tokens));
        let end = last.end();
        if let Some(end) = &end {
            self.over(game, end);
        }
        // Nothing after an illegal move is judged, the result included.
        if whole {
            self.claims(game, last.as_ref(), end.as_ref());
        }
        let severe = |(code, _): &(String, Option<u64>)| {
            !["andes.9.2", "andes.5.3", "record.number", "record.no-result"].contains(&code.as_str())
        };
        // "every move is legal, the game is over on the board or by a declaration that fits, and every claim holds"
        self.verdict.status = if self.verdict.findings.iter().any(severe) {
            "rejected"
        } else if self.verdict.termination.is_some() {
            "verified"
        } else {
            "incomplete"
        };
        // "the result is `*` only when incomplete, and the termination is then null."
        if self.verdict.status == "incomplete" {
            self.verdict.result = Some("*".to_owned());
        }
        self.verdict
    }

    /// The start position, if there is one to replay on.
    fn start(&self, game: &str, rules: &str) -> Option<Box<dyn Position>> {
        let first = self.tag("First");
        let setup = self.tag("Setup");
        let turn_of_first = match (game, first) {
            ("pastores", Some("norte")) | ("querni", Some("azul")) => Some(0),
            ("pastores", Some("sur")) | ("querni", Some("rosa")) => Some(1),
            ("pastores" | "querni", Some(_)) => return None,
            // "`First` | the side that starts, where the game leaves it open"
            _ => None,
        };
        let text = match (setup, game) {
            (Some(text), _) => text,
            // "Start: `7/7/7/7/7/7/7 s 7-7 0-0 - - 0`."
            (None, "andes") => "7/7/7/7/7/7/7 s 7-7 0-0 - - 0",
            // "Start: `5/5/5/5/5 n 53-53 - 0` (or `s`)." "without it, norte ."
            (None, "pastores") if turn_of_first == Some(1) => "5/5/5/5/5 s 53-53 - 0",
            (None, "pastores") => "5/5/5/5/5 n 53-53 - 0",
            // "Start: `3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0`." and N-1
            (None, "brandubh") if rules == "nielsen" => "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 r 0",
            (None, "brandubh") => "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 n 0",
            // "`Setup` | start position string; required in Querni"
            (None, _) => return None,
        };
        let start = position(game, rules, text)?;
        // "With a `Setup` its TURN says who starts; a `First` beside it must agree (`record.setup`)."
        let agrees = turn_of_first.is_none_or(|turn| turn == start.turn());
        let whole = game != "querni" || Querni::read(text).is_some_and(|start| start.can_start_a_record());
        // "a `Setup` that is already over is refused (`record.setup`)."
        (agrees && whole && start.end().is_none()).then_some(start)
    }

    /// "Replay the moves from the start position; stop at the first illegal one." Gives the last position, the canonical tokens, and whether no move was refused.
    fn replay(
        &mut self,
        start: Box<dyn Position>,
        written: Vec<String>,
        game: usize,
    ) -> (Box<dyn Position>, Vec<String>, bool) {
        let mut now = start;
        let mut tokens = written;
        // "starts above the time control" "Andes: 720 if absent" "a `TimeControl` that is not digits is kept and not checked"
        let control = self.tag("TimeControl").or((GAMES[game].0 == "andes").then_some("720"));
        let digits = control.filter(|text| !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit()));
        // more digits than this are more time than a clock can show
        let start_time = digits.and_then(|text| text.parse::<u64>().ok()).and_then(|seconds| seconds.checked_mul(1000));
        let mut clocks = [start_time; 2];
        let mut flagged = [false; 2];
        let mut shown = [false; 2];
        for (index, ply) in self.record.plies.iter().enumerate() {
            let number = index + 1;
            // "they count from 1 at the start of the record. One number covers one ply of the side that starts and one of the other."
            let expected = (index / 2 + 1).to_string();
            if ply.numbers.iter().any(|written| written.trim_start_matches('0') != expected) {
                self.find("record.number", Some(number));
            }
            // "moves go on after the game is over"
            if now.end().is_some() {
                self.find("record.after-end", Some(number));
                return (now, tokens, false);
            }
            let mover = now.turn();
            match now.play(&ply.token) {
                Ok(canonical) => tokens[index] = canonical,
                Err(code) => {
                    self.find(code, Some(number));
                    return (now, tokens, false);
                }
            }
            self.verdict.plies = Some(u64::try_from(number).expect("plies are few"));
            // "a clock is at zero and its owner plays on (said once a side)"
            if shown[mover] && clocks[mover] == Some(0) && !flagged[mover] {
                flagged[mover] = true;
                self.find("record.flag", Some(number));
            }
            if let Some(clock) = ply.clock {
                // "a clock rises, or starts above the time control"
                if clocks[mover].is_some_and(|before| clock > before) {
                    self.find("record.clock", Some(number));
                }
                clocks[mover] = Some(clock);
                shown[mover] = true;
            }
        }
        (now, tokens, true)
    }

    /// "Termination, result and winner are what the referee found, from the board"
    fn over(&mut self, game: usize, end: &End) {
        // "the arbiter decides, and the record says so with the tag `Decision` (`sol` or `luna`); then the result is that side's win."
        let decided = match self.tag("Decision") {
            Some("sol") if end.tie => Some(0),
            Some("luna") if end.tie => Some(1),
            _ => None,
        };
        self.verdict.termination = Some(end.name.to_owned());
        self.award(game, end.winner.or(decided));
    }

    fn award(&mut self, game: usize, winner: Option<Player>) {
        self.verdict.result = Some(winner.map_or("1/2-1/2", |winner| ["1-0", "0-1"][winner]).to_owned());
        self.verdict.winner = winner.map(|winner| GAMES[game].1[winner].to_lowercase());
    }

    fn claims(&mut self, game: usize, last: &dyn Position, end: Option<&End>) {
        let tag = self.tag("Result");
        let token = self.record.result.as_deref();
        // "it is none of the four; it contradicts the board, or the tag contradicts the final token"
        let known = tag.is_none_or(|tag| RESULTS.contains(&tag));
        let agree = tag.is_none() || token.is_none() || tag == token;
        let claim = if known && agree {
            match token.or(tag) {
                Some("1-0") => Claim::Win(0),
                Some("0-1") => Claim::Win(1),
                Some("1/2-1/2") => Claim::Draw,
                _ => Claim::Open,
            }
        } else {
            self.find("record.result", None);
            Claim::Contradicts
        };
        let termination = self.tag("Termination").map(str::to_owned);
        match end {
            Some(end) => self.claims_when_over(&claim, termination.as_deref(), end),
            None => self.claims_when_not_over(game, last, &claim, termination.as_deref()),
        }
        // "`Points` are not exactly the count, written `SOL-LUNA` without leading zeros"
        if let (Some([sol, luna]), Some(points)) = (last.points(), self.tag("Points"))
            && points != format!("{sol}-{luna}")
        {
            self.find("andes.points", None);
        }
    }

    fn claims_when_over(&mut self, claim: &Claim, termination: Option<&str>, end: &End) {
        // "A declared end on a board that is over is a contradiction, unless it names the same end."
        if termination.is_some_and(|name| name != end.name) {
            self.find("record.termination", None);
        }
        let found = self.verdict.result.clone();
        match claim {
            Claim::Contradicts => {}
            // "the board is over and the result is `*` or not written"
            Claim::Open => self.find("record.no-result", None),
            Claim::Draw if found.as_deref() == Some("1/2-1/2") => {}
            Claim::Win(winner) if found.as_deref() == Some(["1-0", "0-1"][*winner]) => {}
            // "it contradicts the board"
            Claim::Draw | Claim::Win(_) => self.find("record.result", None),
        }
        // "a tie stands in a single game with no `Decision`" "A game with `Leg` is not a single game: no warning."
        if end.tie && self.verdict.winner.is_none() && self.tag("Leg").is_none() {
            self.find("andes.9.2", None);
        }
    }

    fn claims_when_not_over(&mut self, game: usize, last: &dyn Position, claim: &Claim, termination: Option<&str>) {
        let Some(name) = termination else {
            // "a win or draw is claimed, the board is not over, and no termination is declared"
            if matches!(claim, Claim::Draw | Claim::Win(_)) {
                self.find("record.unsupported", None);
            }
            return;
        };
        // "unknown; contradicts the board;"
        if ENDS[game].contains(&name) || !DECLARED.contains(&name) {
            self.find("record.termination", None);
            return;
        }
        let winner = match (name, claim) {
            // "(with no termination, `adjudication` or `abandoned`)"
            (_, Claim::Contradicts) | ("adjudication" | "abandoned", Claim::Open) => return,
            // "`adjudication` and `abandoned` allow any result." "`agreement` needs a draw, `time` and `resignation` a winner"
            ("adjudication" | "abandoned" | "agreement", Claim::Draw) => None,
            ("adjudication" | "abandoned" | "time" | "resignation", Claim::Win(winner)) => Some(*winner),
            _ => {
                self.find("record.termination", None);
                return;
            }
        };
        self.verdict.termination = Some(name.to_owned());
        self.award(game, winner);
        // "the side that resigns is not the one to move"
        if GAMES[game].0 == "andes" && name == "resignation" && winner == Some(last.turn()) {
            self.find("andes.5.3", None);
        }
    }

    /// "The **id** of a record is the SHA-256 of its canonical text without annotations, variations and comments other than clocks."
    fn id(&self, game: usize, tokens: Vec<String>) -> String {
        let [one, two] = GAMES[game].1;
        // "tags `Game Rules Event Site Date Round` (`Rules` only if it is not `base`), the two players, `Result`, then the rest in the order of their bytes;"
        let order = ["Game", "Rules", "Event", "Site", "Date", "Round", one, two, "Result"];
        let mut rest: Vec<&str> = self.record.tags.iter().map(|(name, _)| name.as_str()).collect();
        rest.retain(|name| !order.contains(name));
        rest.sort_unstable();
        let mut text = String::new();
        for name in order.into_iter().chain(rest) {
            if let Some(value) = self.tag(name)
                && (name, value) != ("Rules", "base")
            {
                text += &format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""));
            }
        }
        // "an empty line; one numbered pair of plies a line; canonical tokens; the result on its own line; an empty line."
        text += "\n";
        for (index, (ply, token)) in self.record.plies.iter().zip(tokens).enumerate() {
            if index.is_multiple_of(2) {
                text += &format!("{}. ", index / 2 + 1);
            }
            text += &token;
            // "the clock as `{[%clk H:MM:SS.mmm]}`"
            if let Some(clock) = ply.clock {
                let (seconds, thousandths) = (clock / 1000, clock % 1000);
                let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
                text += &format!(" {{[%clk {hours}:{minutes:02}:{seconds:02}.{thousandths:03}]}}");
            }
            text += if index.is_multiple_of(2) && index + 1 < self.record.plies.len() { " " } else { "\n" };
        }
        // "The result line is the final token, else the tag `Result`, else `*`;"
        let token = self.record.result.as_deref();
        let tag = self.tag("Result").filter(|tag| RESULTS.contains(tag));
        text += token.or(tag).unwrap_or("*");
        sha256::hex(&(text + "\n\n"))
    }
}
