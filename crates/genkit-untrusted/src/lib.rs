//! Data from outside, made safe: text escaped for users and logs, secrets redacted, text sealed that clients return,
//! and a fair share of each limit for each client.

#![allow(missing_docs, reason = "not part of the public API of genkit; it changes without notice")]

mod escapes;
pub mod fair_share;
pub mod form;
pub mod redact;
pub mod seal;
pub mod secret;
pub mod visible;
pub mod warnings;
