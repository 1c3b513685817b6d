//! The settings of a tool: each option of `#[tool]` is a field and a method here.

use std::time::Duration;

/// Tool annotations: hints of a tool on its effects, for clients, not promises.
///
/// `None` means that the hint is not given. MCP assumes the worst then: not read-only, destructive,
/// not idempotent, open world.
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
    /// Read-only: changes nothing.
    pub read_only: Option<bool>,
    /// Destructive: may destroy something.
    pub destructive: Option<bool>,
    /// Idempotent: calling it twice is calling it once.
    pub idempotent: Option<bool>,
    /// Open world: reaches out of this program, to the web or another system.
    pub open_world: Option<bool>,
}

/// Task setting of a tool: when a call of it becomes a task (MCP's extension `io.modelcontextprotocol/tasks` of
/// 2026-07-28). `#[tool(task)]`, `task = "5s"`, `task = "now"` and `task = "always"` are `ToolTask::new()`,
/// `.after(..)`, `.now()` and `.now().required()`.
///
/// A client that declares the extension in a call gets the plain answer of one that ends, or asks, in time; else a task,
/// which it polls, answers and cancels. Every other client waits for the answer, as do the loop and flows. A server makes
/// tasks with the feature `durable`: `McpServer::task_ttl` has more.
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
    /// A task after 1 second.
    pub const fn new() -> Self {
        Self { after: Duration::from_secs(1), required: false }
    }

    /// A task once it has run for so long.
    #[must_use]
    pub const fn after(self, time: Duration) -> Self {
        Self { after: time, ..self }
    }

    /// A task as soon as it waits for anything.
    #[must_use]
    pub const fn now(self) -> Self {
        self.after(Duration::ZERO)
    }

    /// A task that clients must know: those without the extension are refused, with `-32021`.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Delay: how long a call runs before it is a task.
    pub const fn starts_after(self) -> Duration {
        self.after
    }

    /// Whether clients without the extension are refused.
    pub const fn is_required(self) -> bool {
        self.required
    }
}

impl Default for ToolTask {
    fn default() -> Self {
        Self::new()
    }
}

/// The settings that `#[tool]` and [`ToolBuilder`](super::ToolBuilder) take.
#[derive(Clone, Copy)]
pub(crate) struct ToolSettings {
    pub(super) hints: ToolAnnotations,
    pub(super) needs_approval: bool,
    pub(super) at_most_once: bool,
    pub(super) task: Option<ToolTask>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_output: Option<usize>,
}

impl ToolSettings {
    /// `Default` for a `const`.
    pub(super) const NONE: Self = Self {
        hints: ToolAnnotations {
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
        },
        needs_approval: false,
        at_most_once: false,
        task: None,
        timeout: None,
        max_output: None,
    };
}

/// The methods that set them, on whatever has `settings`; `const` for what stands in a `const`.
macro_rules! set_tool {
    ($holder:ident $($constant:tt)?) => {
        impl $holder {
            /// Hint: whether it changes nothing.
            pub $($constant)? fn read_only(mut self, yes: bool) -> Self {
                self.settings.hints.read_only = Some(yes);
                self
            }

            /// Hint: whether it may destroy something.
            pub $($constant)? fn destructive(mut self, yes: bool) -> Self {
                self.settings.hints.destructive = Some(yes);
                self
            }

            /// Hint: whether calling it twice is calling it once.
            pub $($constant)? fn idempotent(mut self, yes: bool) -> Self {
                self.settings.hints.idempotent = Some(yes);
                self
            }

            /// Hint: whether it reaches out of this program.
            pub $($constant)? fn open_world(mut self, yes: bool) -> Self {
                self.settings.hints.open_world = Some(yes);
                self
            }

            /// Approval: whether the user is asked before each call. Default is no.
            pub $($constant)? fn needs_approval(mut self, yes: bool) -> Self {
                self.settings.needs_approval = yes;
                self
            }

            /// At most once: whether a call that may have happened is never made again by itself: in a durable
            /// run a person is asked what became of it. Default is no.
            pub $($constant)? fn at_most_once(mut self, yes: bool) -> Self {
                self.settings.at_most_once = yes;
                self
            }

            /// Task setting: when a call becomes a task, for MCP clients that know tasks. Default
            /// is never.
            pub $($constant)? fn task(mut self, when: $crate::action::ToolTask) -> Self {
                self.settings.task = Some(when);
                self
            }

            /// Timeout: its own time limit. Default is that of whoever calls: 60 seconds for a
            /// server.
            pub $($constant)? fn timeout(mut self, limit: std::time::Duration) -> Self {
                self.settings.timeout = Some(limit);
                self
            }

            /// Output limit: its own limit on the size of an answer, in bytes of text. Default is
            /// that of whoever calls: 4 MiB for a server.
            pub $($constant)? fn max_output(mut self, bytes: usize) -> Self {
                self.settings.max_output = Some(bytes);
                self
            }
        }
    };
}

pub(super) use set_tool;
