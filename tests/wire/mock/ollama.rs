//! Ollama's own API.

use serde_json::{Value, json};

use super::{Asked, Dialect, End, Piece, Said, Who, list, some_text, split, text};

pub struct Ollama;

fn line(message: &Value) -> Value {
    json!({"model": "m", "created_at": "2026-11-22T20:00:00Z", "message": message, "done": false})
}

fn calls(said: &Said) -> Vec<Value> {
    let calls = said.calls.iter().enumerate().map(|(at, call)| {
        let mut sent =
            json!({"function": {"index": at, "name": call.name, "arguments": call.args}});
        if let Some(id) = &call.id {
            sent["id"] = id.as_str().into();
        }
        sent
    });
    calls.collect()
}

fn end(said: &Said, mut last: Value) -> Value {
    let [input, output, thoughts, _] = said.usage;
    last["done"] = true.into();
    last["done_reason"] = if said.end == End::Length { "length" } else { "stop" }.into();
    last["prompt_eval_count"] = input.into();
    last["eval_count"] = (output + thoughts).into();
    last["total_duration"] = 1_000_000.into();
    last
}

impl Dialect for Ollama {
    fn model(&self) -> &'static str {
        "qwen3"
    }

    fn whole(&self, said: &Said) -> Value {
        let mut message = json!({"role": "assistant", "content": said.text});
        if let Some((thoughts, _)) = &said.thoughts {
            message["thinking"] = thoughts.as_str().into();
        }
        if !said.calls.is_empty() {
            message["tool_calls"] = calls(said).into();
        }
        end(said, line(&message))
    }

    fn pieces(&self, said: &Said) -> Vec<Value> {
        let mut pieces = Vec::new();
        let thoughts = said.thoughts.iter().flat_map(|(thoughts, _)| split(thoughts));
        let thought = |text| line(&json!({"role": "assistant", "content": "", "thinking": text}));
        pieces.extend(thoughts.map(thought));
        let spoken = |text: &String| line(&json!({"role": "assistant", "content": text}));
        pieces.extend(split(&said.text).iter().map(spoken));
        if !said.calls.is_empty() {
            pieces.push(line(
                &json!({"role": "assistant", "content": "", "tool_calls": calls(said)}),
            ));
        }
        pieces.push(end(said, line(&json!({"role": "assistant", "content": ""}))));
        pieces
    }

    fn events(&self, pieces: &[Value]) -> String {
        pieces.iter().map(|piece| format!("{piece}\n")).collect()
    }

    fn stream_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn failure(&self, _: u16, message: &str) -> Value {
        json!({"error": message})
    }

    fn asked(&self, body: &Value) -> Asked {
        let mut asked = Asked::default();
        for message in list(&body["messages"]) {
            let role = message["role"].as_str().unwrap_or_default();
            let content = text(&message["content"]);
            if role == "system" {
                asked.system.push_str(&content);
                continue;
            }
            let who = if role == "assistant" { Who::Model } else { Who::User };
            if let Some(text) = some_text(&message["thinking"]) {
                asked.add(who, Piece::Thought { text, signature: None });
            }
            if role == "tool" {
                let name = some_text(&message["tool_name"]);
                let output = serde_json::from_str(&content).unwrap_or_else(|_| content.into());
                asked.add(
                    who,
                    Piece::Answer { id: some_text(&message["tool_call_id"]), name, output },
                );
            } else if !content.is_empty() {
                asked.add(who, Piece::Text(content));
            }
            for image in list(&message["images"]) {
                asked.add(who, Piece::Media("image".to_owned(), text(image)));
            }
            for call in list(&message["tool_calls"]) {
                asked.add(
                    who,
                    Piece::Call {
                        id: some_text(&call["id"]),
                        name: text(&call["function"]["name"]),
                        args: call["function"]["arguments"].clone(),
                    },
                );
            }
        }
        for tool in list(&body["tools"]) {
            asked
                .tools
                .push((text(&tool["function"]["name"]), tool["function"]["parameters"].clone()));
        }
        asked.json = !body["format"].is_null();
        asked.schema = body.get("format").filter(|format| format.is_object()).cloned();
        asked
    }
}
