//! Tools, resources and middleware with the behavior that a case specifies.

use std::time::Duration;

use genkit::action::ResourceContents;
use genkit::middleware::{Middleware, NextModel};
use genkit::model::{ChunkSink, ModelRequest, ModelResponse};
use genkit::{Context, Message, Part, Resource, Result, Tool, ToolReply};
use serde_json::Value;

use super::case::{Acting, Around, Holding};
use super::observe::Calls;

/// The context that a run provides to its tools.
pub struct OfRun(pub Value);

/// The state that a program provides to its tools.
pub struct OfProgram(pub Value);

pub fn tool(acting: &Acting, calls: &Calls) -> Tool {
    let mut tool = Tool::builder(acting.name.clone(), acting.description.clone());
    if let Some(schema) = &acting.input_schema {
        tool = tool.input_schema(schema.clone());
    }
    if let Some(schema) = &acting.output_schema {
        tool = tool.output_schema(schema.clone());
    }
    for (key, value) in &acting.metadata {
        tool = tool.metadata(key.clone(), value.clone());
    }
    let (acting, calls) = (acting.clone(), calls.clone());
    match (acting.has_value(), acting.content.first().cloned()) {
        (false, Some(part)) => tool.handler(move |_: Context, input: Value| {
            calls.note(&acting.name, &input);
            let part = part.clone();
            async move { Ok(part) }
        }),
        (false, None) => tool.interrupts(),
        (true, _) => tool.handler(move |context: Context, input: Value| {
            calls.note(&acting.name, &input);
            let acting = acting.clone();
            async move { Ok(act(context, acting, input).await?) }
        }),
    }
}

impl Acting {
    fn has_value(&self) -> bool {
        let Self { error, interrupts, output, echo, lent, .. } = self;
        *echo || error.is_some() || interrupts.is_some() || output.is_some() || lent.is_some()
    }
}

async fn act(context: Context, acting: Acting, input: Value) -> Result<ToolReply<Value>> {
    tokio::time::sleep(Duration::from_millis(acting.after_ms)).await;
    if let Some(error) = &acting.error {
        return Err(error.error());
    }
    if let Some(asks) = &acting.interrupts {
        let asks = filled(asks, &input);
        while Some(context.interrupt(asks.clone()).await?) != acting.until {}
    }
    let value = match acting.lent.as_deref() {
        Some("run") => context.extension::<OfRun>().map(|lent| lent.0.clone()),
        Some("program") => context.state::<OfProgram>().map(|lent| lent.0.clone()),
        _ if acting.echo => Some(input),
        _ => acting.output,
    };
    let reply = ToolReply::new(value.unwrap_or_default());
    let reply = acting.content.into_iter().fold(reply, ToolReply::with_part);
    Ok(acting.with.into_iter().fold(reply, |reply, (key, value)| reply.with_meta(key, value)))
}

/// Replaces `"$input"` by the input.
fn filled(asks: &Value, input: &Value) -> Value {
    match asks {
        Value::String(mark) if mark == "$input" => input.clone(),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (key.clone(), filled(value, input)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

pub fn resource(holding: &Holding) -> Resource {
    let Holding { uri, name, contents, .. } = holding.clone();
    Resource::builder(uri, name, "x").handler(move |_: Context, _: Value| {
        let contents = contents.clone();
        async move {
            let held = contents.into_iter().map(|held| match held.uri {
                Some(uri) => ResourceContents::text(held.text).with_uri(uri),
                None => ResourceContents::text(held.text),
            });
            Ok(held.collect::<Vec<_>>())
        }
    })
}

impl Middleware for Around {
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> genkit::BoxFuture<'a, genkit::Result<ModelResponse>> {
        Box::pin(async move {
            if let Some(text) = &self.instead {
                return Ok(ModelResponse::from_text(text));
            }
            let mut request = request.clone();
            if let Some(pattern) = &self.request {
                let said: String = request.messages.iter().map(Message::text).collect();
                request.messages = vec![Message::user(pattern.replace("{}", &said))];
            }
            let sink = match &self.chunk {
                Some(pattern) if chunks.is_wanted() => changed(chunks, pattern),
                _ => chunks.clone(),
            };
            let mut answer = next.run(&request, &sink).await?;
            if let (Some(pattern), Some(message)) = (&self.response, &mut answer.message) {
                message.content = vec![Part::text(pattern.replace("{}", &message.text()))];
            }
            Ok(answer)
        })
    }
}

fn changed(chunks: &ChunkSink, pattern: &str) -> ChunkSink {
    let (chunks, pattern) = (chunks.clone(), pattern.to_owned());
    ChunkSink::new(move |mut chunk| {
        chunk.content = vec![Part::text(pattern.replace("{}", &chunk.text()))];
        chunks.send(chunk);
    })
}
