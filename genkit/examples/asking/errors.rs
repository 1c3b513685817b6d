//! Handles errors by kind: the guide page `errors`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a person")]

use genkit::{Error, ErrorContext as _, ErrorKind, Result, tool, tools};

/// Reads a setting of the program.
#[tool(read_only)]
async fn read_setting(name: String) -> Result<String> {
    if name.is_empty() {
        // The model or the client reads this message and can correct its call.
        return Err(Error::invalid_argument("`name` is empty; try `theme`"));
    }
    if name == "password" {
        // The model cannot fix this, so the error ends the run.
        return Err(Error::new(ErrorKind::PermissionDenied, "the setting is secret").into_fatal());
    }
    // Callers read this text; the cause goes to the log.
    std::fs::read_to_string(format!("settings/{name}")).context(format!("no setting `{name}`"))
}

#[tokio::main]
async fn main() -> Result<()> {
    let asked = genkit::generate("Which theme is set?")
        .model("gemini/gemini-2.5-flash")
        .tools(tools![read_setting])
        .await;
    match asked {
        Ok(answer) => println!("{}", answer.text()),
        Err(error) => {
            let what = match error.kind() {
                ErrorKind::Unauthenticated => "the provider's API key is missing or invalid",
                ErrorKind::ResourceExhausted => "a quota or a limit of this run is exhausted",
                ErrorKind::DeadlineExceeded | ErrorKind::Cancelled => "cancelled or timed out",
                _ if error.is_retryable() => "try again later",
                _ => "give up",
            };
            println!("{what}: {}", error.chain());
            if let Some(done) = error.partial() {
                println!("{} messages were exchanged before the error", done.messages().len());
            }
        }
    }
    Ok(())
}
