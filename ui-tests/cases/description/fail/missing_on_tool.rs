use genkit::tool;

#[tool]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
