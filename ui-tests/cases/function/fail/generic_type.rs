use genkit::tool;

/// Tells how long a list is.
#[tool]
async fn length<T>(list: Vec<T>) -> usize {
    list.len()
}

fn main() {}
