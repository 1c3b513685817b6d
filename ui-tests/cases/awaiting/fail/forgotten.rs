#![deny(unused_must_use)]

async fn ask() {
    genkit::generate("hi");
}

fn main() {
    let _ = ask;
}
