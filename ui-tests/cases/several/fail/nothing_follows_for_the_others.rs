// mistakes: 3
use genkit::{flow, flows, prompt, prompts, resource, resources};

#[prompt]
async fn a() -> String {
    String::new()
}

#[resource("b://b")]
async fn b() -> String {
    String::new()
}

#[flow]
async fn c() -> String {
    String::new()
}

fn main() {
    let _ = (prompts![a], resources![b], flows![c]);
}
