//! A function that runs for a POST. The response is one message, or a stream if the function sends
//! messages before it.

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::answering::{Answering, driver, is_primed};
use super::answers;
use super::resuming::answer_stored;
use super::streams::{AnswerBody, EventId, Events, priming};
use crate::engine::{Call, Reply};
use crate::session_store::SessionStore;

/// The duration of a call in a session after which its response becomes a stream, which the client can
/// resume after it loses the connection. Default is 50 milliseconds.
const RESUMABLE_AFTER: Duration = Duration::from_millis(50);

/// A call, polled by the task of its connection. A call in a session continues if its connection is
/// lost; any other call ends with it.
pub(super) struct Running(Option<(Call, Answering)>);

/// What happened first.
enum First {
    Ended(Option<Reply>),
    /// The response must be a stream.
    Said,
}

impl Running {
    pub(super) fn new(call: Call, answering: Answering) -> Self {
        Self(Some((call, answering)))
    }

    /// Runs the call until it ends or sends a message.
    pub(super) async fn answer(
        mut self,
        now: u64,
        end: CancellationToken,
        store: Option<&Arc<dyn SessionStore>>,
    ) -> Response<AnswerBody> {
        let first = self.first().await;
        let Some((call, answering)) = self.0.take() else { return answers::no_events() };
        match first {
            First::Ended(reply) => ended(reply, answering, end),
            First::Said => {
                let (call, answering) = match answer_stored(call, answering, store, now, &end).await
                {
                    Ok(response) => return response,
                    Err(unstored) => unstored,
                };
                said(call, answering, now, end)
            }
        }
    }
}

impl Running {
    async fn first(&mut self) -> First {
        // Most calls end immediately and need no timer.
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
            () = tokio::time::sleep(RESUMABLE_AFTER) => First::Said,
        }
    }

    fn poll_first(&mut self, cx: &mut Context<'_>) -> Poll<First> {
        let Some((call, answering)) = &mut self.0 else { return Poll::Ready(First::Ended(None)) };
        match Pin::new(call).poll(cx) {
            Poll::Ready(reply) => Poll::Ready(First::Ended(reply)),
            Poll::Pending => answering.stream.poll_said(cx).map(|()| First::Said),
        }
    }
}

fn ended(
    reply: Option<Reply>,
    answering: Answering,
    end: CancellationToken,
) -> Response<AnswerBody> {
    if answering.stream.has_said() {
        // The stream is complete, so it does not need to be resumable.
        answering.stream.finish(reply.as_ref().map(|reply| &reply.bytes));
        let events = Events::new(Arc::clone(&answering.stream), 0, end);
        return counted(answers::events(events), answering);
    }
    match reply {
        Some(reply) => counted(answering.answer(reply), answering),
        None if answering.session.as_ref().is_some_and(|session| session.has_ended()) => {
            answers::empty(StatusCode::NOT_FOUND)
        }
        // A client that cancels a request expects no response.
        None => answers::no_events(),
    }
}

fn said(
    call: Call,
    answering: Answering,
    now: u64,
    end: CancellationToken,
) -> Response<AnswerBody> {
    let stream = Arc::clone(&answering.stream);
    let mut before = None;
    let mut request = Some(answering.cancel.clone());
    // Without a session the stream cannot be resumed. It ends with its call, which has a timeout.
    let expiry = answering.expiry.filter(|_| answering.session.is_some());
    if let Some(session) = &answering.session {
        let number = session.keep(&stream, now);
        before = is_primed(&session.session).then(|| priming(EventId { stream: number, index: 0 }));
        request = None;
    }
    let events = Events::new(stream, 0, end).until(expiry).after(before);
    answers::events(events.driven(driver(call, answering), request))
}

/// Makes shutdown wait until the response is sent.
fn counted(mut response: Response<AnswerBody>, answering: Answering) -> Response<AnswerBody> {
    response.body_mut().counts = Some(answering.counts);
    response
}

impl Drop for Running {
    /// Runs when the connection is lost.
    fn drop(&mut self) {
        let Some((call, answering)) = self.0.take() else { return };
        // The client never learned this stream's id, so it cannot resume it.
        answering.stream.leave(answering.stream.read_from(0));
        match (&answering.session, tokio::runtime::Handle::try_current()) {
            (Some(_), Ok(runtime)) => drop(runtime.spawn(driver(call, answering))),
            _ => answering.cancel.cancel(),
        }
    }
}
