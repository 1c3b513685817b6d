//! Nearly valid input: what is sent is a valid message that was changed a little, or a lot. No
//! request is answered twice or as another, nothing hangs, and honest requests are served after it.
//!
//! `GENKIT_FUZZ_SECONDS=60 cargo test -p genkit-tests --test protocol fuzz::` goes on for a minute
//! with each; seeds that found something stand in `SEEDS` of their file.

mod hosted;
mod http;
mod lines;
mod messages;
mod mutate;
mod states;
mod stored;

use tokio::runtime::Runtime;

/// What drives the sockets of a property.
fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}
