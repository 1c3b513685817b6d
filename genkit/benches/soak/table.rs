//! The rows, and whether a column is flat.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::processes::Processes;
use crate::tally::Tally;

/// What a column may do.
#[derive(Clone, Copy)]
enum Rule {
    /// Its last quarter is no more than this much above the quarter before, and a tenth.
    Flat(f64),
    /// It is 0.
    Zero,
    /// It is printed.
    Any,
}

const COLUMNS: [(&str, Rule); 13] = [
    ("server MiB", Rule::Flat(2.0)),
    ("proxy MiB", Rule::Flat(2.0)),
    ("server fds", Rule::Flat(20.0)),
    ("proxy fds", Rule::Flat(20.0)),
    ("children", Rule::Flat(1.0)),
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
    rows: Vec<[f64; COLUMNS.len()]>,
}

impl Table {
    pub(crate) fn new() -> Self {
        print!("{:>7}", "s");
        COLUMNS.iter().for_each(|(title, _)| print!("{title:>11}"));
        println!();
        Self { rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, at: Duration, processes: &Processes, tally: &Tally) {
        let [server, proxy] = processes.usage();
        let [p50, p99] = tally.percentiles();
        let row = [
            server.rss as f64 / 1024.0,
            proxy.rss as f64 / 1024.0,
            server.descriptors as f64,
            proxy.descriptors as f64,
            processes.behind() as f64,
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
            let digits = if matches!(place, 0 | 1 | 11 | 12) { 1 } else { 0 };
            print!("{value:>11.digits$}");
        }
        println!();
        self.rows.push(row);
    }

    /// Prints what is to be said of each column, and returns whether all is well.
    pub(crate) fn verdict(&self) -> bool {
        println!("\nverdict (the last quarter beside the one before)");
        let mut good = true;
        for (place, (title, rule)) in COLUMNS.iter().enumerate() {
            let column: Vec<f64> = self.rows.iter().map(|row| row[place]).collect();
            let quarter = (column.len() / 4).max(1);
            let end = column.len();
            let last = median(&column[end - quarter..]);
            let before = median(&column[end.saturating_sub(2 * quarter)..end - quarter]);
            let (words, is_good) = match rule {
                Rule::Any => continue,
                Rule::Zero => (format!("{last}"), last == 0.0),
                Rule::Flat(slack) => {
                    let flat = last <= before * 1.1 + slack;
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

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
