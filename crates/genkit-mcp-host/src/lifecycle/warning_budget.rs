//! A limit on the logged warnings about one server.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of warnings that are logged before the limit applies. Default is 20.
const ALL_LOGGED: u64 = 20;

/// Counts the warnings about a server, so that it cannot fill the log: after the first warnings, only warnings whose
/// number is a power of two are logged.
#[derive(Debug, Default)]
pub(crate) struct WarningBudget(AtomicU64);

impl WarningBudget {
    /// Counts a warning. Returns the number of warnings so far if this one is logged.
    pub(crate) fn count_warning(&self) -> Option<u64> {
        let count = self.0.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        (count <= ALL_LOGGED || count.is_power_of_two()).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn million_warnings_are_a_few_lines() {
        let budget = WarningBudget::default();
        let logged: Vec<u64> = (0..1_000_000).filter_map(|_| budget.count_warning()).collect();
        assert_eq!(logged[..3], [1, 2, 3]);
        assert_eq!((logged.len(), *logged.last().unwrap()), (35, 524_288));
    }
}
