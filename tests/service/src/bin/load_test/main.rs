//! Puts load on the service: `load_test [SECONDS] [PHASE [KIND]]`, half an hour and all phases unless said.
//!
//! | phase | load |
//! | --- | --- |
//! | `full-rate` | readers, writers, listeners of the feed and exports together |
//! | `overload` | ten times more costly work than can be done |
//! | `protocol-abuse` | heads and bodies that drip, silent connections, bombs, very many tiny requests |
//! | `hostile` | very many clients that ask for large answers and read little; of each kind by itself, and of all |
//! | `pictures` | anonymous readers of GIFs beside writers |
//! | `cup` | a tournament with all boards live at once, and spectators of each |
//!
//! Each phase fails on a wrong answer, on a request that hangs, and on memory that is not bounded. Latencies are printed
//! with the goal beside them and fail nothing, since client and server share a machine that others use as well.

mod cup;
mod full_rate;
mod harness;
mod hostile;
mod normal;
mod overload;
mod pictures;
mod protocol_abuse;
mod swarm;

use std::{cell::LazyCell, env, time::Duration};

use harness::Harness;

fn main() {
    let mut words = env::args().skip(1).peekable();
    let seconds = words.next_if(|word| word.parse::<u64>().is_ok());
    let seconds = seconds.map_or(1_800, |word| word.parse().expect("a number of seconds"));
    let (phase, kind) = (words.next(), words.next());
    let is_asked = |name: &str| phase.as_deref().is_none_or(|phase| phase == name);
    let time = Duration::from_secs(seconds);
    // All phases but the first need no half an hour.
    let short = Duration::from_secs((seconds / 6).clamp(2, 60));
    let harness = LazyCell::new(Harness::new);
    if is_asked("full-rate") {
        full_rate::run(&harness, time);
    }
    if is_asked("overload") {
        overload::run(&harness, short);
    }
    if is_asked("protocol-abuse") {
        protocol_abuse::run(&harness, short);
    }
    if is_asked("hostile") {
        hostile::run(short, kind.as_deref());
    }
    if is_asked("pictures") {
        pictures::run(&harness, short);
    }
    if is_asked("cup") {
        cup::run(time);
    }
}
