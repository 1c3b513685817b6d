//! What a function under test told and asked.

use serde_json::Value;

use super::question::AskedQuestion;
use crate::context::report::{LogLevel, Progress};

/// Report of a [`TestContext`](super::TestContext): what a function told and asked through it, each
/// list in its order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reported {
    /// The questions that it asked.
    pub questions: Vec<AskedQuestion>,
    /// Progress that it told.
    pub progress: Vec<Progress>,
    /// Log messages.
    pub logs: Vec<(LogLevel, Value)>,
    /// Chunks of its result, where it streamed through this context.
    pub chunks: Vec<Value>,
    /// The URIs of resources that it said were updated.
    pub updated_resources: Vec<String>,
}
