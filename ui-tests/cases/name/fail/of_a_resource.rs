use genkit::resource;

/// The project's report.
#[resource("doc://report", name = "one line\nand another")]
async fn report() -> String {
    "report".to_owned()
}

fn main() {}
