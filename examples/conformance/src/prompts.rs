//! Prompts.

use genkit::schemars::JsonSchema;
use genkit::serde::Deserialize;
use genkit::{Context, Message, Part, Result, prompt};

use crate::content::PNG;

/// A prompt without arguments.
#[prompt]
async fn test_simple_prompt() -> String {
    "This is a simple prompt for testing.".to_owned()
}

/// A prompt with two arguments.
#[prompt]
async fn test_prompt_with_arguments(
    /// First test argument.
    #[arg(complete = ["paris", "park", "party"])]
    arg1: String,
    /// Second test argument.
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

/// A prompt with an embedded resource.
#[prompt]
async fn test_prompt_with_embedded_resource(
    /// The URI of the resource.
    #[serde(rename = "resourceUri")]
    resource_uri: String,
) -> Vec<Message> {
    let text = "Embedded resource content for testing.";
    vec![
        Message::user(Part::resource_text(resource_uri, "text/plain", text)),
        Message::user("Please process the embedded resource above."),
    ]
}

/// A prompt with an image.
#[prompt]
async fn test_prompt_with_image() -> Vec<Message> {
    vec![
        Message::user(Part::image("image/png", PNG)),
        Message::user("Please analyze the image above."),
    ]
}

/// The context of a prompt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Asked {
    context: String,
}

/// A prompt that asks the user for its context.
#[prompt]
async fn test_input_required_result_prompt(ctx: &Context) -> Result<String> {
    let message = "What context should the prompt use?";
    let asked = ctx.elicit::<Asked>(message).key("user_context").await?.accepted()?;
    Ok(format!("Answer with this in mind: {}", asked.context))
}
