//! Properties that hold for arbitrary input: random cases, the same in each run, or for a given time.
//!
//! With `GENKIT_FUZZ_SECONDS=60` each property continues with new seeds for that long. `GENKIT_FUZZ_SEED=7` runs one
//! seed only. A case that fails prints its seed, which is then kept in the list of its test.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// The number of cases of each property if no time is given.
const CASES: u64 = 64;

/// Runs `property` for the kept `seeds`, then for the first `CASES`, then for the given time.
///
/// # Panics
/// If the property panics, after printing the seed.
pub fn fuzz(name: &str, seeds: &[u64], mut property: impl FnMut(&mut Rng)) {
    let mut run = |seed: u64| {
        let case = AssertUnwindSafe(|| property(&mut Rng::new(seed)));
        if let Err(panic) = catch_unwind(case) {
            eprintln!("`{name}` fails: GENKIT_FUZZ_SEED={seed}");
            resume_unwind(panic);
        }
    };
    if let Some(seed) = number("GENKIT_FUZZ_SEED") {
        return run(seed);
    }
    seeds.iter().copied().chain(0..CASES).for_each(&mut run);
    let Some(seconds) = number("GENKIT_FUZZ_SECONDS") else { return };
    let (start, time) = (Instant::now(), Duration::from_secs(seconds));
    let first = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let first = first.map_or(CASES, |now| now.as_secs() << 20);
    let mut cases = 0;
    while start.elapsed() < time {
        run(first + cases);
        cases += 1;
    }
    eprintln!("`{name}`: {cases} cases from GENKIT_FUZZ_SEED={first}");
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Random numbers from a seed, the same on every machine.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Creates the numbers of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number (SplitMix64).
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n.max(1) as u64;
        usize::try_from(self.next_u64() % n).unwrap_or(0)
    }

    /// Returns one of the items.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns true with this probability in percent.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns up to `n` bytes of any kind.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let length = self.below(n + 1);
        (0..length).map(|_| self.next_u64().to_le_bytes()[0]).collect()
    }

    /// Returns text of up to `n` characters of `alphabet`.
    pub fn text(&mut self, alphabet: &str, n: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let length = self.below(n + 1);
        (0..length).map(|_| *self.pick(&alphabet)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn seed_gives_the_same_numbers_each_time() {
        let numbers = |seed| (0..3).map(|_| Rng::new(seed).below(1_000)).collect::<Vec<_>>();
        assert_eq!(numbers(7), numbers(7));
        let mut rng = Rng::new(7);
        assert!((0..1_000).all(|_| rng.below(3) < 3 && rng.bytes(4).len() <= 4));
        assert_eq!(rng.below(0), 0);
    }
}
