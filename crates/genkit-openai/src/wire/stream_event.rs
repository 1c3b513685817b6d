//! Events of a stream, of which both APIs send the same marks and the same errors.

use super::error_reply;
use genkit_core::Result;
use genkit_http_client::internal::sse::SseEvent;

/// The end mark; of the Responses API some servers send it.
const DONE: &str = "[DONE]";

/// What an event holds.
pub(crate) enum EventData<'a> {
    Nothing,
    Done,
    Json(&'a str),
}

/// What an event holds.
///
/// # Errors
/// It is named an error, or a list, as Gemini's server sends errors.
pub(crate) fn event_data<'a>(provider: &str, event: &'a SseEvent<'_>) -> Result<EventData<'a>> {
    let data = event.data().trim();
    let is_named = matches!(event, SseEvent::Message { event: Some("error"), .. });
    match data {
        DONE => Ok(EventData::Done),
        "" => Ok(EventData::Nothing),
        data if is_named || data.starts_with('[') => {
            let error = error_reply::in_event(provider, is_named, data)?;
            Err(error_reply::within(provider, &error))
        }
        data => Ok(EventData::Json(data)),
    }
}
