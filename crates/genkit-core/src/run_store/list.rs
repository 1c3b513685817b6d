//! Lists of runs: filters, and the properties of runs that are available without loading them.

use super::{RunId, RunStatus};

/// The maximum number of runs on a page. Default is 100.
const PAGE: usize = 100;

/// A filter that selects runs for [`RunStore::list`](super::RunStore::list). A run must meet all conditions; without
/// conditions, all runs are selected. A page has up to `limit` runs, in the order of their ids.
///
/// ```
/// use genkit::durable::{RunFilter, RunStatus};
///
/// let failed = RunFilter::new().status(RunStatus::Failed).error("overloaded").limit(20);
/// # let _ = failed;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use = "a filter does nothing until a store uses it"]
pub struct RunFilter {
    /// The accepted statuses of the run. An empty list accepts any status.
    pub statuses: Vec<RunStatus>,
    /// The name of the run: its flow, or the model of a run that is not a flow.
    pub name: Option<String>,
    /// The tag of the run.
    pub tag: Option<String>,
    /// The text that the last error contains.
    pub error: Option<String>,
    /// The time before which the run was last saved, in milliseconds since the Unix epoch.
    pub updated_before_ms: Option<u64>,
    /// The time before which the run was created, in milliseconds since the Unix epoch.
    pub created_before_ms: Option<u64>,
    /// The id after which the page starts: the last id of the previous page.
    pub after: Option<RunId>,
    /// The maximum number of runs on the page. Default is 100.
    pub limit: usize,
    /// Whether tasks, sessions and streams of an MCP server are included. Default is `false`.
    pub of_servers: bool,
}

impl Default for RunFilter {
    fn default() -> Self {
        Self {
            statuses: Vec::new(),
            name: None,
            tag: None,
            error: None,
            updated_before_ms: None,
            created_before_ms: None,
            after: None,
            limit: PAGE,
            of_servers: false,
        }
    }
}

impl RunFilter {
    /// Creates a filter for all runs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects runs with this status. If called several times, selects runs with any of these statuses.
    pub fn status(mut self, status: RunStatus) -> Self {
        self.statuses.push(status);
        self
    }

    /// Selects runs with this name: the flow, or the model of a run that is not a flow.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Selects runs with this tag.
    pub fn tag(self, tag: impl Into<String>) -> Self {
        Self { tag: Some(tag.into()), ..self }
    }

    /// Selects runs whose last error contains this text (case-sensitive).
    pub fn error(self, text: impl Into<String>) -> Self {
        Self { error: Some(text.into()), ..self }
    }

    /// Selects runs that were last saved before this time, in milliseconds since the Unix epoch.
    pub fn updated_before_ms(self, time: u64) -> Self {
        Self { updated_before_ms: Some(time), ..self }
    }

    /// Selects runs that were created before this time, in milliseconds since the Unix epoch.
    pub fn created_before_ms(self, time: u64) -> Self {
        Self { created_before_ms: Some(time), ..self }
    }

    /// Sets the id after which the page starts: the last id of the previous page.
    pub fn after(self, id: RunId) -> Self {
        Self { after: Some(id), ..self }
    }

    /// Sets the maximum number of runs on the page. Default is 100.
    pub fn limit(self, runs: usize) -> Self {
        Self { limit: runs, ..self }
    }

    /// Sets whether tasks, sessions and streams of an MCP server are included. Default is `false`.
    pub fn include_server_runs(self, yes: bool) -> Self {
        Self { of_servers: yes, ..self }
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `include_server_runs`")]
    pub fn of_servers(self, yes: bool) -> Self {
        self.include_server_runs(yes)
    }

    /// Returns whether the run with this id may be on the page. For stores without a query language.
    pub fn selects_id(&self, id: &RunId) -> bool {
        self.after.as_ref().is_none_or(|after| id > after)
            && (self.of_servers || !id.is_of_server())
    }

    /// Returns whether `entry` meets all conditions. For stores without a query language. A run that cannot be read has
    /// no status, name or tags, so conditions on these exclude it. Its times are 0, so conditions on times do not.
    pub fn selects(&self, entry: &RunEntry) -> bool {
        let is_before = |limit: Option<u64>, time: u64| limit.is_none_or(|limit| time < limit);
        let has_status = || entry.status.is_some_and(|status| self.statuses.contains(&status));
        self.selects_id(&entry.id)
            && (self.statuses.is_empty() || has_status())
            && self.name.as_ref().is_none_or(|name| *name == entry.name)
            && self.tag.as_ref().is_none_or(|tag| entry.tags.contains(tag))
            && self.error.as_ref().is_none_or(|text| {
                entry.error.as_ref().is_some_and(|error| error.contains(&**text))
            })
            && is_before(self.updated_before_ms, entry.updated_ms)
            && is_before(self.created_before_ms, entry.created_ms)
    }
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunEntry {
    /// The id of the run.
    pub id: RunId,
    /// The status of the run. `None` means that the run cannot be read; [`error`](Self::error) then contains the
    /// reason.
    pub status: Option<RunStatus>,
    /// The wake-up time in milliseconds since the Unix epoch, the earliest time to continue the run. `None` means now.
    pub wake_at_ms: Option<u64>,
    /// The name of the run: its flow, or the model of a run that is not a flow. The name is empty if an older version
    /// created the run.
    pub name: String,
    /// The tags of the run.
    pub tags: Vec<String>,
    /// The error of the run, or of the last attempt of its next step.
    pub error: Option<String>,
    /// The creation time of the run, in milliseconds since the Unix epoch. The time is 0 if an older version created
    /// the run.
    pub created_ms: u64,
    /// The time of the last save, in milliseconds since the Unix epoch. The time is 0 if an older version saved the
    /// run.
    pub updated_ms: u64,
}

impl RunEntry {
    /// Creates an entry with this id and status.
    pub fn new(id: RunId, status: Option<RunStatus>) -> Self {
        Self {
            id,
            status,
            wake_at_ms: None,
            name: String::new(),
            tags: Vec::new(),
            error: None,
            created_ms: 0,
            updated_ms: 0,
        }
    }
}
