//! An agent that asks for approval before it pays: the guide page `human_in_the_loop`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::{GenerateResponse, Result, tool, tools};
use std::{fs, io};

const WAITING: &str = "waiting.json";

/// Pays an invoice.
#[tool(needs_approval)]
async fn pay_invoice(
    /// The recipient.
    to: String,
    /// The amount in euros.
    amount: f64,
) -> String {
    format!("paid {amount} euros to {to}")
}

#[tokio::main]
async fn main() -> Result<()> {
    let model = "gemini/gemini-2.5-flash";
    let mut response: GenerateResponse = match fs::read_to_string(WAITING) {
        // An earlier process ended at the question.
        Ok(stored) => serde_json::from_str(&stored)?,
        Err(_) => {
            let ask = genkit::generate("Pay Ada the 50 euros that we owe her.");
            ask.model(model).tools(tools![pay_invoice]).await?
        }
    };
    while response.is_interrupted() {
        let stored = serde_json::to_string(&response)?; // the response is plain data
        fs::write(WAITING, stored)?;
        let mut answers = Vec::new();
        for question in response.interrupts() {
            let call = question.tool_request();
            println!("{} {}: ok? [y/n]", call.name, call.input);
            let mut line = String::new();
            io::stdin().read_line(&mut line)?;
            answers.push(match line.trim() {
                "y" => question.approve(),
                _ => question.decline_with("the user said no"),
            });
        }
        let resumed = genkit::resume_with_answers(response, answers);
        response = resumed.model(model).tools(tools![pay_invoice]).await?;
        fs::remove_file(WAITING)?;
    }
    println!("{}", response.text());
    Ok(())
}
