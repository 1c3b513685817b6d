//! The rows, and the check that a column does not grow.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::processes::Processes;
use crate::tally::Tally;

/// The rule for a column.
#[derive(Clone, Copy)]
enum Rule {
    /// After the warm-up, its second half exceeds the first by at most this much plus a twentieth.
    Flat(f64),
    /// It must be 0.
    Zero,
    /// It is only printed.
    Any,
}

const COLUMNS: [(&str, Rule); 16] = [
    ("server MiB", Rule::Flat(1.0)),
    ("proxy MiB", Rule::Flat(1.0)),
    ("server fds", Rule::Flat(20.0)),
    ("proxy fds", Rule::Flat(20.0)),
    ("children", Rule::Flat(1.0)),
    // These depend on how often clients connect, which other work on the machine affects.
    ("questions", Rule::Flat(30.0)),
    ("sessions", Rule::Flat(150.0)),
    ("tasks", Rule::Flat(60.0)),
    ("calls", Rule::Any),
    ("errors", Rule::Zero),
    ("restarting", Rule::Any),
    ("told", Rule::Any),
    ("late", Rule::Zero),
    ("lost", Rule::Zero),
    ("p50 ms", Rule::Flat(5.0)),
    ("p99 ms", Rule::Flat(100.0)),
];

pub(crate) struct Table {
    warm_up: Duration,
    rows: Vec<(Duration, [f64; COLUMNS.len()])>,
}

impl Table {
    /// Creates a table. Rows before the end of the warm-up are printed but not judged.
    pub(crate) fn new(warm_up: Duration) -> Self {
        print!("{:>7}", "s");
        COLUMNS.iter().for_each(|(title, _)| print!("{title:>11}"));
        println!();
        Self { warm_up, rows: Vec::new() }
    }

    /// Adds a row, with the numbers of open questions, sessions and tasks in the server.
    pub(crate) fn add(
        &mut self,
        at: Duration,
        processes: &Processes,
        open: [f64; 3],
        tally: &Tally,
    ) {
        let [server, proxy] = processes.usage();
        let [p50, p99] = tally.percentiles();
        let row = [
            server.rss as f64 / 1024.0,
            proxy.rss as f64 / 1024.0,
            server.descriptors as f64,
            proxy.descriptors as f64,
            processes.behind() as f64,
            open[0],
            open[1],
            open[2],
            tally.calls.load(Relaxed) as f64,
            tally.errors.load(Relaxed) as f64,
            tally.restarting.load(Relaxed) as f64,
            tally.told.load(Relaxed) as f64,
            tally.late.load(Relaxed) as f64,
            tally.lost.load(Relaxed) as f64,
            p50,
            p99,
        ];
        print!("{:>7.0}", at.as_secs_f64());
        for (place, value) in row.iter().enumerate() {
            let digits = if matches!(place, 0 | 1 | 14 | 15) { 1 } else { 0 };
            print!("{value:>11.digits$}");
        }
        println!();
        self.rows.push((at, row));
    }

    /// Prints the verdict for each column. Returns whether all are good.
    pub(crate) fn verdict(&self) -> bool {
        let warm: Vec<_> = self.rows.iter().filter(|(at, _)| *at > self.warm_up).collect();
        let (first, second) = warm.split_at(warm.len() / 2);
        let after = self.warm_up.as_secs();
        println!("\nverdict (medians of the first and the second half after {after} s of warm-up)");
        let mut good = true;
        for (place, (title, rule)) in COLUMNS.iter().enumerate() {
            let of = |rows: &[&(Duration, [f64; COLUMNS.len()])]| {
                median(rows.iter().map(|(_, row)| row[place]).collect())
            };
            let (before, last) = (of(first), of(second));
            let (words, is_good) = match rule {
                Rule::Any => continue,
                Rule::Zero => {
                    let all = self.rows.last().map_or(f64::NAN, |(_, row)| row[place]);
                    (format!("{all}"), all == 0.0)
                }
                Rule::Flat(slack) => {
                    let flat = last <= before * 1.05 + slack;
                    (format!("{before:.1} then {last:.1}"), flat)
                }
            };
            let judged = match (rule, is_good) {
                (Rule::Zero, true) => "none",
                (_, true) => "flat",
                (_, false) => "NOT GOOD",
            };
            println!("  {title:<12}{judged:<10}{words}");
            good &= is_good;
        }
        good
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
