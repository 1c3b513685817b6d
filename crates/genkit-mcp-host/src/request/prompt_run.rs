//! Runs that start with a prompt of a server.

use genkit_agent::{Generate, Instance};
use genkit_core::{Error, Prompt};
use serde_json::json;

use crate::client::McpClient;
use crate::request::methods;

/// Creates a run of the prompt that the server names `own` and this program names `shown`. The server renders the
/// prompt when the run starts.
pub(crate) fn generate_from(client: &McpClient, own: &str, shown: &str) -> Generate {
    let (client, own) = (client.clone(), own.to_owned());
    // The server checks the arguments, so the list of its prompts is not needed.
    let prompt = Prompt::from_server(shown.to_owned(), String::new()).build_forwarding(
        json!({ "type": "object" }),
        move |context, arguments| {
            let (client, own) = (client.clone(), own.clone());
            Box::pin(async move {
                methods::get_prompt(&client.catalog.server, &context, &own, arguments).await
            })
        },
    );
    Instance::running().unwrap_or_default().prompt(prompt)
}

/// Creates a run that fails with `error`.
pub(crate) fn generate_error(shown: &str, error: &Error) -> Generate {
    let (kind, text) = (error.kind(), error.to_string());
    let prompt = Prompt::from_server(shown.to_owned(), String::new()).build_forwarding(
        json!({ "type": "object" }),
        move |_, _| {
            let error = Error::new(kind, text.clone());
            Box::pin(async move { Err(error) })
        },
    );
    Instance::running().unwrap_or_default().prompt(prompt)
}
