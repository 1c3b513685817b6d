use genkit::prompt;

#[prompt]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
