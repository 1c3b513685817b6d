//! Structured output: enforced by the provider, or described in the prompt.

use super::capabilities::can_constrain;
use genkit_core::Format;
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_core::internal::generate::format;
use genkit_core::{Instructions, OutputOptions};
use genkit_core::{Message, Part, Role};
use genkit_model::Supports;

/// The metadata key that marks instructions written by this library, so that a later run can replace them.
const INJECTED: &str = "injected";

/// Lets the provider enforce the output schema if it can, and otherwise describes the output in the prompt.
pub(crate) fn shape_output(
    request: &mut ModelRequest,
    mut output: OutputOptions,
    supported: Option<&Supports>,
) -> Result<()> {
    let format = output.parse_format()?;
    let schema = output.json_schema.as_deref();
    if let Some(schema) = &output.json_schema {
        schema.bounds()?; // an invalid schema is reported before the model call, which costs money
    }
    if let (Some(format), Some(schema)) = (format, schema) {
        format::check_schema(format, schema)?;
    }
    let native = format == Some(Format::Json)
        && schema.is_some_and(|schema| schema["type"] == "object")
        && output.constrained != Some(false)
        && supported.is_some_and(|supports| can_constrain(supports, request));
    let text = match output.instructions.take() {
        Some(Instructions::Use(false)) => None,
        Some(Instructions::Text(text)) => Some(text),
        None if native => None,
        // `Instructions::Use(true)`, or none
        _ => own_instructions(format, schema),
    };
    output.constrained = schema.is_some().then_some(native);
    output.content_type =
        output.content_type.or(format.map(|format| format.content_type().to_owned()));
    output.format = format.map(|format| format.as_str().to_owned());
    request.output = output.into_config();
    if let Some(text) = text {
        add_instructions(&mut request.messages, text);
    }
    Ok(())
}

/// Describes the output in the prompt, when a run switches from a model that can enforce a schema to a model that
/// cannot.
pub(crate) fn unbind_output(request: &mut ModelRequest, supported: Option<&Supports>) {
    let bound = request.output.constrained == Some(true);
    if !bound || supported.is_some_and(|supports| can_constrain(supports, request)) {
        return;
    }
    request.output.constrained = Some(false);
    let format = request.output.format.as_deref().and_then(Format::from_name);
    if let Some(text) = own_instructions(format, request.output.schema.as_deref()) {
        add_instructions(&mut request.messages, text);
    }
}

/// Removes output instructions that an earlier run added.
pub(crate) fn remove_injected_instructions(messages: &mut Vec<Message>) {
    let injected = |part: &Part| part.metadata().get(INJECTED).is_some_and(|value| value == true);
    for message in messages.iter_mut() {
        message.content.retain(|part| !injected(part));
    }
    messages.retain(|message| !message.content.is_empty());
}

fn own_instructions(format: Option<Format>, schema: Option<&serde_json::Value>) -> Option<String> {
    match (format?, schema) {
        // OpenAI's servers reject JSON mode unless a message contains the word "JSON".
        (Format::Json, None) => Some("Output should be in JSON format.".to_owned()),
        (format, schema) => format::output_instructions(format, schema?),
    }
}

/// Adds the instructions at the placeholder of a template. Without a placeholder, adds them to the system message, or
/// to the last user message if there is no system message.
fn add_instructions(messages: &mut Vec<Message>, text: String) {
    let part = Part::text(text).with_metadata("purpose", "output").with_metadata(INJECTED, true);
    let is_output = |part: &Part| part.metadata().get("purpose").is_some_and(|p| p == "output");
    for message in messages.iter_mut() {
        if let Some(place) = message.content.iter_mut().find(|part| is_output(part)) {
            if place.is_pending() {
                *place = part;
            }
            return; // the program has its own instructions
        }
    }
    let system = messages.iter().position(|message| message.role == Role::System);
    let place = system.or(messages.iter().rposition(|message| message.role == Role::User));
    match place {
        Some(at) => messages[at].content.push(part),
        None => messages.push(Message::new(Role::User, [part])),
    }
}
