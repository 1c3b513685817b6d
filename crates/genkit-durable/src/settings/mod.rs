//! The settings of a durable run, which are stored with the run.

mod retry;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error as E;
use crate::inside::children::children_tag;
use crate::inside::mail::Mail;
use genkit_core::{Result, RunChange, RunId};
pub use retry::RetryPolicy;

/// Options of a new durable run or flow, for `Genkit::durable_run_with` and `Genkit::durable_flow_with`.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use genkit::durable::DurableOptions;
///
/// let tomorrow = SystemTime::now() + Duration::from_secs(24 * 3600);
/// let options = DurableOptions::new().tag("customer-7").start_at(tomorrow);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "options do nothing until a run is created with them"]
pub struct DurableOptions {
    pub(crate) kept: StoredState,
    start_ms: Option<u64>,
    priority: u8,
}

/// The part of a stored run that its steps do not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StoredState {
    /// The retry policy of model calls, or of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry: Option<RetryPolicy>,
    /// The retry policies of tool calls, by the name of the tool.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) retry_tools: BTreeMap<String, RetryPolicy>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// The run that started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<RunId>,
    /// The build of the program that created the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) build: Option<String>,
    /// The trace that created the run, as `traceparent` and `tracestate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<(String, String)>,
    /// The root of the run's trace in the developer tools: its ids and its start time. Only in
    /// development.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<([u64; 3], u64)>,
    /// The value that the run publishes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) published: Option<Value>,
    /// Stored after the other fields of the head: see [`join_head`](crate::inside::mail::join_head).
    #[serde(skip)]
    pub(crate) mail: Mail,
}

impl StoredState {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the retry policy of model calls, or of the flow.
    pub(crate) fn retry_policy(&self) -> RetryPolicy {
        self.retry.clone().unwrap_or_default()
    }

    /// Returns the retry policy for calls to a tool, or `None` if the options set none; the tool may declare its own.
    pub(crate) fn tool_policy(&self, tool: &str) -> Option<&RetryPolicy> {
        self.retry_tools.get(tool)
    }
}

impl DurableOptions {
    /// Creates options without tags. The run starts immediately.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tag that [`RunFilter::tag`](genkit_core::RunFilter::tag) can match. A tag must not
    /// contain a line break.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.kept.tags.push(tag.into());
        self
    }

    /// Sets the start time: no step is performed before it. Default is now.
    pub fn start_at(self, time: std::time::SystemTime) -> Self {
        let since = time.duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { start_ms: Some(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)), ..self }
    }

    /// Sets the priority among runs that have not started: workers start runs with a lower number first. Default is 0,
    /// the highest priority. The priority has no effect on a run with a start time.
    pub fn priority(self, priority: u8) -> Self {
        Self { priority, ..self }
    }

    /// Sets the retry policy of the run's model calls, or of its flow, which runs again from the start. Default is
    /// [`RetryPolicy::new`].
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.kept.retry = Some(policy);
        self
    }

    /// Sets the retry policy for calls to this tool. A failed call is retried, reusing its saved `once` results, before
    /// the error is returned to the model. Default is the policy that the tool declares with `#[tool(retry(..))]`, or
    /// no retries. Calls to `at_most_once` tools, and calls made by an agent inside the run, are never retried.
    pub fn retry_tool(mut self, tool: impl Into<String>, policy: RetryPolicy) -> Self {
        self.kept.retry_tools.insert(tool.into(), policy);
        self
    }

    /// Makes the run a child of another run.
    pub(crate) fn with_parent(mut self, parent: RunId) -> Self {
        self.kept.tags.push(children_tag(&parent));
        self.kept.parent = Some(parent);
        self
    }

    /// Returns the first change of a run with these options.
    pub(crate) fn apply(self, first: RunChange) -> Result<RunChange> {
        // Stores return due runs in the order of their wake-up times, so the priority is stored as a wake-up time close
        // to the epoch. Priority 0 has no wake-up time, which comes first.
        let first_wake = (self.priority > 0).then(|| u64::from(self.priority));
        match self.kept.tags.iter().any(|tag| tag.is_empty() || tag.contains('\n')) {
            true => Err(E::Tag.into()),
            false => {
                Ok(first.with_tags(self.kept.tags).with_wake_at_ms(self.start_ms.or(first_wake)))
            }
        }
    }
}
