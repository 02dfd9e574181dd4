//! A tournament in its second round: the first has results, and on every board of the second a game is live, opened with a
//! token that is limited to the board.

use serde_json::{Value, json};

use super::{client::Client, game::Game};

/// The round that is being played.
const ROUND: usize = 2;

/// The tournament, and its games.
pub(super) struct Tournament {
    pub(super) number: u64,
    pub(super) games: Vec<Game>,
}

impl Tournament {
    /// Makes one with so many boards.
    ///
    /// # Errors
    /// That of the service.
    pub(super) fn new(organiser: &Client, server: &str, boards: usize) -> Result<Self, String> {
        let post = |path: &str, body: &Value| {
            organiser.json("POST", path, &[], Some(("application/json", &*body.to_string())))
        };
        let created = post(
            "/v1/tournaments",
            &json!({ "game": "andes", "settings": {
                "name": "Copa", "system": { "kind": "swiss" }, "rounds": 5, "encounter": { "kind": "two-legs" }
            } }),
        )?;
        let number = created["tournament"].as_u64().ok_or("a tournament has a number")?;
        let tournament = format!("/v1/tournaments/{number}");
        let changes = format!("{tournament}/changes");
        let players = (1..=2 * boards).map(|player| format!("{},{}\n", name(player), 2_500 - player));
        let list = "name,rating\n".to_owned() + &players.collect::<String>();
        organiser.json("POST", &changes, &[], Some(("text/csv", &*list)))?;
        for round in 1..=ROUND {
            let paired = post(&format!("{tournament}/pairings"), &json!({ "round": round }))?;
            if round < ROUND {
                post(&changes, &json!({ "steps": results(round, &paired) }))?;
            }
        }
        let games = (1..=boards).map(|board| {
            let limit = json!({ "tournament": number, "round": ROUND, "board": board });
            let token = json!({ "name": format!("Board {board}"), "scopes": ["records:write"], "limit": limit });
            let token = text(&post("/v1/tokens", &token)?["token"]);
            let shown = organiser.json("GET", &format!("{tournament}/rounds/{ROUND}/boards/{board}"), &[], None)?;
            let start = text(&shown["starts"][0]);
            let device = Client::new(server, board).with_token(&token);
            Game::open(device, start)
        });
        Ok(Self { number, games: games.collect::<Result<_, String>>()? })
    }

    /// The pages that others read meanwhile: the round, and the standings.
    pub(super) fn pages(&self) -> [String; 2] {
        [format!("/tournaments/{}/rounds/{ROUND}", self.number), format!("/tournaments/{}/standings", self.number)]
    }
}

fn name(player: usize) -> String {
    format!("Player {player}")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Results of both legs of all boards of a round: first one side wins, then the other, and on some boards nobody.
fn results(round: usize, paired: &Value) -> Vec<Value> {
    let boards = paired["boards"].as_array().map_or(&[][..], Vec::as_slice);
    let number = |player: &Value| player.as_str()?.rsplit(' ').next()?.parse::<u64>().ok();
    let legs = boards.iter().flat_map(|board| [(board, 1), (board, 2)]);
    let results = legs.zip(0..).map(|((board, leg), place)| {
        let players: Vec<_> = board["players"].as_array().into_iter().flatten().map(number).collect();
        let outcome = ["first", "second", "first", "draw"][place % 4];
        json!({
            "change": "result", "round": round, "board": board["board"], "game": leg, "players": players,
            "result": { "outcome": outcome }
        })
    });
    results.collect()
}
