//! Events of a response, with a limit on their length.

use futures_util::stream::unfold;
use reqwest::Response;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::bounded::error_response;
use super::request_scope::EventStream;
use genkit_http_client::internal::sse::{SseError as ParseError, SseEvent, SseParser};

/// A response that is read event by event.
struct EventReader {
    response: Response,
    parser: SseParser,
    request: Option<RequestId>,
    /// Whether an error has ended the stream.
    has_failed: bool,
}

/// Returns the events of a response. An event that is too long is replaced with an error for the request, and ends the
/// stream.
pub(super) fn read_events(
    response: Response,
    limit: usize,
    request: Option<RequestId>,
) -> EventStream {
    let parser = SseParser::resumable(limit);
    let reader = EventReader { response, parser, request, has_failed: false };
    Box::pin(unfold(reader, |mut reader| async {
        let event = reader.next_event().await?;
        Some((event, reader))
    }))
}

/// Returns whether an event can contain an MCP message. Servers and proxies also send other events, such as `ping` and
/// `endpoint`.
fn is_message(event: &Sse) -> bool {
    event.event.as_deref().is_none_or(|name| name.is_empty() || name == "message")
}

impl EventReader {
    async fn next_event(&mut self) -> Option<Result<Sse, SseError>> {
        while !self.has_failed {
            match self.parse_event() {
                Some(Ok(event)) if !is_message(&event) => continue,
                Some(event) => return Some(event),
                None => {}
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) => self.parser.push(&bytes),
                Ok(None) => return None,
                Err(error) => {
                    self.has_failed = true;
                    return Some(Err(SseError::Body(Box::new(error))));
                }
            }
        }
        None
    }

    /// Converts the next received event to rmcp's type.
    fn parse_event(&mut self) -> Option<Result<Sse, SseError>> {
        let mut sse = Sse::default();
        match self.parser.next()? {
            Ok(SseEvent::Message { event, data }) => {
                sse.event = event.map(str::to_owned);
                sse.data = Some(data.into_owned());
            }
            Ok(SseEvent::Bare(_)) => return None,
            Err(error) => {
                self.has_failed = true;
                return Some(self.replace_event(error));
            }
        }
        let resume = self.parser.take_resume();
        (sse.id, sse.retry) = (resume.id, resume.retry);
        Some(Ok(sse))
    }

    /// Returns an error response to the request, which replaces an event above the limit.
    fn replace_event(&self, error: ParseError) -> Result<Sse, SseError> {
        let ParseError::TooLong { limit } = error else {
            return Err(SseError::Body(Box::new(error)));
        };
        let text = format!(
            "an event is longer than {limit} bytes; raise `.max_message(..)` or request less data"
        );
        match &self.request {
            Some(id) => Ok(Sse::default().data(error_response(id, &text).to_string())),
            None => Err(SseError::Body(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_named_message_are_messages() {
        for (name, expected) in [
            ("", true),
            ("message", true),
            ("keepalive", false),
            ("ping", false),
            ("Message", false),
        ] {
            assert_eq!(is_message(&Sse::default().event(name)), expected, "{name}");
        }
        assert!(is_message(&Sse::default().data("{}")));
    }
}
