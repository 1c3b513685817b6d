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
        Self::from_halves(random(), random())
    }

    pub(super) fn from_halves(high: u64, low: u64) -> Self {
        Self(u128::from(high) << 64 | u128::from(low))
    }

    pub(super) fn halves(self) -> [u64; 2] {
        [(self.0 >> 64) as u64, self.0 as u64]
    }
}

impl SpanId {
    pub fn random() -> Self {
        Self(random())
    }

    pub(super) fn new(value: u64) -> Self {
        Self(value)
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

/// Returns a random number that is not zero, because zero is not a valid id. It is unique enough for spans, but not
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
