//! Audit log: an event in tracing for each call, get, read, completion and subscription, and for each
//! refusal: who, what, how long, how it ended.

use std::time::Instant;

use serde_json::Value;
use tracing::level_filters::LevelFilter;

#[cfg(feature = "http")]
use super::auth::Denial;
use super::error::Error as E;
use super::quota::ClientKey;
use genkit_core::internal::visible::Logged;

/// The target of the events: filter by it to keep them apart.
const TARGET: &str = "genkit::audit";

/// Who sent a request: what is known, and what the client says of itself.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) key: &'a ClientKey,
    /// The name and the version that the client gave.
    pub(crate) calls_itself: Option<(&'a str, &'a str)>,
}

/// A request that is being served. If it is dropped unfinished the client went away.
pub(crate) struct Audit(Option<AuditRecord>);

struct AuditRecord {
    method: &'static str,
    name: String,
    client: String,
    key: ClientKey,
    started: Instant,
    /// The arguments, if contents are wanted.
    arguments: Option<String>,
}

impl Audit {
    /// Records nothing where no subscriber listens.
    pub(crate) fn begin(
        method: &'static str,
        name: &str,
        asking: Asking<'_>,
        arguments: Option<&Value>,
    ) -> Self {
        // Not `enabled!`: what a filter of one layer answers to that, tracing-subscriber takes for its answer to the
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

    /// `error` is what it failed with, if contents are wanted.
    pub(crate) fn end(self, outcome: &'static str, error: Option<&str>) {
        self.ended(outcome, None, error);
    }

    /// Nothing is recorded: that was done elsewhere.
    pub(crate) fn forget(mut self) {
        self.0 = None;
    }

    /// The request was not let in.
    pub(crate) fn refuse(self, why: &E) {
        self.ended("refused", Some(why.reason()), None);
    }

    fn ended(mut self, outcome: &'static str, reason: Option<&str>, error: Option<&str>) {
        if let Some(record) = self.0.take() {
            record.write(outcome, reason, error);
        }
    }
}

impl AuditRecord {
    fn write(&self, outcome: &'static str, reason: Option<&str>, error: Option<&str>) {
        let (principal, address) = self.key.known();
        tracing::info!(
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
            "served"
        );
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        if let Some(record) = self.0.take() {
            record.write("cancelled", None, None);
        }
    }
}

/// A request of HTTP that was refused before anybody knew what it asks: `reason` is one word, and `denial` what of
/// its token is wrong.
#[cfg(feature = "http")]
pub(crate) fn refuse_http(
    method: &str,
    path: &str,
    key: &ClientKey,
    reason: &'static str,
    denial: Option<&Denial>,
) {
    let (principal, address) = key.known();
    tracing::info!(
        target: TARGET,
        method = %Logged::name(method),
        name = %Logged::name(path),
        principal = %Logged::name(principal),
        address = address.map(tracing::field::display),
        outcome = "refused",
        reason,
        denial = denial.map(|denial| tracing::field::display(Logged::text(denial))),
        "refused"
    );
}
