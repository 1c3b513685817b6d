use genkit::prompt;

/// Does something.
#[prompt]
async fn act(#[arg(complete)] city: String) -> String {
    city
}

fn main() {}
