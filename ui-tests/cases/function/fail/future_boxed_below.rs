use std::future::Future;
use std::pin::Pin;

use genkit::tool;

/// Counts down.
#[tool]
fn count(n: u8) -> Pin<Box<dyn Future<Output = u8> + Send>> {
    Box::pin(async move { n })
}

fn main() {}
