//! A run that survives the process: the page `long_work` of the guide.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a person")]

use genkit::durable::FolderStore;
use genkit::{Context, Genkit, Result, tool};

/// Books a table.
#[tool(needs_approval)]
async fn book_table(ctx: &Context, people: u32) -> Result<String> {
    // Not again after a crash; the key is the same each time, for services that know it.
    let key = ctx.idempotency_key("book").unwrap_or_default();
    ctx.once("book", async move { Ok::<_, std::io::Error>(format!("table for {people} ({key})")) })
        .await
}

#[tokio::main]
async fn main() -> Result<()> {
    let genkit = Genkit::builder().durable(FolderStore::open("runs")?).build()?;
    let ask = genkit
        .generate("Book a table for two.")
        .model("gemini/gemini-2.5-flash")
        .tools(["book_table"]); // by name, so that another process finds it
    // The same id is the same run, in whatever process this line runs.
    let run = genkit.durable_run("order-4711", ask).await?;
    if std::env::args().nth(1).as_deref() == Some("yes") {
        run.answer_with(|question| Some(question.approve())).await?;
    }
    let response = run.wait().await?;
    for question in response.interrupts() {
        let call = question.tool_request();
        println!("It waits for {} {}: start it again with `yes`.", call.name, call.input);
    }
    println!("{} {}", run.status().await?.as_str(), response.text());
    Ok(())
}
