//! Requests that each provider rejects: a request that violates none of these rules is accepted.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use serde_json::Value;

/// Returns the parts of a body that `provider` would reject. `own` are the signatures that it created itself.
pub fn refused(provider: &str, body: &Value, own: &[String]) -> Vec<String> {
    let mut refusals = Refusals { own, found: Vec::new() };
    match provider {
        "anthropic" => anthropic::check(body, &mut refusals),
        "gemini" => gemini::check(body, &mut refusals),
        "ollama" => ollama::check(body, &mut refusals),
        "openai" => chat::check(body, &mut refusals),
        "openai-responses" => responses::check(body, &mut refusals),
        other => panic!("no rules of {other}"),
    }
    refusals.found
}

/// The violations found so far.
struct Refusals<'a> {
    own: &'a [String],
    found: Vec<String>,
}

impl Refusals<'_> {
    /// Records `what` unless the condition holds.
    fn must(&mut self, holds: bool, at: &str, what: impl std::fmt::Display) {
        if !holds {
            self.found.push(format!("{at}: {what}"));
        }
    }

    /// Checks that the value has only these keys.
    fn keys(&mut self, value: &Value, known: &[&str], at: &str) {
        for key in value.as_object().into_iter().flat_map(|map| map.keys()) {
            self.must(known.contains(&key.as_str()), at, format_args!("`{key}` is not known"));
        }
    }

    /// Checks a signature that this provider created.
    fn signature(&mut self, signature: &Value, at: &str) {
        let is_own = signature.as_str().is_some_and(|it| self.own.iter().any(|own| own == it));
        self.must(is_own, at, format_args!("the signature {signature} is not its own"));
    }

    /// Checks a tool name that all providers accept.
    fn name(&mut self, name: &Value, at: &str) {
        self.must(is_word(text(name), 64), at, format_args!("{name} is no name of a tool"));
    }

    fn text(&mut self, value: &Value, at: &str) {
        self.must(value.is_string(), at, format_args!("{value} is no text"));
    }

    /// Checks Base64, which must not be empty or contain whitespace.
    fn base64(&mut self, value: &Value, at: &str) {
        let data = text(value);
        let is_sign = |c: char| c.is_ascii_alphanumeric() || "+/-_=".contains(c);
        let fits = !data.is_empty() && data.len().is_multiple_of(4) && data.chars().all(is_sign);
        self.must(fits, at, format_args!("{value} is no base64"));
    }

    /// Checks a URL, or a `data:` URL with content.
    fn url(&mut self, value: &Value, at: &str) {
        match text(value).strip_prefix("data:").map(|rest| rest.split_once(";base64,")) {
            Some(Some((kind, data))) => {
                self.must(kind.contains('/'), at, "a data URL without a type");
                self.base64(&data.into(), at);
            }
            Some(None) => self.must(false, at, "a data URL without base64"),
            None => self.must(
                text(value).starts_with("http"),
                at,
                format_args!("{value} is no address"),
            ),
        }
    }
}

/// Returns whether a text consists of 1 to `most` letters, digits, `_` and `-`.
fn is_word(text: &str, most: usize) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=most).contains(&text.len()) && text.chars().all(is_sign)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::refused;

    /// The rules detect violations: one rejected body of each kind.
    #[test]
    fn rules_detect_rejected_requests() {
        let call = json!({"functionCall": {"name": "f", "args": {}}});
        let user = json!({"role": "user", "parts": [{"text": "hi"}]});
        for (provider, body, says) in [
            ("gemini", json!({"contents": []}), "no contents"),
            (
                "gemini",
                json!({"contents": [user, {"role": "model", "parts": [call]}]}),
                "without a signature",
            ),
            (
                "gemini",
                json!({"contents": [user, {"role": "model", "parts": [{"text": "a", "thoughtSignature": "QUJD"}]}]}),
                "not its own",
            ),
            (
                "openai",
                json!({"messages": [{"role": "tool", "content": "", "tool_call_id": "x"}]}),
                "answers no call",
            ),
            (
                "openai",
                json!({"messages": [{"role": "assistant", "content": null, "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]}),
                "is not answered",
            ),
            (
                "openai-responses",
                json!({"input": [{"type": "reasoning", "id": "rs_1", "summary": []}]}),
                "followed",
            ),
            (
                "openai-responses",
                json!({"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]}),
                "is not answered",
            ),
            (
                "anthropic",
                json!({"messages": [{"role": "user", "content": " "}], "max_tokens": 1}),
                "empty",
            ),
            (
                "anthropic",
                json!({"max_tokens": 9, "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "a.b", "name": "f", "input": {}}]}]}),
                "a.b",
            ),
            (
                "ollama",
                json!({"messages": [{"role": "user", "content": "a", "images": ["data:x"]}]}),
                "base64",
            ),
        ] {
            let found = refused(provider, &body, &[]);
            assert!(
                found.iter().any(|one| one.contains(says)),
                "{provider}: {says:?} is not in {found:?}"
            );
        }
    }
}
