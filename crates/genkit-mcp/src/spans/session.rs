//! Metrics of sessions.

use std::time::Instant;

use super::Network;
use genkit_core::Metric;
use genkit_core::internal::telemetry::installed_telemetry;

/// A session that is measured until it is dropped.
pub struct OpenSession {
    end: SessionEnd,
    network: Network,
    started: Instant,
}

/// The side of a session that measures it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    Server,
    Client,
}

impl OpenSession {
    /// Starts a measurement; returns `None` if no exporter is installed.
    pub fn start_timer(end: SessionEnd, network: Network) -> Option<Self> {
        let telemetry = installed_telemetry()?;
        if end == SessionEnd::Server {
            let labels = [("network.transport", network.transport())];
            telemetry.record(Metric::McpServerActiveSessions, 1.0, &labels);
        }
        Some(Self { end, network, started: Instant::now() })
    }
}

impl Drop for OpenSession {
    fn drop(&mut self) {
        let Some(telemetry) = installed_telemetry() else { return };
        let labels = [("network.transport", self.network.transport())];
        let seconds = self.started.elapsed().as_secs_f64();
        match self.end {
            SessionEnd::Client => {
                telemetry.record(Metric::McpClientSessionDuration, seconds, &labels);
            }
            SessionEnd::Server => {
                telemetry.record(Metric::McpServerActiveSessions, -1.0, &labels);
                telemetry.record(Metric::McpServerSessionDuration, seconds, &labels);
            }
        }
    }
}
