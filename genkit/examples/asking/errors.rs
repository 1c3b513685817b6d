//! Handles errors by kind: the guide page `errors`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::ErrorKind::{self, Cancelled, DeadlineExceeded};
use genkit::{Error, Result, tool, tools};

/// The errors of this program.
enum SettingError {
    NoName,
    Secret,
    Missing(String, std::io::Error),
}

impl From<SettingError> for Error {
    fn from(error: SettingError) -> Self {
        match error {
            // The model or the client reads this message and can correct its call.
            SettingError::NoName => Error::invalid_argument("`name` is empty"),
            // The model cannot fix this, so the error ends the run.
            SettingError::Secret => {
                let secret = "the setting is secret";
                Error::new(ErrorKind::PermissionDenied, secret).into_fatal()
            }
            // Callers read this text; the cause goes to the log.
            SettingError::Missing(name, cause) => {
                Error::not_found(format!("no setting `{name}`")).with_source(cause)
            }
        }
    }
}

/// Reads a setting of the program.
#[tool(read_only)]
async fn read_setting(name: String) -> Result<String> {
    Ok(match name.as_str() {
        "" => Err(SettingError::NoName),
        "password" => Err(SettingError::Secret),
        _ => std::fs::read_to_string(format!("settings/{name}"))
            .map_err(|cause| SettingError::Missing(name, cause)),
    }?) // `?` converts the error of the program
}

#[tokio::main]
async fn main() {
    let ask = genkit::generate("Which theme is set?").tools(tools![read_setting]);
    let error = match ask.model("gemini/gemini-2.5-flash").await {
        Ok(answer) => return println!("{}", answer.text()),
        Err(error) => error,
    };
    let what = match error.kind() {
        ErrorKind::Unauthenticated => "the provider's API key is missing or invalid",
        ErrorKind::ResourceExhausted => "a quota or a limit of this run is exhausted",
        DeadlineExceeded | Cancelled => "cancelled or timed out",
        _ if error.is_retryable() => "try again later",
        _ => "give up",
    };
    let done = error.partial().map_or(0, |partial| partial.messages().len());
    println!("{what}: {} ({done} messages were exchanged before)", error.chain());
}
