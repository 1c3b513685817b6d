use genkit::tool;

struct Name<'a>(&'a str);

/// Does something.
#[tool]
async fn act(name: &Name<'_>) -> String {
    name.0.to_owned()
}

fn main() {}
