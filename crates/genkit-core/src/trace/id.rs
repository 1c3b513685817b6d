//! The ids of traces and spans: random bits, formatted as hex digits.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};

/// The id of a trace: 32 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(u128);

/// The id of a span: 16 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId(u64);

impl TraceId {
    pub fn random() -> Self {
        Self(u128::from(random()) << 64 | u128::from(random()))
    }
}

impl SpanId {
    pub fn random() -> Self {
        Self(random())
    }
}

/// Returns a random number that is not zero, which is not a valid id. It is unique enough for spans, but not
/// cryptographically random.
fn random() -> u64 {
    RandomState::new().hash_one(0u8).max(1)
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
