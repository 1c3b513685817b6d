use genkit::tools;

async fn hello() -> String {
    "hello".to_owned()
}

fn main() {
    let _ = tools![hello];
    drop(hello());
}
