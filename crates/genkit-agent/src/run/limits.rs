//! The limits of a run and their defaults.

use std::time::Duration;

/// The maximum number of rounds of tool calls. Default is 5.
pub(crate) const MAX_TURNS: usize = 5;

/// The timeout of a tool call. Default is 60 seconds; a tool may set its own.
const TOOL_TIMEOUT: Duration = Duration::from_secs(60);

/// The timeout of a model call. Default is 10 minutes; reasoning models may be silent for a long time.
pub(crate) const MODEL_TIMEOUT: Duration = Duration::from_secs(600);

/// The maximum size of a tool's output, in bytes of JSON. Default is 256 KiB; this is about 64,000 tokens. A tool may
/// set its own.
const MAX_OUTPUT: usize = 256 * 1024;

/// The number of tool calls of one round that run in parallel. Default is 16.
const PARALLEL_TOOLS: usize = 16;

/// The maximum number of tool calls in one message from a model. Default is 128; a larger number indicates a
/// malfunctioning model.
pub(super) const MAX_CALLS: usize = 128;

/// The limits of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunLimits {
    pub(crate) tool_timeout: Duration,
    pub(crate) model_timeout: Duration,
    pub(crate) deadline: Option<Duration>,
    pub(crate) max_output: usize,
    pub(crate) parallel_tools: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            tool_timeout: TOOL_TIMEOUT,
            model_timeout: MODEL_TIMEOUT,
            deadline: None,
            max_output: MAX_OUTPUT,
            parallel_tools: PARALLEL_TOOLS,
        }
    }
}
