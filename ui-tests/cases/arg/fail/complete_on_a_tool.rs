use genkit::tool;

/// Does something.
#[tool]
async fn act(#[arg(complete = ["Oslo"])] city: String) -> String {
    city
}

fn main() {}
