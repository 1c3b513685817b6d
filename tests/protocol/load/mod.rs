//! The fault and load matrix: honest clients among slow, silent, disconnecting, greedy and hostile ones, over both
//! transports and in both eras. Each honest call gets its own response.

mod greedy;
mod honest;
mod hostile;
mod http;
mod pipes;
mod slow;

use std::time::Duration;

/// The observations of one honest client.
#[derive(Default)]
struct Seen {
    /// The durations of its plain calls.
    times: Vec<Duration>,
    /// Calls without the expected response, and what they received.
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

    /// Returns a percentile of the durations.
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
