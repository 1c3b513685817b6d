//! The error messages of a registry, for problems that the compiler cannot detect.

use disqualified::ShortName;

use crate::action::SourceLocation;
use crate::error::{ErrorKind, Topic};

/// The maximum length of a name that all supported model providers accept.
pub(super) const MAX_NAME: usize = 64;

/// The maximum length of a mount prefix, which is followed by `_` and at least one character.
pub(super) const MAX_PREFIX: usize = MAX_NAME - 2;

/// The maximum length of a prompt name, including its folders and variant.
pub(super) const MAX_PROMPT_NAME: usize = 128;

/// The maximum length of a resource name, in characters. MCP sets no limit.
pub(super) const MAX_RESOURCE_NAME: usize = 256;

#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "{label} and {existing} have the same name; rename one with `name = \"..\"` or `.renamed(..)`, or mount it \
         under another prefix"
    )]
    SameName { label: String, existing: String },
    #[error(
        "{0}: a name must be 1 to {MAX_NAME} characters long (`A-Z a-z 0-9 _ -`); clients and model providers reject \
         other names"
    )]
    Name(String),
    #[error(
        "{0}: a prompt name must be at most {MAX_PROMPT_NAME} characters long (`A-Z a-z 0-9 _ - .`, with `/` between \
         folders)"
    )]
    PromptName(String),
    #[error(
        "{0}: a resource name must be 1 to {MAX_RESOURCE_NAME} characters long, without control characters"
    )]
    ResourceName(String),
    #[error(
        "{at}: `.mount({prefix:?}, ..)`: a prefix must be 1 to {MAX_PREFIX} characters long (`A-Z a-z 0-9 _ -`), \
         because the tool names start with it; nothing was mounted. To keep the names unchanged, use `.add(..)`"
    )]
    MountPrefix { prefix: String, at: SourceLocation },
    #[error(
        "{label}: its input is {input}, but callers send named arguments; take a struct with a field, or set an \
         input schema with `\"type\": \"object\"`"
    )]
    ArgumentsNoObject { label: String, input: String },
    #[error("{label}: {why}")]
    Schema { label: String, why: String },
    #[error(
        "{label} takes `&{state}`, but there is no such state; add it with `.state(..)`, or write `#[arg(extension)]` \
         before the parameter if each request has its own"
    )]
    MissingState { label: String, state: ShortName<'static> },
    #[error(
        "{label} takes `&{state}`, but the state is `{given}`; take `&{given}`, or add a `{state}` with `.state(..)`"
    )]
    OtherState { label: String, state: ShortName<'static>, given: ShortName<'static> },
    #[error(
        "{label} takes `&{state}`, but the state is another type with the same name, `{given}`; if two versions of a \
         package are used, use only one"
    )]
    StateOfSameName { label: String, state: &'static str, given: &'static str },
    #[error("{label} and {existing} have the same URI `{uri}`; change one")]
    SameUri { label: String, existing: String, uri: String },
    #[error("{label} and {existing} match the same URIs, `{uri}`; change one")]
    SameTemplate { label: String, existing: String, uri: String },
    #[error("{label}: `{uri}`: {why}")]
    Template { label: String, uri: String, why: String },
    #[error("{label}: its argument `{argument}` is not a variable of `{uri}`")]
    UnknownVariable { label: String, argument: String, uri: String },
    #[error("{label}: the variable `{{{variable}}}` of `{uri}` is not an argument of the function")]
    MissingArgument { label: String, variable: String, uri: String },
    #[cfg(feature = "inventory")]
    #[error("{0}")]
    PromptFiles(String),
    #[error("{}", list_problems(.0))]
    Problems(Vec<Self>),
}

/// Formats a single problem unchanged, and several problems with one line each.
fn list_problems(problems: &[Error]) -> String {
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
            Self::SameName { .. } | Self::SameUri { .. } => ErrorKind::AlreadyExists,
            _ => ErrorKind::FailedPrecondition,
        }
    }
}
