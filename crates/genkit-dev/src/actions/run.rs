//! Runs an action by its key, and converts the input and the result for the type of the action.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::key::{self, ActionType};
use super::running::{ActionRun, UnreadChunks};
use super::{ActionRequest, ActionsByKey};
use crate::error::Error as E;
use genkit_agent::Instance;
use genkit_agent::internal::{call_model, resource_part, tool_definition};
use genkit_core::BoxFuture;
use genkit_core::GenerateOptions;
use genkit_core::ModelRequest;
use genkit_core::Registry;
use genkit_core::internal::action::{CustomAction, ToolOutput};
use genkit_core::internal::context::{
    Caller, Capability, ContextParts, Outcome, Question, drive_function,
};
use genkit_core::internal::redact::without_account_settings;
use genkit_core::internal::trace;
use genkit_core::internal::trace::{NewSpan, Root, SpanKind};
use genkit_core::{Context, Document};
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{Flow, Prompt, Resource, Tool};
use genkit_model::internal::{embed_in_span, embedding_list};
use genkit_model::{ChunkSink, EmbedRequest, Embedder, EmbedderRef, Model, ModelRef};
use genkit_schema::internal::placed;
use genkit_schema::internal::strictness::Strictness;

/// The action for a key.
enum ActionTarget {
    Flow(Flow),
    Tool(Tool),
    MultipartTool(Tool),
    /// An error if the model is not available, for example because its provider has no API key.
    Model(Result<Arc<dyn Model>>),
    Embedder(Result<Arc<dyn Embedder>>),
    Prompt(Prompt),
    ExecutablePrompt(Prompt),
    Resource(Resource),
    Custom(Arc<dyn CustomAction>),
    Generate,
}

/// The arguments of a run, without its target.
struct ActionInput {
    genkit: Instance,
    key: String,
    input: Value,
    context: Arc<Map<String, Value>>,
    /// `None` if chunks are not requested.
    chunks: Option<UnreadChunks>,
}

impl ActionsByKey {
    /// Starts a run, with chunks if requested. It makes progress only while its events are read.
    ///
    /// # Errors
    /// Returns `NotFound` if the action does not exist, and `ResourceExhausted` if too many actions are
    /// running.
    pub(crate) fn start_run(&self, request: ActionRequest, chunks: bool) -> Result<ActionRun> {
        let ActionRequest { key, input, init, context, telemetry_labels } = request;
        let Some((genkit, target)) = self.find_target(&key) else {
            return Err(E::UnknownAction(key).into());
        };
        // Only agents have an `init`.
        let input = match init {
            Some(init) => Some(json!({ "data": input, "init": init })),
            None => input,
        };
        let queue = UnreadChunks::default();
        let context = Arc::new(context.unwrap_or_default());
        let mut root = Root::new();
        root.labels = telemetry_labels.unwrap_or_default();
        root.context = Map::clone(&context);
        let given = ActionInput {
            genkit,
            key: key.clone(),
            input: input.unwrap_or_default(),
            context,
            chunks: chunks.then(|| queue.clone()),
        };
        ActionRun::new(&self.running, key, root, queue, Box::pin(given.run_target(target)))
    }

    fn find_target(&self, key: &str) -> Option<(Instance, ActionTarget)> {
        let (kind, name) = key::parse_key(key)?;
        let mut instances = self.instances().into_iter();
        instances.find_map(|genkit| find_in(&genkit, kind, name).map(|target| (genkit, target)))
    }
}

fn find_in(genkit: &Instance, kind: ActionType, name: &str) -> Option<ActionTarget> {
    let registry = &genkit.registry;
    match kind {
        ActionType::Flow => registry.flow(name).map(ActionTarget::Flow),
        ActionType::Tool => registry.tool(name).map(ActionTarget::Tool),
        ActionType::MultipartTool => registry.tool(name).map(ActionTarget::MultipartTool),
        ActionType::Model => match genkit.runs.models.find(&ModelRef::from(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            found => Some(ActionTarget::Model(found)),
        },
        ActionType::Embedder => match genkit.runs.models.find_embedder(&EmbedderRef::from(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            found => Some(ActionTarget::Embedder(found)),
        },
        ActionType::Prompt => registry.prompt(name).map(ActionTarget::Prompt),
        ActionType::ExecutablePrompt => registry.prompt(name).map(ActionTarget::ExecutablePrompt),
        ActionType::Resource => registry
            .resources()
            .into_iter()
            .find(|it| it.name() == name)
            .map(ActionTarget::Resource),
        ActionType::Custom(kind) => registry.custom_action(kind, name).map(ActionTarget::Custom),
        ActionType::Util => (name == "generate").then_some(ActionTarget::Generate),
    }
}

impl ActionInput {
    async fn run_target(mut self, target: ActionTarget) -> Result<Value> {
        let input = self.input.take();
        match target {
            ActionTarget::Flow(flow) => {
                let context = self.build_context(ContextParts::default());
                self.drive_function(&context, flow.run(input).context(&context)).await
            }
            ActionTarget::Tool(tool) => Ok(self.call(&tool, input).await?.into_value()),
            ActionTarget::MultipartTool(tool) => {
                let (output, content, metadata) = self.call(&tool, input).await?.into_answer();
                let mut answer = Map::from_iter([("output".to_owned(), output)]);
                if !content.is_empty() {
                    answer.insert("content".to_owned(), self.to_json(&content)?);
                }
                if !metadata.is_empty() {
                    answer.insert("metadata".to_owned(), metadata.into());
                }
                Ok(answer.into())
            }
            ActionTarget::Model(model) => {
                let (model, request) = (model?, self.read::<ModelRequest>(input)?);
                let context = self.build_context(ContextParts::default());
                let sink = self.chunk_sink();
                self.drive_function(&context, call_model(&*model, &request, &sink)).await
            }
            ActionTarget::Embedder(embedder) => {
                #[derive(Deserialize)]
                struct Input {
                    input: Vec<Document>,
                    #[serde(default)]
                    options: Map<String, Value>,
                }
                let (embedder, Input { input, options }) = (embedder?, self.read(input)?);
                let mut request = EmbedRequest::new(input.iter().map(Document::text));
                request.config = options;
                let context = self.build_context(ContextParts::default());
                let embedding = embed_in_span(&*embedder, request);
                Ok(embedding_list(&self.supervise_function(&context, embedding).await?))
            }
            ActionTarget::Prompt(prompt) => {
                let options = self.render_prompt("prompt", prompt, input).await?;
                self.to_json(&build_request(options, &self.genkit.registry))
            }
            ActionTarget::ExecutablePrompt(prompt) => {
                let options = self.render_prompt("executable-prompt", prompt, input).await?;
                self.to_json(&options)
            }
            ActionTarget::Resource(resource) => self.read_resource(&resource, input).await,
            ActionTarget::Custom(custom) => {
                let context = self.build_context(ContextParts::default());
                self.drive_function(&context, custom.run(input).context(&context)).await
            }
            ActionTarget::Generate => self.run_generate(input).await,
        }
    }

    /// Runs a tool, including its approval question.
    async fn call(&self, tool: &Tool, input: Value) -> Result<ToolOutput> {
        let approval = tool.needs_approval().then(|| tool.approval_message(&input));
        let parts = ContextParts { limit: tool.timeout(), approval, ..ContextParts::default() };
        let context = self.build_context(parts);
        let shown = if trace::is_on() { input.clone() } else { Value::Null };
        let call = tool.invoke_tool(&context, input, Strictness::Exact);
        let shown = || shown.clone();
        let span = NewSpan { name: tool.name(), kind: SpanKind::Action("tool"), input: &shown };
        let call = self.supervise_function(&context, call);
        trace::trace_work(span, call, |output| output.clone().into_value()).await
    }

    /// Returns the options of the run that a prompt starts.
    async fn render_prompt(
        &self,
        kind: &str,
        prompt: Prompt,
        input: Value,
    ) -> Result<GenerateOptions> {
        let (name, given) = (prompt.name().to_owned(), input.clone());
        let context = Map::clone(&self.context);
        let rendering = self.genkit.prompt(prompt).input(input).action_context(context).render();
        let (given, context) = (|| given.clone(), Context::detached());
        let span = NewSpan { name: &name, kind: SpanKind::Action(kind), input: &given };
        trace::trace_work(
            span,
            self.supervise_function(&context, rendering),
            without_account_settings,
        )
        .await
    }

    async fn read_resource(&self, resource: &Resource, input: Value) -> Result<Value> {
        #[derive(Deserialize)]
        struct Input {
            uri: String,
        }
        let Input { uri } = self.read(input)?;
        if resource.match_uri(&uri).is_none() {
            let (key, template) = (self.key.clone(), resource.uri().to_owned());
            return Err(E::OtherResource { key, uri, template }.into());
        }
        let context = self.build_context(ContextParts::default());
        let contents =
            self.supervise_function(&context, resource.read(&uri).context(&context)).await?;
        let parts = contents.into_iter().map(|content| resource_part(content, &uri, resource));
        Ok(json!({ "content": self.to_json(&parts.collect::<Vec<_>>())? }))
    }

    async fn run_generate(&self, input: Value) -> Result<Value> {
        let options: GenerateOptions = self.read(input)?;
        let context = Map::clone(&self.context);
        let run = self.genkit.generate_with(options).action_context(context);
        let Some(chunks) = &self.chunks else {
            return self.drive_function(&Context::detached(), run).await;
        };
        let run = async {
            let mut stream = run.stream();
            while let Some(chunk) = stream.next().await {
                chunks.push_chunk(self.to_json(&chunk?)?);
            }
            stream.response().await
        };
        self.drive_function(&Context::detached(), run).await
    }

    /// Returns the context of the action.
    fn build_context(&self, parts: ContextParts) -> Context {
        let queue = self.chunks.clone();
        ContextParts {
            caller: Arc::new(DeveloperTools(queue)),
            states: self.genkit.states.clone(),
            action_context: Arc::clone(&self.context),
            ..parts
        }
        .build()
    }

    fn chunk_sink(&self) -> ChunkSink {
        match self.chunks.clone() {
            Some(chunks) => ChunkSink::new(move |chunk| {
                chunks.push_chunk(serde_json::to_value(chunk).unwrap_or_default());
            }),
            None => ChunkSink::none(),
        }
    }

    /// Runs `work` and converts its result to JSON.
    async fn drive_function<T: Serialize>(
        &self,
        context: &Context,
        work: impl IntoFuture<Output = Result<T>>,
    ) -> Result<Value> {
        let result = self.supervise_function(context, work).await?;
        self.to_json(&result)
    }

    /// Runs `work`. A panic becomes an error, and so does a question, because the developer tools cannot answer it.
    async fn supervise_function<T>(
        &self,
        context: &Context,
        work: impl IntoFuture<Output = Result<T>>,
    ) -> Result<T> {
        match drive_function(context, &self.key, work.into_future()).await {
            Outcome::Finished(result) => result,
            Outcome::Suspended(questions, _) => Err(self.interrupt_error(&questions)),
            Outcome::Cancelled => Err(E::Cancelled.into()),
        }
    }

    fn interrupt_error(&self, questions: &[Question]) -> Error {
        let first = questions.first();
        let interrupt = first.map_or(Value::Bool(true), |open| open.kind.to_json());
        let question = first.and_then(Question::message_text).unwrap_or("something").to_owned();
        E::Asks { key: self.key.clone(), question, interrupt }.into()
    }

    /// Deserializes the input of one of Genkit's own actions. The error contains the invalid position.
    fn read<T: DeserializeOwned>(&self, input: Value) -> Result<T> {
        placed::read(&input)
            .map_err(|misfit| E::Input { key: self.key.clone(), misfit: misfit.to_string() }.into())
    }

    fn to_json(&self, value: &impl Serialize) -> Result<Value> {
        let key = || self.key.clone();
        Ok(serde_json::to_value(value).map_err(|source| E::Result { key: key(), source })?)
    }
}

/// Returns the first request that the model would receive.
fn build_request(options: GenerateOptions, registry: &Registry) -> ModelRequest {
    let tools = options.tools.iter().filter_map(|name| registry.tool(name));
    let tools: Vec<_> = tools.map(|tool| tool_definition(&tool)).collect();
    options.into_request().with_tools(tools)
}

/// The developer tools as the caller of a function. They receive its chunks, but cannot answer questions.
struct DeveloperTools(Option<UnreadChunks>);

impl Caller for DeveloperTools {
    fn has_capability(&self, capability: Capability) -> bool {
        // Accepted, although no answer is possible: the error of the run then contains the question.
        matches!(capability, Capability::Elicitation | Capability::ElicitUrl)
    }

    fn send_chunk(&self, chunk: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(queue) = &self.0 {
                queue.push_chunk(chunk);
                // Yield, so that the chunk is read before the next one is created.
                tokio::task::yield_now().await;
            }
        })
    }
}
