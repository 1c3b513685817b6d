//! Raw tool calls of a model, and tool call ids, which connect calls and their responses.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::Serializer;
use serde_json::{Map, Value};

use crate::wire::schema::strict_schema;
use crate::wire::servers::ToolIds;
use genkit_core::ModelRequest;
use genkit_core::internal::names::Names;
use genkit_core::{ToolRequest, ToolResponse};
use genkit_schema::internal::bounded_json::parse_bounded;
use genkit_schema::internal::drop_optional_nulls;

/// The maximum length of an id in OpenAI's chat completions.
const MAX_ID: usize = 40;

/// The maximum length of an id in the Responses API.
const MAX_RESPONSES_ID: usize = 64;

/// Assigns each call and its response the same id, even if the history contains no ids.
#[derive(Default)]
pub(crate) struct ToolCallIds<'a> {
    /// The name and id of each call without a reference that has no response so far.
    open: VecDeque<(&'a str, String)>,
    invented: usize,
}

impl<'a> ToolCallIds<'a> {
    pub(crate) fn take_call_id(&mut self, call: &'a ToolRequest, ids: ToolIds) -> Cow<'a, str> {
        if let Some(reference) = given_id(call.id.as_deref()) {
            return fit_id(reference, ids);
        }
        let id = self.invent_id();
        self.open.push_back((&call.name, id.clone()));
        Cow::Owned(fit_id(&id, ids).into_owned())
    }

    pub(crate) fn of_answer(&mut self, answer: &'a ToolResponse, ids: ToolIds) -> Cow<'a, str> {
        if let Some(reference) = given_id(answer.id.as_deref()) {
            return fit_id(reference, ids);
        }
        // Responses without a reference are in the order of the calls.
        let at = self.open.iter().position(|(name, _)| *name == answer.name);
        let id = match at.and_then(|at| self.open.remove(at)) {
            Some((_, id)) => id,
            None => self.invent_id(),
        };
        Cow::Owned(fit_id(&id, ids).into_owned())
    }

    /// Returns whether an id was generated. Generated ids are numbered from the first message on.
    pub(crate) fn has_generated(&self) -> bool {
        self.invented > 0
    }

    fn invent_id(&mut self) -> String {
        self.invented += 1;
        format!("call_without_ref_{}", self.invented)
    }
}

fn given_id(reference: Option<&str>) -> Option<&str> {
    reference.filter(|reference| !reference.is_empty())
}

/// Returns the id if the server accepts it. Otherwise returns an id that is derived from it deterministically.
fn fit_id(id: &str, ids: ToolIds) -> Cow<'_, str> {
    let fits = match ids {
        ToolIds::Any => true,
        ToolIds::Forty => id.len() <= MAX_ID,
        ToolIds::SixtyFour => id.len() <= MAX_RESPONSES_ID,
        ToolIds::NineAlphanumeric => id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()),
    };
    if fits { Cow::Borrowed(id) } else { Cow::Owned(nine_characters(id)) }
}

/// Returns nine letters and digits derived from `id`.
fn nine_characters(id: &str) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    // FNV-1a, which is the same in every process.
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut text = String::with_capacity(9);
    for _ in 0..9 {
        let digit = usize::try_from(hash % 62).unwrap_or_default();
        text.push(char::from(DIGITS[digit]));
        hash /= 62;
    }
    text
}

/// A tool call as the server sent it.
pub(crate) struct RawToolCall {
    pub(crate) id: Option<String>,
    /// The name of the tool as it was sent to the server.
    pub(crate) name: String,
    /// JSON text, which may be incomplete.
    pub(crate) arguments: String,
}

impl RawToolCall {
    /// Converts the call to a request with the original name of the tool. The arguments are parsed as JSON if
    /// possible.
    pub(crate) fn into_request(
        self,
        request: &ModelRequest,
        names: &Names<'_>,
        strict_tools: bool,
    ) -> ToolRequest {
        let name = names.own_name(&self.name);
        let tool = request.tools.iter().find(|tool| tool.name == name);
        let mut input = read_arguments(self.arguments);
        if let Some(schema) = tool.and_then(|tool| tool.shared_input()) {
            // In strict mode, the model writes null for an omitted property.
            let is_strict = strict_schema(schema, name, strict_tools).is_some();
            drop_optional_nulls(&mut input, schema, is_strict);
        }
        let mut call = ToolRequest::new(name, input);
        call.id = self.id.filter(|id| !id.is_empty());
        call
    }
}

/// Parses arguments. Incomplete arguments stay text, so that only the call fails and not the whole
/// response.
fn read_arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match parse_bounded(text.as_bytes()) {
        Ok(Value::Null) => Value::Object(Map::new()),
        // PHP encodes an empty map as a list.
        Ok(Value::Array(list)) if list.is_empty() => Value::Object(Map::new()),
        // Some servers encode the arguments twice.
        Ok(Value::String(inner)) if inner.trim().is_empty() => Value::Object(Map::new()),
        Ok(Value::String(inner)) => match parse_bounded(inner.as_bytes()) {
            Ok(object @ Value::Object(_)) => object,
            Ok(Value::Null) => Value::Object(Map::new()),
            _ => Value::String(inner),
        },
        Ok(value) => value,
        Err(_) => Value::String(text),
    }
}

/// Serializes arguments as JSON text.
pub(crate) fn arguments_text<S: Serializer>(
    input: &&Value,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match input {
        input @ Value::Object(_) => serializer.collect_str(input),
        // Templates of local servers require an object, even if the model's own arguments were
        // incomplete.
        _ => serializer.serialize_str("{}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn accepted_call_ids_are_unchanged() {
        assert_eq!(fit_id("call_1", ToolIds::Forty), "call_1");
        assert_eq!(fit_id("aB3456789", ToolIds::NineAlphanumeric), "aB3456789");
        let long = "x".repeat(41);
        assert_eq!(fit_id(&long, ToolIds::Any), long);
        assert_eq!(fit_id(&long, ToolIds::Forty).len(), 9);
        let made = fit_id("call_1", ToolIds::NineAlphanumeric).into_owned();
        assert_eq!(made, fit_id("call_1", ToolIds::NineAlphanumeric));
        assert_eq!(fit_id(&made, ToolIds::NineAlphanumeric), made);
    }

    #[test]
    fn calls_without_a_reference_find_their_answers() {
        let calls = ["a", "b", "a"].map(|name| ToolRequest::new(name, Value::Null));
        let answers = ["b", "a", "a", "c"].map(|name| ToolResponse::new(name, 1));
        let mut ids = ToolCallIds::default();
        let call_ids =
            calls.each_ref().map(|call| ids.take_call_id(call, ToolIds::Any).into_owned());
        let response_ids =
            answers.each_ref().map(|answer| ids.of_answer(answer, ToolIds::Any).into_owned());
        assert_eq!(
            response_ids[..3],
            [call_ids[1].clone(), call_ids[0].clone(), call_ids[2].clone()]
        );
        assert!(!call_ids.contains(&response_ids[3]));
    }
}
