//! Events of a response, with a limit on their length.

use std::future::ready;

use futures_util::stream::{StreamExt as _, unfold};
use reqwest::Response;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::{Sse, SseStream};

use super::bounded::error_of;
use super::request_scope::EventStream;

/// Why a stream ends before the server ends it.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error(transparent)]
    Http(reqwest::Error),
    #[error("an event is longer than {0} bytes; raise `.max_message(..)` or request less data")]
    TooLong(usize),
}

/// Returns the events of a response. An event that is too long is replaced by an error for the request, and ends the
/// stream.
pub(super) fn events(response: Response, limit: usize, request: Option<RequestId>) -> EventStream {
    let bytes = unfold(Some((response, EventLength::default())), move |state| async move {
        let (mut response, mut length) = state?;
        match response.chunk().await {
            Ok(Some(bytes)) if length.is_within(&bytes, limit) => {
                Some((Ok(bytes), Some((response, length))))
            }
            Ok(Some(_)) => Some((Err(Broken::TooLong(limit)), None)),
            Ok(None) => None,
            Err(error) => Some((Err(Broken::Http(error)), None)),
        }
    });
    let events = SseStream::from_bytes_stream(Box::pin(bytes));
    Box::pin(events.then(move |event| ready(answered(event, request.as_ref()))))
}

/// Replaces the error of an event that is too long by an error response to the request.
fn answered(event: Result<Sse, SseError>, request: Option<&RequestId>) -> Result<Sse, SseError> {
    let too_long = match &event {
        Err(SseError::Body(error)) => error.downcast_ref::<Broken>(),
        _ => None,
    };
    match (too_long, request) {
        (Some(error @ Broken::TooLong(_)), Some(id)) => {
            Ok(Sse::default().data(error_of(id, &error.to_string()).to_string()))
        }
        _ => event,
    }
}

/// The length of the event that is being read: its lines, without comments.
#[derive(Default)]
struct EventLength {
    lines: usize,
    line: usize,
    is_comment: bool,
    after_return: bool,
}

impl EventLength {
    /// Counts more bytes, and returns whether all events in them are within `limit`.
    fn is_within(&mut self, bytes: &[u8], limit: usize) -> bool {
        bytes.iter().all(|byte| {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => self.end_line(),
                byte => {
                    self.is_comment |= self.line == 0 && *byte == b':';
                    self.line += 1;
                }
            }
            self.after_return = *byte == b'\r';
            self.lines + self.line <= limit
        })
    }

    fn end_line(&mut self) {
        match (self.line, self.is_comment) {
            (0, _) => self.lines = 0,
            (_, true) => {}
            (line, false) => self.lines += line + 1,
        }
        (self.line, self.is_comment) = (0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_ends_with_an_empty_line_and_comments_are_none_of_it() {
        let is_within = |text: &str, limit: usize| {
            let mut length = EventLength::default();
            // In pieces that do not end at lines.
            text.as_bytes().chunks(3).all(|piece| length.is_within(piece, limit))
        };
        assert!(is_within(&"data: ab\n\n".repeat(100), 9));
        assert!(is_within(&"data: ab\r\n\r\n".repeat(100), 9));
        assert!(!is_within("data: abc\n\n", 9));
        assert!(!is_within(&"data: a\n".repeat(3), 20));
        assert!(is_within(&": ping\n".repeat(100), 9));
        assert!(!is_within(&format!("data: a\n{}data: b\n", ": ping\n"), 15));
        assert!(!is_within(&"x".repeat(100), 99));
    }
}
