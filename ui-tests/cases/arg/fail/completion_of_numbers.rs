use genkit::prompt;

async fn cities(_: genkit::action::CompleteRequest) -> Vec<u8> {
    vec![]
}

/// Does something.
#[prompt]
async fn act(#[arg(complete = cities)] city: String) -> String {
    city
}

fn main() {}
