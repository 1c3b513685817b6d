use genkit::tool;

struct Rain;

/// Does something.
#[tool]
async fn act() -> Result<String, Rain> {
    Err(Rain)
}

fn main() {}
