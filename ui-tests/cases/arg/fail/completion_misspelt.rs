use genkit::prompt;

/// Does something.
#[prompt]
async fn act(#[arg(complete = citys)] city: String) -> String {
    city
}

fn main() {}
