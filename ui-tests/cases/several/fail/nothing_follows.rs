use genkit::{Tool, tool, tools};

#[tool]
async fn undescribed(city: String) -> String {
    city
}

/// Says hello.
#[tool]
async fn hello() -> String {
    // The broken function is still callable, and still a tool by its type.
    undescribed("Oslo".to_owned()).await
}

fn main() {
    let _ = tools![hello, undescribed];
    let _ = Tool::of::<undescribed>();
}
