//! A short, plain stand-in for a fuzzer: every input of a corpus, then damage to them for some seconds. It knows nothing of what is reached; `libFuzzer`
//! does, and found what is in the corpora.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::PathBuf,
    time::{Duration, Instant},
};

use fastrand::Rng;

/// Longest input.
const MAX_INPUT: usize = 4_000;
/// Time limit of one input. They are short, so this is a hang.
const HANG: Duration = Duration::from_secs(60);

/// The folder of the corpora.
fn corpora() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus")
}

/// Throws its corpus at a target, and for so long what can be made of it. Says how many inputs that were.
///
/// # Panics
/// If the target does, with the input; and if an input takes too long.
pub fn throw(name: &str, target: impl Fn(&[u8]), time: Duration) -> u64 {
    let folder = corpora().join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it is listed").path()).collect();
    files.sort();
    let corpus: Vec<_> = files.iter().map(|file| fs::read(file).expect("it is a file")).collect();
    assert!(!corpus.is_empty(), "{}", folder.display());

    let run = |input: &[u8]| {
        let begun = Instant::now();
        let thrown = catch_unwind(AssertUnwindSafe(|| target(input)));
        if let Err(panic) = thrown {
            eprintln!("{name}: the input is b\"{}\"", input.escape_ascii());
            resume_unwind(panic);
        }
        assert!(begun.elapsed() < HANG, "{name}: it hangs on b\"{}\"", input.escape_ascii());
    };
    for input in &corpus {
        run(input);
    }
    let mut random = Rng::with_seed(7);
    let (begun, mut count) = (Instant::now(), corpus.len() as u64);
    while begun.elapsed() < time {
        let mut input = random.choice(&corpus).expect("it is not empty").clone();
        for _ in 0..random.usize(1..6) {
            let other = random.choice(&corpus).expect("it is not empty");
            damage(&mut input, other, &mut random);
        }
        input.truncate(MAX_INPUT);
        run(&input);
        count += 1;
    }
    count
}

/// Changes, takes out, repeats or puts in some bytes, which may be of another input.
fn damage(input: &mut Vec<u8>, other: &[u8], random: &mut Rng) {
    let part = |of: &[u8], random: &mut Rng| {
        let from = random.usize(..=of.len());
        from..of.len().min(from + random.usize(..40))
    };
    let at = random.usize(..=input.len());
    match random.u32(..6) {
        0 => {
            let part = part(input, random);
            input.drain(part);
        }
        1 => {
            let copy = input[part(input, random)].to_vec();
            input.splice(at..at, copy);
        }
        2 | 3 => {
            let part = part(other, random);
            input.splice(at..at, other[part].iter().copied());
        }
        4 if at < input.len() => input[at] ^= 1 << random.u32(..8),
        _ if at < input.len() => input[at] = random.u8(..),
        _ => input.push(random.u8(..)),
    }
}
