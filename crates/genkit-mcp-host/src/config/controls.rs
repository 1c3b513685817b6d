//! The settings common to all servers, regardless of transport.

use std::time::Duration;

use super::Reconnect;
use genkit_core::Root;
use genkit_core::internal::glob;

/// The protocol era: the generation of MCP that is used with a server.
///
/// ```
/// use genkit::mcp::host::{ProtocolEra, ServerConfig};
///
/// // Skips the probe for a server that is known to be old.
/// let server = ServerConfig::stdio("old-server").protocol(ProtocolEra::Sessions);
/// # let _ = server;
/// assert_eq!(ProtocolEra::default(), ProtocolEra::Probe);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolEra {
    /// The newest protocol that the server supports, determined by a probe.
    #[default]
    Probe,
    /// Versions up to 2025-11-25: `initialize` and a session.
    Sessions,
    /// Versions from 2026-07-28: `server/discover`, and requests without a session.
    Stateless,
}

/// The behavior of a generate loop while one of its calls continues as a task on the server.
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
    /// The loop waits until the task has ended. A durable run releases its worker in the meantime.
    #[default]
    Wait,
    /// The loop is interrupted; see [`Interrupt::is_task`](genkit_core::Interrupt::is_task). Restarting the interrupt
    /// checks the task again, and declining it cancels the task. Calls outside a loop wait.
    Interrupt,
}

/// The settings of a server that do not depend on its transport.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Controls {
    pub(crate) disabled: bool,
    pub(crate) roots: Option<Vec<Root>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) only: Vec<String>,
    pub(crate) except: Vec<String>,
    pub(crate) needs_approval: Vec<String>,
    pub(crate) lazy: Vec<String>,
    pub(crate) raw: Option<bool>,
    pub(crate) hold_changed_tools: bool,
    pub(crate) trace_context: bool,
    pub(crate) keep_tasks: bool,
    pub(crate) task_wait: TaskWait,
    pub(crate) reconnect: Option<Reconnect>,
    pub(crate) era: ProtocolEra,
}

impl Controls {
    /// Returns whether the tool with this name (the server's own) is offered.
    pub(crate) fn is_offered(&self, tool: &str) -> bool {
        glob::is_chosen(&self.only, &self.except, tool)
    }

    /// Returns whether each call to the tool needs the user's approval.
    pub(crate) fn needs_approval_for(&self, tool: &str) -> bool {
        glob::matches_any(&self.needs_approval, tool)
    }

    /// Returns whether models find the tool with a search.
    pub(crate) fn is_lazy(&self, tool: &str) -> bool {
        glob::matches_any(&self.lazy, tool)
    }
}

/// Implements the setters of [`Controls`] for a builder that has a field `controls`.
macro_rules! controls {
    ($builder:ident) => {
        impl $builder {
            /// Sets whether the server is disabled: it is not connected, and its tools, prompts and resources are not
            /// offered, until [`McpHost::enable`](crate::mcp_host::McpHost::enable) is called. Default is `false`.
            pub fn disabled(mut self, yes: bool) -> Self {
                self.controls.disabled = yes;
                self
            }

            /// Sets the roots (folders) that this server may work in, instead of the roots of the host: paths, URIs, or
            /// named [`Root`](genkit_core::Root)s.
            pub fn roots(
                mut self,
                roots: impl IntoIterator<Item = impl Into<genkit_core::Root>>,
            ) -> Self {
                self.controls.roots = Some(roots.into_iter().map(Into::into).collect());
                self
            }

            /// Sets the retry policy for a lost or failed connection. Default is the policy of the host.
            pub fn reconnect(mut self, reconnect: crate::Reconnect) -> Self {
                self.controls.reconnect = Some(reconnect);
                self
            }

            /// Sets the request timeout, the longest time without a response or progress. Default is the timeout of the
            /// host.
            pub fn timeout(mut self, limit: std::time::Duration) -> Self {
                self.controls.timeout = Some(limit);
                self
            }

            /// Sets the connect timeout, which covers the start of the server and the handshake. Default is the timeout of the host.
            pub fn connect_timeout(mut self, limit: std::time::Duration) -> Self {
                self.controls.connect_timeout = Some(limit);
                self
            }

            /// Offers only these tools. Names are the server's own, or patterns with `*`.
            pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.controls.only.extend(names.into_iter().map(Into::into));
                self
            }

            /// Excludes these tools, even if [`only`](Self::only) lists them. Names are
            /// the server's own, or patterns with `*`.
            pub fn except(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.controls.except.extend(names.into_iter().map(Into::into));
                self
            }

            /// Requires the user's approval before each call to these tools. Names are the server's own, or patterns
            /// with `*`.
            pub fn needs_approval(
                mut self,
                names: impl IntoIterator<Item = impl Into<String>>,
            ) -> Self {
                self.controls.needs_approval.extend(names.into_iter().map(Into::into));
                self
            }

            /// Makes these tools [lazy](genkit_core::Tool::is_lazy): models do not receive their definitions until they
            /// find them with a search. Names are the server's own, or patterns with `*`.
            pub fn lazy(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.controls.lazy.extend(names.into_iter().map(Into::into));
                self
            }

            /// Sets whether a tool whose definition changes under the same name is held back: it is neither listed nor
            /// called until [`McpClient::accept_tool`](crate::client::McpClient::accept_tool) is called.
            /// [`McpEvent::ToolChanged`](crate::McpEvent::ToolChanged) reports the change. Default is `false`: the
            /// change is reported, and the new definition is offered.
            pub fn hold_changed_tools(mut self, yes: bool) -> Self {
                self.controls.hold_changed_tools = yes;
                self
            }

            /// Sets whether requests contain the trace context of their caller (`traceparent`, `tracestate`,
            /// `baggage`). Default is `false`: baggage may identify users, and must not reach third-party servers by
            /// accident.
            pub fn trace_context(mut self, yes: bool) -> Self {
                self.controls.trace_context = yes;
                self
            }

            /// Sets whether the server's tasks continue after their caller is dropped. Default is `false`: they are
            /// cancelled, except tasks of durable runs and tasks that wait for input.
            pub fn keep_tasks(mut self, yes: bool) -> Self {
                self.controls.keep_tasks = yes;
                self
            }

            /// Sets the behavior of the generate loop while one of its calls continues as a task. Default is
            /// [`TaskWait::Wait`](crate::TaskWait::Wait).
            pub fn task_wait(mut self, how: crate::TaskWait) -> Self {
                self.controls.task_wait = how;
                self
            }

            /// Sets whether raw MCP results, including `content`, are returned instead of the values extracted from
            /// them. Default is the setting of the host.
            pub fn raw(mut self, yes: bool) -> Self {
                self.controls.raw = Some(yes);
                self
            }

            /// Sets the protocol era, the generation of MCP that is used with the server. Default is
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
    fn except_overrides_only() {
        let controls = Controls {
            only: vec!["read_*".into(), "list".into()],
            except: vec!["read_secret".into()],
            ..Controls::default()
        };
        assert!(controls.is_offered("read_file") && controls.is_offered("list"));
        assert!(!controls.is_offered("read_secret") && !controls.is_offered("write_file"));
        assert!(Controls::default().is_offered("anything"));
    }
}
