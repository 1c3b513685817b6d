//! What all requests of a flow server share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::builder::FlowSettings;
use crate::provider::ContextProvider;
use crate::store::StreamStore;
use genkit_core::internal::BoundRegistry;
use genkit_core::internal::environment::is_development;
use genkit_http_server::internal::{AllowedHosts, BodyRoom, Cors, Drain};

/// What a page may do.
pub(super) const METHODS: &str = "POST, OPTIONS";

/// What a page may read of an answer beside its body.
const EXPOSED: &str = "x-genkit-stream-id, x-genkit-trace-id, x-genkit-span-id";

/// How long streams of others may take to say that they end, once the server does. Default is 0.5 seconds.
const CUT_OFF: Duration = Duration::from_millis(500);

/// All flows of a server, and what stands before them.
pub(super) struct FlowEndpoint {
    pub(super) genkit: BoundRegistry,
    pub(super) only: Vec<String>,
    pub(super) providers: Vec<Arc<dyn ContextProvider>>,
    pub(super) store: Option<Arc<dyn StreamStore>>,
    pub(super) timeout: Duration,
    pub(super) max_body: usize,
    pub(super) room: Arc<BodyRoom>,
    pub(super) limiter: Arc<Semaphore>,
    pub(super) max_running: usize,
    /// `None` answers for every host.
    pub(super) hosts: Option<AllowedHosts>,
    pub(super) cors: Cors,
    pub(super) exposes_errors: bool,
    pub(super) drain: Drain,
    /// Ends what runs.
    pub(super) end: CancellationToken,
}

impl FlowEndpoint {
    pub(super) fn new(
        genkit: BoundRegistry,
        settings: FlowSettings,
        drain: Drain,
        end: CancellationToken,
    ) -> Self {
        let any = settings.hosts.as_ref().is_some_and(|hosts| hosts.iter().any(|host| host == "*"));
        Self {
            genkit,
            only: settings.only,
            providers: settings.providers,
            store: settings.store,
            timeout: settings.timeout,
            max_body: settings.max_body,
            room: BodyRoom::new(settings.max_body),
            limiter: Arc::new(Semaphore::new(settings.max_running.min(Semaphore::MAX_PERMITS))),
            max_running: settings.max_running,
            hosts: (!any).then(|| AllowedHosts::new(settings.hosts)),
            cors: Cors::new(settings.origins, METHODS, EXPOSED),
            exposes_errors: settings.expose_errors.unwrap_or_else(is_development),
            drain,
            end,
        }
    }

    /// Resolves when the server has ended and flows had time to say so in their streams.
    pub(super) async fn cut_off(&self) {
        self.end.cancelled().await;
        tokio::time::sleep(CUT_OFF).await;
    }
}
