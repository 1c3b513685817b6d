//! Creation and lookup of the durable runs of an instance.

use std::sync::Arc;

use serde::Serialize;

use super::error::Error as E;
use super::flow_state::FlowState;
use super::handle::{DurableFlow, DurableRun, Handle};
use super::outcome::wrong_kind_error;
use super::record::{Record, RunBody};
use super::settings::DurableOptions;
use genkit_agent::Generate;
use genkit_agent::Instance;
use genkit_core::Result;
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::{telemetry, trace};
use genkit_core::{RunChange, RunId, RunStatus, RunStore};

/// Creates a durable run, or returns the existing run with this id.
pub async fn durable_run(
    instance: &Instance,
    id: impl Into<String>,
    run: Generate,
    options: DurableOptions,
) -> Result<DurableRun> {
    let (id, store) = (RunId::new(id)?, run_store(instance)?);
    if store.peek(&id).await?.is_none() {
        let first = first_of_run(instance, &id, run, options).await?;
        // If another process was faster, use the run that it created.
        store.create(&id, &first).await?;
    }
    Ok(DurableRun(created_handle(instance, store, id).await?))
}

/// Creates a durable flow run, or returns the existing run with this id.
pub async fn durable_flow(
    instance: &Instance,
    id: impl Into<String>,
    flow: &str,
    input: impl Serialize,
    options: DurableOptions,
) -> Result<DurableFlow> {
    let (id, store) = (RunId::new(id)?, run_store(instance)?);
    let Some(head) = store.peek(&id).await? else {
        let first = first_of_flow(instance, &id, flow, input, options)?;
        store.create(&id, &first).await?;
        return Ok(DurableFlow(created_handle(instance, store, id).await?));
    };
    let handle = Handle::new(instance, store, id).with_incarnation(&head);
    check_flow(&handle, flow).await?;
    Ok(DurableFlow(handle))
}

/// Returns an error if the existing run is not a run of this flow.
async fn check_flow(handle: &Handle, flow: &str) -> Result<()> {
    let id = handle.id();
    match handle.load_run().await?.1.body {
        RunBody::Flow(state) if state.name() == flow => Ok(()),
        RunBody::Flow(state) => {
            let (is, wanted) = (state.name().to_owned(), flow.to_owned());
            Err(E::OtherFlow { id: id.to_string(), is, wanted }.into())
        }
        body => Err(wrong_kind_error(id, &body, "a run of `durable_flow`")),
    }
}

async fn created_handle(
    instance: &Instance,
    store: Arc<dyn RunStore>,
    id: RunId,
) -> Result<Handle> {
    let head = store.peek(&id).await?.ok_or_else(|| E::RunNotFound(id.to_string()))?;
    Ok(Handle::new(instance, store, id).with_incarnation(&head))
}

/// Finds a durable run by its id.
pub async fn find_durable_run(
    instance: &Instance,
    id: impl Into<String>,
) -> Result<Option<DurableRun>> {
    Ok(find_durable(instance, id).await?.map(DurableRun))
}

/// Finds a durable flow by its id.
pub async fn find_durable_flow(
    instance: &Instance,
    id: impl Into<String>,
) -> Result<Option<DurableFlow>> {
    Ok(find_durable(instance, id).await?.map(DurableFlow))
}

async fn find_durable(instance: &Instance, id: impl Into<String>) -> Result<Option<Handle>> {
    let (id, store) = (RunId::new(id)?, run_store(instance)?);
    let head = store.peek(&id).await?;
    Ok(head.map(|head| Handle::new(instance, store, id).with_incarnation(&head)))
}

pub(super) fn run_store(instance: &Instance) -> Result<Arc<dyn RunStore>> {
    Ok(instance.runs.store.clone().ok_or(E::MissingStore)?)
}

pub(super) async fn first_of_run(
    instance: &Instance,
    id: &RunId,
    run: Generate,
    options: DurableOptions,
) -> Result<RunChange> {
    let state = run.with_instance(instance).start().await?.state();
    if !state.names.code.is_empty() {
        return Err(E::NotByName(state.names.code).into());
    }
    let name = state.model().to_owned();
    build_first_change(instance, id, RunBody::Generate(Box::new(state)), name, options)
}

pub(super) fn first_of_flow(
    instance: &Instance,
    id: &RunId,
    flow: &str,
    input: impl Serialize,
    options: DurableOptions,
) -> Result<RunChange> {
    let known = instance.registry.flow(flow).ok_or_else(|| E::UnknownFlow(flow.to_owned()))?;
    let input = serde_json::to_value(input)
        .map_err(|why| E::Unserializable { id: id.to_string(), why: why.to_string() })?;
    let body = RunBody::Flow(Box::new(FlowState::new(known.name(), input)));
    build_first_change(instance, id, body, known.name().to_owned(), options)
}

fn build_first_change(
    instance: &Instance,
    id: &RunId,
    body: RunBody,
    name: String,
    mut options: DurableOptions,
) -> Result<RunChange> {
    options.kept.build.clone_from(&instance.runs.build);
    options.kept.trace = begin_trace(id);
    options.kept.root = trace::is_on().then(|| (trace::Root::new().ids(), now_ms()));
    let kept = options.kept.clone();
    let (head, log) = Record { kept, ..Record::new(body) }.into_lines(id)?;
    options.apply(RunChange::new(RunStatus::Working, head).with_log(log).with_name(name))
}

/// Creates the span that is the parent of the run's spans in all processes. Returns `None` without telemetry.
fn begin_trace(run: &RunId) -> Option<(String, String)> {
    let telemetry = telemetry::installed_telemetry()?;
    let context = telemetry.context_of(&tracing::info_span!("start_durable_run", %run))?;
    Some((context.to_string(), context.state().to_owned()))
}
