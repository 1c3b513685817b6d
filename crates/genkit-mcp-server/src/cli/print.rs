//! Output to standard output, for users and programs.

use std::io::{self, IsTerminal as _, Write as _};

use serde_json::Value;

use super::error::Error as E;
use genkit_core::Result;
use genkit_core::internal::visible;

/// Prints text. In a terminal, control characters are escaped.
pub(super) fn print_text(text: &str) -> Result<()> {
    match io::stdout().is_terminal() {
        true => write_out(&visible::escape_prose(text)),
        false => write_out(text),
    }
}

fn write_out(shown: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let printed = out.write_all(shown.as_bytes()).and_then(|()| out.flush());
    match printed {
        // The reader has closed the pipe, as `| head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed.map_err(|source| E::Output { source })?),
    }
}

/// Prints sections of indented lines. In a terminal with colour, the headings are bold.
pub(super) fn print_sections(text: &str) -> Result<()> {
    if !io::stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some() {
        return print_text(text);
    }
    let bold = |line: &str| match line.is_empty() || line.starts_with(' ') {
        true => format!("{line}\n"),
        false => format!("\u{1b}[1m{line}\u{1b}[0m\n"),
    };
    let shown: String = visible::escape_prose(text).lines().map(bold).collect();
    write_out(&shown)
}

/// Prints a value as JSON.
pub(super) fn print_json(value: &Value) -> Result<()> {
    print_text(&format!("{value:#}\n"))
}
