use genkit::prompt;

/// Does something.
#[prompt]
async fn act(#[arg(complete = "Oslo")] city: String) -> String {
    city
}

fn main() {}
