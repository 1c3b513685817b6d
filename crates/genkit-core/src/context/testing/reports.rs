//! The reports and questions of a function under test.

use serde_json::Value;

use super::question::AskedQuestion;
use crate::context::report::{LogLevel, Progress};

/// The reports and questions of a function, recorded by a [`TestContext`](super::TestContext), each list in order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reports {
    /// The questions that the function asked.
    pub questions: Vec<AskedQuestion>,
    /// The progress reports.
    pub progress: Vec<Progress>,
    /// The log messages.
    pub logs: Vec<(LogLevel, Value)>,
    /// The chunks of the result, if the function streamed through this context.
    pub chunks: Vec<Value>,
    /// The URIs of resources that the function reported as updated.
    pub updated_resources: Vec<String>,
}
