//! One event in tracing for each call, get and read: who, what, how long, how it ended.

use std::time::Instant;

use serde_json::Value;

/// The target of the events: filter by it to keep them apart.
const TARGET: &str = "genkit::audit";

/// A request that is being served. If it is dropped unfinished the client went away.
pub(super) struct Audit {
    method: &'static str,
    name: String,
    client: String,
    principal: String,
    started: Instant,
    /// The arguments, if contents are asked for.
    arguments: Option<String>,
    ended: bool,
}

impl Audit {
    pub(super) fn begin(
        method: &'static str,
        name: &str,
        client: String,
        principal: &str,
        arguments: Option<&Value>,
    ) -> Self {
        Self {
            method,
            name: name.to_owned(),
            client,
            principal: principal.to_owned(),
            started: Instant::now(),
            arguments: arguments.map(ToString::to_string),
            ended: false,
        }
    }

    /// `said` is what it failed with, if contents are asked for.
    pub(super) fn end(mut self, outcome: &'static str, said: Option<&str>) {
        self.ended = true;
        self.record(outcome, said);
    }

    fn record(&self, outcome: &'static str, error: Option<&str>) {
        tracing::info!(
            target: TARGET,
            method = self.method,
            name = %self.name,
            client = %self.client,
            principal = %self.principal,
            duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            outcome,
            arguments = self.arguments.as_deref(),
            error,
            "served"
        );
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        if !self.ended {
            self.record("cancelled", None);
        }
    }
}
