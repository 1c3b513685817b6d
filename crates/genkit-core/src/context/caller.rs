//! The caller behind a context: who called a function, and what it can be asked.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::capability::Capability;
use super::question::{CallerAnswer, Question};
use super::report::{LogLevel, Progress};
use crate::error::Result;
use crate::future::BoxFuture;

/// Whoever called a function: an MCP client of either era, the generate loop, nobody. One that says nothing of a
/// method cannot be asked, and hears nothing.
pub trait Caller: Send + Sync {
    /// Whether it can be asked for this.
    fn can(&self, _capability: Capability) -> bool {
        false
    }

    /// The answer, waited for; `None` if this caller answers by calling again.
    fn answer<'a>(
        &'a self,
        _question: &'a Question,
    ) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        None
    }

    /// Tells how far the work is.
    fn progress(&self, _progress: Progress) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Sends a log message.
    fn log(&self, _level: LogLevel, _data: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Sends a chunk of a result.
    fn chunk(&self, _chunk: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Tells subscribers of a resource.
    fn resource_updated(&self, _uri: String) {}

    /// Who it is.
    fn client(&self) -> Option<ClientInfo> {
        None
    }

    /// Whether it takes any interrupt, and not only what a person answers.
    fn takes_interrupts(&self) -> bool {
        false
    }

    /// Who answers its questions, where that is known: two calls with one asker are one person's.
    fn asker(&self) -> Option<Asker> {
        None
    }
}

/// Who answers the questions of calls: a run, a session. No two have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    number: u64,
    resumes: bool,
}

impl Asker {
    pub fn new() -> Self {
        pub static NUMBER: AtomicU64 = AtomicU64::new(0);
        Self { number: NUMBER.fetch_add(1, Ordering::Relaxed), resumes: false }
    }

    /// A run, whose calls end where they ask and are made anew with the answer.
    pub fn of_run() -> Self {
        Self { resumes: true, ..Self::new() }
    }

    pub fn resumes(self) -> bool {
        self.resumes
    }
}

/// No caller: progress and logs go nowhere, questions fail.
pub struct NoCaller;

impl Caller for NoCaller {}

/// Client info: the name and version of a program that calls.
///
/// ```
/// use genkit::context::ClientInfo;
/// use genkit::Context;
///
/// fn is_desktop(client: &ClientInfo) -> bool {
///     client.name == "claude-ai" && !client.version.is_empty()
/// }
/// assert!(!Context::detached().client().is_some_and(|client| is_desktop(&client)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientInfo {
    /// Name, for example `claude-ai`.
    pub name: String,
    /// Version of the program.
    pub version: String,
}

impl ClientInfo {
    #[doc(hidden)]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into() }
    }
}
