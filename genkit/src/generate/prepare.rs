//! From what was asked to the request of the first turn.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::builder::{Cancel, Generate};
use super::format::{self, Format};
use super::limits::MAX_TURNS;
use super::options::{Instructions, OutputOptions};
use super::run::Env;
use super::toolbox::Toolbox;
use super::turn::Rules;
use super::{embed, interrupt, resume, supports};
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Message, Part, Role, ToolResponse};
use crate::model::{ChunkSink, Document, ModelRequest, OutputConfig, Supports, documents};

/// Where a builder leaves what is wrong with `.config(..)`; no setting has such a name.
pub(super) const BAD_CONFIG: &str = "\0bad config";

/// The mark of instructions that this library wrote, so that a later run can write others.
const INJECTED: &str = "injected";

/// Finds the model and the tools, and writes the messages.
pub(super) async fn prepare(asked: Generate, sink: ChunkSink) -> Result<(Env, ModelRequest)> {
    let genkit = &asked.genkit;
    let models = genkit.models.clone();
    let model = match &asked.model {
        Some(model) => models.find(model)?,
        None => models.default_model()?,
    };
    let fixed = asked.middleware.iter().flat_map(|middleware| middleware.tools()).collect();
    let tools = Toolbox::find(asked.tools, fixed, &genkit.registry, &genkit.states).await?;
    let mut options = asked.options;
    if !options.middleware.is_empty() {
        // It may be what asks for approval: going on without it would be wrong.
        return Err(Error::new(
            ErrorKind::Unimplemented,
            "`use` names middleware, which this library knows as values only: add them in code",
        ));
    }
    let config = options.config.take().unwrap_or_default();
    if let Some(said) = config.get(BAD_CONFIG) {
        return Err(Error::invalid_argument(said.as_str().unwrap_or_default()));
    }
    let mut messages = conversation(asked.system, options.messages, asked.prompt)?;
    let resumed = match &options.resume {
        Some(answers) => {
            let resumed = resume::resume(&mut messages, answers)?;
            resume::fit(answers, &tools, asked.strictness)?;
            Some(resumed)
        }
        None => None,
    };
    if resumed.is_none() {
        close_calls(&mut messages)?;
        forget_instructions(&mut messages);
    }
    let limit = asked.limits.deadline.unwrap_or(Duration::MAX).min(asked.limits.tool_timeout);
    embed::resources(&mut messages, &asked.resources, genkit, &asked.values, limit).await?;
    let supported = model.info().supports;
    let docs = place_docs(&mut messages, options.docs, supported.as_ref());
    let mut request = ModelRequest::new(messages);
    request.config = config;
    request.docs = docs;
    request.tools = tools.definitions();
    request.tool_choice = options.tool_choice;
    if let Some(wanted) = options.output {
        shape_output(&mut request, wanted, supported.as_ref())?;
    }
    if request.tool_choice.is_some() && tools.is_empty() {
        return Err(Error::invalid_argument("`.tool_choice(..)` needs tools: add `.tools(..)`"));
    }
    let cancel = CancellationToken::new();
    if let Some(signal) = asked.cancel {
        watch(signal, cancel.clone());
    }
    let rules = Rules {
        max_turns: options.max_turns.unwrap_or(MAX_TURNS),
        strict: asked.strict,
        return_tool_requests: options.return_tool_requests.unwrap_or(false),
    };
    let env = Env {
        model,
        models,
        middleware: asked.middleware,
        tools,
        registry: genkit.registry.clone(),
        states: genkit.states.clone(),
        values: asked.values,
        cancel,
        sink,
        limits: asked.limits,
        rules,
        policy: asked.policy,
        on_tool_error: asked.on_tool_error,
        strictness: asked.strictness,
        resumed: Mutex::new(resumed),
        started: Instant::now(),
        trace_contents: asked.trace_contents,
        step_name: options.step_name,
    };
    Ok((env, request))
}

/// Ends the run when `signal` resolves; the task ends with the run.
fn watch(signal: Cancel, cancel: CancellationToken) {
    tokio::spawn(async move {
        tokio::select! {
            () = cancel.cancelled() => {}
            () = signal => cancel.cancel(),
        }
    });
}

/// System message, history, prompt.
fn conversation(
    system: Vec<Part>,
    history: Vec<Message>,
    prompt: Vec<Part>,
) -> Result<Vec<Message>> {
    let mut messages = Vec::with_capacity(history.len() + 2);
    let mut history = history.into_iter().peekable();
    if !system.is_empty() {
        // A history that goes on brings its own along; the newer one counts.
        history.next_if(|first| first.role == Role::System);
        messages.push(Message::new(Role::System, system));
    }
    messages.extend(history);
    if !prompt.is_empty() {
        let answers = prompt.iter().all(|part| part.as_tool_response().is_some());
        let role = if answers { Role::Tool } else { Role::User };
        messages.push(Message::new(role, prompt));
    }
    if messages.is_empty() {
        return Err(Error::invalid_argument(
            "there is nothing to ask: give a prompt or `.messages(..)`",
        ));
    }
    Ok(messages)
}

/// Takes out what an earlier run said of its own output.
fn forget_instructions(messages: &mut Vec<Message>) {
    let injected = |part: &Part| part.metadata().get(INJECTED).is_some_and(|value| value == true);
    for message in messages.iter_mut() {
        message.content.retain(|part| !injected(part));
    }
    messages.retain(|message| !message.content.is_empty());
}

/// Answers the calls that a history leaves open, as one that ended at a limit does: providers refuse
/// calls without an answer. What a call had answered before its run failed is its answer.
fn close_calls(messages: &mut Vec<Message>) -> Result<()> {
    let mut at = 0;
    while at < messages.len() {
        let after = at + 1;
        if messages[at].role == Role::Model {
            let open = open_calls(&messages[at], &messages[after..])?;
            if !open.is_empty() {
                match messages.get_mut(after).filter(|next| next.role == Role::Tool) {
                    Some(next) => next.content.extend(open),
                    None => messages.insert(after, Message::new(Role::Tool, open)),
                }
                messages[at].content.iter_mut().for_each(interrupt::close);
            }
        }
        at = after;
    }
    Ok(())
}

/// Answers to the calls of `message` that none of the tool messages after it answers.
fn open_calls(message: &Message, after: &[Message]) -> Result<Vec<Part>> {
    let answers = after.iter().take_while(|message| message.role == Role::Tool);
    let answers: Vec<&ToolResponse> =
        answers.flat_map(|message| &message.content).filter_map(Part::as_tool_response).collect();
    let mut open = Vec::new();
    for part in &message.content {
        let Part::ToolRequest { tool_request: call, metadata } = part else { continue };
        let same = |answer: &&ToolResponse| answer.name == call.name && answer.r#ref == call.r#ref;
        if call.partial || answers.iter().any(same) {
            continue;
        }
        open.push(match metadata.get(interrupt::PENDING_OUTPUT) {
            Some(output) => resume::pending(call, metadata, output)?,
            None => call.respond(serde_json::json!({ "error": "this call was not run" })).into(),
        });
    }
    Ok(open)
}

/// Documents go to a model that takes them, or to one of which nothing is known; for the others
/// they are put into the last user message.
fn place_docs(
    messages: &mut [Message],
    docs: Vec<Document>,
    supported: Option<&Supports>,
) -> Vec<Document> {
    if docs.is_empty() || supported.is_none_or(|supports| supports.context) {
        return docs;
    }
    let Some(text) = documents::as_text(&docs) else { return docs };
    let part = Part::text(text).with_metadata("purpose", "context");
    if messages.iter().any(|message| message.content.contains(&part)) {
        return Vec::new(); // a history that goes on has them already
    }
    match messages.iter_mut().rev().find(|message| message.role == Role::User) {
        Some(message) => {
            message.content.push(part);
            Vec::new()
        }
        None => docs,
    }
}

/// Binds the output natively where the model can, and says it in the prompt where not.
fn shape_output(
    request: &mut ModelRequest,
    wanted: OutputOptions,
    supported: Option<&Supports>,
) -> Result<()> {
    let format = wanted.format()?;
    let schema = wanted.json_schema;
    if let (Some(format), Some(schema)) = (format, &schema) {
        format::check_schema(format, schema)?;
    }
    request.output = OutputConfig {
        format: format.map(|format| format.as_str().to_owned()),
        content_type: wanted.content_type.or(format.map(|f| f.content_type().to_owned())),
        schema: schema.clone(),
        constrained: None,
    };
    let object = schema.as_ref().is_some_and(|schema| schema["type"] == "object");
    let native = format == Some(Format::Json)
        && object
        && wanted.constrained != Some(false)
        && supported.is_some_and(|supports| supports::can_constrain(supports, request));
    if schema.is_some() {
        request.output.constrained = Some(native);
    }
    let text = match wanted.instructions {
        Some(Instructions::Use(false)) => None,
        Some(Instructions::Text(text)) => Some(text),
        Some(Instructions::Use(true)) => own_instructions(format, schema.as_deref()),
        None if native => None,
        None => own_instructions(format, schema.as_deref()),
    };
    if let Some(text) = text {
        instruct(&mut request.messages, text);
    }
    Ok(())
}

/// For a model that cannot bind its output as another could: the prompt says it then.
pub(super) fn say_what_is_not_bound(request: &mut ModelRequest, supported: Option<&Supports>) {
    let bound = request.output.constrained == Some(true);
    if !bound || supported.is_some_and(|supports| supports::can_constrain(supports, request)) {
        return;
    }
    request.output.constrained = Some(false);
    let format = request.output.format.as_deref().and_then(Format::of_name);
    if let Some(text) = own_instructions(format, request.output.schema.as_deref()) {
        instruct(&mut request.messages, text);
    }
}

fn own_instructions(format: Option<Format>, schema: Option<&serde_json::Value>) -> Option<String> {
    match (format?, schema) {
        // OpenAI's servers refuse their JSON mode where no message has the word.
        (Format::Json, None) => Some("Output should be in JSON format.".to_owned()),
        (format, schema) => format::instructions(format, schema?),
    }
}

/// Puts the instructions where the messages leave a place for them, else into the system message,
/// else into the last of the user.
fn instruct(messages: &mut Vec<Message>, text: String) {
    let part = Part::text(text).with_metadata("purpose", "output").with_metadata(INJECTED, true);
    let waits = |part: &Part| part.metadata().get("pending").is_some_and(|value| value == true);
    let is_output = |part: &Part| part.metadata().get("purpose").is_some_and(|p| p == "output");
    for message in messages.iter_mut() {
        if let Some(place) = message.content.iter_mut().find(|part| is_output(part)) {
            if waits(place) {
                *place = part;
            }
            return; // instructions of the program's own
        }
    }
    let system = messages.iter().position(|message| message.role == Role::System);
    let place = system.or(messages.iter().rposition(|message| message.role == Role::User));
    match place {
        Some(at) => messages[at].content.push(part),
        None => messages.push(Message::new(Role::User, [part])),
    }
}
