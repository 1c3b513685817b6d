//! Anthropic's messages.

use serde_json::{Value, json};

use super::{Asked, Dialect, End, Piece, Said, Who, list, parsed, some_text, split, text};

pub struct Anthropic;

fn blocks(said: &Said) -> Vec<Value> {
    let mut blocks = Vec::new();
    if let Some((thoughts, signature)) = &said.thoughts {
        blocks.push(json!({"type": "thinking", "thinking": thoughts, "signature": signature}));
        blocks.push(json!({"type": "redacted_thinking", "data": format!("redacted {signature}")}));
    }
    if said.own {
        blocks.push(json!({
            "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"},
        }));
        let found = json!([{
            "type": "web_search_result", "url": "https://a.example", "title": "A", "encrypted_content": "c2VhcmNo",
        }]);
        blocks.push(json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": found}));
    }
    if !said.text.is_empty() {
        blocks.push(json!({"type": "text", "text": said.text}));
    }
    for (at, call) in said.calls.iter().enumerate() {
        blocks.push(
            json!({"type": "tool_use", "id": said.id(at), "name": call.name, "input": call.args}),
        );
    }
    blocks
}

fn reason(said: &Said) -> &'static str {
    match said.end {
        End::Stop if said.calls.is_empty() => "end_turn",
        End::Stop => "tool_use",
        End::Length => "max_tokens",
        End::Blocked => "refusal",
    }
}

fn usage([input, output, thoughts, cached]: [u64; 4]) -> Value {
    json!({
        "input_tokens": input - cached, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0,
        "output_tokens": output + thoughts, "output_tokens_details": {"thinking_tokens": thoughts},
    })
}

impl Dialect for Anthropic {
    fn model(&self) -> &'static str {
        "claude-sonnet-4-5"
    }

    fn whole(&self, said: &Said) -> Value {
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": blocks(said),
            "stop_reason": reason(said), "stop_sequence": null, "usage": usage(said.usage),
        })
    }

    fn pieces(&self, said: &Said) -> Vec<Value> {
        let mut begun = self.whole(said);
        begun["content"] = json!([]);
        begun["stop_reason"] = Value::Null;
        begun["usage"]["output_tokens"] = 1.into();
        let mut pieces =
            vec![json!({"type": "message_start", "message": begun}), json!({"type": "ping"})];
        for (index, block) in blocks(said).into_iter().enumerate() {
            let mut open = block.clone();
            let mut deltas = Vec::new();
            let each = |kind: &str, key: &str, whole: &str| -> Vec<Value> {
                split(whole).into_iter().map(|piece| json!({"type": kind, key: piece})).collect()
            };
            match block["type"].as_str().unwrap_or_default() {
                "text" => {
                    open["text"] = "".into();
                    deltas = each("text_delta", "text", &text(&block["text"]));
                }
                "thinking" => {
                    open["thinking"] = "".into();
                    open["signature"] = "".into();
                    deltas = each("thinking_delta", "thinking", &text(&block["thinking"]));
                    deltas
                        .push(json!({"type": "signature_delta", "signature": block["signature"]}));
                }
                "tool_use" | "server_tool_use" => {
                    open["input"] = json!({});
                    deltas.push(json!({"type": "input_json_delta", "partial_json": ""}));
                    deltas.extend(each(
                        "input_json_delta",
                        "partial_json",
                        &block["input"].to_string(),
                    ));
                }
                _ => {}
            }
            pieces.push(
                json!({"type": "content_block_start", "index": index, "content_block": open}),
            );
            let deltas = deltas.into_iter();
            pieces.extend(deltas.map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
            pieces.push(json!({"type": "content_block_stop", "index": index}));
        }
        let delta = json!({"stop_reason": reason(said), "stop_sequence": null});
        pieces.push(json!({"type": "message_delta", "delta": delta, "usage": usage(said.usage)}));
        pieces.push(json!({"type": "message_stop"}));
        pieces
    }

    fn failure(&self, status: u16, message: &str) -> Value {
        let kind = match status {
            429 => "rate_limit_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
    }

    fn asked(&self, body: &Value) -> Asked {
        let mut asked = Asked::default();
        let system = list(&body["system"]).map(|block| text(&block["text"])).collect::<Vec<_>>();
        asked.system = some_text(&body["system"]).unwrap_or_else(|| system.join("\n"));
        for message in list(&body["messages"]) {
            let who = if message["role"] == "assistant" { Who::Model } else { Who::User };
            if let Some(plain) = some_text(&message["content"]) {
                asked.add(who, Piece::Text(plain));
            }
            for block in list(&message["content"]) {
                let shown = list(&block["content"])
                    .filter(|it| block["type"] == "tool_result" && it["type"] != "text");
                asked.add(who, piece(block));
                shown.for_each(|block| asked.add(who, piece(block)));
            }
        }
        for tool in list(&body["tools"]).filter(|tool| tool.get("input_schema").is_some()) {
            asked.tools.push((text(&tool["name"]), tool["input_schema"].clone()));
        }
        let choice = &body["tool_choice"];
        asked.choice = choice["type"].as_str().map(|kind| match kind {
            "any" => "required".to_owned(),
            "tool" => text(&choice["name"]),
            other => other.to_owned(),
        });
        let format = &body["output_config"]["format"];
        asked.json = format.is_object();
        asked.schema = format.get("schema").cloned();
        asked
    }
}

fn piece(block: &Value) -> Piece {
    let source = &block["source"];
    match block["type"].as_str().unwrap_or_default() {
        "text" => Piece::Text(text(&block["text"])),
        "thinking" => Piece::Thought {
            text: text(&block["thinking"]),
            signature: some_text(&block["signature"]),
        },
        "tool_use" => Piece::Call {
            id: some_text(&block["id"]),
            name: text(&block["name"]),
            args: block["input"].clone(),
        },
        "tool_result" => {
            let texts: String = list(&block["content"]).map(|part| text(&part["text"])).collect();
            let output = some_text(&block["content"]).unwrap_or(texts);
            Piece::Answer {
                id: some_text(&block["tool_use_id"]),
                name: None,
                output: parsed(&output.into()),
            }
        }
        "image" | "document" => {
            let kind = source["media_type"].as_str().or(block["type"].as_str()).unwrap_or_default();
            let content = source["data"].as_str().or(source["url"].as_str()).unwrap_or_default();
            Piece::Media(kind.to_owned(), content.to_owned())
        }
        _ => Piece::Own(block.clone()),
    }
}
