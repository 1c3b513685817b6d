//! The controls that every server has, however it is reached.

use std::time::Duration;

use super::Reconnect;
use genkit_core::Root;
use genkit_core::internal::glob;

/// The protocol era: which rules of MCP are used with a server.
///
/// ```
/// use genkit::mcp::host::{ProtocolEra, ServerConfig};
///
/// // A server that is known to be old is not probed first.
/// let server = ServerConfig::stdio("old-server").protocol(ProtocolEra::Sessions);
/// # let _ = server;
/// assert_eq!(ProtocolEra::default(), ProtocolEra::Probe);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolEra {
    /// The newest that the server has: it is probed.
    #[default]
    Probe,
    /// Up to 2025-11-25: `initialize` and a session.
    Sessions,
    /// From 2026-07-28: `server/discover`, then each request by itself.
    Stateless,
}

/// The wait for tasks: what a loop does while a call of it goes on as a task.
///
/// ```
/// use genkit::mcp::host::{ServerConfig, TaskWait};
///
/// let server = ServerConfig::stdio("reports").task_wait(TaskWait::Interrupt);
/// # let _ = server;
/// assert_eq!(TaskWait::default(), TaskWait::Wait);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskWait {
    /// It waits until the task has ended. A durable run lets go of its worker meanwhile.
    #[default]
    Wait,
    /// It is interrupted with the task: [`Interrupt::is_task`](genkit_core::Interrupt::is_task). Resuming it looks again, and
    /// denying it cancels the task. Calls outside of a loop wait.
    Interrupt,
}

/// The controls of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Controls {
    pub(crate) disabled: bool,
    pub(crate) roots: Option<Vec<Root>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) only: Vec<String>,
    pub(crate) except: Vec<String>,
    pub(crate) needs_approval: Vec<String>,
    pub(crate) raw: Option<bool>,
    pub(crate) hold_changed_tools: bool,
    pub(crate) trace_context: bool,
    pub(crate) keep_tasks: bool,
    pub(crate) task_wait: TaskWait,
    pub(crate) reconnect: Option<Reconnect>,
    pub(crate) era: ProtocolEra,
}

impl Controls {
    /// Whether the tool of this name, as the server names it, is wanted.
    pub(crate) fn wants(&self, tool: &str) -> bool {
        glob::chosen(&self.only, &self.except, tool)
    }

    /// Whether each call of it needs the approval of the user.
    pub(crate) fn asks_before(&self, tool: &str) -> bool {
        glob::any(&self.needs_approval, tool)
    }
}

/// The setters of [`Controls`] for a builder with such a field.
macro_rules! controls {
    ($builder:ident) => {
        impl $builder {
            /// Disabled: whether it is left alone until
            /// [`McpHost::enable`](crate::mcp_host::McpHost::enable): not connected, and nothing of it
            /// is offered.
            pub fn disabled(mut self, yes: bool) -> Self {
                self.controls.disabled = yes;
                self
            }

            /// Roots (folders) that this server may work in, instead of those of the host: paths,
            /// URIs, or [`Root`](genkit_core::Root)s with a name.
            pub fn roots(
                mut self,
                roots: impl IntoIterator<Item = impl Into<genkit_core::Root>>,
            ) -> Self {
                self.controls.roots = Some(roots.into_iter().map(Into::into).collect());
                self
            }

            /// Reconnection: whether and when it is connected again where it is not there. Default
            /// is that of the host.
            pub fn reconnect(mut self, reconnect: crate::Reconnect) -> Self {
                self.controls.reconnect = Some(reconnect);
                self
            }

            /// Request timeout: how long a request may go without a sign of life: an answer or
            /// progress. Default is that of the host.
            pub fn timeout(mut self, limit: std::time::Duration) -> Self {
                self.controls.timeout = Some(limit);
                self
            }

            /// Connect timeout: how long its start and the handshake may take. Default is that of
            /// the host.
            pub fn connect_timeout(mut self, limit: std::time::Duration) -> Self {
                self.controls.connect_timeout = Some(limit);
                self
            }

            /// Tool filter: offers only these tools, names as the server gives them, or patterns
            /// with `*`.
            pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.controls.only.extend(names.into_iter().map(Into::into));
                self
            }

            /// Tool filter: does not offer these tools, names as the server gives them, or patterns
            /// with `*`.
            pub fn except(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.controls.except.extend(names.into_iter().map(Into::into));
                self
            }

            /// Approval: asks the user before each call of these tools, names as the server gives
            /// them, or patterns with `*`.
            pub fn needs_approval(
                mut self,
                names: impl IntoIterator<Item = impl Into<String>>,
            ) -> Self {
                self.controls.needs_approval.extend(names.into_iter().map(Into::into));
                self
            }

            /// Holding changed tools back: whether one that changes under the same name is neither
            /// listed nor called until [`McpClient::accept_tool`](crate::client::McpClient::accept_tool).
            /// [`McpEvent::ToolChanged`](crate::McpEvent::ToolChanged) tells of it. Default
            /// is no: it is told, and offered as it is now.
            pub fn hold_changed_tools(mut self, yes: bool) -> Self {
                self.controls.hold_changed_tools = yes;
                self
            }

            /// Trace context: whether its requests carry the trace of their caller (`traceparent`,
            /// `tracestate`, `baggage`). Default is no: baggage may name users, and a server that
            /// somebody else runs has no business with it.
            pub fn trace_context(mut self, yes: bool) -> Self {
                self.controls.trace_context = yes;
                self
            }

            /// Keeping tasks: whether its tasks go on where their caller goes away. Default is no: they are
            /// cancelled, but for those of durable runs, and those that wait for an answer.
            pub fn keep_tasks(mut self, yes: bool) -> Self {
                self.controls.keep_tasks = yes;
                self
            }

            /// Task wait: what a loop does while a call of it goes on as a task. Default is
            /// [`TaskWait::Wait`](crate::TaskWait::Wait).
            pub fn task_wait(mut self, how: crate::TaskWait) -> Self {
                self.controls.task_wait = how;
                self
            }

            /// Raw results: whether they come as MCP has them, `content` and all, and not as the
            /// value that they mean. Default is that of the host.
            pub fn raw(mut self, yes: bool) -> Self {
                self.controls.raw = Some(yes);
                self
            }

            /// Protocol era: which rules of MCP are used with it. Default is
            /// [`ProtocolEra::Probe`](crate::ProtocolEra::Probe).
            pub fn protocol(mut self, era: crate::ProtocolEra) -> Self {
                self.controls.era = era;
                self
            }
        }
    };
}

pub(crate) use controls;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_patterns_and_no_beats_yes() {
        let controls = Controls {
            only: vec!["read_*".into(), "list".into()],
            except: vec!["read_secret".into()],
            ..Controls::default()
        };
        assert!(controls.wants("read_file") && controls.wants("list"));
        assert!(!controls.wants("read_secret") && !controls.wants("write_file"));
        assert!(Controls::default().wants("anything"));
    }
}
