//! The engine, which turns the messages from a client into actions. It takes and returns bytes and
//! performs no I/O; stdio, the in-memory pipe and HTTP all use it.
//!
//! ```text
//! bytes ─ read ─► Message  ─ handle ──► Action ─┬─ Accepted         nothing to send
//!                                               ├─ Reply(bytes)     an immediate response
//!                                               ├─ Run(call)        polled by the transport
//!                                               ├─ Listen(stream)   a stream of notifications
//!                                               └─ Changes(news)    the session is notified of changes
//! ```

mod call;
mod calls;
mod dispatch;
mod incoming;
mod listen;
mod middleware_call;
mod params;
mod request_span;
mod responses;
mod rules;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(crate) use self::call::{Call, FirstPoll, SlowFunctions};
pub(crate) use self::incoming::{
    Message, MessageError, MessageRejection, read_message, reject_message,
};
pub(crate) use self::listen::ListenStream;
pub(crate) use super::caller::message::{self, Reply};
pub(crate) use super::caller::notifications;
pub(crate) use super::caller::{Outlet, Outward, Request};
use super::session::Subscription;
use super::state::SharedState;

/// The state that all connections of a server share.
#[derive(Clone)]
pub(crate) struct Engine {
    pub(crate) shared: Arc<SharedState>,
}

/// The action that the transport must take after a message.
pub(crate) enum Action {
    /// No action: the message was a notification or an answer to a question.
    Accepted,
    /// Send this response or error.
    Reply(Reply),
    /// Poll this function, which resolves to the response.
    Run(Call),
    /// Send the notifications of a `subscriptions/listen` request.
    Listen(Box<ListenStream>),
    /// Send change notifications to the session, which is now initialized.
    Changes(Subscription),
}
