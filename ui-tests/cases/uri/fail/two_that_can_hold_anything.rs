use genkit::resource;

/// A note.
#[resource("note:///{+folder,id}")]
async fn note(folder: String, id: u64) -> String {
    format!("{folder}{id}")
}

fn main() {}
