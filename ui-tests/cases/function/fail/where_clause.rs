use genkit::tool;

/// Says hello.
#[tool]
async fn hello() -> String
where
    String: Clone,
{
    "hello".to_owned()
}

fn main() {}
