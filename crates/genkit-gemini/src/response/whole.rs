//! Complete responses.

use std::borrow::Cow;

use super::stream::GeminiStream;
use crate::NAME;
use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::internal::http::Error as HttpError;
use genkit_schema::internal::bounded_json::parse_response;

/// Decodes a complete response.
pub(crate) fn decode_response(request: &ModelRequest, body: &[u8]) -> Result<ModelResponse> {
    let text = str::from_utf8(body).map_err(|error| match error.error_len() {
        None => E::CutOff,
        Some(_) => E::NotUtf8,
    })?;
    let mut all = GeminiStream::new(request);
    all.read_each(text, |all, answer| all.add(answer, Cow::Borrowed, None))?;
    all.build_response()
}

/// Decodes the count in a response to `countTokens`.
pub(crate) fn decode_count(body: &[u8]) -> Result<u64> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct CountTokensResponse {
        total_tokens: u64,
    }
    let counted: CountTokensResponse =
        parse_response(body).map_err(|error| HttpError::from_json(NAME, &error))?;
    Ok(counted.total_tokens)
}
