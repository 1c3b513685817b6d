//! W3C Trace Context: the trace of a request, as transmitted in MCP's `_meta` (SEP-414) and in HTTP headers.

use std::fmt;

use serde_json::{Map, Value};

/// The name of the entry with the trace and span ids.
pub const TRACEPARENT: &str = "traceparent";
/// The name of the entry with data of tracing systems.
pub const TRACESTATE: &str = "tracestate";
/// The name of the entry with data of applications.
pub const BAGGAGE: &str = "baggage";

/// The maximum length of `tracestate`, in bytes. Default is 512, the length that W3C requires all systems to support.
const MAX_TRACESTATE: usize = 512;
/// The maximum number of members in `tracestate`. Default is W3C's 32.
const MAX_MEMBERS: usize = 32;
/// The maximum length of `baggage`, in bytes. Default is W3C's 8,192.
const MAX_BAGGAGE: usize = 8192;
/// The maximum number of members in `baggage`. Default is 64, the number that W3C requires all systems to support.
const MAX_BAGGAGE_MEMBERS: usize = 64;
/// The flags of Trace Context Level 2: sampled, and random trace id.
const KNOWN_FLAGS: u8 = 0b11;
/// The length of a `traceparent` in version 00, in bytes.
const TRACEPARENT_BYTES: usize = 55;

/// A W3C trace context: the trace of a request, and the span that sent it.
///
/// ```
/// use genkit::telemetry::TraceContext;
///
/// let sent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// let context = TraceContext::parse(sent).expect("a valid `traceparent`").with_state("vendor=1");
/// assert_eq!(context.span_id(), 0x00f0_67aa_0ba9_02b7);
/// assert!(context.is_sampled());
/// assert_eq!((context.to_string().as_str(), context.state()), (sent, "vendor=1"));
/// assert!(TraceContext::parse("00-0-0-01").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace_id: u128,
    span_id: u64,
    flags: u8,
    state: Box<str>,
}

impl TraceContext {
    /// Creates the trace context of a span. Returns `None` if an id is zero, which is invalid.
    pub fn new(trace_id: u128, span_id: u64, is_sampled: bool) -> Option<Self> {
        let state = Box::default();
        let context = Self { trace_id, span_id, flags: u8::from(is_sampled), state };
        (trace_id != 0 && span_id != 0).then_some(context)
    }

    /// Parses a `traceparent`. For a future version, parses only the fields of the current version.
    pub fn parse(traceparent: &str) -> Option<Self> {
        let bytes = traceparent.as_bytes();
        let (known, rest) = bytes.split_at_checked(TRACEPARENT_BYTES)?;
        let [v1, v2, b'-', ids @ .., b'-', f1, f2] = known else { return None };
        let version = parse_hex(&[*v1, *v2])?;
        let is_whole = if version == 0 { rest.is_empty() } else { matches!(rest, [] | [b'-', ..]) };
        if version == 0xff || !is_whole {
            return None;
        }
        let (trace_id, span_id) = (ids.get(..32)?, ids.get(33..)?);
        if ids.get(32) != Some(&b'-') || span_id.len() != 16 {
            return None;
        }
        let span_id = u64::try_from(parse_hex(span_id)?).ok()?;
        let flags = u8::try_from(parse_hex(&[*f1, *f2])?).ok()? & KNOWN_FLAGS;
        Some(Self { flags, ..Self::new(parse_hex(trace_id)?, span_id, false)? })
    }

    /// Sets the `tracestate`. A value that W3C does not allow is ignored.
    #[must_use]
    pub fn with_state(mut self, tracestate: &str) -> Self {
        self.state = if is_state(tracestate) { tracestate.into() } else { Box::default() };
        self
    }

    /// Returns the trace id.
    pub fn trace_id(&self) -> u128 {
        self.trace_id
    }

    /// Returns the id of the span that sent the request.
    pub fn span_id(&self) -> u64 {
        self.span_id
    }

    /// Returns whether the sender records the trace (sampling).
    pub fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }

    /// Returns the `tracestate` (data of tracing systems), or an empty string if there is none.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Parses the trace context in MCP's `_meta`.
    #[doc(hidden)]
    pub fn of_meta(meta: &Map<String, Value>) -> Option<Self> {
        let context = Self::parse(meta.get(TRACEPARENT)?.as_str()?)?;
        Some(match meta.get(TRACESTATE).and_then(Value::as_str) {
            Some(state) => context.with_state(state),
            None => context,
        })
    }

    /// Parses the trace context in the headers of an HTTP request.
    #[doc(hidden)]
    pub fn from_headers(headers: &http::HeaderMap) -> Option<Self> {
        let context = Self::parse(headers.get(TRACEPARENT)?.to_str().ok()?)?;
        let states = headers.get_all(TRACESTATE).iter().filter_map(|it| it.to_str().ok());
        Some(context.with_state(&states.collect::<Vec<_>>().join(",")))
    }

    /// Writes the trace context into `_meta`, unless it already has one.
    #[doc(hidden)]
    pub fn write_to(&self, meta: &mut Map<String, Value>) {
        if meta.contains_key(TRACEPARENT) {
            return;
        }
        meta.insert(TRACEPARENT.to_owned(), self.to_string().into());
        if !self.state.is_empty() {
            meta.insert(TRACESTATE.to_owned(), (*self.state).into());
        }
    }
}

/// Formats the `traceparent`.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, self.flags)
    }
}

/// Returns whether the text is a valid `baggage` value that may be forwarded.
pub fn is_baggage(text: &str) -> bool {
    let is_plain = |b: u8| matches!(b, 0x20..=0x7e) && b != b'"' && b != b'\\';
    text.len() <= MAX_BAGGAGE
        && text.bytes().all(is_plain)
        && text.split(',').count() <= MAX_BAGGAGE_MEMBERS
        && text
            .split(',')
            .all(|member| member.split_once('=').is_some_and(|(key, _)| !key.is_empty()))
}

/// Parses hexadecimal digits in lower case, as W3C requires.
fn parse_hex(digits: &[u8]) -> Option<u128> {
    digits.iter().try_fold(0, |number: u128, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u128::from(digit))
    })
}

fn is_state(text: &str) -> bool {
    if text.len() > MAX_TRACESTATE {
        return false;
    }
    let mut keys: Vec<&str> = Vec::new();
    for member in text.split(',').map(|member| member.trim_matches([' ', '\t'])) {
        // W3C allows empty members.
        if member.is_empty() {
            continue;
        }
        let Some((key, value)) = member.split_once('=') else { return false };
        if keys.len() == MAX_MEMBERS || keys.contains(&key) || !is_key(key) || !is_value(value) {
            return false;
        }
        keys.push(key);
    }
    !keys.is_empty()
}

fn is_key(key: &str) -> bool {
    let is_first = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    key.len() <= 256
        && key.bytes().next().is_some_and(is_first)
        && key.bytes().all(|b| is_first(b) || b"_-*/@".contains(&b))
}

fn is_value(value: &str) -> bool {
    let is_plain = |b: u8| matches!(b, 0x20..=0x7e) && b != b',' && b != b'=';
    (1..=256).contains(&value.len()) && value.bytes().all(is_plain)
}
