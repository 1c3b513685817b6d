//! Rendering a template: from the context of a call to messages.

use genkit_dotprompt::{Data, Metadata, PromptFile, Rendered, RenderedMessage, RenderedPart};
use serde_json::{Map, Value, json};

use super::PromptTemplate;
use crate::action::prompt::{Earlier, PromptReply};
use crate::context::Context;
use crate::error::Result;
use crate::message::{Media, Message, Part, Role};
use crate::template::Error as E;

impl PromptTemplate {
    /// Renders the messages, and inserts the earlier messages of the run at `{{history}}`.
    pub(super) fn render_template(
        &self,
        context: &Context,
        input: Map<String, Value>,
    ) -> Result<PromptReply> {
        let data = Data { input, context: context.action_context().clone(), ..Data::default() };
        let mut data = data.with_defaults(&self.messages);
        let system = match &self.system {
            Some(file) => Some(self.system_message(file, &data)?),
            None => None,
        };
        if let Some(earlier) = context.extension::<Earlier>() {
            let as_json =
                |value: serde_json::Result<Value>| value.map_err(|e| E::Message(e.to_string()));
            for message in &earlier.messages {
                data.messages.push(as_json(serde_json::to_value(message))?);
            }
            for document in &earlier.docs {
                data.docs.push(as_json(serde_json::to_value(document))?);
            }
        }
        let rendered = self.render_file(&self.messages, &data)?;
        let messages = rendered.messages.into_iter().map(convert_message);
        let messages = system.into_iter().map(Ok).chain(messages).collect::<Result<Vec<_>, E>>()?;
        let mut reply = PromptReply::new(messages);
        reply.has_history = true;
        Ok(reply)
    }

    fn render_file(&self, file: &PromptFile, data: &Data) -> Result<Rendered, E> {
        let rendered = self.environment.render(file, data, &Metadata::default());
        rendered.map_err(|error| E::Rendering(error.to_string()))
    }

    fn system_message(&self, file: &PromptFile, data: &Data) -> Result<Message, E> {
        let rendered = self.render_file(file, data)?;
        let no_text = || E::SystemText(file.file().to_owned());
        let [RenderedMessage { role: genkit_dotprompt::Role::User, content, .. }] =
            &rendered.messages[..]
        else {
            return Err(no_text());
        };
        let text = |part: &RenderedPart| match part {
            RenderedPart::Text(text) => Ok(Part::text(text)),
            _ => Err(no_text()),
        };
        Ok(Message::new(Role::System, content.iter().map(text).collect::<Result<Vec<_>, E>>()?))
    }
}

fn convert_message(rendered: RenderedMessage) -> Result<Message, E> {
    let role = match rendered.role {
        genkit_dotprompt::Role::System => Role::System,
        genkit_dotprompt::Role::User => Role::User,
        genkit_dotprompt::Role::Model => Role::Model,
        genkit_dotprompt::Role::Tool => Role::Tool,
    };
    let parts = rendered.content.into_iter().map(convert_part).collect::<Result<Vec<_>, E>>()?;
    let mut message = Message::new(role, parts);
    message.metadata = rendered.metadata.unwrap_or_default();
    Ok(message)
}

fn convert_part(rendered: RenderedPart) -> Result<Part, E> {
    Ok(match rendered {
        RenderedPart::Text(text) => Part::text(text),
        RenderedPart::Media { url, content_type } => {
            Part::Media { media: Media { url, content_type }, metadata: Map::new() }
        }
        RenderedPart::Section { name } => {
            let place = json!({ "metadata": { "purpose": name, "pending": true } });
            read(place)?
        }
        RenderedPart::Given(value) => read(value)?,
        other => read(other.to_value())?,
    })
}

fn read(value: Value) -> Result<Part, E> {
    serde_json::from_value(value).map_err(|error| E::Message(error.to_string()))
}
