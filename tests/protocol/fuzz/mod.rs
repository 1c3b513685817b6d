//! Almost valid input: a valid message that was modified a little, or a lot. No request gets two responses or the
//! response of another, nothing hangs, and honest requests are served afterwards.
//!
//! `GENKIT_FUZZ_SECONDS=60 cargo test -p genkit-tests --test protocol fuzz::` runs each for a minute. Seeds that found
//! errors are in `SEEDS` of their file.

mod hosted;
mod http;
mod lines;
mod messages;
mod mutate;
mod states;
mod stored;

use tokio::runtime::Runtime;

/// Returns the runtime for the sockets of a property.
fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}
