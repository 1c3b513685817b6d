//! What can be wrong with a template.

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {offset} of the URI template: {why}; {remedy}")]
pub(crate) struct UriTemplateError {
    /// Where, in bytes from the start of the template.
    pub offset: usize,
    /// What is wrong.
    pub what: String,
    /// Why it is.
    pub why: &'static str,
    /// What to write instead.
    pub remedy: String,
}

impl UriTemplateError {
    pub(super) fn new(
        offset: usize,
        what: impl Into<String>,
        why: &'static str,
        remedy: impl Into<String>,
    ) -> Self {
        Self { offset, what: what.into(), why, remedy: remedy.into() }
    }
}
