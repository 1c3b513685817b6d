//! The size of a value as JSON, computed without storing the text.

use std::io::{self, Write};

use serde::Serialize;

/// Returns the number of bytes of the JSON text.
pub fn json_size(value: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

/// Returns whether the JSON text is longer than `bytes`. Stops at that length.
pub fn is_larger(value: &impl Serialize, bytes: usize) -> bool {
    serde_json::to_writer(LimitedWriter(bytes), value).is_err()
}

/// A writer that accepts this number of bytes.
struct LimitedWriter(usize);

impl Write for LimitedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
