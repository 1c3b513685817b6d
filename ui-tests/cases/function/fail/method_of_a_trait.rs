use genkit::flow;

trait Adder {
    /// Adds.
    #[flow]
    async fn add(a: i64, b: i64) -> i64;
}

fn main() {}
