use genkit::tool;

#[tool(description = include_str!("add.md"))]
async fn add(a: i64) -> i64 {
    a
}

fn main() {}
