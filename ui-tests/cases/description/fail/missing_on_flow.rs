use genkit::flow;

#[flow]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
