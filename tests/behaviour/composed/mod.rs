//! Composition: tools under other names, with fixed arguments, registries in registries, agents as tools.

mod agents;
mod mounted;
mod transformed;

use genkit::testing::{Client, ClientBuilder};

/// Returns a client builder for each era.
fn eras() -> [fn() -> ClientBuilder; 2] {
    [Client::builder, || Client::builder().modern(true)]
}
