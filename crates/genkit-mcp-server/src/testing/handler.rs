//! The handler of a test client, which answers the requests from the server and records its notifications.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates sampling and roots, which current servers still use"
)]

use std::sync::{Arc, Mutex};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    CustomNotification, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, Implementation, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion,
    ResourceUpdatedNotificationParam, Root as McpRoot, SamplingMessage, TASKS_EXTENSION_ID,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};

use super::notification::Notification;
use genkit_core::internal::sync::lock;
use genkit_core::{Progress, Root};

type ElicitAnswer = Box<dyn Fn(&str, &Value) -> Option<Value> + Send + Sync>;
type UrlAnswer = Box<dyn Fn(&str, &str) -> bool + Send + Sync>;
type SampleAnswer = Box<dyn Fn(&Value) -> String + Send + Sync>;

/// The answers of a test client. Kinds of questions without an answer are not declared as capabilities.
#[derive(Default)]
pub(super) struct TestAnswers {
    pub(super) elicit: Option<ElicitAnswer>,
    pub(super) visit: Option<UrlAnswer>,
    pub(super) sample: Option<SampleAnswer>,
    pub(super) roots: Option<Vec<Root>>,
    pub(super) tasks: bool,
    pub(super) extensions: Map<String, Value>,
}

pub(super) struct TestHandler {
    pub(super) answers: TestAnswers,
    pub(super) seen: Arc<Mutex<Vec<Notification>>>,
}

impl TestHandler {
    fn record(&self, notification: Notification) {
        lock(&self.seen).push(notification);
    }
}

impl ClientHandler for TestHandler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.answers.elicit.is_some() {
            capabilities.elicitation = Some(Default::default());
        }
        if self.answers.visit.is_some() {
            let mut both = ElicitationCapability::new().with_url(Default::default());
            both.form = self.answers.elicit.as_ref().map(|_| Default::default());
            capabilities.elicitation = Some(both);
        }
        if self.answers.sample.is_some() {
            capabilities.sampling = Some(Default::default());
        }
        if self.answers.roots.is_some() {
            capabilities.roots = Some(Default::default());
        }
        if self.answers.tasks {
            let extensions = capabilities.extensions.get_or_insert_default();
            extensions.insert(TASKS_EXTENSION_ID.to_owned(), Default::default());
        }
        for (id, settings) in &self.answers.extensions {
            let settings = settings.as_object().cloned().unwrap_or_default();
            capabilities.extensions.get_or_insert_default().insert(id.clone(), settings);
        }
        let client = Implementation::new("genkit-testing", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, client)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<ElicitResult, ErrorData> {
        let request = serde_json::to_value(&params).unwrap_or_default();
        let message = request["message"].as_str().unwrap_or_default();
        if let Some(url) = request["url"].as_str() {
            let visits = self.answers.visit.as_ref().is_some_and(|visit| visit(message, url));
            let action =
                if visits { ElicitationAction::Accept } else { ElicitationAction::Decline };
            return Ok(ElicitResult::new(action));
        }
        let answer = self.answers.elicit.as_ref();
        let content = answer.and_then(|answer| answer(message, &request["requestedSchema"]));
        Ok(match content {
            Some(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<CreateMessageResult, ErrorData> {
        let request = serde_json::to_value(&params).unwrap_or_default();
        let text = self.answers.sample.as_ref().map(|answer| answer(&request)).unwrap_or_default();
        Ok(CreateMessageResult::new(SamplingMessage::assistant_text(text), "testing".to_owned()))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<ListRootsResult, ErrorData> {
        let roots = self.answers.roots.iter().flatten().map(|root| {
            let sent = McpRoot::new(&root.uri);
            root.name.iter().fold(sent, |sent, name| sent.with_name(name))
        });
        Ok(ListRootsResult::new(roots.collect()))
    }

    async fn on_progress(&self, p: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let progress = Progress::new(p.progress);
        let progress = p.total.into_iter().fold(progress, Progress::with_total);
        let progress = p.message.into_iter().fold(progress, Progress::with_message);
        self.record(Notification::Progress(progress));
    }

    async fn on_logging_message(
        &self,
        p: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.record(Notification::Log(genkit_mcp::internal::level::from_mcp(p.level), p.data));
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleClient>,
    ) {
        let id = notification.params.as_ref().and_then(|params| params["elicitationId"].as_str());
        if let ("notifications/elicitation/complete", Some(id)) = (&*notification.method, id) {
            self.record(Notification::UrlCompleted(id.to_owned()));
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.record(Notification::ToolsChanged);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.record(Notification::PromptsChanged);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.record(Notification::ResourcesChanged);
    }

    async fn on_resource_updated(
        &self,
        p: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.record(Notification::ResourceUpdated(p.uri));
    }
}
