//! The HTTP endpoint for all flows, which checks each request before its flow runs.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value};

use super::answer::{self, FlowErrorResponse};
use super::error::Error as E;
use super::gate::address_key;
use super::request::{FlowQuery, parse_input};
use super::run::{AdmittedFlow, FlowRun};
use super::shared::{FlowEndpoint, FlowSlot};
use crate::server::provider::{FlowRequest, action_context};
use genkit_core::Flow;
use genkit_core::internal::glob::matches_glob;
use genkit_http_server::internal::{FairLimit, read_body};

impl FlowEndpoint {
    /// Handles a request.
    pub(super) async fn answer(self: &Arc<Self>, request: Request) -> Response {
        let (headers, uri) = (request.headers(), request.uri());
        if let Err(refusal) = self.hosts.check(headers, uri) {
            return FlowErrorResponse::from(E::from(refusal)).into_response();
        }
        let Some(rights) = self.cors.check(headers, uri) else {
            return FlowErrorResponse::from(E::Origin).into_response();
        };
        let counted = self.drain.count_request();
        let answered = self.let_in(request).await;
        let mut answer = answered.unwrap_or_else(FlowErrorResponse::into_response);
        self.cors.grant(rights, answer.headers_mut());
        counted.until_sent(answer)
    }

    async fn let_in(self: &Arc<Self>, request: Request) -> Result<Response, FlowErrorResponse> {
        match *request.method() {
            Method::POST => {}
            Method::OPTIONS => return Ok(self.preflight(request.headers())),
            _ => return Err(E::Method.into()),
        }
        // With context providers, a flow is looked up only after they have accepted the client.
        if self.providers.is_empty() && self.flow(request.uri()).is_none() {
            return Err(E::FlowNotFound.into());
        }
        let (parts, body) = request.into_parts();
        let mut query = FlowQuery::read(&parts.headers, &parts.uri)?;
        let from = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|from| from.0.ip());
        let body = read_body(body, self.max_message, &self.room, from).await.map_err(E::from)?;
        // Take the slot after the body has been read, so that a slow client does not hold one, and before the body
        // is parsed.
        let (address, size) = (address_key(from), body.bytes.len());
        let admitting = self.take_share(&self.admitting, address.clone(), size)?;
        let again = self.store.as_ref().and_then(|_| query.stream_id.take());
        // The body of a request that resumes a stream is ignored.
        let input = match again {
            Some(_) => Value::Null,
            None => parse_input(&body.bytes)?,
        };
        drop(body);
        let limit = if again.is_some() { &self.reading } else { &self.running };
        let admitted = self.admit(parts, input, size, address, limit).await?;
        drop(admitting);
        match (&self.store, again) {
            (Some(store), Some(id)) => {
                self.resume_stream(&**store, admitted, &id, query.from).await
            }
            (Some(store), None) if query.stream => self.stream_durably(&**store, admitted).await,
            _ if query.stream => Ok(self.stream(admitted)),
            _ => Ok(self.run_to_end(admitted).await),
        }
    }

    fn preflight(&self, asked: &HeaderMap) -> Response {
        let mut response = StatusCode::NO_CONTENT.into_response();
        self.cors.preflight(asked, response.headers_mut());
        response
    }

    /// Returns the flow named by the last segment of a path.
    fn flow(&self, uri: &Uri) -> Option<Flow> {
        let name = flow_name(uri);
        if !self.only.is_empty() && !self.only.iter().any(|only| matches_glob(only, name)) {
            return None;
        }
        self.genkit.registry.flow(name)
    }

    /// Runs the context providers, and takes a slot for the client. A flow is looked up only for a client that the
    /// providers accept, so that other clients cannot find out which flows exist.
    async fn admit(
        &self,
        parts: Parts,
        input: Value,
        size: usize,
        address: String,
        limit: &Arc<FairLimit<String>>,
    ) -> Result<AdmittedFlow, FlowErrorResponse> {
        let Parts { method, uri, headers, extensions, .. } = parts;
        if self.providers.is_empty() {
            let flow = self.flow(&uri).ok_or(E::FlowNotFound)?;
            let (context, owner) = (Map::new(), flow.name().to_owned());
            let place = self.take_share(limit, address.clone(), size)?;
            let client = address;
            return Ok(AdmittedFlow { flow, input, context, extensions, owner, client, place });
        }
        let name = flow_name(&uri).to_owned();
        let request = FlowRequest::new(&name, &method, &headers, input, extensions);
        let known = action_context(&self.providers, &request).await;
        let (context, caller) = known
            .map_err(|error| FlowErrorResponse::from_error(error, &name, self.exposes_errors))?;
        let (input, extensions) = request.into_parts();
        let flow = self.flow(&uri).ok_or(E::FlowNotFound)?;
        let client = if context.is_empty() { address } else { format!("caller {caller}") };
        let place = self.take_share(limit, client.clone(), size)?;
        let owner = format!("{name}\n{caller}");
        Ok(AdmittedFlow { flow, input, context, extensions, owner, client, place })
    }

    /// Takes a slot of a limit, and memory for an input of this size.
    fn take_share(
        &self,
        limit: &Arc<FairLimit<String>>,
        client: String,
        size: usize,
    ) -> Result<FlowSlot, E> {
        let place = limit.take_slot(client.clone()).ok_or(E::TooManyRunning(self.max_in_flight))?;
        Ok(place.join(self.memory.take_memory(client, size)?))
    }

    /// Runs a flow whose client waits for its result. If the client disconnects, this future is dropped.
    async fn run_to_end(self: &Arc<Self>, admitted: AdmittedFlow) -> Response {
        let client = admitted.client.clone();
        let FlowRun { work, cancel, place: _place, trace } = self.start_flow(admitted, None);
        let done = pin!(work).await;
        cancel.disarm();
        trace.on(match done {
            Ok(result) => answer::counted_result(&result, &self.memory, client)
                .unwrap_or_else(|error| FlowErrorResponse::from(E::from(error)).into_response()),
            Err(failure) => failure.into_response(),
        })
    }
}

/// Returns the last segment of a path, which names the flow.
fn flow_name(uri: &Uri) -> &str {
    uri.path().rsplit('/').next().unwrap_or_default()
}
