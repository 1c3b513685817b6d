use genkit::{Result, tool};

/// Does something.
#[tool]
async fn act() -> Result<Wether> {
    todo!()
}

fn main() {}
