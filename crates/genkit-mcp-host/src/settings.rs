//! Settings that all servers of a host share.

use std::sync::{Arc, RwLock};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::config::Reconnect;
use super::event::{EventHandler, McpEvent};
use super::input::elicit::ElicitHandler;
use super::input::sampling::Sampling;
use super::limits;
use genkit_core::internal::sync::{read, write};
use genkit_core::internal::visible::Logged;
use genkit_core::{Context, LogLevel, Root};

/// A function that creates the `_meta` of a request from the context of its caller.
pub(crate) type MetaFrom = Arc<dyn Fn(&Context) -> Map<String, Value> + Send + Sync>;

/// Settings that all servers of a host share.
pub(crate) struct HostSettings {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) timeout: Duration,
    pub(crate) max_timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) startup: Duration,
    pub(crate) probe: Duration,
    pub(crate) raw: bool,
    /// The tools that models find with a search: patterns for `key/tool`.
    pub(crate) lazy: Vec<String>,
    /// Whether the program shows the pages of MCP Apps.
    pub(crate) apps: bool,
    pub(crate) reconnect: Reconnect,
    pub(crate) max_notifications: u32,
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) on_elicit: Option<ElicitHandler>,
    pub(crate) sampling: Option<Sampling>,
    pub(crate) on_event: Option<EventHandler>,
    pub(crate) meta_from: Option<MetaFrom>,
    /// Counts events that may change the items that servers offer.
    pub(crate) changes: watch::Sender<u64>,
    /// The roots of the host; a server can override them.
    pub(crate) roots: RwLock<Option<Vec<Root>>>,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            name: "genkit-mcp".to_owned(),
            version: "1.0.0".to_owned(),
            timeout: limits::TIMEOUT,
            max_timeout: limits::MAX_TIMEOUT,
            connect_timeout: limits::CONNECT_TIMEOUT,
            startup: limits::STARTUP_TIMEOUT,
            probe: limits::PROBE_TIMEOUT,
            raw: false,
            lazy: Vec::new(),
            apps: false,
            reconnect: Reconnect::new(),
            max_notifications: limits::MAX_NOTIFICATIONS,
            log_level: None,
            on_elicit: None,
            sampling: None,
            on_event: None,
            meta_from: None,
            changes: watch::Sender::new(0),
            roots: RwLock::new(None),
        }
    }
}

impl HostSettings {
    pub(crate) fn shared_roots(&self) -> Option<Vec<Root>> {
        read(&self.roots).clone()
    }

    pub(crate) fn set_roots(&self, roots: Vec<Root>) {
        *write(&self.roots) = Some(roots);
    }

    /// Emits an event. A panic of the handler is logged, and does not affect later events.
    pub(crate) fn emit_event(&self, event: &McpEvent) {
        if matches!(
            event,
            McpEvent::State { .. }
                | McpEvent::ToolsChanged { .. }
                | McpEvent::PromptsChanged { .. }
                | McpEvent::ResourcesChanged { .. }
        ) {
            self.changes.send_modify(|count| *count += 1);
        }
        if let Some(on_event) = &self.on_event {
            let handling = std::panic::AssertUnwindSafe(|| on_event(event));
            if std::panic::catch_unwind(handling).is_err() {
                let event = format!("{event:?}");
                let event = Logged::text(&event);
                tracing::error!(%event, "the event handler of the MCP host panicked");
            }
        }
    }
}
