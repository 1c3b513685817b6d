/// Greets a member of a department.
#[prompt(
    version = "2",
    metadata = { "owner": "people" },
    model = "gemini/gemini-2.5-flash",
    config = { "temperature": 0.2 },
    tools = [crate::birthday_of, "calendar/*"],
    tool_choice = crate::birthday_of,
    max_turns = 3,
    return_tool_requests,
    output = Greeting,
)]
async fn greet(
    #[arg(complete = departments)] department: String,
    #[arg(complete = ["formal", "warm"], default = "warm")] tone: String,
) -> String {
    format!("Greet {department}, {tone}.")
}
