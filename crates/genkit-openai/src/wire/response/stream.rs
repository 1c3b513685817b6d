//! Stream events, whose end markers and errors are the same in both APIs.

use super::error;
use genkit_core::Result;
use genkit_http_client::internal::sse::SseEvent;

/// The end marker. Some servers send it in the Responses API too.
const DONE: &str = "[DONE]";

/// The data of an event.
pub(crate) enum EventData<'a> {
    Nothing,
    Done,
    Json(&'a str),
}

/// Returns the data of an event.
///
/// # Errors
/// Returns the error if the event is named `error`, or is a list, which is how Gemini's server
/// sends errors.
pub(crate) fn event_data<'a>(provider: &str, event: &'a SseEvent<'_>) -> Result<EventData<'a>> {
    let data = event.data().trim();
    let is_named = matches!(event, SseEvent::Message { event: Some("error"), .. });
    match data {
        DONE => Ok(EventData::Done),
        "" => Ok(EventData::Nothing),
        data if is_named || data.starts_with('[') => {
            let error = error::decode_event_error(provider, is_named, data)?;
            Err(error::error_in_response(provider, &error))
        }
        data => Ok(EventData::Json(data)),
    }
}
