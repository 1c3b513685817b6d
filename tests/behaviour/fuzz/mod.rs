//! Properties for random schemas, URIs, names and patterns. `genkit_tests::fuzz` documents how to run them for longer.

mod addresses;
mod documents;
mod names;
mod schemas;

use genkit::testing::Client;
use genkit::{Genkit, Registry};

/// Runs the work of one property on a single-threaded runtime, so that slow work blocks it.
fn blocking<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

async fn connect(registry: Registry) -> Client {
    let genkit = Genkit::builder().registry(registry).build().expect("the registry is valid");
    Client::connect(genkit.serve_mcp()).await.expect("it is there")
}
