//! The agency: another company's service, which knows idempotency keys. What it booked stands in a file.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use genkit::{Error, ErrorContext as _, Result};
use serde::{Deserialize, Serialize};

/// The agency, with its file.
#[derive(Clone)]
pub(crate) struct Agency {
    file: Arc<Mutex<PathBuf>>,
    /// How long it takes to book, before and after it has done so.
    takes: Duration,
}

/// What it booked: a line of its file.
#[derive(Serialize, Deserialize)]
struct Booking {
    key: String,
    what: String,
}

impl Agency {
    pub(crate) fn open(file: PathBuf, takes: Duration) -> Self {
        Self { file: Arc::new(Mutex::new(file)), takes }
    }

    /// Books, and gives the number. What comes with the key of a booking that there is gets that one's number.
    pub(crate) async fn book(&self, key: String, what: String) -> Result<String> {
        tokio::time::sleep(self.takes).await;
        let number = self.write(key, what)?;
        tokio::time::sleep(self.takes).await;
        Ok(number)
    }

    fn write(&self, key: String, what: String) -> Result<String> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let wrong = || format!("the agency cannot use {}", file.display());
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
