//! Seals for data that clients store and send back.

use genkit_core::internal::seal::{MIN_KEY, Seal};

/// Creates a seal with a key, or with a random key of this process.
///
/// # Errors
/// Returns the length of a key that is too short, and the minimum length.
pub fn create_seal(key: Option<&[u8]>, domain: &[u8]) -> Result<Seal, (usize, usize)> {
    let random = [*uuid::Uuid::new_v4().as_bytes(), *uuid::Uuid::new_v4().as_bytes()].concat();
    let key = key.unwrap_or(&random);
    match key.len() < MIN_KEY {
        true => Err((key.len(), MIN_KEY)),
        false => Ok(Seal::new(key, domain)),
    }
}

/// Returns the associated data of a seal. The length of the first text comes first, so that different pairs
/// never have the same bytes.
pub fn associated_data(first: &str, second: &str) -> Vec<u8> {
    [&(first.len() as u64).to_be_bytes()[..], first.as_bytes(), second.as_bytes()].concat()
}
