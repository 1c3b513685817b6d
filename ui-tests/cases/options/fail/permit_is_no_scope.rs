use genkit::tool;

/// Says hello.
#[tool(permit = "notes:read  notes:write")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
