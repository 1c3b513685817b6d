use genkit::tool;

struct User;

/// Does something.
#[tool]
async fn act(#[arg(extension)] user: User) -> String {
    let _ = user;
    String::new()
}

fn main() {}
