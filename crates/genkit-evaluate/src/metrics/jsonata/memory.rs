//! The memory usage of this program.

use std::time::Duration;

/// Waits until the memory usage has grown by more than `bytes`. Never resolves on systems that do not report the memory
/// usage.
pub(super) async fn wait_for_growth(bytes: u64, look: Duration) {
    let Some(before) = resident_bytes() else { return std::future::pending().await };
    loop {
        tokio::time::sleep(look).await;
        if resident_bytes().is_some_and(|now| now.saturating_sub(before) > bytes) {
            return;
        }
    }
}

/// Returns the resident memory, in bytes.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(size.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
