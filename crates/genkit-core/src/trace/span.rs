//! A span in the making: its name, its kind and its input.

use serde_json::Value;

/// A span that is about to begin.
pub struct NewSpan<'a> {
    pub name: &'a str,
    pub kind: SpanKind<'a>,
    /// Read only where somebody exports.
    pub input: &'a (dyn Fn() -> Value + Sync),
}

/// The kind of a span, as Genkit's developer tools name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind<'a> {
    /// An action of this type: `flow`, `tool`, `model`, `prompt`, `resource`, `evaluator`; its key is
    /// `/type/name`.
    Action(&'a str),
    /// Work of the library: `generate`.
    Util,
    /// A step of a flow.
    FlowStep,
    /// The rendering of a template.
    PromptTemplate,
    /// The judging of one data point.
    EvaluatorCase,
}

impl SpanKind<'_> {
    /// The value of `genkit:type`.
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Action(_) => "action",
            Self::Util => "util",
            Self::FlowStep => "flowStep",
            Self::PromptTemplate => "promptTemplate",
            Self::EvaluatorCase => "evaluator",
        }
    }

    /// The part of a path that is a span of this kind: `/{greet,t:flow}`, `/{add,t:action,s:tool}`.
    pub(super) fn path_segment(self, name: &str) -> String {
        match self {
            Self::Action("flow") => format!("/{{{name},t:flow}}"),
            Self::Action(subtype) => format!("/{{{name},t:action,s:{subtype}}}"),
            other => format!("/{{{name},t:{}}}", other.type_name()),
        }
    }
}
