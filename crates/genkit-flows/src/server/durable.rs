//! Durable streams: a flow that continues without its client, and clients that reconnect.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::DropGuard;

use super::answer::FlowErrorResponse;
use super::error::Error as E;
use super::run::{AdmittedFlow, FlowRun};
use super::shared::{FlowEndpoint, FlowSlot};
use super::streamed::CHUNKS;
use crate::STREAM_ID;
use crate::server::store::{StreamEvent, StreamReader, StreamStore, StreamWriter};
use genkit_core::Result;
use genkit_core::internal::context::{ContextParts, supervise_run};
use genkit_core::internal::visible::Logged;
use genkit_core::internal::warnings::WarningBudget;

/// The time limit of a store for one event. Default is 30 seconds.
const STORE_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum length of the id of a stream to resume, in bytes. Default is 128.
const MAX_STREAM_ID: usize = 128;

impl FlowEndpoint {
    /// Opens a stream for a flow, which then runs regardless of its readers.
    pub(super) async fn stream_durably(
        self: &Arc<Self>,
        store: &dyn StreamStore,
        admitted: AdmittedFlow,
    ) -> Result<Response, FlowErrorResponse> {
        let (sender, chunks) = mpsc::channel(CHUNKS);
        let (name, owner) = (admitted.flow.name().to_owned(), admitted.owner.clone());
        let client = admitted.client.clone();
        let reading = client.clone();
        let FlowRun { work, cancel, place, trace } = self.start_flow(admitted, Some(sender));
        // The flow and its first reader share a slot until both have ended.
        let place = Arc::new(place);
        let id = random_id();
        let opened = async {
            let writer = store.open_for(&id, &owner, &client).await?;
            let reader = store.subscribe(&id, &owner, 0).await?;
            Ok((writer, reader.ok_or(E::UnexpectedEnd)?))
        };
        let opened = run_with_timeout(opened).await;
        let (writer, reader) = opened
            .map_err(|error| FlowErrorResponse::from_error(error, &name, self.exposes_errors))?;
        let held = Arc::clone(&place);
        // Count the run as a request, so that the shutdown waits for it even if its client disconnects.
        let counted = self.drain.count_request();
        tokio::spawn(async move {
            pump(work, cancel, chunks, writer, &name).await;
            drop((counted, held));
        });
        Ok(trace.on(self.read(reader, &id, place, reading)))
    }

    /// Resumes a stream without its first `from` chunks. Responds with 204 if it does not exist or belongs to
    /// another caller.
    pub(super) async fn resume_stream(
        self: &Arc<Self>,
        store: &dyn StreamStore,
        admitted: AdmittedFlow,
        id: &str,
        from: usize,
    ) -> Result<Response, FlowErrorResponse> {
        let AdmittedFlow { flow, owner, client, place, .. } = admitted;
        let reader = match id.len() <= MAX_STREAM_ID {
            true => run_with_timeout(store.subscribe(id, &owner, from)).await,
            false => Ok(None),
        };
        let reader = reader.map_err(|error| {
            FlowErrorResponse::from_error(error, flow.name(), self.exposes_errors)
        })?;
        Ok(match reader {
            Some(reader) => self.read(reader, id, Arc::new(place), client),
            None => StatusCode::NO_CONTENT.into_response(),
        })
    }

    fn read(
        self: &Arc<Self>,
        reader: Box<dyn StreamReader>,
        id: &str,
        place: Arc<FlowSlot>,
        client: String,
    ) -> Response {
        let reading = StreamReading { endpoint: Arc::clone(self), reader, _place: place };
        let events = futures_util::stream::unfold(Some(reading), |reading| async move {
            let mut reading = reading?;
            let event = reading.next().await;
            let next = (!event.is_last()).then_some(reading);
            Some((event, next))
        });
        let mut response = self.frames(Box::pin(events), client);
        if let Ok(id) = HeaderValue::from_str(id) {
            response.headers_mut().insert(STREAM_ID, id);
        }
        response
    }
}

/// Returns 128 random bits as hex digits.
fn random_id() -> String {
    // Combine two UUIDs, because six bits of each are fixed.
    let (one, other) = (uuid::Uuid::new_v4().as_u128(), uuid::Uuid::new_v4().as_u128());
    format!("{:032x}", one ^ other.rotate_left(32))
}

/// Runs an operation of a store with a time limit, because a store can panic or never return.
async fn run_with_timeout<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let parts = ContextParts { limit: Some(STORE_TIMEOUT), ..ContextParts::default() };
    supervise_run(&parts.build(), "stream store", work).await
}

/// Runs a flow and writes its events to a store.
async fn pump<W>(
    work: W,
    cancel: DropGuard,
    mut chunks: mpsc::Receiver<Value>,
    mut writer: Box<dyn StreamWriter>,
    flow: &str,
) where
    W: Future<Output = Result<Value, FlowErrorResponse>>,
{
    let mut work = pin!(work);
    let done = loop {
        tokio::select! {
            biased;
            Some(chunk) = chunks.recv() => {
                if !write(&mut *writer, StreamEvent::Chunk(chunk), flow).await {
                    return;
                }
            }
            done = &mut work => break done,
        }
    };
    cancel.disarm();
    while let Ok(chunk) = chunks.try_recv() {
        if !write(&mut *writer, StreamEvent::Chunk(chunk), flow).await {
            return;
        }
    }
    let end = match done {
        Ok(result) => StreamEvent::Result(result),
        Err(failure) => StreamEvent::Error(failure.json),
    };
    write(&mut *writer, end, flow).await;
}

/// Writes an event. Returns whether the flow can continue.
async fn write(writer: &mut dyn StreamWriter, event: StreamEvent, flow: &str) -> bool {
    match run_with_timeout(writer.write(event)).await {
        Ok(()) => true,
        Err(error) => {
            static WARNINGS: WarningBudget = WarningBudget::new();
            if let Some(warnings) = WARNINGS.count_warning() {
                let error = error.chain();
                tracing::warn!(flow, warnings, error = %Logged::text(&error), "cannot store a durable stream; its flow was stopped");
            }
            false
        }
    }
}

/// The reader of a stream for one client.
struct StreamReading {
    endpoint: Arc<FlowEndpoint>,
    reader: Box<dyn StreamReader>,
    _place: Arc<FlowSlot>,
}

impl StreamReading {
    /// Returns the next event. Must not be called after the last event.
    async fn next(&mut self) -> StreamEvent {
        let failure = |error: E| StreamEvent::Error(FlowErrorResponse::from(error).json);
        // A flow produces an event before its time limit, unless its process has ended.
        let silence = self.endpoint.timeout.saturating_add(STORE_TIMEOUT);
        let parts = ContextParts { limit: Some(silence), ..ContextParts::default() };
        let context = parts.build();
        let reader = &mut self.reader;
        let next =
            supervise_run(&context, "stream store", async { reader.next().await.transpose() });
        let next = tokio::select! {
            biased;
            next = next => next,
            () = self.endpoint.cut_off() => return failure(E::ShuttingDown),
        };
        match next {
            Ok(Some(event)) => event,
            Ok(None) => failure(E::UnexpectedEnd),
            Err(error) => {
                let exposes = self.endpoint.exposes_errors;
                StreamEvent::Error(
                    FlowErrorResponse::from_error(error, "stream store", exposes).json,
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_random_to_the_last_bit() {
        let ids: Vec<u128> =
            (0..256).map(|_| u128::from_str_radix(&random_id(), 16).unwrap()).collect();
        let (any, all) = ids.iter().fold((0, u128::MAX), |(any, all), id| (any | id, all & id));
        assert_eq!((any, all), (u128::MAX, 0), "a bit is always the same");
    }
}
