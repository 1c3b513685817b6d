use genkit::resource;

#[resource("hello://all")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
