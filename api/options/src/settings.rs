//! Settings of the service in one table: names, defaults, bounds and text forms. The program reads files, variables and
//! flags; their names are derived from the table.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

/// All settings of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting, and set by its name")]
pub struct Settings {
    /// Folder of the archive.
    pub data: PathBuf,
    /// Address of the PostgreSQL database of the archive, `postgres://…`; empty for a file in the folder.
    pub database: String,
    /// Maximal connections to the server of the database that read at once.
    pub database_connections: usize,
    /// Address to listen on; port 0 is any free port.
    pub listen: SocketAddr,
    /// Threads that answer requests; 0 for one per core.
    pub workers: usize,
    /// True if reading needs a token too.
    pub private: bool,
    /// True if the address of a client is that in `X-Forwarded-For`, as a reverse proxy writes it.
    pub trust_proxy: bool,
    /// Address at which people reach the service, `https://games.example.org`; empty if unknown.
    pub public_url: String,
    /// True if webhooks may go to private networks, and there without TLS.
    pub webhook_private_networks: bool,
    /// True for logs as JSON, one object per line.
    pub log_json: bool,
    /// Lowest level that is logged: `error`, `warn`, `info`, `debug` or `trace`.
    pub log_level: String,
    /// Maximal bytes of a body.
    pub max_body: usize,
    /// Maximal records of a body.
    pub max_records: usize,
    /// Maximal bytes of all bodies in memory.
    pub max_bodies: usize,
    /// Maximal bytes of all responses in memory; beyond that they are spooled to the disk.
    pub max_responses: usize,
    /// Maximal bytes of all spooled responses.
    pub max_spool: usize,
    /// Time limit for the head of a request.
    pub header_timeout: Duration,
    /// Time limit for reading and answering a request; streams have none.
    pub request_timeout: Duration,
    /// Time limit of a query of the archive.
    pub query_timeout: Duration,
    /// Maximal connections.
    pub max_connections: usize,
    /// Maximal concurrent expensive tasks, such as judging bodies and long queries; 0 for one per core.
    pub max_work: usize,
    /// Maximal concurrent long responses, such as exports.
    pub max_streams: usize,
    /// Maximal listeners of the feed.
    pub max_listeners: usize,
    /// Share of one client in connections, long responses, listeners and places in queues, in percent.
    pub client_share: usize,
    /// Requests per minute from one address without a token.
    pub address_rate: u32,
    /// Requests per minute with one token.
    pub token_rate: u32,
    /// Time limit for open requests when the service stops.
    pub shutdown_timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            database: String::new(),
            database_connections: 32,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            workers: 0,
            private: false,
            trust_proxy: false,
            public_url: String::new(),
            webhook_private_networks: false,
            log_json: false,
            log_level: "info".to_owned(),
            max_body: 64 * 1024 * 1024,
            max_records: 10_000,
            max_bodies: 256 * 1024 * 1024,
            max_responses: 64 * 1024 * 1024,
            max_spool: 1024 * 1024 * 1024,
            header_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(30),
            query_timeout: Duration::from_secs(5),
            max_connections: 10_000,
            max_work: 0,
            max_streams: 64,
            max_listeners: 1_000,
            client_share: 25,
            address_rate: 6_000,
            token_rate: 60_000,
            shutdown_timeout: Duration::from_secs(30),
        }
    }
}

/// A setting. Its flag is `--name`.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name, with words joined by hyphens.
    pub name: &'static str,
    field: Field,
}

/// Field of a setting, and its bounds.
#[derive(Clone, Copy, Debug)]
enum Field {
    Path(fn(&mut Settings) -> &mut PathBuf),
    Address(fn(&mut Settings) -> &mut SocketAddr),
    Flag(fn(&mut Settings) -> &mut bool),
    Level(fn(&mut Settings) -> &mut String),
    Url(fn(&mut Settings) -> &mut String),
    Database(fn(&mut Settings) -> &mut String),
    Number(fn(&mut Settings) -> &mut usize, [usize; 2]),
    Rate(fn(&mut Settings) -> &mut u32, [u32; 2]),
    Size(fn(&mut Settings) -> &mut usize, [usize; 2]),
    Time(fn(&mut Settings) -> &mut Duration, [Duration; 2]),
}

/// Kind of value of a setting, with its bounds as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A path; not empty.
    Path,
    /// An address with a port, `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`, or a port of this machine alone, `8080`.
    Address,
    /// `true` or `false`.
    Flag,
    /// One of [`LEVELS`].
    Level,
    /// `http://` or `https://` with a host, and a port if need be; or empty.
    Url,
    /// `postgres://` with what follows; or empty.
    Database,
    /// A whole number within bounds.
    Number([String; 2]),
    /// A size in bytes, alone or with `KiB`, `MiB`, `GiB`, `KB`, `MB` or `GB`, within bounds.
    Size([String; 2]),
    /// A time with `ms`, `s`, `m` or `h`, within bounds.
    Time([String; 2]),
}

/// Log levels, from least to most output.
pub const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Units of sizes. A size is shown with the first that divides it.
const SIZES: [(&str, u64); 8] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("kB", 1_000),
    ("", 1),
];
/// Units of times in milliseconds, largest first.
const TIMES: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);
/// Upper bound of rates, in requests per minute.
const MAX_PER_MINUTE: u32 = 60_000_000;

const fn setting(name: &'static str, field: Field) -> Setting {
    Setting { name, field }
}

/// Number of settings.
pub const COUNT: usize = 27;

/// All settings, in the order of [`Settings`].
pub static SETTINGS: [Setting; COUNT] = [
    setting("data", Field::Path(|settings| &mut settings.data)),
    setting("database", Field::Database(|settings| &mut settings.database)),
    setting("database-connections", Field::Number(|settings| &mut settings.database_connections, [2, 1_000])),
    setting("listen", Field::Address(|settings| &mut settings.listen)),
    setting("workers", Field::Number(|settings| &mut settings.workers, [0, 1024])),
    setting("private", Field::Flag(|settings| &mut settings.private)),
    setting("trust-proxy", Field::Flag(|settings| &mut settings.trust_proxy)),
    setting("public-url", Field::Url(|settings| &mut settings.public_url)),
    setting("webhook-private-networks", Field::Flag(|settings| &mut settings.webhook_private_networks)),
    setting("log-json", Field::Flag(|settings| &mut settings.log_json)),
    setting("log-level", Field::Level(|settings| &mut settings.log_level)),
    setting("max-body", Field::Size(|settings| &mut settings.max_body, [1 << 10, 1 << 30])),
    setting("max-records", Field::Number(|settings| &mut settings.max_records, [1, 1_000_000])),
    setting("max-bodies", Field::Size(|settings| &mut settings.max_bodies, [1 << 10, 1 << 40])),
    setting("max-responses", Field::Size(|settings| &mut settings.max_responses, [1 << 20, 1 << 40])),
    setting("max-spool", Field::Size(|settings| &mut settings.max_spool, [1 << 20, 1 << 40])),
    setting("header-timeout", Field::Time(|settings| &mut settings.header_timeout, [SECOND, HOUR])),
    setting("request-timeout", Field::Time(|settings| &mut settings.request_timeout, [SECOND, HOUR])),
    setting("query-timeout", Field::Time(|settings| &mut settings.query_timeout, [Duration::from_millis(10), HOUR])),
    setting("max-connections", Field::Number(|settings| &mut settings.max_connections, [1, 1_000_000])),
    setting("max-work", Field::Number(|settings| &mut settings.max_work, [0, 1024])),
    setting("max-streams", Field::Number(|settings| &mut settings.max_streams, [1, 1_000_000])),
    setting("max-listeners", Field::Number(|settings| &mut settings.max_listeners, [1, 1_000_000])),
    setting("client-share", Field::Number(|settings| &mut settings.client_share, [1, 100])),
    setting("address-rate", Field::Rate(|settings| &mut settings.address_rate, [1, MAX_PER_MINUTE])),
    setting("token-rate", Field::Rate(|settings| &mut settings.token_rate, [1, MAX_PER_MINUTE])),
    setting("shutdown-timeout", Field::Time(|settings| &mut settings.shutdown_timeout, [SECOND, HOUR])),
];

/// Two settings of which the first must not exceed the second, and the comparison.
type Order = ([&'static str; 2], fn(&Settings) -> bool);

/// A body is part of all bodies, a query is part of a request, and long responses and listeners have connections.
const ORDER: [Order; 4] = [
    (["max-body", "max-bodies"], |settings| settings.max_body <= settings.max_bodies),
    (["query-timeout", "request-timeout"], |settings| settings.query_timeout <= settings.request_timeout),
    (["max-streams", "max-connections"], |settings| settings.max_streams <= settings.max_connections),
    (["max-listeners", "max-connections"], |settings| settings.max_listeners <= settings.max_connections),
];

impl Settings {
    /// Time in which a client must read a part of a response. It is twice [`Settings::request_timeout`], because the system
    /// of a client buffers some 128 KiB, and requests more only after most of that was read.
    pub fn longest_pause(&self) -> Duration {
        2 * self.request_timeout
    }

    /// The first two settings that break a rule of order, if any do.
    pub fn contradiction(&self) -> Option<[&'static Setting; 2]> {
        let (names, _) = ORDER.iter().find(|(_, holds)| !holds(self))?;
        let [first, second] = names.map(Setting::find);
        Some([first?, second?])
    }
}

impl Setting {
    /// The setting with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Key in the configuration file.
    pub fn key(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Environment variable.
    pub fn variable(&self) -> String {
        format!("QUIPU_{}", self.key().to_uppercase())
    }

    /// Command-line flag.
    pub fn flag(&self) -> String {
        format!("--{}", self.name)
    }

    /// Kind of its value.
    pub fn kind(&self) -> Kind {
        match self.field {
            Field::Path(_) => Kind::Path,
            Field::Address(_) => Kind::Address,
            Field::Flag(_) => Kind::Flag,
            Field::Level(_) => Kind::Level,
            Field::Url(_) => Kind::Url,
            Field::Database(_) => Kind::Database,
            Field::Number(_, bounds) => Kind::Number(bounds.map(|bound| bound.to_string())),
            Field::Rate(_, bounds) => Kind::Number(bounds.map(|bound| bound.to_string())),
            Field::Size(_, bounds) => Kind::Size(bounds.map(|bound| with_unit(bound as u64, &SIZES))),
            Field::Time(_, bounds) => Kind::Time(bounds.map(time)),
        }
    }

    /// Parses a text and sets the value.
    ///
    /// # Errors
    /// The kind of value, if the text is not one.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<(), Kind> {
        let set = match self.field {
            Field::Path(field) => put(field(settings), Some(PathBuf::from(text)).filter(|_| !text.is_empty())),
            Field::Address(field) => put(field(settings), address(text)),
            Field::Flag(field) => put(field(settings), text.parse().ok()),
            Field::Level(field) => put(field(settings), LEVELS.contains(&text).then(|| text.to_owned())),
            Field::Url(field) => put(field(settings), web_address(text)),
            Field::Database(field) => put(field(settings), is_database(text).then(|| text.to_owned())),
            Field::Number(field, bounds) => put(field(settings), within(bounds, number(text))),
            Field::Rate(field, bounds) => put(field(settings), within(bounds, number(text))),
            Field::Size(field, bounds) => put(field(settings), within(bounds, without_unit(text, &SIZES))),
            Field::Time(field, [least, most]) => {
                let time = without_unit(text, &TIMES).map(Duration::from_millis);
                put(field(settings), time.filter(|time| (least..=most).contains(time)))
            }
        };
        if set { Ok(()) } else { Err(self.kind()) }
    }

    /// The value as [`Setting::set`] parses it.
    pub fn show(&self, settings: &Settings) -> String {
        // `Field` has mutable accessors only.
        let settings = &mut settings.clone();
        match self.field {
            Field::Path(field) => field(settings).display().to_string(),
            Field::Address(field) => field(settings).to_string(),
            Field::Flag(field) => field(settings).to_string(),
            Field::Level(field) | Field::Url(field) => field(settings).clone(),
            Field::Database(field) => without_password(field(settings)),
            Field::Number(field, _) => field(settings).to_string(),
            Field::Rate(field, _) => field(settings).to_string(),
            Field::Size(field, _) => with_unit(*field(settings) as u64, &SIZES),
            Field::Time(field, _) => time(*field(settings)),
        }
    }

    /// Line of the configuration file.
    pub fn line(&self, settings: &Settings) -> String {
        let value = self.show(settings);
        match self.kind() {
            Kind::Flag | Kind::Number(_) => format!("{} = {value}", self.key()),
            Kind::Path | Kind::Address | Kind::Level | Kind::Url | Kind::Database | Kind::Size(_) | Kind::Time(_) => {
                format!("{} = {}", self.key(), quoted(&value))
            }
        }
    }
}

/// Sets a field if there is a value.
fn put<T>(place: &mut T, value: Option<T>) -> bool {
    let Some(value) = value else { return false };
    *place = value;
    true
}

/// A number if it is within bounds.
fn within<T: TryFrom<u64> + PartialOrd>([least, most]: [T; 2], number: Option<u64>) -> Option<T> {
    let number = T::try_from(number?).ok()?;
    (least <= number && number <= most).then_some(number)
}

/// An address with a port. A port alone, or one of `localhost`, is a port of the loopback address: the service is not open
/// to other machines by mistake.
fn address(text: &str) -> Option<SocketAddr> {
    let port = match text.rsplit_once(':') {
        Some((host, port)) if host.eq_ignore_ascii_case("localhost") => port,
        Some(_) => return text.parse().ok(),
        None => text,
    };
    let port = number(port).and_then(|port| u16::try_from(port).ok());
    port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

/// An address of the web without a path; a slash at its end is dropped.
pub fn web_address(text: &str) -> Option<String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = host.map(|host| host.strip_suffix('/').unwrap_or(host));
    let is_host = |host: &str| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
    };
    let good = text.is_empty() || host.is_some_and(is_host);
    good.then(|| text.strip_suffix('/').unwrap_or(text).to_owned())
}

/// True for the address of a PostgreSQL database. Its parts are checked by the library that connects to it.
fn is_database(text: &str) -> bool {
    text.is_empty() || ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// The address of a database as it may be shown.
fn without_password(address: &str) -> String {
    let hidden = || {
        let (scheme, rest) = address.split_once("://")?;
        let (user, hosts) = rest.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some(format!("{scheme}://{name}:***@{hosts}"))
    };
    hidden().unwrap_or_else(|| address.to_owned())
}

/// A whole number of digits alone.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A number with a unit, in the smallest unit.
fn without_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, written) = text.split_at(digits);
    let (_, unit) = units.iter().find(|(name, _)| *name == written)?;
    number(digits)?.checked_mul(*unit)
}

/// A number in the largest unit that divides it.
fn with_unit(number: u64, units: &[(&str, u64)]) -> String {
    let whole = units.iter().find(|(_, unit)| number >= *unit && number.is_multiple_of(*unit));
    let (name, unit) = whole.or(units.last()).copied().unwrap_or(("", 1));
    format!("{}{name}", number / unit)
}

fn time(time: Duration) -> String {
    with_unit(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), &TIMES)
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter.is_control() => quoted += &format!("\\u{:04X}", u32::from(letter)),
            _ => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn setting(name: &str) -> &'static Setting {
        Setting::find(name).expect("it is in the table")
    }

    /// Parses a text and compares the value with `expected`; none if it must be refused.
    #[track_caller]
    fn check(name: &str, text: &str, expected: Option<&str>) {
        let mut settings = Settings::default();
        let set = setting(name).set(&mut settings, text);
        assert_eq!(set.is_ok().then(|| setting(name).show(&settings)).as_deref(), expected, "{name} {text:?}");
        if set.is_err() {
            assert_eq!(settings, Settings::default(), "{name} {text:?}: nothing is changed");
        }
    }

    #[test]
    fn every_default_is_a_value() {
        let names: BTreeSet<_> = SETTINGS.iter().map(|setting| setting.name).collect();
        assert_eq!(names.len(), SETTINGS.len());
        let defaults = Settings { data: "/tmp".into(), ..Settings::default() };
        let mut read = Settings { data: "/tmp".into(), workers: 9, private: true, ..Settings::default() };
        for setting in &SETTINGS {
            assert_eq!(setting.set(&mut read, &setting.show(&defaults)), Ok(()), "{}", setting.name);
        }
        assert_eq!(read, defaults);
        assert_eq!(defaults.contradiction().map(|pair| pair.map(|setting| setting.name)), None);
    }

    /// The line of each setting is valid TOML.
    #[test]
    fn lines_are_toml() {
        let settings = Settings { data: "/a \"b\" \\c\u{1}é".into(), ..Settings::default() };
        let file: String = SETTINGS.iter().map(|setting| setting.line(&settings) + "\n").collect();
        let table: toml::Table = file.parse().expect("TOML");
        assert_eq!(table.len(), SETTINGS.len());
        assert_eq!(table["data"].as_str(), settings.data.to_str());
        assert_eq!(table["trust_proxy"].as_bool(), Some(false));
        assert_eq!(table["max_records"].as_integer(), Some(10_000));
    }

    #[test]
    fn names() {
        let setting = setting("max-body");
        assert_eq!(
            (setting.key(), setting.variable(), setting.flag()),
            ("max_body".into(), "QUIPU_MAX_BODY".into(), "--max-body".into())
        );
    }

    #[test]
    fn addresses() {
        check("listen", "0.0.0.0:0", Some("0.0.0.0:0"));
        check("listen", "[::1]:80", Some("[::1]:80"));
        check("listen", "8080", Some("127.0.0.1:8080"));
        check("listen", "0", Some("127.0.0.1:0"));
        check("listen", "localhost:80", Some("127.0.0.1:80"));
        check("listen", "LocalHost:80", Some("127.0.0.1:80"));
        for wrong in [
            "",
            "65536",
            "-1",
            "+80",
            "8080 ",
            "127.0.0.1",
            "127.0.0.1:65536",
            "localhost",
            "localhost:",
            "localhost:x",
            "localhost:65536",
            "example.com:80",
            ":80",
            "[::1]",
            "[::1]80",
            "::1",
            "1:2:3",
            "[localhost]:80",
        ] {
            check("listen", wrong, None);
        }
    }

    #[test]
    fn words() {
        check("data", "", None);
        check("data", " ", Some(" "));
        check("database", "", Some(""));
        check("database", "postgres://quipu@one,two/archive", Some("postgres://quipu@one,two/archive"));
        check("database", "postgres://quipu:secret@one/archive", Some("postgres://quipu:***@one/archive"));
        check("database", "mysql://one", None);
        check("public-url", "", Some(""));
        check("public-url", "https://games.example.org/", Some("https://games.example.org"));
        check("public-url", "http://[::1]:8080", Some("http://[::1]:8080"));
        for wrong in
            ["games.example.org", "https://", "https:///", "https://a/b", "https://a b", "ftp://a", "https://a\"b"]
        {
            check("public-url", wrong, None);
        }
        check("private", "true", Some("true"));
        check("log-level", "trace", Some("trace"));
        for wrong in ["", "yes", "1", "TRUE"] {
            check("private", wrong, None);
            check("log-level", wrong, None);
        }
    }

    #[test]
    fn numbers() {
        check("workers", "0", Some("0"));
        check("workers", "1024", Some("1024"));
        check("address-rate", "60000000", Some("60000000"));
        for wrong in ["", "-1", "+1", "1.0", "1025", "1_000", "99999999999999999999", "x"] {
            check("workers", wrong, None);
        }
        for never_zero in [
            "max-records",
            "max-connections",
            "max-streams",
            "max-listeners",
            "client-share",
            "address-rate",
            "token-rate",
        ] {
            check(never_zero, "0", None);
        }
        check("token-rate", "60000001", None);
    }

    #[test]
    fn sizes() {
        check("max-body", "1024", Some("1KiB"));
        check("max-body", "1025", Some("1025"));
        check("max-body", "64MiB", Some("64MiB"));
        check("max-body", "1GiB", Some("1GiB"));
        check("max-body", "10MB", Some("10MB"));
        check("max-body", "10000000", Some("10MB"));
        check("max-body", "2KB", Some("2KB"));
        check("max-body", "2kB", Some("2KB"));
        check("max-body", "1024KB", Some("1000KiB"));
        check("max-body", "1GB", Some("1GB"));
        for wrong in [
            "",
            "0",
            "1023",
            "1KB",
            "MiB",
            "MB",
            "1mib",
            "1mb",
            "1 MiB",
            "1 MB",
            "1M",
            "1.5MiB",
            "2GiB",
            "2GB",
            "99999999999999999GiB",
        ] {
            check("max-body", wrong, None);
        }
    }

    #[test]
    fn times() {
        check("query-timeout", "250ms", Some("250ms"));
        check("query-timeout", "120s", Some("2m"));
        check("query-timeout", "90s", Some("90s"));
        check("query-timeout", "1h", Some("1h"));
        for wrong in ["", "0s", "5", "s", "9ms", "2h", "1d", "5 s", "-5s", "99999999999999999999h"] {
            check("query-timeout", wrong, None);
        }
    }

    #[test]
    fn contradictions() {
        let pair = |settings: &Settings| settings.contradiction().map(|pair| pair.map(|setting| setting.name));
        let mut settings = Settings { query_timeout: SECOND * 31, ..Settings::default() };
        assert_eq!(pair(&settings), Some(["query-timeout", "request-timeout"]));
        settings.request_timeout = SECOND * 31;
        assert_eq!(pair(&settings), None);
        settings.max_listeners = 20_000;
        assert_eq!(pair(&settings), Some(["max-listeners", "max-connections"]));
    }
}
