//! The settings of a tool. Each option of `#[tool]` is a field and a method here.

use std::time::Duration;

/// Tool annotations: hints about the effects of a tool, for clients. They are not guarantees.
///
/// `None` means that the hint is not set. MCP then assumes the worst case: not read-only, destructive, not idempotent,
/// open world.
///
/// ```
/// use genkit::{Tool, tool};
///
/// /// Finds notes.
/// #[tool(read_only, open_world = false)]
/// async fn find(words: String) -> Vec<String> {
///     vec![words]
/// }
///
/// let hints = Tool::of::<find>().annotations();
/// assert_eq!((hints.read_only, hints.open_world), (Some(true), Some(false)));
/// assert_eq!((hints.destructive, hints.idempotent), (None, None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// Whether the tool is read-only, that is, changes nothing.
    pub read_only: Option<bool>,
    /// Whether the tool is destructive, that is, may delete or overwrite something.
    pub destructive: Option<bool>,
    /// Whether the tool is idempotent: calling it twice has the same effect as calling it once.
    pub idempotent: Option<bool>,
    /// Whether the tool interacts with an open world outside this program, such as the web.
    pub open_world: Option<bool>,
}

/// The task setting of a tool: when a call becomes a task (MCP's extension `io.modelcontextprotocol/tasks` of
/// 2026-07-28). `#[tool(task)]`, `task = "5s"`, `task = "now"` and `task = "always"` correspond to `ToolTask::new()`,
/// `.after(..)`, `.now()` and `.now().required()`.
///
/// A client that declares the extension in a call receives the plain result, or a plain question, if the call finishes
/// or asks the question within the delay. After the delay, the client receives a task, which it can poll, answer and
/// cancel. All other clients, the generate loop and flows wait for the result. A server creates tasks only if the
/// feature `durable` is enabled; see `McpServer::task_ttl`.
///
/// ```
/// use genkit::action::ToolTask;
/// use genkit::{Tool, tool};
/// use std::time::Duration;
///
/// /// Renders a film.
/// #[tool(task = "5s")]
/// async fn render(frames: u32) -> String { format!("{frames} frames") }
///
/// assert_eq!(Tool::of::<render>().task(), Some(ToolTask::new().after(Duration::from_secs(5))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolTask {
    after: Duration,
    required: bool,
}

impl ToolTask {
    /// Creates a setting with a delay of 1 second.
    pub const fn new() -> Self {
        Self { after: Duration::from_secs(1), required: false }
    }

    /// Sets the delay after which a running call becomes a task.
    #[must_use]
    pub const fn after(self, time: Duration) -> Self {
        Self { after: time, ..self }
    }

    /// Sets the delay to zero: a call becomes a task as soon as it waits for anything.
    #[must_use]
    pub const fn now(self) -> Self {
        self.after(Duration::ZERO)
    }

    /// Requires clients to support tasks. Calls from clients without the extension are rejected with `-32021`.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Returns the delay after which a running call becomes a task.
    pub const fn starts_after(self) -> Duration {
        self.after
    }

    /// Returns whether clients without the extension are rejected.
    pub const fn is_required(self) -> bool {
        self.required
    }
}

impl Default for ToolTask {
    fn default() -> Self {
        Self::new()
    }
}

/// The retries of a tool's calls in durable runs. `#[tool(retry)]` corresponds to `ToolRetry::new()`, and
/// `#[tool(retry(max_retries = 2, initial_delay = "5s"))]` sets its values.
///
/// A call that fails with a retryable error is repeated. A retry reuses the results that `once` saved. The model
/// receives an error only if the last retry fails. `DurableOptions::retry_tool` of a run overrides these retries. They
/// apply neither outside durable runs nor to the tools of an agent inside a run.
///
/// ```
/// use genkit::action::ToolRetry;
/// use genkit::{Tool, tool};
///
/// /// Books a table.
/// #[tool(retry(max_retries = 2, initial_delay = "5s"))]
/// async fn book(people: u32) -> String { format!("a table for {people}") }
///
/// let retry = Tool::of::<book>().retry_settings().unwrap();
/// assert_eq!((retry.max_retries, retry.backoff), (Some(2), None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolRetry {
    /// The maximum number of retries. `None` means 4.
    pub max_retries: Option<u32>,
    /// The delay before the first retry. `None` means 1 second.
    pub initial_delay: Option<Duration>,
    /// The factor between two delays. `None` means 4.
    pub backoff: Option<u32>,
    /// The maximum delay. `None` means 5 minutes; a server may request a longer delay.
    pub max_delay: Option<Duration>,
}

/// Generates the setters.
macro_rules! set_retry {
    ($($name:ident: $type:ty, $about:literal;)*) => {
        impl ToolRetry {
            /// Creates a setting with the default retries.
            pub const fn new() -> Self {
                Self { $($name: None),* }
            }
            $(
                #[doc = $about]
                #[must_use]
                pub const fn $name(self, value: $type) -> Self {
                    Self { $name: Some(value), ..self }
                }
            )*
        }
    };
}

set_retry! {
    max_retries: u32, "Sets the maximum number of retries.";
    initial_delay: Duration, "Sets the delay before the first retry.";
    backoff: u32, "Sets the factor between two delays.";
    max_delay: Duration, "Sets the maximum delay.";
}

/// The settings that `#[tool]` and [`ToolBuilder`](super::ToolBuilder) accept.
#[derive(Clone, Copy)]
pub(crate) struct ToolSettings {
    pub(super) hints: ToolAnnotations,
    /// Whether the tool is declared without a body.
    pub(super) is_declared: bool,
    pub(super) is_agent: bool,
    pub(super) needs_approval: bool,
    pub(super) at_most_once: bool,
    pub(super) lazy: bool,
    pub(super) task: Option<ToolTask>,
    pub(super) retry: Option<ToolRetry>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_output: Option<usize>,
}

impl ToolSettings {
    /// The default settings, for use in a `const`.
    pub(super) const NONE: Self = Self {
        hints: ToolAnnotations {
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
        },
        is_declared: false,
        is_agent: false,
        needs_approval: false,
        at_most_once: false,
        lazy: false,
        task: None,
        retry: None,
        timeout: None,
        max_output: None,
    };
}

/// Generates the setters for a type with `settings`. With `const`, they can be used in a `const`.
macro_rules! set_tool {
    ($holder:ident $($constant:tt)?) => {
        impl $holder {
            /// Sets the read-only hint: whether the tool changes nothing.
            pub $($constant)? fn read_only(mut self, yes: bool) -> Self {
                self.settings.hints.read_only = Some(yes);
                self
            }

            /// Sets the destructive hint: whether the tool may delete or overwrite something.
            pub $($constant)? fn destructive(mut self, yes: bool) -> Self {
                self.settings.hints.destructive = Some(yes);
                self
            }

            /// Sets the idempotent hint: whether calling the tool twice has the same effect as calling it once.
            pub $($constant)? fn idempotent(mut self, yes: bool) -> Self {
                self.settings.hints.idempotent = Some(yes);
                self
            }

            /// Sets the open-world hint: whether the tool interacts with anything outside this program.
            pub $($constant)? fn open_world(mut self, yes: bool) -> Self {
                self.settings.hints.open_world = Some(yes);
                self
            }

            /// Sets whether each call needs the user's approval. The arguments of such a call are read strictly: the
            /// function receives exactly the arguments that the user approved. Default is `false`.
            pub $($constant)? fn needs_approval(mut self, yes: bool) -> Self {
                self.settings.needs_approval = yes;
                self
            }

            /// Sets whether the tool is at-most-once: a call that may already have happened is never repeated
            /// automatically. Instead, a durable run is interrupted and waits for the user to report the outcome.
            /// Default is `false`.
            pub $($constant)? fn at_most_once(mut self, yes: bool) -> Self {
                self.settings.at_most_once = yes;
                self
            }

            /// Sets whether the tool is lazy: a model finds it with a search, and its description and schema cost no
            /// tokens until then. Default is `false`.
            pub $($constant)? fn lazy(mut self, yes: bool) -> Self {
                self.settings.lazy = yes;
                self
            }

            /// Sets the task setting: when a call becomes a task, for MCP clients that support tasks. Default is never.
            pub $($constant)? fn task(mut self, when: $crate::action::ToolTask) -> Self {
                self.settings.task = Some(when);
                self
            }

            /// Sets the retries of calls in durable runs. By default, a failed call is not retried, and the model
            /// receives its error.
            pub $($constant)? fn retry(mut self, retry: $crate::action::ToolRetry) -> Self {
                self.settings.retry = Some(retry);
                self
            }

            /// Sets the timeout of the tool. Default is the caller's timeout, such as 60 seconds for a server.
            pub $($constant)? fn timeout(mut self, limit: std::time::Duration) -> Self {
                self.settings.timeout = Some(limit);
                self
            }

            /// Sets the output limit of the tool, in bytes of text. Default is the caller's limit, such as 4 MiB for a
            /// server.
            pub $($constant)? fn max_output(mut self, bytes: usize) -> Self {
                self.settings.max_output = Some(bytes);
                self
            }
        }
    };
}

pub(super) use set_tool;
