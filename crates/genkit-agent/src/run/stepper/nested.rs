//! A run inside a durable call: its steps are saved in the journal of the call, so they are not repeated after a
//! crash.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NextStep, Run, RunCall, RunState};
use crate::run::driver::Driver;
use genkit_core::internal::context::Journal;
use genkit_core::internal::generate::interrupt::ResumedCalls;
use genkit_core::internal::run_store::short_hash;
use genkit_core::{BoxFuture, Context, Error, Message, Result, Role};

/// The keys in the journal of a durable call under which a nested run saves its steps.
pub(in crate::run) struct NestedRun {
    /// The context of the call.
    context: Context,
    /// The prefix of all keys of the run. It is the same in each process that repeats the call.
    key: String,
    /// The number of saved messages.
    saved: usize,
}

/// The state of a nested run, without its messages.
#[derive(Serialize, Deserialize)]
struct NestedState {
    /// The number of messages.
    messages: usize,
    state: RunState,
}

impl NestedRun {
    /// Creates the keys of a run that is nested in the current durable call. Returns `None` outside a durable call.
    ///
    /// Two runs of one call are distinguished by their conversations, and runs with the same conversation by their
    /// order.
    pub(in crate::run) fn start(
        driver: &Driver,
        messages: &[Message],
        resumed: Option<&ResumedCalls>,
    ) -> Result<Option<Self>> {
        let Some(context) = Context::running().filter(Context::is_durable) else { return Ok(None) };
        let key = match &driver.env.settings.durable_key {
            Some(key) => key.clone(),
            None => {
                let spoken = messages.iter().filter(|message| message.role != Role::System);
                let mut text = serde_json::to_string(&spoken.collect::<Vec<_>>())?;
                if let Some(resumed) = resumed {
                    text.push_str(&serde_json::to_string(&resumed.message)?);
                    for (at, state) in &resumed.calls {
                        text.push_str(&format!("{at}{}", serde_json::to_string(state)?));
                    }
                }
                format!("run~{}", short_hash(&text))
            }
        };
        let key = format!("{}/", context.nth_key(&key));
        Ok(Some(Self { context, key, saved: 0 }))
    }

    /// Restores the run from the steps that an earlier process saved. Returns `None` if no steps were saved.
    pub(in crate::run) fn restore(&mut self, driver: &Arc<Driver>) -> Result<Option<Run>> {
        let Some(state) = self.context.recorded_result(&self.entry_key("state")) else {
            return Ok(None);
        };
        let NestedState { messages: known, mut state } = serde_json::from_value(state)?;
        let mut batches = Vec::new();
        for (from, batch) in self.context.recorded_with_prefix(&self.entry_key("messages/")) {
            let from: usize = from.parse().unwrap_or(usize::MAX);
            batches.push((from, serde_json::from_value::<Vec<Message>>(batch)?));
        }
        batches.sort_by_key(|(from, _)| *from);
        state.messages = batches.into_iter().flat_map(|(_, batch)| batch).take(known).collect();
        self.saved = state.messages.len();
        let tools = driver.tools();
        let mut run = Run::restore_inside(Arc::clone(driver), tools, state);
        if !matches!(run.next(), NextStep::Asks(_)) {
            // The usage up to a question was saved together with that question.
            driver.env.budget.count_restored(run.machine.usage());
        }
        let NextCalls { index, places } = NextCalls::from_run(&mut run);
        for place in places {
            let of_call = self.call_key(index, place);
            if self.context.recorded_result(&format!("{of_call}started")).is_some() {
                run.note_started(place);
            }
            for (key, done) in self.context.recorded_with_prefix(&format!("{of_call}once/")) {
                run.note_once(place, key, done);
            }
        }
        run.ask_about_started();
        Ok(Some(run))
    }

    /// Saves the state of the run.
    pub(in crate::run) async fn save_state(&mut self, run: &Run) -> Result<()> {
        let mut state = run.state_after(self.saved);
        let new = std::mem::take(&mut state.messages);
        let messages = self.saved + new.len();
        let state = serde_json::to_value(NestedState { messages, state })?;
        let first = async {
            if new.is_empty() {
                return Ok(());
            }
            let key = self.entry_key(&format!("messages/{}", self.saved));
            self.context.record_saved(&key, serde_json::to_value(&new)?).await
        };
        let key = self.entry_key("state");
        let then = self.context.record_saved(&key, state);
        // Save the messages first, since the state refers to them. Join both saves, so that a store can combine them.
        let (first, then) = join(first, then).await;
        first.and(then)?;
        self.saved = messages;
        Ok(())
    }

    /// Returns the call with a journal nested in the journal of the durable call. Records the start of an at-most-once
    /// call before it runs.
    pub(in crate::run) async fn prepare_call(&self, call: RunCall) -> Result<RunCall> {
        let (index, place) = call.position();
        let prefix = self.call_key(index, place);
        if call.is_at_most_once() {
            self.context.record_saved(&format!("{prefix}started"), Value::Bool(true)).await?;
        }
        let id = self.context.idempotency_key(&format!("{}{index}/{place}", self.key));
        let (context, id) = (self.context.clone(), id.unwrap_or_default());
        Ok(call.with_journal(Arc::new(NestedJournal { context, id, prefix })))
    }

    /// Returns the wait before the model is called again after `error`, or `None` if the error ends the run.
    pub(in crate::run) fn retry_wait(&self, tries: u32, error: &Error) -> Option<Duration> {
        self.context.journal()?.retry_wait(tries, error)
    }

    /// Returns the context of the durable call.
    pub(in crate::run) fn call_context(&self) -> &Context {
        &self.context
    }

    fn entry_key(&self, name: &str) -> String {
        format!("{}{name}", self.key)
    }

    fn call_key(&self, index: usize, place: usize) -> String {
        format!("{}{index}/{place}/", self.key)
    }
}

/// The open calls of a run.
struct NextCalls {
    index: usize,
    places: Vec<usize>,
}

impl NextCalls {
    fn from_run(run: &mut Run) -> Self {
        let NextStep::Tools(calls) = run.next() else {
            return Self { index: 0, places: Vec::new() };
        };
        let index = calls.first().map_or(0, |call| call.position().0);
        Self { index, places: calls.iter().map(|call| call.position().1).collect() }
    }
}

/// The journal of a call of a nested run.
struct NestedJournal {
    context: Context,
    id: String,
    prefix: String,
}

impl Journal for NestedJournal {
    fn id(&self) -> &str {
        &self.id
    }

    fn save_result(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        let (context, done) = (self.context.clone(), done.clone());
        let key = format!("{}once/{key}", self.prefix);
        Box::pin(async move { context.record_saved(&key, done).await })
    }

    fn begin_effect(&self) -> BoxFuture<'static, Result<()>> {
        match self.context.journal() {
            Some(journal) => journal.begin_effect(),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    fn retry_wait(&self, tries: u32, error: &Error) -> Option<Duration> {
        self.context.journal()?.retry_wait(tries, error)
    }

    fn call_of_run(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.context.journal()?.call_of_run()
    }
}
