//! Errors by their kind: the page `errors` of the guide.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a person")]

use genkit::{Error, ErrorContext as _, ErrorKind, Result, tool, tools};

/// Reads a setting of the program.
#[tool(read_only)]
async fn read_setting(name: String) -> Result<String> {
    if name.is_empty() {
        // The model, or the client, reads this and may mend its call.
        return Err(Error::invalid_argument("`name` is empty: try `theme`"));
    }
    if name == "password" {
        // Nothing that a model can mend: this ends the run.
        return Err(Error::new(ErrorKind::PermissionDenied, "passwords are not read").into_fatal());
    }
    // The text is for callers; the cause is for the log.
    std::fs::read_to_string(format!("settings/{name}")).context(format!("there is no `{name}`"))
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
                ErrorKind::Unauthenticated => "the key of the provider is wrong or missing",
                ErrorKind::ResourceExhausted => "a quota, or a limit of this run, is used up",
                ErrorKind::DeadlineExceeded | ErrorKind::Cancelled => "it took too long",
                _ if error.is_retryable() => "try again later",
                _ => "give up",
            };
            println!("{what}: {}", error.chain());
            if let Some(done) = error.partial() {
                println!("{} messages were done before it", done.messages().len());
            }
        }
    }
    Ok(())
}
