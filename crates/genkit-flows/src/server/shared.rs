//! The state shared by all requests to a flow server.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::builder::FlowSettings;
use crate::server::provider::ContextProvider;
use crate::server::store::StreamStore;
use genkit_core::internal::BoundRegistry;
use genkit_core::internal::environment::is_development;
use genkit_http_server::internal::{AllowedHosts, BodyBudget, Cors, Drain, FairLimit, FairPermit};

/// The methods that web pages can use.
pub(super) const METHODS: &str = "POST, OPTIONS";

/// The response headers that web pages can read.
const EXPOSED: &str = "x-genkit-stream-id, x-genkit-trace-id, x-genkit-span-id";

/// The time that streams have to send their last event after the server has ended. Default is 0.5 seconds.
const CUT_OFF: Duration = Duration::from_millis(500);

/// The maximum number of requests whose context providers run at the same time. Default is 256, or the concurrency limit
/// if that is less.
const MAX_ADMITTING: usize = 256;

/// The slot of a client's flow or reader, released on drop.
pub(super) type FlowSlot = FairPermit<String>;

/// The endpoint of all flows of a server, with its limits and checks.
pub(super) struct FlowEndpoint {
    pub(super) genkit: BoundRegistry,
    pub(super) only: Vec<String>,
    pub(super) providers: Vec<Arc<dyn ContextProvider>>,
    pub(super) store: Option<Arc<dyn StreamStore>>,
    pub(super) timeout: Duration,
    pub(super) max_message: usize,
    pub(super) room: Arc<BodyBudget>,
    /// The requests that are parsed and whose context providers run.
    pub(super) admitting: Arc<FairLimit<String>>,
    /// The flows that run.
    pub(super) running: Arc<FairLimit<String>>,
    /// The readers of streams that were resumed.
    pub(super) reading: Arc<FairLimit<String>>,
    /// The memory of running requests and of unsent responses.
    pub(super) memory: Arc<FairLimit<String>>,
    pub(super) max_in_flight: usize,
    pub(super) hosts: AllowedHosts,
    pub(super) cors: Cors,
    pub(super) exposes_errors: bool,
    pub(super) drain: Drain,
    /// Cancels the running flows.
    pub(super) end: CancellationToken,
}

impl FlowEndpoint {
    pub(super) fn new(
        genkit: BoundRegistry,
        settings: FlowSettings,
        drain: Drain,
        end: CancellationToken,
    ) -> Self {
        Self {
            genkit,
            only: settings.only,
            providers: settings.providers,
            store: settings.store,
            timeout: settings.timeout,
            max_message: settings.max_message,
            room: BodyBudget::new(settings.max_message),
            admitting: FairLimit::new(MAX_ADMITTING.min(settings.max_in_flight)),
            running: FairLimit::new(settings.max_in_flight),
            reading: FairLimit::new(settings.max_in_flight),
            memory: FairLimit::for_memory(settings.max_message),
            max_in_flight: settings.max_in_flight,
            hosts: AllowedHosts::with_wildcard(settings.hosts),
            cors: Cors::new(settings.origins, METHODS, EXPOSED),
            exposes_errors: settings.expose_errors.unwrap_or_else(is_development),
            drain,
            end,
        }
    }

    /// Resolves after the server has ended and flows had time to send their last event.
    pub(super) async fn cut_off(&self) {
        self.end.cancelled().await;
        tokio::time::sleep(CUT_OFF).await;
    }
}
