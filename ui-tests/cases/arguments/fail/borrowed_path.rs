use genkit::tool;

/// Does something.
#[tool]
async fn act(path: &std::path::Path) -> String {
    path.display().to_string()
}

fn main() {}
