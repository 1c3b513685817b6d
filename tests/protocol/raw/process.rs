//! The resources of a process, from `/proc`.

use std::fs;

/// The resources of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Memory, in KiB.
    pub(crate) rss: u64,
    /// The peak memory, in KiB.
    pub(crate) peak: u64,
    /// Open descriptors.
    pub(crate) descriptors: usize,
    /// Processor time, in hundredths of a second.
    pub(crate) ticks: u64,
}

impl Usage {
    pub(crate) fn of(process: u32) -> Self {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let size = |field: &str| {
            let line = status.lines().find(|line| line.starts_with(field));
            line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
        };
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let time = |at: usize| fields.get(at).and_then(|field| field.parse().ok()).unwrap_or(0_u64);
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count);
        Self { rss: size("VmRSS"), peak: size("VmHWM"), descriptors, ticks: time(11) + time(12) }
    }
}
