//! The error messages of a registry: what the compiler cannot see.

use crate::action::SourceLocation;
use crate::error::{ErrorKind, Topic};

/// The longest name that every known model provider takes.
pub(super) const MAX_NAME: usize = 64;

/// The longest prefix of a mount: a `_` and a letter come after it.
pub(super) const MAX_PREFIX: usize = MAX_NAME - 2;

/// The longest name of a prompt, its folders and its variant included.
pub(super) const MAX_PROMPT_NAME: usize = 128;

/// The longest name of a resource, in characters. MCP has no rule for it.
pub(super) const MAX_RESOURCE_NAME: usize = 256;

#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{label} and {existing} have one name, and a caller could reach only one of them: rename \
         one with `name = \"..\"` or `.renamed(..)`, or mount it under another prefix"
    )]
    SameName { label: String, existing: String },
    #[error(
        "{0}: a name has 1 to {MAX_NAME} characters of `A-Z a-z 0-9 _ -`, since clients and model \
         providers refuse others"
    )]
    Name(String),
    #[error(
        "{0}: the name of a prompt has up to {MAX_PROMPT_NAME} characters of `A-Z a-z 0-9 _ - .`, \
         with `/` between folders"
    )]
    PromptName(String),
    #[error(
        "{0}: the name of a resource has 1 to {MAX_RESOURCE_NAME} characters, and no control \
         characters: people read it in lists"
    )]
    ResourceName(String),
    #[error(
        "{at}: `.mount({prefix:?}, ..)`: a prefix has 1 to {MAX_PREFIX} characters of `A-Z a-z 0-9 _ -`, since the \
         names of tools begin with it and a `_`; nothing was mounted. `.add(..)` takes actions under their own names"
    )]
    MountPrefix { prefix: String, at: SourceLocation },
    #[error(
        "{0}: the schema of its arguments must be an object (`\"type\": \"object\"`), since \
         callers send named arguments"
    )]
    ArgumentsNoObject(String),
    #[error("{label}: {why}")]
    Schema { label: String, why: String },
    #[error(
        "{label} takes `&{state}`, and no such state was given: call `.state(..)` with one, or write `#[arg(extension)]` \
         before the parameter where each request has its own"
    )]
    NoState { label: String, state: &'static str },
    #[error("{label}: `{uri}`: {why}")]
    Template { label: String, uri: String, why: String },
    #[error("{label}: its argument `{argument}` is no variable of `{uri}`")]
    NoVariable { label: String, argument: String, uri: String },
    #[error("{label}: the variable `{{{variable}}}` of `{uri}` is no argument of the function")]
    NoArgument { label: String, variable: String, uri: String },
    #[cfg(feature = "inventory")]
    #[error("{0}")]
    PromptFiles(String),
    #[error("{}", list(.0))]
    Problems(Vec<Self>),
}

/// One problem as it is; several with a line for each.
fn list(problems: &[Error]) -> String {
    match problems {
        [one] => one.to_string(),
        many => {
            let lines: String = many.iter().map(|problem| format!("\n  - {problem}")).collect();
            format!("the registry has {} problems:{lines}", many.len())
        }
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::SameName { .. } => ErrorKind::AlreadyExists,
            _ => ErrorKind::FailedPrecondition,
        }
    }
}
