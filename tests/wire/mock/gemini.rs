//! Gemini's `generateContent`.

use serde_json::{Value, json};

use super::{Asked, Dialect, End, Piece, Request, Said, Who, list, some_text, split, text};

pub struct Gemini;

impl Gemini {
    fn candidate(parts: Vec<Value>, end: Option<End>) -> Value {
        let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
        if let Some(end) = end {
            candidate["finishReason"] = match end {
                End::Stop => "STOP",
                End::Length => "MAX_TOKENS",
                End::Blocked => "SAFETY",
            }
            .into();
        }
        json!({"candidates": [candidate]})
    }

    fn usage([input, output, thoughts, cached]: [u64; 4]) -> Value {
        json!({
            "promptTokenCount": input, "candidatesTokenCount": output, "thoughtsTokenCount": thoughts,
            "cachedContentTokenCount": cached, "totalTokenCount": input + output + thoughts,
        })
    }

    /// Returns the parts of a response.
    fn parts(said: &Said) -> Vec<Value> {
        let mut parts = Vec::new();
        if let Some((thoughts, _)) = &said.thoughts {
            parts.push(json!({"text": thoughts, "thought": true}));
        }
        if said.own {
            parts.push(
                json!({"executableCode": {"id": "code-1", "language": "PYTHON", "code": "1 + 1"}}),
            );
            parts.push(json!({"codeExecutionResult": {"id": "code-1", "outcome": "OUTCOME_OK", "output": "2"}}));
        }
        if !said.text.is_empty() {
            parts.push(json!({"text": said.text}));
        }
        let first = parts.len();
        for call in &said.calls {
            let mut function = json!({"name": call.name, "args": call.args});
            if let Some(id) = &call.id {
                function["id"] = id.as_str().into();
            }
            parts.push(json!({"functionCall": function}));
        }
        // The signature is on the first call, otherwise on the last text.
        if let Some((_, signature)) = &said.thoughts {
            let at = if said.calls.is_empty() { parts.len() - 1 } else { first };
            parts[at]["thoughtSignature"] = signature.as_str().into();
        }
        parts
    }
}

impl Dialect for Gemini {
    fn model(&self) -> &'static str {
        "gemini-3-pro-preview"
    }

    fn whole(&self, said: &Said) -> Value {
        let mut answer = Self::candidate(Self::parts(said), Some(said.end));
        answer["usageMetadata"] = Self::usage(said.usage);
        answer
    }

    fn pieces(&self, said: &Said) -> Vec<Value> {
        let mut pieces = Vec::new();
        for part in Self::parts(said) {
            match (part["text"].as_str(), part.get("thoughtSignature")) {
                (Some(text), None) => {
                    for text in split(text) {
                        let mut piece = part.clone();
                        piece["text"] = text.into();
                        pieces.push(Self::candidate(vec![piece], None));
                    }
                }
                // The text first, with its signature on an empty part.
                (Some(text), Some(signature)) => {
                    let texts = split(text).into_iter().map(|text| json!({"text": text}));
                    pieces.extend(texts.map(|part| Self::candidate(vec![part], None)));
                    let signed = json!({"text": "", "thoughtSignature": signature});
                    pieces.push(Self::candidate(vec![signed], None));
                }
                (None, _) => pieces.push(Self::candidate(vec![part], None)),
            }
        }
        let mut last = Self::candidate(vec![], Some(said.end));
        last["usageMetadata"] = Self::usage(said.usage);
        pieces.push(last);
        pieces
    }

    fn events(&self, pieces: &[Value]) -> String {
        pieces.iter().map(|piece| format!("data: {piece}\r\n\r\n")).collect()
    }

    fn failure(&self, status: u16, message: &str) -> Value {
        let word = match status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            503 | 529 => "UNAVAILABLE",
            _ => "INTERNAL",
        };
        json!({"error": {"code": status, "message": message, "status": word}})
    }

    fn streams(&self, request: &Request) -> bool {
        request.head.contains(":streamGenerateContent")
    }

    fn asked(&self, body: &Value) -> Asked {
        let mut asked = Asked::default();
        let system = list(&body["systemInstruction"]["parts"]).map(|part| text(&part["text"]));
        asked.system = system.collect::<Vec<_>>().join("\n");
        for content in list(&body["contents"]) {
            let who = if content["role"] == "model" { Who::Model } else { Who::User };
            for part in list(&content["parts"]) {
                asked.add(who, piece(part));
                for media in list(&part["functionResponse"]["parts"]) {
                    asked.add(who, piece(media));
                }
            }
        }
        for entry in list(&body["tools"]) {
            for tool in list(&entry["functionDeclarations"]) {
                asked.tools.push((text(&tool["name"]), tool["parametersJsonSchema"].clone()));
            }
        }
        let calling = &body["toolConfig"]["functionCallingConfig"];
        asked.choice =
            calling["mode"].as_str().map(|mode| match &calling["allowedFunctionNames"] {
                Value::Array(names) => text(&names[0]),
                _ if mode == "ANY" => "required".to_owned(),
                _ => mode.to_lowercase(),
            });
        let config = &body["generationConfig"];
        asked.json = config["responseMimeType"] == "application/json";
        asked.schema = config.get("responseJsonSchema").cloned();
        asked
    }
}

fn piece(part: &Value) -> Piece {
    if part["thought"] == true {
        let signature = some_text(&part["thoughtSignature"]);
        return Piece::Thought { text: text(&part["text"]), signature };
    }
    let (call, answer) = (&part["functionCall"], &part["functionResponse"]);
    match part {
        _ if call.is_object() => Piece::Call {
            id: some_text(&call["id"]),
            name: text(&call["name"]),
            args: call["args"].clone(),
        },
        _ if answer.is_object() => {
            let response = &answer["response"];
            Piece::Answer {
                id: some_text(&answer["id"]),
                name: some_text(&answer["name"]),
                output: response.get("output").unwrap_or(response).clone(),
            }
        }
        _ if part["text"].is_string() => Piece::Text(text(&part["text"])),
        _ if part["inlineData"].is_object() => {
            Piece::Media(text(&part["inlineData"]["mimeType"]), text(&part["inlineData"]["data"]))
        }
        _ if part["fileData"].is_object() => {
            Piece::Media(text(&part["fileData"]["mimeType"]), text(&part["fileData"]["fileUri"]))
        }
        other => Piece::Own(other.clone()),
    }
}
