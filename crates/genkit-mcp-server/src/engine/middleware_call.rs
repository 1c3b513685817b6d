//! Runs the middleware of a server around a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{ErrorData, RequestId};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::call::CallWork;
use super::{Reply, message};
use crate::audit::{Audit, RequestSource};
use crate::caller::Request;
use crate::error::Error as E;
use crate::middleware::{NextRequest, ServedRequest, ServedResponse, refusal_error};
use crate::quota::{ClientKey, ClientQuota};
use crate::state::SharedState;
use genkit_core::internal::context::{ContextParts, Outcome, drive_function};

/// A request that runs inside middleware.
pub(super) struct MiddlewareCall {
    shared: Arc<SharedState>,
    request: ServedRequest,
    quota: Arc<ClientQuota>,
    key: ClientKey,
    calls_itself: Option<(String, String)>,
    cancel: CancellationToken,
}

impl MiddlewareCall {
    /// Creates the call, or returns `None` if the server has no middleware.
    pub(super) fn new(
        shared: &Arc<SharedState>,
        method: &'static str,
        name: &str,
        arguments: impl FnOnce() -> Value,
        request: &Request,
    ) -> Option<Self> {
        if shared.settings.middleware.is_empty() {
            return None;
        }
        let asking = request.request_source();
        let calls_itself = asking.calls_itself;
        Some(Self {
            shared: Arc::clone(shared),
            request: ServedRequest::new(
                method,
                name,
                arguments(),
                match asking.key.known_identity() {
                    (_, Some(address)) => address.to_string(),
                    (id, None) => id.to_owned(),
                },
                request.meta.0.0.clone(),
                shared.settings.values.clone(),
                &request.head,
            ),
            quota: Arc::clone(&request.quota),
            key: asking.key.clone(),
            calls_itself: calls_itself.map(|(name, version)| (name.to_owned(), version.to_owned())),
            cancel: request.cancel.clone(),
        })
    }

    /// Runs `work` inside all middleware.
    pub(super) async fn run_inside(
        self,
        id: RequestId,
        work: CallWork,
    ) -> Result<Reply, ErrorData> {
        let Self { shared, request, quota, key, calls_itself, cancel } = self;
        let (method, name) = (request.method(), request.name().to_owned());
        let calls_itself = calls_itself.as_ref().map(|(name, version)| (&**name, &**version));
        let audit =
            Audit::start_record(method, &name, RequestSource { key: &key, calls_itself }, None);
        let was_served = Arc::new(AtomicBool::new(false));
        let serves = Arc::clone(&was_served);
        let server = Box::pin(async move {
            serves.store(true, Ordering::Relaxed);
            match work.await {
                Ok(reply) => to_served_response(&reply),
                Err(error) => ServedResponse::from_error(error),
            }
        });
        let middleware = Arc::clone(&shared.settings.middleware);
        let next = NextRequest::outermost(middleware, request, server);
        // Catch panics of the middleware, and cancel it if the client disconnects.
        let guard = ContextParts { cancel, ..ContextParts::default() }.build();
        let outcome = match drive_function(&guard, &name, next.run()).await {
            Outcome::Finished(outcome) => outcome,
            Outcome::Suspended(..) | Outcome::Cancelled => {
                if was_served.load(Ordering::Relaxed) {
                    audit.discard_record();
                }
                return Err(E::RequestCancelled.into());
            }
        };
        let outcome = outcome.map_err(|error| shared.for_client(error, &name));
        // A request that the middleware passed on has already been counted and recorded. Lists are counted earlier and
        // are not recorded.
        if was_served.load(Ordering::Relaxed) || method.ends_with("/list") {
            audit.discard_record();
        } else if let Err(error) = quota.count_request() {
            audit.record_refusal(&error);
            return Err(error.into());
        } else {
            audit.record_outcome(if outcome.is_ok() { "middleware" } else { "refused" }, None);
        }
        let result = match outcome {
            Ok(answer) => answer.into_parts()?,
            Err(error) => return Err(refusal_error(&error)),
        };
        let tool_failed = result["isError"] == true;
        Ok(Reply { tool_failed, ..message::result_reply(&id, &result) })
    }
}

/// Converts a response to the type that middleware receives.
fn to_served_response(reply: &Reply) -> ServedResponse {
    let mut message: Value = serde_json::from_slice(&reply.bytes).unwrap_or_default();
    match serde_json::from_value::<ErrorData>(message["error"].take()) {
        Ok(error) if reply.error.is_some() => ServedResponse::from_error(error),
        _ => ServedResponse::new(message["result"].take()),
    }
}
