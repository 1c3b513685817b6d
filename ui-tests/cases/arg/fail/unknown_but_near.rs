use genkit::tool;

/// Does something.
#[tool]
async fn act(#[arg(defualt = 1)] days: u8) -> u8 {
    days
}

fn main() {}
