//! OpenAI's Responses API.

use serde_json::{Value, json};

use super::{Asked, Dialect, End, Piece, Said, Who, list, media, parsed, some_text, split, text};

pub struct Responses;

/// Returns the items of a response. The signature is the encrypted content.
fn items(said: &Said) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some((thoughts, signature)) = &said.thoughts {
        let summary = json!([{"type": "summary_text", "text": thoughts}]);
        items.push(json!({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": signature}));
    }
    if said.own {
        let action = json!({"type": "search", "query": "tides"});
        items.push(json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": action}));
    }
    if !said.text.is_empty() {
        let content = json!([{"type": "output_text", "text": said.text, "annotations": []}]);
        items.push(json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content,
        }));
    }
    for (at, call) in said.calls.iter().enumerate() {
        items.push(json!({
            "type": "function_call", "id": format!("fc_{at}"), "call_id": said.id(at), "name": call.name,
            "arguments": call.args.to_string(), "status": "completed",
        }));
    }
    items
}

fn response(said: &Said, items: Vec<Value>) -> Value {
    let [input, output, thoughts, cached] = said.usage;
    let (status, reason) = match said.end {
        End::Stop => ("completed", None),
        End::Length => ("incomplete", Some("max_output_tokens")),
        End::Blocked => ("incomplete", Some("content_filter")),
    };
    json!({
        "id": "resp_1", "object": "response", "model": "m", "status": status, "error": null,
        "incomplete_details": reason.map(|reason| json!({"reason": reason})), "output": items,
        "usage": {
            "input_tokens": input, "output_tokens": output + thoughts, "total_tokens": input + output + thoughts,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens_details": {"reasoning_tokens": thoughts},
        },
    })
}

impl Dialect for Responses {
    fn model(&self) -> &'static str {
        "gpt-5.1"
    }

    fn whole(&self, said: &Said) -> Value {
        response(said, items(said))
    }

    fn pieces(&self, said: &Said) -> Vec<Value> {
        let begun = json!({"id": "resp_1", "status": "in_progress", "output": []});
        let mut pieces = vec![json!({"type": "response.created", "response": begun})];
        let mut add = |piece: Value| pieces.push(piece);
        for (at, item) in items(said).into_iter().enumerate() {
            let id = &item["id"];
            let mut open = item.clone();
            let kind = item["type"].as_str().unwrap_or_default();
            for key in ["content", "summary"] {
                if open.get(key).is_some() {
                    open[key] = json!([]);
                }
            }
            if kind == "function_call" {
                open["arguments"] = "".into();
            }
            add(json!({"type": "response.output_item.added", "output_index": at, "item": open}));
            let delta = |name: &str, delta: &str| {
                json!({
                    "type": format!("response.{name}.delta"), "item_id": id, "output_index": at,
                    "content_index": 0, "summary_index": 0, "delta": delta,
                })
            };
            match kind {
                "message" => {
                    let whole = text(&item["content"][0]["text"]);
                    let part = json!({"type": "output_text", "text": "", "annotations": []});
                    add(json!({
                        "type": "response.content_part.added", "item_id": id, "output_index": at, "content_index": 0,
                        "part": part,
                    }));
                    split(&whole).iter().for_each(|piece| add(delta("output_text", piece)));
                    add(json!({
                        "type": "response.output_text.done", "item_id": id, "output_index": at, "content_index": 0,
                        "text": whole,
                    }));
                }
                "reasoning" => {
                    let whole = text(&item["summary"][0]["text"]);
                    add(json!({
                        "type": "response.reasoning_summary_part.added", "item_id": id, "output_index": at,
                        "summary_index": 0, "part": {"type": "summary_text", "text": ""},
                    }));
                    split(&whole)
                        .iter()
                        .for_each(|piece| add(delta("reasoning_summary_text", piece)));
                    add(json!({
                        "type": "response.reasoning_summary_text.done", "item_id": id, "output_index": at,
                        "summary_index": 0, "text": whole,
                    }));
                }
                "function_call" => {
                    let whole = text(&item["arguments"]);
                    split(&whole)
                        .iter()
                        .for_each(|piece| add(delta("function_call_arguments", piece)));
                    add(json!({
                        "type": "response.function_call_arguments.done", "item_id": id, "output_index": at,
                        "arguments": whole,
                    }));
                }
                _ => {}
            }
            add(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
        }
        let name = if said.end == End::Stop { "completed" } else { "incomplete" };
        let whole = response(said, items(said));
        add(json!({"type": format!("response.{name}"), "response": whole}));
        pieces
    }

    fn failure(&self, status: u16, message: &str) -> Value {
        super::chat::Chat.failure(status, message)
    }

    fn asked(&self, body: &Value) -> Asked {
        let mut asked = Asked { system: text(&body["instructions"]), ..Asked::default() };
        if let Some(input) = body["input"].as_str() {
            asked.add(Who::User, Piece::Text(input.to_owned()));
        }
        for item in list(&body["input"]) {
            let role = item["role"].as_str().unwrap_or_default();
            match item["type"].as_str().unwrap_or("message") {
                "message" if matches!(role, "system" | "developer") => {
                    let parts = list(&item["content"]).map(|part| text(&part["text"]));
                    let plain = some_text(&item["content"]);
                    asked.system.push_str(&plain.unwrap_or_else(|| parts.collect::<String>()));
                }
                "message" => {
                    let who = if role == "assistant" { Who::Model } else { Who::User };
                    if let Some(plain) = some_text(&item["content"]) {
                        asked.add(who, Piece::Text(plain));
                    }
                    list(&item["content"]).for_each(|part| asked.add(who, piece(part)));
                }
                "function_call" => asked.add(
                    Who::Model,
                    Piece::Call {
                        id: some_text(&item["call_id"]),
                        name: text(&item["name"]),
                        args: parsed(&item["arguments"]),
                    },
                ),
                "function_call_output" => {
                    let id = some_text(&item["call_id"]);
                    let texts: String =
                        list(&item["output"]).map(|part| text(&part["text"])).collect();
                    let output = if item["output"].is_array() {
                        texts.into()
                    } else {
                        item["output"].clone()
                    };
                    asked.add(Who::User, Piece::Answer { id, name: None, output: parsed(&output) });
                    let shown = list(&item["output"]).filter(|part| part["type"] != "input_text");
                    shown.for_each(|part| asked.add(Who::User, piece(part)));
                }
                "reasoning" => asked.add(
                    Who::Model,
                    Piece::Thought {
                        text: list(&item["summary"]).map(|part| text(&part["text"])).collect(),
                        signature: some_text(&item["encrypted_content"]),
                    },
                ),
                _ => asked.add(Who::Model, Piece::Own(item.clone())),
            }
        }
        for tool in list(&body["tools"]).filter(|tool| tool["type"] == "function") {
            asked.tools.push((text(&tool["name"]), tool["parameters"].clone()));
        }
        let choice = &body["tool_choice"];
        asked.choice = some_text(choice).or_else(|| some_text(&choice["name"]));
        let format = &body["text"]["format"];
        asked.json = format["type"].as_str().is_some_and(|kind| kind != "text");
        asked.schema = format.get("schema").cloned();
        asked
    }
}

fn piece(part: &Value) -> Piece {
    match part["type"].as_str().unwrap_or_default() {
        "input_text" | "output_text" => Piece::Text(text(&part["text"])),
        "input_image" => media("image", &text(&part["image_url"])),
        "input_audio" => Piece::Media("audio".to_owned(), text(&part["input_audio"]["data"])),
        "input_file" => media(
            "file",
            part["file_data"].as_str().or(part["file_url"].as_str()).unwrap_or_default(),
        ),
        _ => Piece::Own(part.clone()),
    }
}
