/// Greets somebody of a department.
#[prompt(version = "2", metadata = { "owner": "people" })]
async fn greet(
    #[arg(complete = departments)] department: String,
    #[arg(complete = ["formal", "warm"], default = "warm")] tone: String,
) -> String {
    format!("Greet {department}, {tone}.")
}
