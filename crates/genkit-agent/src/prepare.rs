//! Starting a run, awaited or streamed: finds the model and tools and builds the first request.

use std::future::IntoFuture;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::Shared;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::builder::Generate;
use super::middleware::LazyTools;
use super::request::{
    close_calls, drop_pending, merge_conversation, place_documents, remove_injected_instructions,
    shape_output,
};
use super::run::{Budget, Driver, MAX_TURNS, RunEnv, RunSettings, TurnRules, begin_span};
use super::tools::{Toolbox, find_documents, resolve_resources};
use genkit_core::BoxFuture;
use genkit_core::Context;
use genkit_core::Format;
use genkit_core::Interrupt;
use genkit_core::Result;
use genkit_core::Tool;
use genkit_core::internal::context::{ContextParts, QuestionChannel};
use genkit_core::internal::future::{Awaited, box_in_place};
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::interrupt::{ResumedCalls, resume};
use genkit_core::internal::trace;
use genkit_core::internal::trace::SpanOutcome;
use genkit_core::{GenerateOptions, GenerateResponse};
use genkit_core::{Message, ToolRequest};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::{ChunkSink, Model};

impl Generate {
    /// Runs the request and returns the response. Awaiting the [`Generate`] does the same; this `async fn` is for
    /// `tokio::spawn`, `block_on` and `join_all`.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let task = tokio::spawn(genkit::generate("hi").model(ScriptedModel::text("hello")).run());
    /// assert_eq!(task.await??.text(), "hello");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`Generate`].
    pub async fn run(self) -> Result<GenerateResponse> {
        self.await
    }

    /// Returns the number of tokens in the first model request of this run (messages, tools and schemas), as counted by
    /// the model's provider. The model does not generate a response, and middleware does not run.
    ///
    /// ```
    /// use genkit::ErrorKind;
    /// use genkit::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::text("Blue.").with_token_counts(|request| 7 * request.messages.len() as u64);
    /// let ask = genkit::generate("What colour is the sky?").model(model);
    /// assert_eq!(ask.clone().count_tokens().await?, 7);
    /// assert_eq!(ask.await?.text(), "Blue.");
    ///
    /// let other = genkit::generate("hi").model(ScriptedModel::text("hello"));
    /// assert_eq!(other.count_tokens().await.unwrap_err().kind(), ErrorKind::Unimplemented);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns `Unimplemented` if the model's provider does not count tokens, and any error that a run can return
    /// before its first response.
    pub async fn count_tokens(self) -> Result<u64> {
        let (run, request) = prepare_run(self.render_prompt().await?, ChunkSink::none()).await?;
        run.count_tokens(request).await
    }

    /// Returns the requested output format, or `None` if no known format is requested. The run reports an unknown
    /// format.
    pub(super) fn output_format(&self) -> Option<Format> {
        let own =
            self.options.output.as_ref().and_then(|output| output.parse_format().ok().flatten());
        own.or_else(|| self.prompt_format())
    }

    pub(super) fn begin_run(
        mut self,
        sink: ChunkSink,
    ) -> BoxFuture<'static, Result<GenerateResponse>> {
        let client = self.settings.client;
        self.settings.client = client.or_else(|| Context::running()?.client_share());
        box_in_place(|| async move {
            // Resuming consumes the interrupted response, so an error must contain it.
            let suspended = self.options.resume.as_ref().map(|_| self.options.clone());
            let span = begin_span(&self.options);
            let running = pin!(async {
                trace::annotate_context(&self.settings.action_context);
                // Boxed, so that the memory of the future is freed before the run starts.
                let preparing =
                    box_in_place(|| async { prepare_run(self.render_prompt().await?, sink).await });
                let (run, request) = preparing.await?;
                run.start_run(request).await
            });
            let run = trace::run_inside(span.as_ref(), running);
            let mut ended =
                run.await.map_err(|error| match suspended.filter(|_| error.partial().is_none()) {
                    Some(options) => {
                        error.with_partial(GenerateResponse::from_interrupted(*options))
                    }
                    None => error,
                });
            trace::end_span(span, &mut ended, |ended| {
                SpanOutcome::from_result(ended, trace::to_json)
            })
            .await;
            ended
        })
    }
}

impl IntoFuture for Generate {
    type Output = Result<GenerateResponse>;
    type IntoFuture = BoxFuture<'static, Result<GenerateResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        self.begin_run(ChunkSink::none())
    }
}

genkit_core::becomes_a_future!(Generate, Result<GenerateResponse>);

/// Methods that produce a compiler error if `.await` was forgotten.
#[doc(hidden)]
impl Generate {
    pub fn text(&self) -> String
    where
        for<'never> Self: Awaited<'never>,
    {
        String::new()
    }

    pub fn tool_requests(&self) -> Vec<ToolRequest>
    where
        for<'never> Self: Awaited<'never>,
    {
        Vec::new()
    }

    pub fn interrupts(&self) -> Vec<Interrupt>
    where
        for<'never> Self: Awaited<'never>,
    {
        Vec::new()
    }
}

/// Finds the model and the tools, and builds the messages.
pub(super) async fn prepare_run(
    mut generate: Generate,
    sink: ChunkSink,
) -> Result<(Arc<Driver>, ModelRequest)> {
    let model = match &generate.model {
        Some(model) => generate.genkit.runs.models.find(model)?,
        None => generate.genkit.runs.models.default_model()?,
    };
    let tools = find_tools(&mut generate).await?;
    let Generate { genkit, settings, mut options, .. } = generate;
    let history = std::mem::take(&mut options.messages);
    let mut messages = merge_conversation(generate.system, history, generate.prompt)?;
    let resumed = prepare_messages(&mut messages, &options, &tools, &settings)?;
    let limits = &settings.limits;
    let limit = limits.deadline.unwrap_or(Duration::MAX).min(limits.tool_timeout);
    let reading = |own: Option<Duration>| {
        ContextParts {
            states: genkit.states.clone(),
            values: settings.values.clone(),
            action_context: Arc::clone(&settings.action_context),
            client: settings.client,
            limit: Some(own.unwrap_or(limit)),
            ..ContextParts::default()
        }
        .build()
    };
    let (resources, registry) = (&generate.resources, &genkit.registry);
    // Boxed, since most runs have no resources, and the future would make every run large.
    Box::pin(resolve_resources(&mut messages, resources, registry, reading)).await?;
    if options.resume.is_none() && !generate.retrievers.is_empty() {
        let finding = find_documents(&messages, &generate.retrievers, registry, || reading(None));
        options.docs.extend(Box::pin(finding).await?);
    }
    options.messages = messages;
    let rules = TurnRules {
        max_turns: options.max_turns.unwrap_or(MAX_TURNS),
        fail_on_max_turns: settings.fail_on_max_turns,
        return_tool_requests: options.return_tool_requests.unwrap_or(false),
        stop_on_tools: resolve_stop_tools(&options.stop_on_tools, &tools)?,
        output_retries: None,
    };
    let budget = Budget::new(options.usage_limit.unwrap_or_default());
    let budget = Arc::new(budget.inside(settings.outer_budget.clone()));
    let name = options.step_name.take();
    let request = build_first_request(options, &tools, &*model)?;
    let rules =
        TurnRules { output_retries: settings.output.allowed_retries(&request.output)?, ..rules };
    let (cancel, started) = (create_cancel_token(generate.cancel), Instant::now());
    let asker = QuestionChannel::for_run();
    let env = RunEnv { genkit, settings, name, model, tools, budget, sink, cancel, started, asker };
    Ok((Driver::new(env, rules, resumed), request))
}

/// Prepares a run that only performs the tool calls of a message, without calling a model.
pub(super) async fn prepare_tools(generate: Generate) -> Result<Arc<Driver>> {
    let mut generate = generate.with_prompt_options()?;
    let models = &generate.genkit.runs.models;
    // Only a tool that uses sampling needs a model; without one, that tool receives an error.
    let model = match &generate.model {
        Some(model) => models.find(model)?,
        None => models.default_model().unwrap_or_else(|why| Arc::new(NoModel(why.chain()))),
    };
    let tools = find_tools(&mut generate).await?;
    let Generate { genkit, settings, mut options, .. } = generate;
    let rules = TurnRules {
        max_turns: usize::MAX,
        fail_on_max_turns: true,
        return_tool_requests: false,
        stop_on_tools: Vec::new(),
        output_retries: None,
    };
    let (name, sink) = (options.step_name.take(), ChunkSink::none());
    let (cancel, started) = (create_cancel_token(generate.cancel), Instant::now());
    let asker = QuestionChannel::for_run();
    let budget = Arc::new(Budget::new(options.usage_limit.unwrap_or_default()));
    let env = RunEnv { genkit, settings, name, model, tools, budget, sink, cancel, started, asker };
    Ok(Driver::new(env, rules, None))
}

/// Finds the tools of a run, including those of its middleware. Errors in the settings are reported last.
pub(super) async fn find_tools(generate: &mut Generate) -> Result<Toolbox> {
    for reference in std::mem::take(&mut generate.options.middleware) {
        let named = generate.genkit.runs.named_middleware.find_by_reference(&reference)?;
        generate.settings.middleware.push(named);
    }
    let middleware = &mut generate.settings.middleware;
    let fixed: Vec<Tool> = middleware.iter().flat_map(|middleware| middleware.tools()).collect();
    let references = std::mem::take(&mut generate.tools);
    let mut tools = Toolbox::find_tools(references, fixed, &generate.genkit).await?;
    if let Some(search) = LazyTools::for_run(&tools) {
        tools.add_search(search.search_tool())?;
        middleware.push(Arc::new(search));
    }
    match generate.config_error.take() {
        Some(error) => Err(error.into()),
        None => Ok(tools),
    }
}

/// Resolves the names of the tools that end the run to their full names.
fn resolve_stop_tools(names: &[String], tools: &Toolbox) -> Result<Vec<String>> {
    let whole = |name: &String| match tools.find_tool(name) {
        Some(tool) => Ok(tool.name().to_owned()),
        // The tool may become available later.
        None if tools.is_live() => Ok(name.clone()),
        None => Err(E::StopsOnUnknownTool(tools.unknown_tool_text(name)).into()),
    };
    names.iter().map(whole).collect()
}

/// The model of a run without a model: every call returns an error.
struct NoModel(String);

impl Model for NoModel {
    fn name(&self) -> &str {
        "none"
    }

    fn generate<'a>(
        &'a self,
        _: &'a ModelRequest,
        _: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        let error = E::NothingToSample(self.0.clone());
        Box::pin(std::future::ready(Err(error.into())))
    }
}

/// Prepares the messages: resumes from the answers to an interrupted run, or completes the history of a new run.
fn prepare_messages(
    messages: &mut Vec<Message>,
    options: &GenerateOptions,
    tools: &Toolbox,
    settings: &RunSettings,
) -> Result<Option<ResumedCalls>> {
    let Some(answers) = &options.resume else {
        close_calls(messages)?;
        remove_injected_instructions(messages);
        return Ok(None);
    };
    let resumed = resume(messages, answers)?;
    if let Some(name) = resumed.restarted_names().find(|name| tools.find_tool(name).is_none()) {
        let (name, unknown) = (name.to_owned(), tools.unknown_tool_text(name));
        return Err(E::ResumedWithoutTool { name, unknown }.into());
    }
    answers.check(|name| tools.find_tool(name), settings.strictness())?;
    Ok(Some(resumed))
}

/// Builds the request of the first turn.
fn build_first_request(
    mut options: Box<GenerateOptions>,
    tools: &Toolbox,
    model: &dyn Model,
) -> Result<ModelRequest> {
    let supported = model.info().supports;
    let output = options.output.take();
    let mut request = options.into_request();
    place_documents(&mut request, supported.as_ref());
    request.tools = tools.definitions();
    if let Some(output) = output {
        shape_output(&mut request, output, supported.as_ref())?;
    }
    drop_pending(&mut request.messages);
    if request.tool_choice.is_some() && request.tools.is_empty() {
        return Err(E::ToolChoiceWithoutTools.into());
    }
    Ok(request)
}

/// Creates a token that is cancelled when `signal` resolves. The task that waits for the signal ends with the run.
pub(super) fn create_cancel_token(
    signal: Option<Shared<BoxFuture<'static, ()>>>,
) -> CancellationToken {
    let cancel = CancellationToken::new();
    if let Some(signal) = signal {
        let cancel = cancel.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = cancel.cancelled() => {}
                () = signal => cancel.cancel(),
            }
        });
    }
    cancel
}
