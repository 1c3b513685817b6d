//! What holds for random schemas, addresses, names and patterns: `genkit_tests::fuzz` says how to run it for longer.

mod addresses;
mod names;
mod schemas;

use genkit::testing::Client;
use genkit::{Genkit, Registry};

/// A runtime for one property, of one thread: what is slow would hold it up.
fn blocking<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

async fn connect(registry: Registry) -> Client {
    let genkit = Genkit::builder().registry(registry).build().expect("the registry is sound");
    Client::connect(genkit.serve_mcp()).await.expect("it is there")
}
