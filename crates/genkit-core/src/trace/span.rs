//! The description of a new span: its name, its kind and its input.

use serde_json::Value;

/// The description of a span to start.
pub struct NewSpan<'a> {
    pub name: &'a str,
    pub kind: SpanKind<'a>,
    /// A function that returns the input. The function is called only if spans are exported.
    pub input: &'a (dyn Fn() -> Value + Sync),
}

/// The kind of a span, in the terms of Genkit's developer tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind<'a> {
    /// An action of this type: `flow`, `tool`, `model`, `prompt`, `resource`, `evaluator`. Its key is `/type/name`.
    Action(&'a str),
    /// Internal work of the library: `generate`.
    Util,
    /// A step of a flow.
    FlowStep,
    /// The rendering of a template.
    PromptTemplate,
    /// The evaluation of one data point.
    EvaluatorCase,
}

impl SpanKind<'_> {
    /// Returns the value of `genkit:type`.
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Action(_) => "action",
            Self::Util => "util",
            Self::FlowStep => "flowStep",
            Self::PromptTemplate => "promptTemplate",
            Self::EvaluatorCase => "evaluator",
        }
    }

    /// Returns the segment of a span path for this span: `/{greet,t:flow}`, `/{add,t:action,s:tool}`.
    pub(super) fn path_segment(self, name: &str) -> String {
        match self {
            Self::Action("flow") => format!("/{{{name},t:flow}}"),
            Self::Action(subtype) => format!("/{{{name},t:action,s:{subtype}}}"),
            other => format!("/{{{name},t:{}}}", other.type_name()),
        }
    }
}
