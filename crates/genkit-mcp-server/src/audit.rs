//! The audit log: a `tracing` event for each call, prompt, read, completion and subscription, and for each rejected
//! request. The event records the client, the method, the duration and the outcome.

use std::time::Instant;

use serde_json::Value;
use tracing::level_filters::LevelFilter;

use super::error::Error as E;
use super::quota::ClientKey;
use genkit_core::internal::visible::Logged;

/// The target of audit events, which log filters can select.
pub(crate) const TARGET: &str = "genkit::audit";

/// The sender of a request: its principal or address, and the name that the client reports.
#[derive(Clone, Copy)]
pub(crate) struct RequestSource<'a> {
    pub(crate) key: &'a ClientKey,
    /// The name and version that the client reports.
    pub(crate) calls_itself: Option<(&'a str, &'a str)>,
}

/// The audit record of a request in progress. Dropping it unfinished records the request as cancelled.
pub(crate) struct Audit(Option<AuditRecord>);

struct AuditRecord {
    method: &'static str,
    name: String,
    client: String,
    key: ClientKey,
    started: Instant,
    /// The arguments, if contents are audited.
    arguments: Option<String>,
}

impl Audit {
    /// Starts a record. The record is empty if no subscriber enables the level `INFO`.
    pub(crate) fn start_record(
        method: &'static str,
        name: &str,
        asking: RequestSource<'_>,
        arguments: Option<&Value>,
    ) -> Self {
        // Do not use `enabled!`: with a per-layer filter, tracing-subscriber would cache its result and apply it to the
        // next span.
        if LevelFilter::current() < LevelFilter::INFO {
            return Self(None);
        }
        let client = match asking.calls_itself {
            Some((name, version)) => Logged::name(format_args!("{name}/{version}")).to_string(),
            None => "unknown".to_owned(),
        };
        Self(Some(AuditRecord {
            method,
            name: Logged::name(name).to_string(),
            client,
            key: asking.key.clone(),
            started: Instant::now(),
            arguments: arguments.map(|arguments| Logged::text(arguments).to_string()),
        }))
    }

    /// Writes the event. `error` is the error message, if contents are audited.
    pub(crate) fn record_outcome(self, outcome: &'static str, error: Option<&str>) {
        self.finish_record(outcome, None, error);
    }

    /// Discards the record, because the event is written elsewhere.
    pub(crate) fn discard_record(mut self) {
        self.0 = None;
    }

    /// Records that the request was rejected.
    pub(crate) fn record_refusal(self, why: &E) {
        self.finish_record("refused", Some(why.reason()), None);
    }

    fn finish_record(mut self, outcome: &'static str, reason: Option<&str>, error: Option<&str>) {
        if let Some(record) = self.0.take() {
            record.write(outcome, reason, error);
        }
    }
}

impl AuditRecord {
    fn write(&self, outcome: &'static str, reason: Option<&str>, error: Option<&str>) {
        let (principal, address) = self.key.known_identity();
        // The level is part of the call site.
        macro_rules! write_at {
            ($level:ident, $message:literal) => {
                tracing::$level!(
                    target: TARGET,
                    method = self.method,
                    name = %self.name,
                    client = %self.client,
                    principal = %Logged::name(principal),
                    address = address.map(tracing::field::display),
                    duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
                    outcome,
                    reason,
                    arguments = self.arguments.as_ref().map(tracing::field::display),
                    error = error.map(|error| tracing::field::display(Logged::text(error))),
                    $message
                )
            };
        }
        match outcome {
            "refused" => write_at!(warn, "refused"),
            "error" => write_at!(warn, "failed"),
            _ => write_at!(info, "served"),
        }
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        if let Some(record) = self.0.take() {
            record.write("cancelled", None, None);
        }
    }
}
