//! Clocks for leases. Processes on one machine compare the time since boot, which no administrator can change.

use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::time::now_ms;

/// The current time on the clocks of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseTime {
    /// Milliseconds since the Unix epoch. An administrator or a time service may set the clock
    /// forward or back.
    pub wall_ms: u64,
    /// The boot id of the machine, and the milliseconds since boot, including the time while the machine was suspended.
    /// `None` on systems other than Linux.
    pub uptime: Option<(String, u64)>,
}

impl LeaseTime {
    /// Returns the current time.
    pub fn now() -> Self {
        let uptime = boot_id().and_then(|boot| Some((boot.to_owned(), uptime_ms()?)));
        Self { wall_ms: now_ms(), uptime }
    }

    /// Returns the boot id of the machine.
    pub fn boot(&self) -> Option<&str> {
        self.uptime.as_ref().map(|(boot, _)| &**boot)
    }

    /// Returns the milliseconds since boot.
    pub fn since_boot_ms(&self) -> Option<u64> {
        self.uptime.as_ref().map(|(_, ms)| *ms)
    }
}

/// Returns the id that Linux generates at each boot.
fn boot_id() -> Option<&'static str> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    BOOT.get_or_init(read).as_deref()
}

/// Returns the milliseconds since boot, in steps of 10.
fn uptime_ms() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/uptime").ok()?;
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    Some(seconds.parse::<u64>().ok()? * 1000 + hundredths.parse::<u64>().ok()? * 10)
}

/// The duration of a lease whose writer did not record it. Default is 30 seconds.
const UNKNOWN_TTL_MS: u64 = 30_000;

/// The end of a lease, for a store whose processes all run on one machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaseEnd {
    /// The end on the wall clock, in milliseconds since the Unix epoch.
    pub until_ms: u64,
    /// The duration of the lease, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// The boot id of the machine, and the end in milliseconds since boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<(String, u64)>,
}

impl LeaseEnd {
    /// Returns the end of a lease that starts at `now` and lasts `ttl`.
    pub fn after(now: &LeaseTime, ttl: Duration) -> Self {
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let boot = now.uptime.as_ref();
        Self {
            until_ms: now.wall_ms.saturating_add(ttl_ms),
            ttl_ms: Some(ttl_ms),
            boot: boot.map(|(boot, ms)| (boot.clone(), ms.saturating_add(ttl_ms))),
        }
    }

    /// Returns whether the lease is over. A lease is also over if the machine was restarted, because no process
    /// survives a restart, or if the clock was set back so far that more than the whole duration of the lease would be
    /// left.
    pub fn is_over(&self, now: &LeaseTime) -> bool {
        let ttl = self.ttl_ms.unwrap_or(UNKNOWN_TTL_MS);
        let is_within = |until: u64, now: u64| until > now && until <= now.saturating_add(ttl);
        match (&self.boot, &now.uptime) {
            (Some((boot, until)), Some((current, ms))) => {
                boot != current || !is_within(*until, *ms)
            }
            _ => !is_within(self.until_ms, now.wall_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(wall_ms: u64, uptime: Option<u64>) -> LeaseTime {
        LeaseTime { wall_ms, uptime: uptime.map(|ms| ("boot".to_owned(), ms)) }
    }

    #[test]
    fn wall_clock_is_ignored_if_uptime_is_known() {
        let hour = 3_600_000;
        let end = LeaseEnd::after(&time(hour * 9, Some(5_000)), Duration::from_secs(30));
        for wall in [0, hour * 8, hour * 10, u64::MAX] {
            assert!(!end.is_over(&time(wall, Some(34_000))), "{wall}");
            assert!(end.is_over(&time(wall, Some(35_000))), "{wall}");
        }
        let restarted = LeaseTime { wall_ms: hour * 9, uptime: Some(("other".to_owned(), 5_000)) };
        assert!(end.is_over(&restarted));
    }

    #[test]
    fn lease_in_the_far_future_is_over_without_an_uptime() {
        let end = LeaseEnd::after(&time(1_000_000, None), Duration::from_secs(30));
        assert!(!end.is_over(&time(1_000_000, None)) && !end.is_over(&time(1_029_999, None)));
        assert!(end.is_over(&time(1_030_000, None)));
        assert!(end.is_over(&time(900_000, None)), "the clock was set back");
        let old: LeaseEnd = serde_json::from_str(r#"{"untilMs":90000}"#).expect("an old lease");
        assert!(!old.is_over(&time(60_000, Some(1))) && old.is_over(&time(59_999, None)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_counts_its_uptime() {
        let now = LeaseTime::now();
        assert!(now.since_boot_ms().is_some_and(|ms| ms > 0), "{now:?}");
        assert_eq!(now.boot(), LeaseTime::now().boot());
    }
}
