//! Parsing of the response of `generateContent`, borrowing from its JSON text.

use super::json_cursor::{JsonCursor, Read};
use super::{Candidate, GenerateContentResponse, ResponsePart};
use crate::NAME;
use genkit_model::internal::http::Error as HttpError;

/// The error for JSON that is not a response.
const EXPECTED: &str = "not a response of `generateContent`";

/// Parses one response, or each element of the list that a stream without `alt=sse` sends. `last`
/// returns the JSON text that a field had in the previous response, if it had one.
pub(crate) fn replies<'a, 'l>(
    json: &'a str,
    last: impl Fn(&str) -> Option<&'l str>,
) -> Result<Vec<GenerateContentResponse<'a>>, HttpError> {
    let mut cursor = JsonCursor::new(json);
    let mut all = Vec::new();
    let read = cursor.list(|cursor| {
        let mut one = GenerateContentResponse::default();
        reply(cursor, &last, &mut one)?;
        all.push(one);
        Ok(())
    });
    let read = read.and_then(|()| cursor.end());
    read.map(|()| all).map_err(|why| HttpError::json(NAME, &why.explain(json, EXPECTED)))
}

/// Parses a single response into `one`.
pub(crate) fn single<'a, 'l>(
    json: &'a str,
    last: impl Fn(&str) -> Option<&'l str>,
    one: &mut GenerateContentResponse<'a>,
) -> Result<(), HttpError> {
    let mut cursor = JsonCursor::new(json);
    let read = reply(&mut cursor, &last, one).and_then(|()| cursor.end());
    read.map_err(|why| HttpError::json(NAME, &why.explain(json, EXPECTED)))
}

fn reply<'a, 'l>(
    cursor: &mut JsonCursor<'a>,
    last: &impl Fn(&str) -> Option<&'l str>,
    this: &mut GenerateContentResponse<'a>,
) -> Read<()> {
    cursor.object(|cursor, key| {
        match key {
            "candidates" => cursor.list(|cursor| candidate(cursor, this.candidates.another()))?,
            "usageMetadata" => this.usage_metadata = cursor.raw_like(last(key))?,
            "modelVersion" => this.model_version = cursor.raw_like(last(key))?,
            "responseId" => this.response_id = cursor.raw_like(last(key))?,
            "createTime" => this.create_time = cursor.raw_like(last(key))?,
            "promptFeedback" => this.prompt_feedback = cursor.raw()?,
            "error" => this.error = cursor.value()?,
            _ => this.rest.insert(key, cursor.value()?.unwrap_or_default()),
        }
        Ok(())
    })
}

fn candidate<'a>(cursor: &mut JsonCursor<'a>, this: &mut Candidate<'a>) -> Read<()> {
    cursor.object(|cursor, key| {
        match key {
            "content" => cursor.object(|cursor, key| match key {
                "parts" => cursor.list(|cursor| part(cursor, this.parts.another())),
                _ => cursor.raw().map(drop),
            })?,
            "index" => this.index = cursor.raw()?,
            "finishReason" => this.finish_reason = cursor.text()?,
            "finishMessage" => this.finish_message = cursor.text()?,
            "safetyRatings" => this.safety_ratings = cursor.raw()?,
            "groundingMetadata" => this.grounding_metadata = cursor.raw()?,
            _ => this.rest.insert(key, cursor.value()?.unwrap_or_default()),
        }
        Ok(())
    })
}

fn part<'a>(cursor: &mut JsonCursor<'a>, this: &mut ResponsePart<'a>) -> Read<()> {
    cursor.object(|cursor, key| {
        match key {
            "text" => this.text = cursor.text()?,
            "thought" => this.thought = cursor.flag()?,
            "thoughtSignature" => this.thought_signature = cursor.text_or_value()?.map(Box::new),
            "functionCall" => this.function_call = cursor.value()?,
            "inlineData" => this.inline_data = cursor.value()?,
            "fileData" => this.file_data = cursor.value()?,
            _ => this.rest.insert(key, cursor.value()?.unwrap_or_default()),
        }
        Ok(())
    })
}
