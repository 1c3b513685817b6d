use genkit::prompt;

fn cities(_: genkit::action::CompleteRequest) -> Vec<String> {
    vec![]
}

/// Does something.
#[prompt]
async fn act(#[arg(complete = cities)] city: String) -> String {
    city
}

fn main() {}
