//! The number of sessions of a server, from its `tracing` events.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

static OPEN: AtomicU64 = AtomicU64::new(0);

/// Returns the number of sessions when the server last checked for idle ones.
pub(crate) fn open() -> u64 {
    OPEN.load(Relaxed)
}

/// Installs the subscriber that counts sessions.
pub(crate) fn count() {
    tracing::subscriber::set_global_default(Listens).unwrap();
}

struct Listens;

impl Subscriber for Listens {
    fn enabled(&self, of: &Metadata<'_>) -> bool {
        *of.level() == Level::TRACE && of.target() == "genkit::mcp::server::http::sessions"
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Sessions);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Sessions;

impl Visit for Sessions {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "sessions" {
            OPEN.store(value, Relaxed);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
