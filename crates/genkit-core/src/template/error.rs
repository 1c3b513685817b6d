//! The errors of templates and `.prompt` files.

use crate::error::{ErrorKind, Topic};

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    HelperValue(String),
    /// An error in a template. The text starts with its file, line and column.
    #[error("{0}")]
    Template(String),
    #[error("{0}")]
    Rendering(String),
    #[error(
        "the system text of `{0}` must be one message of text; remove `role`, `history`, `media` and `section`"
    )]
    SystemText(String),
    #[error(
        "`{0}` is a template in the program, which takes no frontmatter; call methods of the builder instead"
    )]
    FrontmatterHere(String),
    #[error("{0}: `input.schema` must describe an object, since callers send named arguments")]
    InputNoObject(String),
    #[error("{}", list(.folder, .mistakes))]
    Folder { folder: String, mistakes: Vec<String> },
    #[error("a message of the prompt is malformed: {0}")]
    Message(String),
}

/// Formats one error unchanged, and several as one line each.
fn list(folder: &str, mistakes: &[String]) -> String {
    match mistakes {
        [one] => one.clone(),
        many => {
            let lines: String = many.iter().map(|mistake| format!("\n  - {mistake}")).collect();
            format!("the prompts in `{folder}` have {} errors:{lines}", many.len())
        }
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::HelperValue(_) | Self::Rendering(_) => ErrorKind::InvalidArgument,
            Self::Message(_) => ErrorKind::Internal,
            _ => ErrorKind::FailedPrecondition,
        }
    }
}
