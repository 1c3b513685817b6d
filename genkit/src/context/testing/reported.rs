//! What a function under test told and asked.

use serde_json::Value;

use super::question::AskedQuestion;
use crate::context::report::{LogLevel, Progress};

/// What a function told and asked through a [`TestContext`](super::TestContext), each list in its order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reported {
    /// The questions that it asked.
    pub questions: Vec<AskedQuestion>,
    /// How far it said that it was.
    pub progress: Vec<Progress>,
    /// Its log messages.
    pub logs: Vec<(LogLevel, Value)>,
    /// Chunks of its result, where it streamed through this context.
    pub chunks: Vec<Value>,
    /// The URIs of resources that it said were updated.
    pub updated_resources: Vec<String>,
}
