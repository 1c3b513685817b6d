//! Limits: those of a run, with their defaults.

use std::time::Duration;

/// Rounds of tool calls. Default is 5.
pub(crate) const MAX_TURNS: usize = 5;

/// How long one tool call may take. Default is 60 seconds; a tool may say otherwise.
const TOOL_TIMEOUT: Duration = Duration::from_secs(60);

/// How long one model call may take. Default is 10 minutes: models that think are silent for long.
pub(crate) const MODEL_TIMEOUT: Duration = Duration::from_secs(600);

/// How much of one answer of a tool the model gets, in bytes of JSON. Default is 256 KiB, about
/// 64,000 tokens; a tool may say otherwise.
const MAX_OUTPUT: usize = 256 * 1024;

/// How many calls of one round run at a time. Default is 16.
const PARALLEL_TOOLS: usize = 16;

/// How many calls one message of a model may have. Default is 128: more is a model gone wrong.
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
