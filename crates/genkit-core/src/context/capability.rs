//! The capabilities of a caller: the kinds of question it supports.

/// A capability that a caller needs in order to answer a kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    Elicitation,
    Sampling,
    Roots,
}

impl Capability {
    pub const ALL: [Self; 3] = [Self::Elicitation, Self::Sampling, Self::Roots];

    /// Returns the name of the capability in MCP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }
}
