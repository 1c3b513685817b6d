//! The caller of a function that runs as a task. No client waits for it, and its questions are stored with the task.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tokio::sync::watch;

use super::limits::MAX_MESSAGE;
use crate::caller::McpCaller;
use crate::session::ClientDescription;
use genkit_core::internal::context::{Caller, Capability, QuestionChannel};
use genkit_core::{BoxFuture, ClientInfo, LogLevel, Progress, Registry};
use genkit_schema::internal::truncate::truncate;

/// The client that made the call of a task, and may have disconnected since.
pub(super) struct TaskCaller {
    /// The waiting caller, used until the call becomes a task.
    waiting: Option<Arc<McpCaller>>,
    is_task: AtomicBool,
    client: Arc<ClientDescription>,
    registry: Registry,
    asker: QuestionChannel,
    message: watch::Sender<Option<String>>,
}

impl TaskCaller {
    pub(super) fn new(
        waiting: Option<Arc<McpCaller>>,
        client: Arc<ClientDescription>,
        registry: &Registry,
    ) -> Self {
        let is_task = AtomicBool::new(waiting.is_none());
        let (message, _) = watch::channel(None);
        let (asker, registry) = (QuestionChannel::new(), registry.clone());
        Self { waiting, is_task, client, registry, asker, message }
    }

    /// Records that the call has become a task. From then on, no client waits for its response.
    pub(super) fn becomes_task(&self) {
        self.is_task.store(true, Ordering::Release);
    }

    /// Returns a receiver of the function's progress messages.
    pub(super) fn messages(&self) -> watch::Receiver<Option<String>> {
        self.message.subscribe()
    }

    /// Returns the description of the client.
    pub(super) fn description(&self) -> ClientDescription {
        (*self.client).clone()
    }

    fn waiting(&self) -> Option<&McpCaller> {
        let is_task = self.is_task.load(Ordering::Acquire);
        self.waiting.as_deref().filter(|_| !is_task)
    }
}

/// Returns progress as text: the message, or the completed amount.
fn message_of(progress: &Progress) -> String {
    match (&progress.message, progress.total) {
        (Some(message), _) => truncate(message, MAX_MESSAGE).to_owned(),
        (None, Some(total)) => format!("{} of {total}", progress.done),
        (None, None) => progress.done.to_string(),
    }
}

impl Caller for TaskCaller {
    fn has_capability(&self, capability: Capability) -> bool {
        self.client.supports_question(capability)
    }

    fn report_progress(&self, progress: Progress) -> BoxFuture<'_, ()> {
        self.message.send_replace(Some(message_of(&progress)));
        match self.waiting() {
            Some(waiting) => waiting.report_progress(progress),
            None => Box::pin(std::future::ready(())),
        }
    }

    fn send_log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        match self.waiting() {
            Some(waiting) => waiting.send_log(level, data),
            None => Box::pin(std::future::ready(())),
        }
    }

    fn send_chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        match self.waiting() {
            Some(waiting) => waiting.send_chunk(chunk),
            None => Box::pin(std::future::ready(())),
        }
    }

    fn notify_resource_updated(&self, uri: String) {
        self.registry.resource_updated(uri);
    }

    fn client_info(&self) -> Option<ClientInfo> {
        self.client.shown_info()
    }

    fn question_channel(&self) -> Option<QuestionChannel> {
        Some(self.asker)
    }
}
