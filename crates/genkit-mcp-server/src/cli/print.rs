//! Output to standard output, for users and programs.

use std::io::{self, IsTerminal as _, Write as _};

use serde_json::Value;

use super::error::Error as E;
use genkit_core::Result;
use genkit_core::internal::visible;

/// Prints text. In a terminal, control characters are escaped.
pub(super) fn print_text(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let shown = if out.is_terminal() { visible::escape_prose(text) } else { text.into() };
    let printed = out.write_all(shown.as_bytes()).and_then(|()| out.flush());
    match printed {
        // The reader has closed the pipe, as `| head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed.map_err(|source| E::Output { source })?),
    }
}

/// Prints a value as JSON.
pub(super) fn print_json(value: &Value) -> Result<()> {
    print_text(&format!("{value:#}\n"))
}
