//! Compares a response with the expected one: section 2 of the fixtures' README.

use serde_json::{Map, Value, json};

use super::compare_request::{equal, prune, short};

/// The kinds of parts, in the order in which they are compared.
const KINDS: [&str; 7] =
    ["text", "reasoning", "toolRequest", "media", "custom", "data", "toolResponse"];

/// Returns the differences from `expect`, or from the most similar entry of `accept`.
///
/// `actual` is a model's response, or `{"error": {"status", "message"}}`.
pub fn compare(case: &Value, actual: &Value) -> Vec<String> {
    let mut best = one(&case["expect"], actual);
    for other in case["accept"].as_array().into_iter().flatten() {
        let differences = one(other, actual);
        if differences.len() < best.len() {
            best = differences;
        }
    }
    best
}

struct Piece {
    kind: &'static str,
    value: Value,
    metadata: Map<String, Value>,
}

impl Piece {
    fn of(part: &Value) -> Option<Self> {
        let part = part.as_object()?;
        let metadata = part.get("metadata").and_then(Value::as_object).into_iter().flatten();
        let is_set = |value: &Value| !value.is_null() && *value != json!({}) && *value != json!([]);
        let metadata: Map<_, _> =
            metadata.filter(|(_, v)| is_set(v)).map(|(k, v)| (k.clone(), v.clone())).collect();
        let kind =
            KINDS.into_iter().find(|kind| part.get(*kind).is_some_and(|it| !it.is_null()))?;
        let mut value = part[kind].clone();
        if kind == "toolRequest" {
            let input = if value["input"].is_null() { json!({}) } else { value["input"].clone() };
            value = json!({"name": value["name"], "ref": value["ref"], "input": input});
        }
        Some(Self { kind, value, metadata })
    }

    fn is_words(&self) -> bool {
        matches!(self.kind, "text" | "reasoning")
    }

    fn is_extra(&self) -> bool {
        matches!(self.kind, "custom" | "data")
    }
}

/// Joins adjacent texts. A signature stays with the text before it.
fn glued(pieces: impl IntoIterator<Item = Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        let empty = piece.value == "";
        if piece.is_words() && empty && piece.metadata.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some(last)
                if piece.is_words()
                    && last.kind == piece.kind
                    && (empty || last.metadata.is_empty()) =>
            {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                last.value = (text(&last.value) + &text(&piece.value)).into();
                last.metadata.extend(piece.metadata);
            }
            _ => out.push(piece),
        }
    }
    out
}

fn pieces(response: &Value) -> Vec<Piece> {
    let content = response["message"]["content"].as_array().into_iter().flatten();
    glued(content.filter_map(Piece::of))
}

fn one(want: &Value, got: &Value) -> Vec<String> {
    match (want.get("error"), got.get("error")) {
        (Some(want), Some(got)) => return error(want, got),
        (Some(_), None) => return vec!["an error was expected".to_owned()],
        (None, Some(got)) => return vec![format!("error {got}")],
        (None, None) => {}
    }
    let mut found = Vec::new();
    let wanted = pieces(want);
    let known = |piece: &Piece| {
        let fits = |want: &Piece| {
            let mut found = Vec::new();
            has(&want.value, &piece.value, "", &mut found);
            want.kind == piece.kind && found.is_empty()
        };
        !piece.is_extra() || wanted.iter().any(fits)
    };
    let pieces_got = glued(pieces(got).into_iter().filter(known));
    let wanted = glued(wanted.iter().map(|piece| Piece {
        kind: piece.kind,
        value: piece.value.clone(),
        metadata: piece.metadata.clone(),
    }));
    content(&wanted, &pieces_got, &mut found);
    if want["finishReason"] != got["finishReason"] {
        found.push(format!("finishReason {} != {}", got["finishReason"], want["finishReason"]));
    }
    if let Some(message) = want["finishMessage"].as_str().filter(|text| !text.is_empty()) {
        let actual = got["finishMessage"].as_str().unwrap_or_default();
        if !actual.to_lowercase().contains(&message.to_lowercase()) {
            found.push(format!("finishMessage {actual:?}"));
        }
    }
    for (key, value) in want["usage"].as_object().into_iter().flatten() {
        let zero = json!(0);
        let actual = got["usage"].get(key).filter(|it| !it.is_null()).unwrap_or(&zero);
        if !equal(actual, value) {
            found.push(format!("usage.{key} {actual} != {value}"));
        }
    }
    found
}

fn content(want: &[Piece], got: &[Piece], found: &mut Vec<String>) {
    let kinds = |pieces: &[Piece]| pieces.iter().map(|piece| piece.kind).collect::<Vec<_>>();
    if kinds(want) != kinds(got) {
        return found.push(format!("content {:?} != {:?}", kinds(got), kinds(want)));
    }
    for (index, (want, got)) in want.iter().zip(got).enumerate() {
        let at = format!("content[{index}]");
        if want.kind == "toolRequest" {
            let mut keys = vec!["name", "input"];
            keys.extend((!want.value["ref"].is_null()).then_some("ref"));
            for key in keys {
                has(&want.value[key], &got.value[key], &format!("{at}.{key}"), found);
            }
        } else {
            has(&want.value, &got.value, &at, found);
        }
        for (key, value) in want.metadata.iter().filter(|(key, _)| *key != "citations") {
            // Another name is fine as well: a later request proves that it is returned.
            if !got.metadata.values().any(|own| own == value) {
                found.push(format!("{at}.metadata.{key}"));
            }
        }
    }
}

/// Checks that expected keys are present; other keys are allowed.
fn has(want: &Value, got: &Value, at: &str, found: &mut Vec<String>) {
    match want {
        Value::Object(map) if got.is_object() => {
            for (key, value) in map {
                has(value, &got[key], &format!("{at}.{key}"), found);
            }
        }
        _ if equal(&prune(want), &prune(got)) => {}
        _ => found.push(format!("{at}: {} != {}", short(got), short(want))),
    }
}

fn error(want: &Value, got: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let also = want["status_also"].as_array().into_iter().flatten();
    if !also.chain([&want["status"]]).any(|status| *status == got["status"]) {
        found.push(format!("status {} != {}", got["status"], want["status"]));
    }
    let squeezed = |value: &Value| {
        let words = value.as_str().unwrap_or_default().to_lowercase();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    if !squeezed(&got["message"]).contains(&squeezed(&want["message_contains"])) {
        found.push(format!("message {}", got["message"]));
    }
    if let Some(wait) = want["retry_after_ms"].as_u64() {
        let actual = got["retry_after_ms"].as_u64().unwrap_or_default();
        // Rounding up to a whole second is correct.
        if actual != wait && actual != wait.div_ceil(1000) * 1000 {
            found.push(format!("retry_after_ms {actual} != {wait}"));
        }
    }
    found
}

/// Checks that the text and the thoughts of all chunks are the same as those of a message.
pub fn compare_chunks(case: &Value, actual: &Value, chunks: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    for kind in ["text", "reasoning"] {
        let words = |parts: &mut dyn Iterator<Item = &Value>| -> String {
            parts.filter_map(|part| part[kind].as_str()).collect()
        };
        let lists = |lists: &[Value]| {
            let all: Vec<&Value> = lists.iter().filter_map(Value::as_array).flatten().collect();
            words(&mut all.into_iter())
        };
        let streamed = lists(chunks);
        let whole = match (actual.get("error"), case["expect_chunks"].as_array()) {
            (None, _) => words(&mut actual["message"]["content"].as_array().into_iter().flatten()),
            (Some(_), Some(expected)) => lists(expected),
            (Some(_), None) => continue,
        };
        if streamed != whole {
            found.push(format!("{kind} of the chunks {streamed:?} != {whole:?}"));
        }
    }
    for call in chunks.iter().filter_map(Value::as_array).flatten().map(|part| &part["toolRequest"])
    {
        let is_it = |part: &Value| {
            let own = &part["toolRequest"];
            own["name"] == call["name"]
                && own["ref"] == call["ref"]
                && own["input"] == call["input"]
        };
        let mut content = actual["message"]["content"].as_array().into_iter().flatten();
        if call.is_object()
            && call["partial"] != true
            && actual.get("error").is_none()
            && !content.any(is_it)
        {
            found.push(format!("a call of the chunks is not in the answer: {call}"));
        }
    }
    found
}
