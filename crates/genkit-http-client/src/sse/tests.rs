//! Tests that the events do not depend on how the body is split.

use std::borrow::Cow;

use proptest::{collection::vec, prelude::*};

use super::{SseError, SseEvent, SseParser, SseResume};

/// An owned event, so that the events of two parsers can be compared.
#[derive(Debug, PartialEq)]
enum Seen {
    Message(String, String),
    Bare(String),
    Error(SseError),
}

fn data(text: &str) -> Seen {
    Seen::Message(String::new(), text.to_owned())
}

fn named(name: &str, text: &str) -> Seen {
    Seen::Message(name.to_owned(), text.to_owned())
}

fn bare(text: &str) -> Seen {
    Seen::Bare(text.to_owned())
}

fn take(parser: &mut SseParser, seen: &mut Vec<Seen>) {
    while let Some(event) = parser.next() {
        seen.push(match event {
            Ok(SseEvent::Message { event, data }) => named(event.unwrap_or_default(), &data),
            Ok(SseEvent::Bare(text)) => bare(text),
            Err(error) => Seen::Error(error),
        });
    }
}

fn read<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut parser = SseParser::with_limit(limit);
    let mut seen = Vec::new();
    for piece in pieces {
        parser.push(piece);
        take(&mut parser, &mut seen);
    }
    parser.finish();
    take(&mut parser, &mut seen);
    seen
}

fn whole(body: &[u8]) -> Vec<Seen> {
    read(usize::MAX, [body])
}

const OPENAI: &str = "\
    : OPENROUTER PROCESSING\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"Grüße\u{2028}\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: [DONE]\n\n";
const ANTHROPIC: &str = "\
    event: message_start\ndata: {\"type\":\"message_start\"}\n\n\
    event: ping\ndata: {\"type\": \"ping\"}\n\n\
    event: message_stop\ndata: {\"type\":\"message_stop\"}\n";
const GEMINI: &str = "\u{feff}data: {\"a\": \"é😀\"}\r\n\r\ndata: {\"b\": 2}\r\n\r\n\
    {\r\n  \"error\": {\r\n    \"code\": 503,\r\n    \"message\": \"say \\\"} \\\\\"\r\n  }\r\n}\r\n\
    data: {\"c\": 3}";
const CARRIAGE_RETURNS: &str =
    "event:add\rid: 7\rdata:1\rdata\rdata:  3\r\rretry: 5\r:\r\rdata: 4\r";
const FIXTURES: [&str; 4] = [OPENAI, ANTHROPIC, GEMINI, CARRIAGE_RETURNS];

#[test]
fn examples_of_the_standard_are_parsed() {
    let stocks = "data: YHOO\ndata: +2\ndata: 10\n\n";
    assert_eq!(whole(stocks.as_bytes()), [data("YHOO\n+2\n10")]);
    let four = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
    let texts = ["first event", "second event", " third event"];
    assert_eq!(whole(four.as_bytes()), texts.map(data));
    // The standard drops the last of these. It is kept, because a proxy may have removed the blank
    // line.
    let empty = "data\n\ndata\ndata\n\ndata:";
    assert_eq!(whole(empty.as_bytes()), ["", "\n", ""].map(data));
    assert_eq!(whole(b"data:test\n\ndata: test\n\n"), ["test", "test"].map(data));
}

#[test]
fn providers() {
    let openai = [
        "{\"choices\":[{\"delta\":{\"content\":\"Grüße\u{2028}\"}}]}",
        "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}",
        "[DONE]",
    ];
    assert_eq!(whole(OPENAI.as_bytes()), openai.map(data));
    let anthropic = [
        ("message_start", "{\"type\":\"message_start\"}"),
        ("ping", "{\"type\": \"ping\"}"),
        ("message_stop", "{\"type\":\"message_stop\"}"),
    ];
    assert_eq!(whole(ANTHROPIC.as_bytes()), anthropic.map(|(name, text)| named(name, text)));
    let error = "{\r\n  \"error\": {\r\n    \"code\": 503,\r\n    \"message\": \"say \\\"} \\\\\"\r\n  }\r\n}";
    let gemini = [data("{\"a\": \"é😀\"}"), data("{\"b\": 2}"), bare(error), data("{\"c\": 3}")];
    assert_eq!(whole(GEMINI.as_bytes()), gemini);
    assert_eq!(whole(CARRIAGE_RETURNS.as_bytes()), [named("add", "1\n\n 3"), data("4")]);
}

#[test]
fn unknown_fields_are_ignored() {
    assert_eq!(whole(b"database: 1\n data: 2\nDATA: 3\nevents: x\n\n"), []);
    assert_eq!(whole(b"<html>\n<p>502</p>\n"), []);
    assert_eq!(whole(b""), []);
    assert_eq!(whole(b"\n\r\n\r\r\n"), []);
    // An event with only a name is dropped, and its name does not apply to the next event.
    assert_eq!(whole(b"event: a\n\ndata: 1\n\n"), [data("1")]);
    // Only one byte order mark is skipped, and only at the start.
    assert_eq!(whole(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: 1\n\ndata: 2\n\n"), [data("2")]);
    assert_eq!(whole(b"\xEF\xBB"), []);
}

#[test]
fn json_outside_of_events() {
    let unary = "{\n\"a\": [\n\n1]\n}";
    assert_eq!(whole(unary.as_bytes()), [bare(unary)]);
    let array = "[{\"a\": 1}\n,\r\n{\"a\": \"data: ]\"}]\n";
    assert_eq!(whole(array.as_bytes()), [bare(array.trim_end())]);
    assert_eq!(
        whole(b"{\"a\":1}\n{\"a\":2} [3]\n"),
        [bare("{\"a\":1}"), bare("{\"a\":2}"), bare("[3]")]
    );
    // JSON without a field name before, after and inside an event.
    assert_eq!(whole(b"  {\"a\":1}\ndata: x\n\n"), [bare("{\"a\":1}"), data("x")]);
    assert_eq!(whole(b"event: e\ndata: x\n{\"a\":1}\n"), [named("e", "x"), bare("{\"a\":1}")]);
    // Unclosed JSON ends at the next field or at the end of the body.
    assert_eq!(whole(b"[oops\ndata: x\n\n{\"a\""), [bare("[oops"), data("x"), bare("{\"a\"")]);
    assert_eq!(whole(b"[DONE]\n]\n"), [bare("[DONE]")]);
}

#[test]
fn every_split_gives_the_same_events() {
    for body in FIXTURES {
        let expected = whole(body.as_bytes());
        for at in 0..=body.len() {
            let (left, right) = body.as_bytes().split_at(at);
            assert_eq!(read(usize::MAX, [left, right]), expected, "split at {at} of {body:?}");
        }
        assert_eq!(read(usize::MAX, body.as_bytes().chunks(1)), expected, "{body:?}");
    }
}

#[test]
fn text_that_is_not_utf8_is_an_error_of_its_event_alone() {
    let body = b"data: 1\n\nevent: e\ndata: \xFF\n\nevent: \xFF\ndata: 2\n\ndata: a\ndata: \xC3\n\ndata: 3\n\n{\xFF}\n";
    let error = |field, at| Seen::Error(SseError::NotUtf8 { field, at });
    let expected = [
        data("1"),
        error("data", 9),
        error("name", 27),
        error("data", 45),
        data("3"),
        error("text", 71),
    ];
    assert_eq!(whole(body), expected);
    assert_eq!(read(usize::MAX, body.chunks(1)), expected, "offsets span all pieces");
}

#[test]
fn one_event_has_a_limit() {
    // Each body with its length from the first line to the end of the last.
    for (body, length) in [
        ("data: 12\n\n", 8),
        ("data: 12", 8),
        ("data: 12\r\n\r\n", 8),
        ("event: a\ndata: 1\n\n", 16),
        ("data: 1\r\ndata: 2\r\n\r\n", 16),
        (": a comment that is long\n\ndata: 1\n\n", 24),
        ("{\n  \"a\": 1}\n", 11),
    ] {
        for size in [1, 3, body.len()] {
            let pieces = || body.as_bytes().chunks(size);
            assert_eq!(read(length, pieces()), whole(body.as_bytes()), "{body:?}");
            let seen = read(length - 1, pieces());
            assert_eq!(seen, [Seen::Error(SseError::TooLong { limit: length - 1 })], "{body:?}");
        }
    }
    // The limit does not apply to several events together, nor to comments between them.
    let many = "data: 12\n\n: ping\n\n".repeat(100);
    assert_eq!(read(8, [many.as_bytes()]).len(), 100);
    assert_eq!(read(8, many.as_bytes().chunks(7)).len(), 100);
}

#[test]
fn buffer_is_reused_by_later_events() {
    let mut parser = SseParser::default();
    let event = format!("data: {}\n\n", "x".repeat(1000));
    for _ in 0..1000 {
        parser.push(event.as_bytes());
        assert!(matches!(parser.next(), Some(Ok(SseEvent::Message { .. }))));
        assert_eq!(parser.next(), None);
    }
    assert!(parser.buffer.capacity() < 4 * event.len(), "{}", parser.buffer.capacity());
}

fn is_borrowed(event: Option<Result<SseEvent<'_>, SseError>>) -> bool {
    matches!(event, Some(Ok(SseEvent::Message { data: Cow::Borrowed(_), .. })))
}

#[test]
fn single_data_line_is_borrowed() {
    let mut parser = SseParser::default();
    parser.push(b"data: 1\n\ndata: 2\ndata: 3\n\n");
    assert!(is_borrowed(parser.next()));
    assert!(!is_borrowed(parser.next()), "joined lines are not");
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let text = "(data|event|id|)(:|: |)[a-z{}\\[\\]\",é ]{0,9}".prop_map(String::into_bytes);
    let any = vec(any::<u8>(), 0..9);
    prop_oneof![6 => text, 1 => any]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let end = prop_oneof!["\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r", ""];
    vec((line(), end), 0..12).prop_map(|lines| {
        lines.into_iter().flat_map(|(line, end)| [line, end.into_bytes()].concat()).collect()
    })
}

proptest! {
    #[test]
    fn events_do_not_depend_on_chunking(
        body in body(),
        sizes in vec(1_usize..9, 1..40),
        limit in prop_oneof![Just(usize::MAX), 0_usize..40],
    ) {
        let mut rest = &body[..];
        let mut pieces = Vec::new();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        prop_assert_eq!(read(limit, pieces), read(limit, [&body[..]]));
    }
}

fn lines<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut parser = SseParser { limit, ..SseParser::ndjson() };
    let mut seen = Vec::new();
    for piece in pieces {
        parser.push(piece);
        take(&mut parser, &mut seen);
    }
    parser.finish();
    take(&mut parser, &mut seen);
    seen
}

#[test]
fn json_lines_are_lines_wherever_they_are_cut() {
    let body = "\u{FEFF}{\"a\":\n\r\n  \n{\"ü\u{2028}\": \"data: x\"}\r\ndata: y\n{\"last\":1}";
    let expected = [
        bare("{\"a\":"),
        bare("{\"ü\u{2028}\": \"data: x\"}"),
        bare("data: y"),
        bare("{\"last\":1}"),
    ];
    for size in [1, 2, 3, 7, 1000] {
        assert_eq!(lines(usize::MAX, body.as_bytes().chunks(size)), expected, "{size}");
    }
    assert_eq!(
        lines(usize::MAX, [&b"\xff\n{}\n"[..]]),
        [Seen::Error(SseError::NotUtf8 { field: "text", at: 0 }), bare("{}"),]
    );
}

#[test]
fn json_line_that_does_not_end_is_given_up() {
    let endless = lines(8, std::iter::repeat_n(&b"[[[["[..], 100));
    assert_eq!(endless, [Seen::Error(SseError::TooLong { limit: 8 })]);
    assert_eq!(lines(8, [&b"12345678\n1"[..]]), [bare("12345678"), bare("1")]);
}

/// Reads a resumable body in pieces of `size` bytes: the id, the retry delay, the name and the data of each event.
fn resumable(limit: usize, body: &[u8], size: usize) -> Vec<(SseResume, Seen)> {
    let mut parser = SseParser::resumable(limit);
    let mut events = Vec::new();
    for piece in body.chunks(size) {
        parser.push(piece);
        loop {
            let mut seen = Vec::new();
            match parser.next() {
                None => break,
                Some(Ok(SseEvent::Message { event, data })) => {
                    seen.push(named(event.unwrap_or_default(), &data));
                }
                Some(Ok(SseEvent::Bare(text))) => seen.push(bare(text)),
                Some(Err(error)) => seen.push(Seen::Error(error)),
            }
            let resume = parser.take_resume();
            events.extend(seen.into_iter().map(|event| (resume.clone(), event)));
        }
    }
    parser.finish();
    assert!(parser.next().is_none());
    events
}

#[test]
fn resumable_parser_returns_ids_and_retry_delays() {
    let body = b"id: 7\nretry: 50\n\n\n: ping\n\nid: 8\nevent: message\ndata: {}\n\n\
        retry: soon\nid: a\0b\ndata: x\n\n{\"a\": 1}\n\nid\ndata: y\n\ndata: cut off\n";
    let resume = |id: Option<&str>, retry| SseResume { id: id.map(str::to_owned), retry };
    let expected = vec![
        (resume(Some("7"), Some(50)), data("")),
        (resume(Some("8"), None), named("message", "{}")),
        (resume(None, None), data("x")),
        (resume(Some(""), None), data("y")),
    ];
    for size in [1, 3, 1000] {
        assert_eq!(resumable(1000, body, size), expected, "{size}");
    }
}

#[test]
fn resumable_parser_gives_up_on_an_event_above_the_limit() {
    let too_long = |body: &str, limit: usize| {
        resumable(limit, body.as_bytes(), 3).last().unwrap().1
            == Seen::Error(SseError::TooLong { limit })
    };
    assert!(!too_long(&"data: ab\n\n".repeat(100), 8));
    assert!(!too_long(&"data: ab\r\n\r\n".repeat(100), 8));
    assert!(too_long("data: abc\n\n", 8));
    assert!(too_long(&"data: a\n".repeat(3), 20));
    assert!(!too_long(&format!("{}data: a\n\n", ": ping\n".repeat(100)), 8));
    assert!(too_long(&format!("data: a\n{}data: b\n", ": ping\n"), 15));
    assert!(too_long(&"x".repeat(100), 99));
}

#[test]
fn stream_of_blank_lines_and_comments_ends_with_an_error() {
    for line in ["\n", ": ping\n\n", "unknown: field\n", "retry: 1\n"] {
        let mut parser = SseParser::default();
        let piece = line.repeat(64 * 1024 / line.len());
        let mut pushed = 0;
        let error = loop {
            parser.push(piece.as_bytes());
            pushed += piece.len();
            match parser.next() {
                None => assert!(pushed < 4 * 1024 * 1024, "{line:?}"),
                Some(Err(error)) => break error,
                Some(Ok(event)) => panic!("{event:?}"),
            }
        };
        assert!(matches!(error, SseError::Idle { .. }), "{error}");
        assert!(parser.next().is_none());
    }
    let mut parser = SseParser::default();
    for _ in 0..300 {
        parser.push(": ping\n".repeat(1000).as_bytes());
        parser.push(b"data: {}\n\n");
        assert!(matches!(parser.next(), Some(Ok(_))), "events reset the count");
    }
}
