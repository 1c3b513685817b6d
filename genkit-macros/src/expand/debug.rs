//! `GENKIT_EXPAND=get_weather cargo check` prints the expansion of `get_weather`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use proc_macro2::TokenStream;
use syn::Ident;

pub(crate) fn print_expansion(function: &Ident, expansion: &TokenStream) {
    if std::env::var("GENKIT_EXPAND").is_ok_and(|wanted| function == &wanted) {
        let text = expansion.to_string();
        let text = format_with_rustfmt(&text).unwrap_or(text);
        // A closed stderr must not fail the build.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Formats the text with `rustfmt`, if it is installed.
fn format_with_rustfmt(text: &str) -> Option<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    rustfmt.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = rustfmt.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok())?
}
