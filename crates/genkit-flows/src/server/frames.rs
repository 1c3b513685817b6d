//! Frames: the events of a stream as bytes. Genkit's clients split the body at `\n\n`, drop the six characters `data: `
//! and parse the rest as JSON. A frame is therefore a single `data:` line with no other field. Its JSON is ASCII, so
//! that a character is never split between two network packets.

use std::io::{self, Write};

use axum::body::Bytes;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use crate::server::store::StreamEvent;

/// The initial capacity of a frame, in bytes.
const USUAL: usize = 128;

/// Builds the frame of an event.
pub fn encode_frame(event: &StreamEvent) -> Bytes {
    let (head, value) = match event {
        StreamEvent::Chunk(chunk) => (&b"data: {\"message\":"[..], chunk),
        StreamEvent::Result(result) => (&b"data: {\"result\":"[..], result),
        StreamEvent::Error(error) => (&b"data: {\"error\":"[..], error),
    };
    let mut frame = Vec::with_capacity(USUAL);
    frame.extend_from_slice(head);
    write_ascii(&mut frame, value);
    frame.extend_from_slice(b"}\n\n");
    frame.into()
}

fn write_ascii(out: &mut Vec<u8>, value: &Value) {
    let written = value.serialize(&mut Serializer::with_formatter(out, Ascii));
    written.expect("writing a JSON value to a vector cannot fail");
}

/// A formatter for compact JSON that escapes non-ASCII characters.
struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        if text.is_ascii() {
            return out.write_all(text.as_bytes());
        }
        for character in text.chars() {
            if character.is_ascii() {
                out.write_all(&[character as u8])?;
                continue;
            }
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_frame_is_one_line_of_ascii() {
        for (event, text) in [
            (StreamEvent::Chunk(json!({"count": 0})), r#"data: {"message":{"count":0}}"#),
            (StreamEvent::Result(Value::Null), r#"data: {"result":null}"#),
            (StreamEvent::Error(json!({"status": "X"})), r#"data: {"error":{"status":"X"}}"#),
            (StreamEvent::Chunk(json!("é\n\r\u{2028}")), r#"data: {"message":"\u00e9\n\r\u2028"}"#),
            (
                StreamEvent::Chunk(json!({"日": "👍"})),
                r#"data: {"message":{"\u65e5":"\ud83d\udc4d"}}"#,
            ),
        ] {
            let frame = encode_frame(&event);
            assert_eq!(std::str::from_utf8(&frame).unwrap(), format!("{text}\n\n"));
            let read: Value = serde_json::from_slice(&frame[6..]).unwrap();
            let (StreamEvent::Chunk(value)
            | StreamEvent::Result(value)
            | StreamEvent::Error(value)) = event;
            assert_eq!(read.as_object().unwrap().values().next().unwrap(), &value);
        }
    }
}
