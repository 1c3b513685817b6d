use genkit::Tool;

struct Hello;

fn main() {
    let _ = Tool::of::<Hello>();
}
