//! The HTTP endpoint of all flows: checks before a flow runs.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value};
use tokio::sync::OwnedSemaphorePermit;

use super::answer::{self, FlowFailure};
use super::error::Error as E;
use super::request::{FlowQuery, input_of};
use super::run::{AdmittedFlow, FlowRun};
use super::shared::FlowEndpoint;
use crate::server::provider::{FlowRequest, action_context};
use genkit_core::Flow;
use genkit_core::internal::glob::matches_glob;
use genkit_http_server::internal::read_body;

impl FlowEndpoint {
    /// Handles a request.
    pub(super) async fn answer(self: &Arc<Self>, request: Request) -> Response {
        let (headers, uri) = (request.headers(), request.uri());
        if let Some(hosts) = &self.hosts
            && let Err(refusal) = hosts.check(headers, uri)
        {
            return FlowFailure::from(E::from(refusal)).into_response();
        }
        let Some(rights) = self.cors.check(headers, uri) else {
            return FlowFailure::from(E::Origin).into_response();
        };
        let counted = self.drain.begin();
        let answered = self.let_in(request).await;
        let mut answer = answered.unwrap_or_else(FlowFailure::into_response);
        self.cors.grant(rights, answer.headers_mut());
        counted.until_sent(answer)
    }

    async fn let_in(self: &Arc<Self>, request: Request) -> Result<Response, FlowFailure> {
        let flow = self.flow(request.uri()).ok_or(E::NoSuchFlow)?;
        match *request.method() {
            Method::POST => {}
            Method::OPTIONS => return Ok(self.preflight(request.headers())),
            _ => return Err(E::Method.into()),
        }
        let (parts, body) = request.into_parts();
        let mut query = FlowQuery::read(&parts.headers, &parts.uri)?;
        let from = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|from| from.0.ip());
        let body = read_body(body, self.max_message, &self.room, from).await.map_err(E::from)?;
        // Acquired after the body was read, so that a slow body does not hold a permit.
        let permit = Arc::clone(&self.limiter).try_acquire_owned();
        let permit = permit.map_err(|_| E::TooManyRunning(self.max_in_flight))?;
        let again = self.store.as_ref().and_then(|_| query.stream_id.take());
        // The body of a request that resumes a stream is ignored.
        let input = match again {
            Some(_) => Value::Null,
            None => input_of(&body.bytes)?,
        };
        drop(body);
        let admitted = self.admit(flow, parts, input, permit).await?;
        match (&self.store, again) {
            (Some(store), Some(id)) => self.stream_again(&**store, admitted, &id, query.from).await,
            (Some(store), None) if query.stream => self.stream_durably(&**store, admitted).await,
            _ if query.stream => Ok(self.stream(admitted)),
            _ => Ok(self.run(admitted).await),
        }
    }

    fn preflight(&self, asked: &HeaderMap) -> Response {
        let mut response = StatusCode::NO_CONTENT.into_response();
        self.cors.preflight(asked, response.headers_mut());
        response
    }

    /// Returns the flow named by the last segment of a path.
    fn flow(&self, uri: &Uri) -> Option<Flow> {
        let name = uri.path().rsplit('/').next()?;
        if !self.only.is_empty() && !self.only.iter().any(|only| matches_glob(only, name)) {
            return None;
        }
        self.genkit.registry.flow(name)
    }

    /// Runs the context providers.
    async fn admit(
        &self,
        flow: Flow,
        parts: Parts,
        input: Value,
        permit: OwnedSemaphorePermit,
    ) -> Result<AdmittedFlow, FlowFailure> {
        let Parts { method, headers, extensions, .. } = parts;
        if self.providers.is_empty() {
            let (context, owner) = (Map::new(), flow.name().to_owned());
            return Ok(AdmittedFlow { flow, input, context, extensions, owner, permit });
        }
        let request = FlowRequest::new(flow.name(), &method, &headers, input, extensions);
        let known = action_context(&self.providers, &request).await;
        let (context, owner) =
            known.map_err(|error| FlowFailure::of(error, flow.name(), self.exposes_errors))?;
        let (input, extensions) = request.into_parts();
        let owner = format!("{}\n{owner}", flow.name());
        Ok(AdmittedFlow { flow, input, context, extensions, owner, permit })
    }

    /// Runs a flow whose client waits for its result. If the client disconnects, this future is dropped.
    async fn run(self: &Arc<Self>, admitted: AdmittedFlow) -> Response {
        let FlowRun { work, cancel, permit: _permit, trace } = self.begin(admitted, None);
        let done = pin!(work).await;
        cancel.disarm();
        trace.on(match done {
            Ok(result) => answer::result(&result),
            Err(failure) => failure.into_response(),
        })
    }
}
