//! The fault and load matrix: honest clients among slow, silent, gone, greedy and hostile ones,
//! over both transports and in both eras. Each honest call is answered with its own answer.

mod greedy;
mod honest;
mod hostile;
mod http;
mod pipes;
mod slow;

use std::time::Duration;

/// What one honest client saw.
#[derive(Default)]
struct Seen {
    /// How long its plain calls took.
    times: Vec<Duration>,
    /// Calls that were not answered with their own answer, and what came.
    wrong: Vec<String>,
    /// All calls.
    calls: usize,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.wrong.extend(other.wrong);
        self.calls += other.calls;
    }

    /// So that of a hundred calls this many took no longer.
    fn percentile(&mut self, of_hundred: usize) -> Duration {
        self.times.sort();
        let place = (self.times.len() * of_hundred / 100).min(self.times.len().saturating_sub(1));
        self.times.get(place).copied().unwrap_or_default()
    }

    fn line(&mut self, title: &str) -> String {
        let [p50, p99] = [50, 99].map(|p| self.percentile(p));
        let (calls, wrong) = (self.calls, self.wrong.len());
        format!("{title}: {calls} calls, {wrong} wrong, p50 {p50:?}, p99 {p99:?}\n")
    }

    #[track_caller]
    fn assert_right(&self, title: &str) {
        let few = &self.wrong[..self.wrong.len().min(5)];
        assert!(few.is_empty(), "{title}: {} calls went wrong: {few:#?}", self.wrong.len());
    }
}
