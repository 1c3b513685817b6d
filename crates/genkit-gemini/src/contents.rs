//! Contents: messages as Gemini has them, borrowed from ours.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::Error as E;
use super::request_part::{
    FunctionCallPart, FunctionOutput, FunctionResponsePart, Kind, RequestPart,
};
use super::{media, models};
use genkit_core::ModelRequest;
use genkit_core::internal::model::{GENERATED_REF, UNANSWERED};
use genkit_core::internal::names::Names;
use genkit_core::{Message, Part, Role, ToolRequest, ToolResponse};
use genkit_model::internal::arguments::ArgumentsObject;
use genkit_model::internal::documents;
use genkit_model::internal::signature;
use genkit_model::internal::signature::{GEMINI, SKIP_VALIDATION};

/// The keys of custom parts that are Gemini's own, and the fields that they come from.
pub(super) const CUSTOM: [(&str, &str); 4] = [
    ("executableCode", "executableCode"),
    ("codeExecutionResult", "codeExecutionResult"),
    ("geminiToolCall", "toolCall"),
    ("geminiToolResponse", "toolResponse"),
];

/// The key of a custom part that is a part of Gemini's as it was.
pub(super) const UNKNOWN: &str = "geminiPart";

/// The answer to a call that has none.
static NO_ANSWER: LazyLock<Value> = LazyLock::new(|| json!({ "error": UNANSWERED }));

#[derive(Serialize)]
pub(super) struct Content<'a> {
    role: &'static str,
    pub(super) parts: Vec<RequestPart<'a>>,
}

/// The conversation: the system instruction, and the rest but for the first `from` messages.
pub(super) fn contents<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    model: &'a str,
    from: usize,
) -> Result<(Option<Content<'a>>, Vec<Content<'a>>), E> {
    let mut writer =
        Writer { names, model, made_up: made_up(request), open: Vec::new(), after: Vec::new() };
    let mut system = Content { role: "user", parts: Vec::new() };
    let mut contents: Vec<Content<'a>> = Vec::with_capacity(request.messages.len() - from + 1);
    let mut previous = Role::System;
    let mut documents = documents::missing(request);
    for (index, message) in request.messages.iter().enumerate() {
        if index < from && message.role != Role::System {
            continue;
        }
        // All answers to one turn of the model belong into one content.
        let joins = message.role == Role::Tool && previous == Role::Tool && !contents.is_empty();
        let target = match message.role {
            Role::System => &mut system,
            _ if joins => match contents.last_mut() {
                Some(last) => last,
                None => continue,
            },
            role => {
                let is_answer = |part: &Part| matches!(part, Part::ToolResponse { .. });
                if role == Role::Model || !message.content.iter().any(is_answer) {
                    writer.answer_rest(previous, &mut contents);
                }
                writer.flush(&mut contents);
                let role = if role == Role::Model { "model" } else { "user" };
                contents.push(Content { role, parts: Vec::with_capacity(message.content.len()) });
                match contents.last_mut() {
                    Some(last) => last,
                    None => continue,
                }
            }
        };
        writer.write(message, target).map_err(|(part, reason)| E::Part {
            message: index + 1,
            part,
            reason,
        })?;
        if let Some((_, text)) = documents.take_if(|(asked, _)| *asked == Some(index)) {
            target.parts.push(text_part(text));
        }
        if message.role != Role::System {
            previous = message.role;
        }
    }
    writer.answer_rest(previous, &mut contents);
    writer.flush(&mut contents);
    if let Some((_, text)) = documents {
        contents.insert(0, Content { role: "user", parts: vec![text_part(text)] });
    }
    // The API refuses a content without parts.
    contents.retain(|content| !content.parts.is_empty());
    Ok(((!system.parts.is_empty()).then_some(system), contents))
}

fn text_part<'a>(text: String) -> RequestPart<'a> {
    RequestPart { kind: Kind::Text(text.into()), signature: None, metadata: None }
}

/// The calls, by name and `ref`, whose `ref` the model did not give.
fn made_up(request: &ModelRequest) -> Vec<(&str, &str)> {
    let parts = request.messages.iter().flat_map(|message| &message.content);
    let marked = parts.filter(|part| part.metadata().contains_key(GENERATED_REF));
    let calls = marked.filter_map(Part::as_tool_request);
    calls.filter_map(|call| Some((call.name.as_str(), call.id.as_deref()?))).collect()
}

struct Writer<'a> {
    names: &'a Names<'a>,
    model: &'a str,
    made_up: Vec<(&'a str, &'a str)>,
    /// The calls, by name and `ref`, that were not answered so far.
    open: Vec<(&'a str, Option<&'a str>)>,
    /// Content of tool responses that cannot stand within them.
    after: Vec<RequestPart<'a>>,
}

impl<'a> Writer<'a> {
    /// Answers the calls that nothing did: their number is checked.
    fn answer_rest(&mut self, previous: Role, contents: &mut Vec<Content<'a>>) {
        let open = std::mem::take(&mut self.open);
        if open.is_empty() {
            return;
        }
        if previous != Role::Tool {
            contents.push(Content { role: "user", parts: Vec::new() });
        }
        let Some(last) = contents.last_mut() else { return };
        last.parts.extend(open.into_iter().map(|(name, id)| {
            let (name, response) = (self.names.sent(name), FunctionOutput::Error(&NO_ANSWER));
            let answer = FunctionResponsePart { id, name, response, parts: Vec::new() };
            RequestPart { kind: Kind::Answer(answer), signature: None, metadata: None }
        }));
    }

    fn flush(&mut self, contents: &mut [Content<'a>]) {
        if let Some(last) = contents.last_mut() {
            last.parts.append(&mut self.after);
        }
    }

    /// An error is the number of a part, and why it cannot be sent.
    fn write(
        &mut self,
        message: &'a Message,
        content: &mut Content<'a>,
    ) -> Result<(), (usize, &'static str)> {
        // The first call of a turn is the one that the model signs.
        let mut is_first = true;
        for (index, part) in message.content.iter().enumerate() {
            let kind = self.kind(part).map_err(|reason| (index + 1, reason))?;
            let Some(kind) = kind else { continue };
            let mut sent = RequestPart::of(part, kind);
            if matches!(sent.kind, Kind::Call(_))
                && std::mem::take(&mut is_first)
                && sent.signature.is_none()
                && signature::checks_calls(self.model)
            {
                sent.signature = Some(SKIP_VALIDATION);
            }
            content.parts.push(sent);
        }
        Ok(())
    }

    fn kind(&mut self, part: &'a Part) -> Result<Option<Kind<'a>>, &'static str> {
        let is_signed = signature::signature(part, GEMINI).is_some();
        Ok(Some(match part {
            // What another model thought is nothing that this one did.
            Part::Reasoning { .. } if signature::is_foreign(part, GEMINI) => return Ok(None),
            Part::Text { text, .. } | Part::Reasoning { reasoning: text, .. }
                if text.is_empty() && !is_signed =>
            {
                return Ok(None);
            }
            Part::Text { text, .. } => Kind::Text(text.into()),
            Part::Reasoning { reasoning, .. } => Kind::Thought(reasoning),
            Part::Media { media, .. } => media::media(media)?,
            Part::ToolRequest { tool_request, .. } if tool_request.partial => return Ok(None),
            Part::ToolRequest { tool_request, .. } => Kind::Call(self.call(tool_request)),
            Part::ToolResponse { tool_response, .. } => self.answer(tool_response)?,
            Part::Resource { resource, .. } => media::resource(resource),
            Part::Data { data, .. } => Kind::Text(data.to_string().into()),
            Part::Custom { custom, .. } => return Ok(self::custom(custom)),
            _ => return Ok(None),
        }))
    }

    /// The model's own id of a call.
    fn id(&self, name: &str, reference: Option<&'a String>) -> Option<&'a str> {
        let reference = reference?.as_str();
        (!self.made_up.contains(&(name, reference))).then_some(reference)
    }

    fn call(&mut self, call: &'a ToolRequest) -> FunctionCallPart<'a> {
        let id = self.id(&call.name, call.id.as_ref());
        self.open.push((&call.name, id));
        FunctionCallPart {
            id,
            name: self.names.sent(&call.name),
            args: ArgumentsObject::of(&call.input),
        }
    }

    fn answer(&mut self, answer: &'a ToolResponse) -> Result<Kind<'a>, &'static str> {
        let is_error =
            answer.output.as_object().is_some_and(|o| o.len() == 1 && o.contains_key("error"));
        let response = match &answer.output {
            output if is_error => FunctionOutput::Error(output),
            output => FunctionOutput::Output { output },
        };
        let mut parts = Vec::new();
        for part in &answer.content {
            let Some(kind) = self.kind(part)? else { continue };
            let within =
                matches!(kind, Kind::Inline(_)) && models::takes_media_in_answers(self.model);
            let part = RequestPart::of(part, kind);
            if within { parts.push(part) } else { self.after.push(part) }
        }
        let id = self.id(&answer.name, answer.id.as_ref());
        let is_it = |open: &(&str, Option<&str>)| *open == (answer.name.as_str(), id);
        if let Some(at) = self.open.iter().position(is_it) {
            self.open.remove(at);
        }
        Ok(Kind::Answer(FunctionResponsePart {
            id,
            name: self.names.sent(&answer.name),
            response,
            parts,
        }))
    }
}

/// What another provider left in the history is not for this one.
fn custom(custom: &Map<String, Value>) -> Option<Kind<'_>> {
    if let Some(Value::Object(fields)) = custom.get(UNKNOWN) {
        return Some(Kind::Unknown(fields));
    }
    CUSTOM.iter().find_map(|(key, field)| Some(Kind::Custom(field, custom.get(*key)?)))
}
