//! Makes archives of generated games and measures what the service costs on them: `archive [GAMES] [FOLDER]`.
//!
//! One archive has 10 000 games and one has GAMES, a million unless said. Both are filled by `quipu archive import` and
//! served by `quipu serve`; the same requests go to both in turns, one client, one at a time, in rounds with fresh servers,
//! for how the system places a server's threads changes what all its answers take. It prints what `docs/operations.md`
//! reports. In FOLDER, the archives are kept and used again; else they are made in a temporary one.

use std::{
    env, fs,
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use fastrand::Rng;
use quipu_tests::{generated::Generator, program};
use serde_json::Value;
use ureq::Agent;

/// Games of the small archive.
const FEW: usize = 10_000;
/// Pages of a ranking before the deep one.
const PAGES: usize = 10;
/// Rounds.
const ROUNDS: u64 = 9;
/// Requests of each kind in a round.
const REQUESTS: usize = 60;
/// Requests before these, which are not counted.
const WARM: usize = 20;

fn main() {
    let mut arguments = env::args().skip(1);
    let many = arguments.next().map_or(1_000_000, |word| word.parse().expect("a number of games"));
    let kept = arguments.next().map(PathBuf::from);
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = kept.unwrap_or_else(|| temporary.path().to_owned());
    let generator = Generator::new();
    println!("| games | seconds to import | games a second | bytes a game of the file | of the text |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    let archives = [FEW, many].map(|games| {
        let data = folder.join(format!("{games}"));
        if !data.join("quipu.db").exists() {
            import(&generator, &data, games);
        }
        (data, games)
    });
    let mut measured: Vec<_> = REQUEST_KINDS.iter().map(|_| Measured::default()).collect();
    for round in 0..ROUNDS {
        let servers = archives.each_ref().map(|(data, games)| Server::start(data, *games));
        for ((_, request), measured) in REQUEST_KINDS.iter().zip(&mut measured) {
            measured.round(&servers, *request, &generator, round);
        }
    }
    println!();
    println!(
        "| request | median at {FEW} | p99 | median at {many} | p99 | ratio of the medians, median of the rounds |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for ((name, _), Measured { times, mut ratios }) in REQUEST_KINDS.iter().zip(measured) {
        let [few, many] = times.map(|mut times| {
            times.sort_unstable();
            [times[times.len() / 2], times[times.len() * 99 / 100]]
        });
        ratios.sort_unstable_by(f64::total_cmp);
        let ratio = ratios[ratios.len() / 2];
        println!("| {name} | {} | {} | {} | {} | {ratio:.2} |", ms(few[0]), ms(few[1]), ms(many[0]), ms(many[1]));
    }
}

/// What requests of one kind took.
#[derive(Default)]
struct Measured {
    /// Of the small archive and of the large one.
    times: [Vec<Duration>; 2],
    /// Of the medians of each round.
    ratios: Vec<f64>,
}

impl Measured {
    fn round(&mut self, servers: &[Server; 2], request: Request, generator: &Generator, round: u64) {
        let mut random = Rng::with_seed(round);
        let mut times = [const { Vec::new() }; 2];
        for turn in 0..WARM + REQUESTS {
            for (server, times) in servers.iter().zip(&mut times) {
                let ask = request(server, generator, &mut random, turn);
                let begun = Instant::now();
                server.send(&ask);
                if turn >= WARM {
                    times.push(begun.elapsed());
                }
            }
        }
        let [few, many] = times.each_ref().map(|times| {
            let mut times = times.clone();
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64()
        });
        self.ratios.push(many / few);
        for (all, times) in self.times.iter_mut().zip(times) {
            all.extend(times);
        }
    }
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

/// Fills an archive through the program.
fn import(generator: &Generator, data: &Path, games: usize) {
    let mut child = Command::new(program::path())
        .args(["archive", "import", "-", "--data"])
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("quipu runs");
    let begun = Instant::now();
    let mut bytes = 0;
    let mut pipe = BufWriter::new(child.stdin.take().expect("a pipe"));
    for number in 0..games {
        let record = generator.record(number);
        bytes += record.len();
        pipe.write_all(record.as_bytes()).expect("it reads");
    }
    drop(pipe);
    assert!(child.wait().expect("it ends").success(), "all games are taken");
    let seconds = begun.elapsed().as_secs_f64();
    let size = fs::metadata(data.join("quipu.db")).expect("an archive").len();
    #[expect(clippy::cast_precision_loss, reason = "a report")]
    let rate = games as f64 / seconds;
    println!("| {games} | {seconds:.1} | {rate:.0} | {} | {} |", size / games as u64, bytes / games);
}

/// What is sent.
struct Ask {
    path: String,
    body: Option<String>,
}

fn get(path: String) -> Ask {
    Ask { path, body: None }
}

type Request = fn(&Server, &Generator, &mut Rng, usize) -> Ask;

/// Every kind of request that is measured.
const REQUEST_KINDS: &[(&str, Request)] = &[
    ("fetch a record", |server, _, random, _| get(format!("/v1/records/{}", server.some_record(random)))),
    ("its verdict", |server, _, random, _| get(format!("/v1/records/{}/verdict", server.some_record(random)))),
    ("add a record", |server, generator, _, turn| Ask {
        path: "/v1/records".to_owned(),
        body: Some(generator.record(server.next + turn)),
    }),
    ("a player's page", |server, _, random, _| get(format!("/v1/players/{}", random.i64(1..=server.players)))),
    ("a ranking, first page", |_, _, _, _| get("/v1/rankings?game=andes".to_owned())),
    ("a ranking, a deep page", |server, _, _, _| get(format!("/v1/rankings?game=andes&cursor={}", server.deep))),
    ("the latest records", |_, _, _, _| get("/v1/records".to_owned())),
    ("the records of an event", |server, _, random, _| {
        get(format!("/v1/records?event={}", random.i64(1..=server.events)))
    }),
    ("the standings of an event", |server, _, random, _| {
        get(format!("/v1/events/{}/standings", random.i64(1..=server.events)))
    }),
    ("a search", |_, _, random, _| get(format!("/v1/records?q=torneo+{}+quispe", random.usize(1..80)))),
];

/// The program, serving one archive.
struct Server {
    child: Child,
    agent: Agent,
    address: String,
    token: String,
    /// The number of the first game that is not in the archive before anything is added.
    next: usize,
    changes: i64,
    players: i64,
    events: i64,
    deep: String,
}

impl Server {
    fn start(data: &Path, games: usize) -> Self {
        let name = format!("measure-{}", fastrand::u64(..));
        let token = Command::new(program::path())
            .args(["token", "add", "--name", &name, "--scope", "records:write", "--data"])
            .arg(data)
            .output()
            .expect("quipu runs");
        assert!(token.status.success(), "{}", String::from_utf8_lossy(&token.stderr));
        let rates = ["--address-rate", "1000000", "--token-rate", "1000000", "--log-level", "error"];
        let mut child = Command::new(program::path())
            .args(["serve", "--lang", "en", "--listen", "127.0.0.1:0"])
            .args(rates)
            .arg("--data")
            .arg(data)
            .stderr(Stdio::piped())
            .spawn()
            .expect("quipu runs");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("UTF-8");
            let start = line.find("http://")?;
            line[start..].split_whitespace().next().map(str::to_owned)
        });
        // Whoever writes to standard error must find a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let mut server = Self {
            child,
            agent: Agent::new_with_defaults(),
            address: address.expect("it says where it listens"),
            token: String::from_utf8(token.stdout).expect("UTF-8").trim().to_owned(),
            next: 0,
            changes: 0,
            players: 0,
            events: 0,
            deep: String::new(),
        };
        server.look(games);
        server
    }

    /// Finds out what there is to ask for.
    fn look(&mut self, games: usize) {
        self.changes = i64::try_from(games).expect("a number");
        // A later run on the same archive finds what an earlier one added, and adds other games.
        let latest = self.json("/v1/records?limit=1");
        let added = latest["items"][0]["change"].as_i64().expect("a number") - self.changes;
        self.next = games + usize::try_from(added).expect("a number") * 2;
        self.events = self.json("/v1/events?limit=1")["items"][0]["number"].as_i64().expect("a number") / 2;
        let player = |path: &str| self.json(path)["items"].as_array().map_or(0, Vec::len);
        self.players = if player("/v1/players?limit=200") < 200 { 100 } else { 1_000 };
        let mut page = self.json("/v1/rankings?game=andes");
        for _ in 0..PAGES {
            let cursor = page["next"].as_str().expect("more");
            page = self.json(&format!("/v1/rankings?game=andes&cursor={cursor}"));
        }
        self.deep = page["next"].as_str().expect("more").into();
    }

    fn some_record(&self, random: &mut Rng) -> String {
        let since = random.i64(0..self.changes);
        let change = self.json(&format!("/v1/changes?since={since}&limit=1"));
        change["items"][0]["record"].as_str().expect("an id").to_owned()
    }

    fn json(&self, path: &str) -> Value {
        let mut answer = self.agent.get(format!("{}{path}", self.address)).call().expect(path);
        serde_json::from_reader(answer.body_mut().as_reader()).expect("JSON")
    }

    fn send(&self, ask: &Ask) {
        let uri = format!("{}{}", self.address, ask.path);
        let answer = match &ask.body {
            None => self.agent.get(uri).call(),
            Some(body) => self
                .agent
                .post(uri)
                .header("Authorization", format!("Bearer {}", self.token))
                .header("Content-Type", "text/plain")
                .send(body),
        };
        let mut answer = answer.unwrap_or_else(|error| panic!("{}: {error}", ask.path));
        assert!(ask.body.is_none() || answer.status() == 201, "{}: {}", ask.path, answer.status());
        std::io::copy(&mut answer.body_mut().as_reader(), &mut std::io::sink()).expect("the answer comes to its end");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
