//! The engine: what becomes of a message of a client. Bytes in, messages out, no I/O inside; one for
//! stdio, the pipe in memory and HTTP.
//!
//! ```text
//! bytes ─ read ─► Incoming ─ receive ─► Action ─┬─ Accepted         nothing to send
//!                                               ├─ Reply(bytes)     known at once
//!                                               ├─ Run(call)        polled by the transport
//!                                               ├─ Listen(stream)   a stream of notifications
//!                                               └─ Changes(news)    the session hears of changes
//! ```

mod answers;
mod around;
mod call;
mod dispatch;
mod fields;
mod incoming;
mod listen;
mod new_call;
mod params;
mod rules;
#[cfg(test)]
mod tests;
mod told;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub(crate) use self::call::{Begun, Call, SlowFunctions};
pub(crate) use self::incoming::{Incoming, MessageFault, Rejected, read, reject};
pub(crate) use self::listen::ListenStream;
pub(crate) use super::caller::message::{self, Reply};
pub(crate) use super::caller::{Outlet, Outward};
use super::principal::HttpHead;
use super::quota::ClientQuota;
use super::session::Subscription;
use super::state::SharedState;

/// What the connections of a server share.
#[derive(Clone)]
pub(crate) struct Engine {
    pub(crate) shared: Arc<SharedState>,
}

/// Where a message came from, and where what it says goes.
pub(crate) struct Origin {
    /// What a request says before its answer goes here.
    pub(crate) outlet: Outlet,
    pub(crate) head: HttpHead,
    /// Whose rate it counts for.
    pub(crate) client: Arc<ClientQuota>,
    /// Ends the request, when the client gives up.
    pub(crate) cancel: CancellationToken,
}

/// What becomes of a message.
pub(crate) enum Action {
    /// A notification, or an answer to a question: nothing to send.
    Accepted,
    /// An answer, or an error, that is known at once.
    Reply(Reply),
    /// A function: what it resolves to is the answer.
    Run(Call),
    /// A `subscriptions/listen` request.
    Listen(Box<ListenStream>),
    /// The session is ready: from now on it hears of changes.
    Changes(Subscription),
}
