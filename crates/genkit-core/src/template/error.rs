//! The errors of templates and `.prompt` files, all in one list.

use crate::error::{ErrorKind, Topic};

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    HelperValue(String),
    /// The text of a mistake begins with its file, line and column.
    #[error("{0}")]
    Template(String),
    #[error("{0}")]
    Rendering(String),
    #[error(
        "the system text of `{0}` must be one message of text: it takes no `role`, `history`, `media` or `section`"
    )]
    SystemText(String),
    #[error(
        "`{0}` is a template in the program, which says in code what a frontmatter says: leave that out"
    )]
    FrontmatterHere(String),
    #[error("{0}: `input.schema` must describe an object, since callers send named arguments")]
    InputNoObject(String),
    #[error("{}", list(.folder, .mistakes))]
    Folder { folder: String, mistakes: Vec<String> },
    #[error("a message of the prompt does not read: {0}")]
    Message(String),
}

/// One mistake as it is; several with a line for each.
fn list(folder: &str, mistakes: &[String]) -> String {
    match mistakes {
        [one] => one.clone(),
        many => {
            let lines: String = many.iter().map(|mistake| format!("\n  - {mistake}")).collect();
            format!("the prompts in `{folder}` have {} mistakes:{lines}", many.len())
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
