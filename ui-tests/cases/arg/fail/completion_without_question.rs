use genkit::prompt;

async fn cities() -> Vec<String> {
    vec![]
}

/// Does something.
#[prompt]
async fn act(#[arg(complete = cities)] city: String) -> String {
    city
}

fn main() {}
