//! Does what the machine says: calls the model and the tools, under time limits.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{TryStreamExt as _, stream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::call::{self, Approval, OnToolError};
use super::interrupt::Suspended;
use super::limits::{Limits, MAX_CALLS};
use super::middleware::{Middleware, NextGenerate, NextModel, NextTool, Outcome, ToolCall};
use super::response::GenerateResponse;
use super::resume::Resumed;
use super::toolbox::Toolbox;
use super::turn::{Call, GENERATED_REF, Rules, Settled, Step, Turns, invented_ref};
use super::{supports, trace};
use crate::action::Strictness;
use crate::context::TypeMap;
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Message, Part, Role, ToolRequest};
use crate::model::{
    ChunkSink, GenerateChunk, Generating, Model, ModelRequest, ModelResponse, Models,
};
use crate::registry::Registry;

/// Decides on calls: see [`Approval`].
pub(super) type Policy = Arc<dyn Fn(&ToolCall) -> Approval + Send + Sync>;

/// Everything that stays the same during a run.
pub(super) struct Env {
    pub(super) model: Arc<dyn Model>,
    pub(super) models: Models,
    pub(super) middleware: Vec<Arc<dyn Middleware>>,
    pub(super) tools: Toolbox,
    pub(super) registry: Registry,
    pub(super) states: TypeMap,
    pub(super) values: TypeMap,
    pub(super) cancel: CancellationToken,
    pub(super) sink: ChunkSink,
    pub(super) limits: Limits,
    pub(super) rules: Rules,
    pub(super) policy: Option<Policy>,
    pub(super) on_tool_error: OnToolError,
    pub(super) strictness: Strictness,
    /// What the run goes on from, until it has.
    pub(super) resumed: Mutex<Option<Resumed>>,
    pub(super) started: Instant,
    pub(super) trace_contents: bool,
    /// What traces call the run.
    pub(super) step_name: Option<String>,
}

/// Runs `request` to its end. Dropping the future stops everything.
pub(super) async fn run(env: Env, request: ModelRequest) -> Result<GenerateResponse> {
    // What a tool handed to other tasks hears that the run is over, however it ends.
    let _stop = env.cancel.clone().drop_guard();
    let span = trace::run(&env, &request);
    let running = NextGenerate::new(&env).run(request);
    // The turns stop by themselves with what was done; this is for middleware that waits.
    let stopped = stop(&env, Duration::from_millis(50));
    async {
        tokio::select! {
            biased;
            ended = running => ended,
            error = stopped => Err(error),
        }
    }
    .instrument(span)
    .await
}

/// The turns of one run, inside of all middleware.
pub(super) async fn turns(env: &Env, request: ModelRequest) -> Result<GenerateResponse> {
    let resumed = env.resumed.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut turns = match resumed {
        Some(resumed) => Turns::resumed(request, env.rules, resumed),
        None => Turns::new(request, env.rules),
    };
    let finished = Finished::default();
    let ended = {
        let going = go_on(env, &mut turns, &finished);
        tokio::select! {
            biased;
            error = stop(env, Duration::ZERO) => Err(error),
            ended = going => ended,
        }
    };
    let ended = ended.map_err(|error| {
        turns.keep(finished.into_inner().unwrap_or_else(PoisonError::into_inner));
        turns.fail(error)
    });
    if let Ok(response) = &ended {
        trace::ended(response);
    }
    ended
}

/// What the calls of the current round became, by their place, as they end: a round that fails or is
/// stopped keeps it.
type Finished = Mutex<Vec<(usize, Settled)>>;

async fn go_on(env: &Env, turns: &mut Turns, finished: &Finished) -> Result<GenerateResponse> {
    loop {
        let round = turns.rounds();
        match turns.next() {
            Step::Done(response) => return Ok(*response),
            Step::Model => {
                env.tools.refresh(&env.registry, &env.states, turns.tools()).await;
                let answer = ask(env, turns).instrument(trace::turn(round)).await?;
                turns.accept(answer)?;
            }
            Step::Tools(calls) => {
                let index = turns.tool_index();
                run_calls(env, calls, index, finished).await?;
                let mut settled =
                    std::mem::take(&mut *finished.lock().unwrap_or_else(PoisonError::into_inner));
                settled.sort_by_key(|(place, _)| *place);
                let settled = settled.into_iter().map(|(_, settled)| settled).collect();
                // From here on the run is past what it was resumed for.
                env.resumed.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(answers) = turns.settle(settled) {
                    stream_answers(env, answers, index);
                }
            }
        }
    }
}

/// One model call, through the middleware.
async fn ask(env: &Env, turns: &Turns) -> Result<ModelResponse> {
    let names = Names::default();
    let sink = numbered(&env.sink, turns.index(), &names);
    let mut answer = NextModel::new(env).run(turns.request(), &sink).await?;
    if let Some(message) = &mut answer.message {
        give_references(message, &names);
        // Policies and middleware see a tool by its own name, however the model calls it.
        for part in &mut message.content {
            if let Part::ToolRequest { tool_request, .. } = part
                && let Some(tool) = env.tools.get(&tool_request.name)
                && tool.name() != tool_request.name
            {
                tool_request.name = tool.name().to_owned();
            }
        }
    }
    // A model that does not stream is seen all the same.
    if sink.is_wanted()
        && sink.count() == 0
        && let Some(message) = &answer.message
    {
        sink.send(GenerateChunk::new(message.content.clone()));
    }
    Ok(answer)
}

/// The references that calls were given while they were streamed, with the tools' names.
type Names = Arc<Mutex<Vec<(String, String)>>>;

/// The same sink, which says of each chunk whose it is, and gives each call a reference: whoever
/// watches finds the answer to it by that.
fn numbered(sink: &ChunkSink, index: usize, names: &Names) -> ChunkSink {
    if !sink.is_wanted() {
        return ChunkSink::none();
    }
    let (sink, names) = (sink.clone(), Arc::clone(names));
    ChunkSink::new(move |mut chunk| {
        chunk.index = Some(index);
        chunk.role = Some(Role::Model);
        for part in &mut chunk.content {
            if let Some(request) = without_reference(part) {
                let invented = invented_ref();
                let name = request.name.clone();
                names.lock().unwrap_or_else(PoisonError::into_inner).push((name, invented.clone()));
                request.r#ref = Some(invented);
            }
        }
        sink.send(chunk);
    })
}

/// Gives the calls of the whole message the references that they were streamed with, or new ones.
fn give_references(message: &mut Message, names: &Names) {
    let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
    for part in &mut message.content {
        let Some(request) = without_reference(part) else { continue };
        let streamed = names.iter().position(|(name, _)| *name == request.name);
        request.r#ref = Some(streamed.map_or_else(invented_ref, |at| names.remove(at).1));
        part.metadata_mut().insert(GENERATED_REF.to_owned(), true.into());
    }
}

/// A whole call that its model gave no reference.
fn without_reference(part: &mut Part) -> Option<&mut ToolRequest> {
    match part {
        Part::ToolRequest { tool_request, .. }
            if !tool_request.partial
                && tool_request.r#ref.as_ref().is_none_or(String::is_empty) =>
        {
            Some(tool_request)
        }
        _ => None,
    }
}

fn stream_answers(env: &Env, answers: &Message, index: usize) {
    if env.sink.is_wanted() {
        let mut chunk = GenerateChunk::new(answers.content.iter().cloned());
        chunk.role = Some(Role::Tool);
        chunk.index = Some(index);
        env.sink.send(chunk);
    }
}

/// Runs the calls of one round, some at a time.
async fn run_calls(env: &Env, calls: Vec<Call>, index: usize, finished: &Finished) -> Result<()> {
    if calls.len() > MAX_CALLS {
        let said =
            format!("the model asks for {} calls at once; {MAX_CALLS} are allowed", calls.len());
        return Err(Error::new(ErrorKind::ResourceExhausted, said));
    }
    stream::iter(calls.into_iter().enumerate().map(Ok))
        .try_for_each_concurrent(env.limits.parallel_tools.max(1), async |(place, call)| {
            let settled = run_call(env, call, index).await?;
            finished.lock().unwrap_or_else(PoisonError::into_inner).push((place, settled));
            Ok(())
        })
        .await
}

async fn run_call(env: &Env, call: Call, index: usize) -> Result<Settled> {
    let Call { request, suspended } = call;
    let seen = call::seen(env, request, index);
    let span = trace::tool(env, &seen);
    let suspended: Option<&Suspended> = suspended.as_deref();
    let outcome = NextTool::new(env, suspended).run(seen).instrument(span).await?;
    Ok(match outcome.0 {
        Outcome::Answered(part) => Settled::Answered(part),
        Outcome::Asked(mut asked) => {
            // What an earlier run did is done, also where something else asks now.
            for (key, done) in suspended.iter().flat_map(|before| &before.recording.once) {
                asked.recording.once.entry(key.clone()).or_insert_with(|| done.clone());
            }
            Settled::Asked(asked)
        }
    })
}

/// Resolves when the run must end: its deadline or its caller.
async fn stop(env: &Env, grace: Duration) -> Error {
    let deadline = async {
        let limit = env.limits.deadline.map(|limit| limit.saturating_add(grace));
        match limit.and_then(|limit| env.started.checked_add(limit)) {
            Some(end) => tokio::time::sleep_until(end).await,
            None => std::future::pending().await,
        }
    };
    let cancelled = async {
        env.cancel.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        () = cancelled => Error::new(ErrorKind::Cancelled, "the run was cancelled"),
        () = deadline => {
            let limit = env.limits.deadline.unwrap_or_default();
            let said = format!("the run did not end within its deadline of {limit:?}");
            Error::new(ErrorKind::DeadlineExceeded, said)
        }
    }
}

impl Env {
    /// The innermost part of a model call: what the model cannot do is an error before the call.
    pub(super) fn call_model<'a>(
        &'a self,
        model: &'a dyn Model,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> Generating<'a> {
        let span = trace::model(self, model, request);
        let call = async move {
            supports::check(model, request)?;
            let limit = self.limits.model_timeout;
            let started = Instant::now();
            let answer = tokio::time::timeout(limit, model.generate(request, chunks)).await;
            let mut answer = answer.unwrap_or_else(|_| {
                let said = format!("the model `{}` did not answer within {limit:?}", model.name());
                Err(Error::new(ErrorKind::DeadlineExceeded, said))
            })?;
            let took = started.elapsed();
            answer.latency_ms.get_or_insert(took.as_secs_f64() * 1000.0);
            trace::answered(self, &answer);
            Ok(answer)
        };
        Box::pin(call.instrument(span))
    }
}
