//! Safe handling of untrusted data: escapes text for users and logs, redacts secrets, seals text that clients return,
//! and gives each client a fair share of each limit.

#![allow(missing_docs, reason = "not part of the public API of genkit; it changes without notice")]

mod escapes;
pub mod fair_share;
pub mod form;
pub mod redact;
pub mod seal;
pub mod secret;
pub mod visible;
pub mod warnings;
