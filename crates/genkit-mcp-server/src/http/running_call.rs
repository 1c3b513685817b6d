//! A function that runs for a POST. The response is one message, or a stream if the function sends
//! messages before it.

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Response;
use tokio_util::sync::CancellationToken;

use super::pending_response::{PendingResponse, drive_call, is_primed};
use super::rejection::HttpRejection;
use super::responses;
use super::sessions::resuming::answer_stored;
use super::streams::{AnswerBody, EventId, Events, priming_event};
use crate::engine::{Call, Reply};
use crate::http::session_store::SessionStore;

/// The duration of a call in a session after which its response becomes a stream, which the client can
/// resume after it loses the connection. Default is 50 milliseconds.
const RESUMABLE_AFTER: Duration = Duration::from_millis(50);

/// A call, polled by the task of its connection. If the connection is lost, a call in a session continues, and any
/// other call is cancelled.
pub(super) struct RunningCall(Option<(Call, PendingResponse)>);

/// The first result of a running call.
enum FirstResult {
    Ended(Option<Reply>),
    /// The response must be a stream.
    Message,
}

impl RunningCall {
    pub(super) fn new(call: Call, answering: PendingResponse) -> Self {
        Self(Some((call, answering)))
    }

    /// Runs the call until it ends or sends a message.
    pub(super) async fn answer_call(
        mut self,
        now: u64,
        end: CancellationToken,
        store: Option<&Arc<dyn SessionStore>>,
    ) -> Response<AnswerBody> {
        let first = self.run_first().await;
        let Some((call, answering)) = self.0.take() else { return responses::empty_event_stream() };
        match first {
            FirstResult::Ended(reply) => answer_ended(reply, answering, end),
            FirstResult::Message => {
                let (call, answering) = match answer_stored(call, answering, store, now, &end).await
                {
                    Ok(response) => return response,
                    Err(unstored) => unstored,
                };
                answer_stream(call, answering, now, end)
            }
        }
    }
}

impl RunningCall {
    async fn run_first(&mut self) -> FirstResult {
        if let Some((_, answering)) = self.0.as_ref().filter(|(_, it)| !it.accepts_events) {
            answering.stream.remove_reader(answering.stream.read_from(0));
            return poll_fn(|cx| self.poll_first(cx)).await;
        }
        // Most calls end in the first poll and need no timer.
        if let Poll::Ready(first) = poll_fn(|cx| Poll::Ready(self.poll_first(cx))).await {
            return first;
        }
        let session = self.0.as_ref().and_then(|(_, answering)| answering.session.as_ref());
        if !session.is_some_and(|session| is_primed(&session.session)) {
            return poll_fn(|cx| self.poll_first(cx)).await;
        }
        tokio::select! {
            biased;
            first = poll_fn(|cx| self.poll_first(cx)) => first,
            () = tokio::time::sleep(RESUMABLE_AFTER) => FirstResult::Message,
        }
    }

    fn poll_first(&mut self, cx: &mut Context<'_>) -> Poll<FirstResult> {
        let Some((call, answering)) = &mut self.0 else {
            return Poll::Ready(FirstResult::Ended(None));
        };
        match Pin::new(call).poll(cx) {
            Poll::Ready(reply) => Poll::Ready(FirstResult::Ended(reply)),
            Poll::Pending if !answering.accepts_events => Poll::Pending,
            Poll::Pending => answering.stream.poll_has_events(cx).map(|()| FirstResult::Message),
        }
    }
}

fn answer_ended(
    reply: Option<Reply>,
    answering: PendingResponse,
    end: CancellationToken,
) -> Response<AnswerBody> {
    if answering.accepts_events && answering.stream.has_events() {
        // The stream is complete, so it does not need to be resumable.
        answering.stream.finish_stream(reply.as_ref().map(|reply| &reply.bytes));
        let events = Events::new(Arc::clone(&answering.stream), 0, end);
        return count_until_sent(responses::event_response(events), answering);
    }
    match reply {
        Some(reply) => count_until_sent(answering.response_to(reply), answering),
        None if answering.session.as_ref().is_some_and(|session| session.has_ended()) => {
            HttpRejection::SessionNotFound.into_response()
        }
        // A client that cancels a request expects no response.
        None => responses::empty_event_stream(),
    }
}

fn answer_stream(
    call: Call,
    answering: PendingResponse,
    now: u64,
    end: CancellationToken,
) -> Response<AnswerBody> {
    let stream = Arc::clone(&answering.stream);
    let mut before = None;
    let mut request = Some(answering.cancel.clone());
    // Without a session the stream cannot be resumed. It ends with its call, which has a timeout.
    let expiry = answering.expiry.filter(|_| answering.session.is_some());
    if let Some(session) = &answering.session {
        let number = session.keep_stream(&stream, now);
        before = is_primed(&session.session)
            .then(|| priming_event(EventId { stream: number, index: 0 }));
        request = None;
    }
    let events = Events::new(stream, 0, end).with_expiry(expiry).with_first(before);
    responses::event_response(events.with_driver(drive_call(call, answering), request))
}

/// Makes the shutdown wait until the response is sent.
fn count_until_sent(
    mut response: Response<AnswerBody>,
    answering: PendingResponse,
) -> Response<AnswerBody> {
    response.body_mut().counts = Some(answering.counts);
    response
}

impl Drop for RunningCall {
    /// Runs when the connection is lost.
    fn drop(&mut self) {
        let Some((call, answering)) = self.0.take() else { return };
        // The client never learned this stream's id, so it cannot resume it.
        answering.stream.remove_reader(answering.stream.read_from(0));
        match (&answering.session, tokio::runtime::Handle::try_current()) {
            (Some(_), Ok(runtime)) => drop(runtime.spawn(drive_call(call, answering))),
            _ => answering.cancel.cancel(),
        }
    }
}
