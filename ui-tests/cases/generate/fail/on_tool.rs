fn main() {
    let _ = genkit::middleware::on_tool(|_, _| async { "done" });
}
