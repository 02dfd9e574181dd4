//! Writes random tournaments as TRF16 files: `random_tournaments FOLDER COUNT SEED MOST_PLAYERS`.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a program reads its arguments, writes files and prints"
)]

#[path = "../tests/random/mod.rs"]
mod random;

use std::{env, error::Error, fs, path::Path};

use quipu_tournament::exchange::trf::{self, Edition};
use random::Played;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, count, seed, most] = arguments.as_slice() else { return Err("FOLDER COUNT SEED MOST_PLAYERS".into()) };
    let (count, first, most): (u64, u64, usize) = (count.parse()?, seed.parse()?, most.parse()?);
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    for seed in first..first + count {
        let mut played = Played::new(seed, most);
        // Forbidden pairs and withdrawals can leave a round without a pairing; the rounds before it count.
        if let Err(fault) = played.play() {
            println!("{seed}: {} {:?}", fault.code.id, fault.facts);
        }
        if !played.tournament.rounds.is_empty() {
            let (text, _) = trf::write(&played.tournament, Edition::Trf16);
            fs::write(folder.join(format!("{seed}.trf")), text)?;
        }
    }
    Ok(())
}
