//! OpenAI's chat completions.

use serde_json::{Value, json};

use super::{Asked, Dialect, End, Piece, Said, Who, list, media, parsed, some_text, split, text};

pub struct Chat;

fn reason(said: &Said) -> &'static str {
    match said.end {
        End::Stop if said.calls.is_empty() => "stop",
        End::Stop => "tool_calls",
        End::Length => "length",
        End::Blocked => "content_filter",
    }
}

fn usage([input, output, thoughts, cached]: [u64; 4]) -> Value {
    json!({
        "prompt_tokens": input, "completion_tokens": output + thoughts, "total_tokens": input + output + thoughts,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": thoughts},
    })
}

fn chunk(delta: &Value, reason: Option<&str>) -> Value {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
}

fn call(said: &Said, at: usize, arguments: &str) -> Value {
    let function = json!({"name": said.calls[at].name, "arguments": arguments});
    json!({"index": at, "id": said.id(at), "type": "function", "function": function})
}

impl Dialect for Chat {
    fn model(&self) -> &'static str {
        "gpt-5.1"
    }

    fn whole(&self, said: &Said) -> Value {
        let calls: Vec<Value> = (0..said.calls.len())
            .map(|at| call(said, at, &said.calls[at].args.to_string()))
            .collect();
        let mut message = json!({"role": "assistant", "content": said.text, "refusal": null});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        if let Some((thoughts, _)) = &said.thoughts {
            message["reasoning_content"] = thoughts.as_str().into();
        }
        if said.own {
            message["annotations"] =
                json!([{"type": "url_citation", "url_citation": {"url": "https://a.example"}}]);
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": reason(said)});
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [choice],
            "usage": usage(said.usage),
        })
    }

    fn pieces(&self, said: &Said) -> Vec<Value> {
        let mut pieces = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
        let thoughts = said.thoughts.iter().flat_map(|(thoughts, _)| split(thoughts));
        pieces.extend(thoughts.map(|text| chunk(&json!({"reasoning_content": text}), None)));
        pieces.extend(split(&said.text).iter().map(|text| chunk(&json!({"content": text}), None)));
        for at in 0..said.calls.len() {
            pieces.push(chunk(&json!({"tool_calls": [call(said, at, "")]}), None));
            for piece in split(&said.calls[at].args.to_string()) {
                let function = json!({"index": at, "function": {"arguments": piece}});
                pieces.push(chunk(&json!({"tool_calls": [function]}), None));
            }
        }
        pieces.push(chunk(&json!({}), Some(reason(said))));
        pieces.push(json!({"id": "chatcmpl-1", "choices": [], "usage": usage(said.usage)}));
        pieces
    }

    fn framed(&self, pieces: &[Value]) -> String {
        self.events(pieces) + "data: [DONE]\n\n"
    }

    fn failure(&self, status: u16, message: &str) -> Value {
        let kind = if status == 429 { "rate_limit_exceeded" } else { "server_error" };
        json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
    }

    fn asked(&self, body: &Value) -> Asked {
        let mut asked = Asked::default();
        for message in list(&body["messages"]) {
            let role = message["role"].as_str().unwrap_or_default();
            if matches!(role, "system" | "developer") {
                asked.system.push_str(&text(&message["content"]));
                continue;
            }
            let who = if role == "assistant" { Who::Model } else { Who::User };
            if role == "tool" {
                let id = some_text(&message["tool_call_id"]);
                asked.add(
                    who,
                    Piece::Answer { id, name: None, output: parsed(&message["content"]) },
                );
                continue;
            }
            match &message["content"] {
                Value::String(text) => asked.add(who, Piece::Text(text.clone())),
                parts => list(parts).for_each(|part| asked.add(who, piece(part))),
            }
            for call in list(&message["tool_calls"]) {
                asked.add(
                    who,
                    Piece::Call {
                        id: some_text(&call["id"]),
                        name: text(&call["function"]["name"]),
                        args: parsed(&call["function"]["arguments"]),
                    },
                );
            }
        }
        for tool in list(&body["tools"]) {
            asked
                .tools
                .push((text(&tool["function"]["name"]), tool["function"]["parameters"].clone()));
        }
        let choice = &body["tool_choice"];
        asked.choice = some_text(choice).or_else(|| some_text(&choice["function"]["name"]));
        let format = &body["response_format"];
        asked.json = format.is_object();
        asked.schema = format["json_schema"].get("schema").cloned();
        asked
    }
}

fn piece(part: &Value) -> Piece {
    match part["type"].as_str().unwrap_or_default() {
        "text" => Piece::Text(text(&part["text"])),
        "image_url" => media("image", &text(&part["image_url"]["url"])),
        "input_audio" => Piece::Media("audio".to_owned(), text(&part["input_audio"]["data"])),
        "video_url" => media("video", &text(&part["video_url"]["url"])),
        "file" => media("file", &text(&part["file"]["file_data"])),
        _ => Piece::Own(part.clone()),
    }
}
