//! The `text/event-stream` format.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;

/// The time that a client waits before it reconnects, in milliseconds. Default is 3 seconds.
const RETRY: u64 = 3_000;

/// The id of an event in a session: the number of its stream, and its index in the stream. The first index is 1. The
/// stream that does not belong to a request has the number 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct EventId {
    pub(in super::super) stream: u64,
    pub(in super::super) index: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stream, self.index)
    }
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (stream, index) = text.split_once('-').ok_or(())?;
        let number = |text: &str| match text.bytes().all(|digit| digit.is_ascii_digit()) {
            true => text.parse().map_err(|_| ()),
            false => Err(()),
        };
        Ok(Self { stream: number(stream)?, index: number(index)? })
    }
}

/// Formats a message as an event. The JSON of this server has no line breaks.
pub(super) fn format_event(id: Option<EventId>, message: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 48);
    if let Some(id) = id {
        out.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(message);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// Adds an id to an event without an id.
pub(super) fn with_id(id: EventId, event: &[u8]) -> Bytes {
    let mut out = format!("id: {id}\n").into_bytes();
    out.extend_from_slice(event);
    out.into()
}

/// Returns an event without a message, after which the stream can be resumed with its id.
pub(in super::super) fn priming_event(id: EventId) -> Bytes {
    format!("id: {id}\nretry: {RETRY}\ndata: \n\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_of_an_event_is_two_numbers() {
        let id = EventId { stream: 7, index: 12 };
        assert_eq!("7-12".parse(), Ok(id));
        assert_eq!(id.to_string(), "7-12");
        for strange in ["", "7", "7-", "-1", "7-+1", "7-1-2", "7/1", "99999999999999999999-1"] {
            assert_eq!(strange.parse::<EventId>(), Err(()), "{strange}");
        }
    }
}
