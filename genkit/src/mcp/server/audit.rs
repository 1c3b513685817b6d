//! Audit log: an event in tracing for each call, get and read: who, what, how long, how it ended.

use std::time::Instant;

use rmcp::model::Implementation;
use serde_json::Value;

/// The target of the events: filter by it to keep them apart.
const TARGET: &str = "genkit::audit";

/// A request that is being served. If it is dropped unfinished the client went away.
pub(crate) struct Audit(Option<AuditRecord>);

struct AuditRecord {
    method: &'static str,
    name: String,
    client: String,
    principal: String,
    started: Instant,
    /// The arguments, if contents are wanted.
    arguments: Option<String>,
}

impl Audit {
    /// Records nothing where no subscriber listens.
    pub(crate) fn begin(
        method: &'static str,
        name: &str,
        client: Option<&Implementation>,
        principal: &str,
        arguments: Option<&Value>,
    ) -> Self {
        if !tracing::enabled!(target: TARGET, tracing::Level::INFO) {
            return Self(None);
        }
        let client = client.map(|client| format!("{}/{}", client.name, client.version));
        Self(Some(AuditRecord {
            method,
            name: name.to_owned(),
            client: client.unwrap_or_else(|| "unknown".to_owned()),
            principal: principal.to_owned(),
            started: Instant::now(),
            arguments: arguments.map(ToString::to_string),
        }))
    }

    /// `error` is what it failed with, if contents are wanted.
    pub(crate) fn end(mut self, outcome: &'static str, error: Option<&str>) {
        if let Some(record) = self.0.take() {
            record.write(outcome, error);
        }
    }
}

impl AuditRecord {
    fn write(&self, outcome: &'static str, error: Option<&str>) {
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
        if let Some(record) = self.0.take() {
            record.write("cancelled", None);
        }
    }
}
