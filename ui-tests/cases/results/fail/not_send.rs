use genkit::tool;

/// Does something.
#[tool]
async fn act() -> String {
    let shared = std::rc::Rc::new(1);
    std::future::ready(()).await;
    shared.to_string()
}

fn main() {}
