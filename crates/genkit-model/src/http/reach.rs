//! The hosts that model calls may reach.

use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Url;

use super::error::Error as E;
use genkit_core::Result;
use genkit_http_client::internal::net::is_loopback;

static FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Restricts all later model calls of this process to servers on this machine.
pub fn forbid_network() {
    FORBIDDEN.store(true, Ordering::Relaxed);
}

/// Returns an error for a host other than this machine if a test forbids network access.
pub(super) fn check_reachable(url: &Url, host: &str) -> Result<()> {
    if !FORBIDDEN.load(Ordering::Relaxed) || is_loopback(url) {
        return Ok(());
    }
    Err(E::NetworkForbidden { host: host.to_owned() }.into())
}
