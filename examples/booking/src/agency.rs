//! A mock booking service that supports idempotency keys and stores its bookings in a file.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use genkit::{Error, ErrorContext as _, Result};
use serde::{Deserialize, Serialize};

/// The booking service of another company.
#[derive(Clone)]
pub(crate) struct Agency {
    file: Arc<Mutex<PathBuf>>,
    /// The delay before and after each booking.
    takes: Duration,
}

/// A booking: one line of the file.
#[derive(Serialize, Deserialize)]
struct Booking {
    key: String,
    what: String,
}

impl Agency {
    pub(crate) fn open(file: PathBuf, takes: Duration) -> Self {
        Self { file: Arc::new(Mutex::new(file)), takes }
    }

    /// Books and returns the number of the booking. For a known key it returns the number of the existing booking.
    pub(crate) async fn book(&self, key: String, what: String) -> Result<String> {
        tokio::time::sleep(self.takes).await;
        let number = self.write(key, what)?;
        tokio::time::sleep(self.takes).await;
        Ok(number)
    }

    fn write(&self, key: String, what: String) -> Result<String> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let wrong = || format!("cannot read or write the bookings in {}", file.display());
        let known = match std::fs::read_to_string(&*file) {
            Ok(known) => known,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::from(error)).context(wrong()),
        };
        let booked: Result<Vec<Booking>, _> = known.lines().map(serde_json::from_str).collect();
        let booked = booked.context(wrong())?;
        let number = |at: usize| format!("LX-{}", 1001 + at);
        if let Some(at) = booked.iter().position(|booking| booking.key == key) {
            return Ok(number(at));
        }
        let line = serde_json::to_string(&Booking { key, what })? + "\n";
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(&*file);
        opened.and_then(|mut file| file.write_all(line.as_bytes())).context(wrong())?;
        Ok(number(booked.len()))
    }
}
