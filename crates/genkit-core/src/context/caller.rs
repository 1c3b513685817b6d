//! The caller behind a context: its identity and the kinds of question it supports.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use super::capability::Capability;
use super::question::{CallerAnswer, Question};
use super::report::{LogLevel, Progress};
use crate::error::Result;
use crate::future::BoxFuture;

/// The caller of a function, for example an MCP client or the generate loop. By default a caller supports no questions
/// and ignores every report.
pub trait Caller: Send + Sync {
    /// Returns whether the caller supports this kind of question.
    fn has_capability(&self, _capability: Capability) -> bool {
        false
    }

    /// Waits for the answer. Returns `None` if this caller sends its answer with a repeated call.
    fn answer_question<'a>(
        &'a self,
        _question: &'a Question,
    ) -> Option<BoxFuture<'a, Result<CallerAnswer>>> {
        None
    }

    /// Reports progress.
    fn report_progress(&self, _progress: Progress) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Sends a log message.
    fn send_log(&self, _level: LogLevel, _data: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Sends a chunk of a result.
    fn send_chunk(&self, _chunk: Value) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Notifies subscribers that a resource has changed.
    fn notify_resource_updated(&self, _uri: String) {}

    /// Notifies the client that the user has finished with a page.
    fn notify_url_completed(&self, _id: String) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Returns the name and version of the client, if known.
    fn client_info(&self) -> Option<ClientInfo> {
        None
    }

    /// Returns whether the caller accepts every interrupt, not only those that a user can answer.
    fn accepts_interrupts(&self) -> bool {
        false
    }

    /// Returns the budget of the calling run, which agents inside the call use as well.
    fn budget(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// Returns an identifier of the run or session whose user answers this caller's questions, if
    /// known. Calls with the same value have the same user.
    fn question_channel(&self) -> Option<QuestionChannel> {
        None
    }
}

/// An identifier of the run or session whose user answers the questions of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionChannel {
    number: u64,
    resumes: bool,
}

impl QuestionChannel {
    #[expect(clippy::new_without_default, reason = "each call creates a different value")]
    pub fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        Self { number: NUMBER.fetch_add(1, Ordering::Relaxed), resumes: false }
    }

    /// Creates an identifier for a run, whose calls end at a question and are repeated with the answer.
    pub fn for_run() -> Self {
        Self { resumes: true, ..Self::new() }
    }

    pub fn can_resume(self) -> bool {
        self.resumes
    }
}

/// A caller that discards progress and logs, and supports no questions.
pub struct NoCaller;

impl Caller for NoCaller {}

/// Client info: the name, version and capabilities of the client that sent the request.
///
/// ```
/// use genkit::context::ClientInfo;
/// use genkit::Context;
///
/// fn shows_apps(client: &ClientInfo) -> bool {
///     client.extension("io.modelcontextprotocol/ui").is_some()
/// }
/// assert!(!Context::detached().client().is_some_and(|client| shows_apps(&client)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientInfo {
    /// The name, for example `claude-ai`. It is empty if the client did not report it.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The capabilities in MCP's JSON, such as `{"elicitation": {"url": {}}}`. Capabilities of more than 4 KiB are
    /// omitted.
    pub capabilities: Map<String, Value>,
}

impl ClientInfo {
    #[doc(hidden)]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), capabilities: Map::new() }
    }

    #[doc(hidden)]
    pub fn with_capabilities(mut self, capabilities: Map<String, Value>) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Returns the settings of a protocol extension, if the client supports it.
    pub fn extension(&self, id: &str) -> Option<&Value> {
        self.capabilities.get("extensions")?.get(id)
    }
}
