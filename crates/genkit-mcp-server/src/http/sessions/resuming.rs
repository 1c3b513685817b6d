//! Stores the stream of a call, and resumes it on another instance by reading it from the store.

use std::sync::Arc;
use std::time::Duration;

use http::Response;
use rmcp::model::RequestId;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::{Call, Outward as _};
use crate::http::endpoint::EndpointState;
use crate::http::pending_response::{PendingResponse, drive_call, is_primed};
use crate::http::rejection::HttpRejection;
use crate::http::responses;
use crate::http::session_store::{STORE_TIMEOUT, SessionStore};
use crate::http::sessions::SessionInUse;
use crate::http::streams::{
    AnswerBody, EventId, EventStream, Events, StoredStream, StreamJournal, priming_event,
};
use genkit_core::Result as StoreResult;
use genkit_core::internal::visible::Logged;
use genkit_core::{RunId, RunStore};
use genkit_durable::internal::{LEASE, LeasedRun};

/// The interval at which the store is polled for events from another instance. Default is 250 ms.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// The interval between checks that the other instance is still alive. Default is 1 second.
const OWNER_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The number of consecutive failures of the store after which the stream ends and the client must
/// reconnect. Default is 20.
const MAX_FAILURES: u32 = 20;

impl EndpointState {
    /// Returns the rest of a stream that does not belong to this instance.
    pub(in crate::http) async fn resume(
        &self,
        session: SessionInUse,
        last: EventId,
        expiry: Option<Instant>,
    ) -> Result<Response<AnswerBody>, HttpRejection> {
        let Some(store) = self.store.as_ref().and_then(|store| store.streams()) else {
            return Ok(responses::empty_event_stream());
        };
        let id = RunId::for_stream(&session.id().to_string(), last.stream);
        let stored = match tokio::time::timeout(STORE_TIMEOUT, load_stream(&*store, &id)).await {
            Ok(Ok(Some(stored))) => stored,
            Ok(Ok(None)) => return Ok(responses::empty_event_stream()),
            Ok(Err(error)) => {
                tracing::error!(error = %Logged::text(error.chain()), "cannot load a stream");
                return Err(HttpRejection::StoreFailed);
            }
            Err(_) => return Err(HttpRejection::StoreFailed),
        };
        let counted =
            session.session.quota().open_stream().map_err(|_| HttpRejection::TooManyStreams)?;
        let index = last.index.min(stored.last_index());
        let stream = Arc::new(EventStream::continue_after(EventId { index, ..last }));
        let events =
            Events::new(Arc::clone(&stream), index, session.end_token()).with_expiry(expiry);
        let following = follow_stream(store, id, stored, stream, index);
        let driver = Box::pin(async move {
            let _kept = (session, counted);
            following.await;
        });
        Ok(responses::event_response(events.with_driver(driver, Some(CancellationToken::new()))))
    }
}

async fn load_stream(store: &dyn RunStore, id: &RunId) -> StoreResult<Option<StoredStream>> {
    Ok(store.load(id).await?.and_then(StoredStream::read))
}

/// Sends the stored events, and later events as they are stored, until the response.
async fn follow_stream(
    store: Arc<dyn RunStore>,
    id: RunId,
    mut stored: StoredStream,
    stream: Arc<EventStream>,
    mut seen: u64,
) {
    let mut failures = 0;
    loop {
        for (index, event) in stored.events_after(seen) {
            if !stream.send_line(event.clone()).await {
                return;
            }
            seen = *index;
        }
        if stored.is_done() {
            break;
        }
        match next(&store, &id, &stored).await {
            Ok(Some(next)) => (stored, failures) = (next, 0),
            // The stream has expired.
            Ok(None) => break,
            Err(error) => {
                failures += 1;
                if failures == MAX_FAILURES {
                    let error = Logged::text(error.chain());
                    tracing::error!(%error, "cannot read the stream from another instance");
                    break;
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        }
    }
    stream.finish_stream(None);
}

/// Waits until the instance of the stream has added events or has died.
async fn next(
    store: &Arc<dyn RunStore>,
    id: &RunId,
    stored: &StoredStream,
) -> StoreResult<Option<StoredStream>> {
    loop {
        let until = Instant::now() + OWNER_CHECK_INTERVAL;
        if let Some((mut leased, now)) = LeasedRun::begin(store, id, LEASE).await? {
            if let Some(end) = StoredStream::read(now)
                .filter(|now| !now.is_done())
                .and_then(|now| now.abandonment_change())
            {
                leased.save_change(end).await?;
            }
            leased.release().await;
            return load_stream(&**store, id).await;
        }
        while Instant::now() < until {
            tokio::time::sleep(POLL_INTERVAL).await;
            match store.peek(id).await? {
                None => return Ok(None),
                Some(at) if at.revision != stored.revision => {
                    return load_stream(&**store, id).await;
                }
                Some(_) => {}
            }
        }
    }
}

/// Responds to a call with a stored stream, if there is a store of streams.
pub(in crate::http) async fn answer_stored(
    call: Call,
    answering: PendingResponse,
    store: Option<&Arc<dyn SessionStore>>,
    now: u64,
    end: &CancellationToken,
) -> Result<Response<AnswerBody>, (Call, PendingResponse)> {
    let place = match (&answering.session, call.id(), store.and_then(|store| store.streams())) {
        (Some(session), Some(request), Some(store)) => {
            let number = session.keep_everywhere(&answering.stream, now);
            let run = RunId::for_stream(&session.id().to_string(), number);
            StreamLocation { run, request: request.clone(), number, store }
        }
        _ => return Err((call, answering)),
    };
    Ok(run_with_journal(call, answering, place, end.clone()).await)
}

/// The location of a stored stream.
struct StreamLocation {
    run: RunId,
    request: RequestId,
    number: u64,
    store: Arc<dyn RunStore>,
}

/// Runs a call whose stream is stored, so that it can be resumed on any instance.
async fn run_with_journal(
    call: Call,
    answering: PendingResponse,
    place: StreamLocation,
    end: CancellationToken,
) -> Response<AnswerBody> {
    let stream = Arc::clone(&answering.stream);
    let primed = answering.session.as_ref().is_some_and(|session| is_primed(&session.session));
    let before = primed.then(|| priming_event(EventId { stream: place.number, index: 0 }));
    let expiry = answering.expiry;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    // Run in a task, because the lease must be renewed even if the client does not read.
    tokio::spawn(async move {
        let StreamLocation { run, request, store, .. } = place;
        let journal = StreamJournal::open(&store, run, &request, &answering.stream).await;
        let _ = begun.send(());
        let Some(journal) = journal else { return drive_call(call, answering).await };
        let mut call = std::pin::pin!(call);
        let reply = loop {
            tokio::select! {
                reply = &mut call => break reply,
                () = journal.renew_in_time() => {}
            }
        };
        journal.finish(reply.as_ref().map(|reply| &reply.bytes)).await;
        drop(answering);
    });
    // Send the id of the stream only after other instances can read the stream.
    let _ = has_begun.await;
    responses::event_response(Events::new(stream, 0, end).with_expiry(expiry).with_first(before))
}
