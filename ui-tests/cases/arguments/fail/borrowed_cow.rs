use genkit::tool;

use std::borrow::Cow;

/// Does something.
#[tool]
async fn act(text: Cow<'_, str>) -> String {
    text.into_owned()
}

fn main() {}
