//! The caller behind a context: who called a function, and what it can be asked.

use serde_json::Value;

use super::capability::Capability;
use super::question::{CallerAnswer, Question};
use super::report::{LogLevel, Progress};
use crate::error::Result;
use crate::future::BoxFuture;

/// Whoever called a function: an MCP client of either era, the generate loop, nobody.
pub(crate) trait Caller: Send + Sync {
    /// Whether it can be asked for this.
    fn can(&self, capability: Capability) -> bool;

    /// The answer, waited for; `None` if this caller answers by calling again.
    fn answer<'a>(&'a self, question: &'a Question) -> Option<BoxFuture<'a, Result<CallerAnswer>>>;

    /// Tells how far the work is.
    fn progress(&self, progress: Progress) -> BoxFuture<'_, ()>;

    /// Sends a log message.
    fn log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()>;

    /// Sends a chunk of a result.
    fn chunk(&self, chunk: Value) -> BoxFuture<'_, ()>;

    /// Tells subscribers of a resource.
    fn resource_updated(&self, uri: String);

    /// Who it is.
    fn client(&self) -> Option<ClientInfo>;
}

/// No caller: progress and logs go nowhere, questions fail.
pub(crate) struct NoCaller;

impl Caller for NoCaller {
    fn can(&self, _: Capability) -> bool {
        false
    }

    fn answer<'a>(&'a self, _: &'a Question) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        None
    }

    fn progress(&self, _: Progress) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn log(&self, _: LogLevel, _: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn chunk(&self, _: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn resource_updated(&self, _: String) {}

    fn client(&self) -> Option<ClientInfo> {
        None
    }
}

/// A program that calls.
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
    /// Its name, for example `claude-ai`.
    pub name: String,
    /// Its version.
    pub version: String,
}
