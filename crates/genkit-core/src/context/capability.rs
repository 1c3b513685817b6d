//! Capabilities of a caller: what it can be asked for.

/// A capability that a caller must have to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    Elicitation,
    Sampling,
    Roots,
}

impl Capability {
    pub const ALL: [Self; 3] = [Self::Elicitation, Self::Sampling, Self::Roots];

    /// Its name in MCP.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }
}
