//! The capabilities of a caller: the kinds of question it supports.

use serde_json::{Value, json};

/// A capability that a caller needs in order to answer a kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Forms and approvals.
    Elicitation,
    /// Pages for the user to visit.
    ElicitUrl,
    Sampling,
    Roots,
}

impl Capability {
    pub const ALL: [Self; 4] = [Self::Elicitation, Self::ElicitUrl, Self::Sampling, Self::Roots];

    /// Returns the name of the capability in MCP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::ElicitUrl => "elicitation.url",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }

    /// Returns a capabilities object, as in MCP, that declares only this capability.
    pub(crate) fn to_json(self) -> Value {
        match self {
            Self::ElicitUrl => json!({ "elicitation": { "url": {} } }),
            other => json!({ other.name(): {} }),
        }
    }
}
