//! A run that survives a crash of the process: the guide page `long_work`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::durable::FolderStore;
use genkit::{Context, Error, Genkit, Result, tool, tools};

/// Books a table.
#[tool(needs_approval)]
async fn book_table(ctx: &Context, people: u32) -> Result<String> {
    // A repeated request has the same key, so that the restaurant can recognize it.
    let key = ctx.idempotency_key("book");
    let key = key.ok_or_else(|| Error::invalid_argument("this needs a durable run"))?;
    let request = async move { Ok::<_, Error>(format!("table for {people} ({key})")) };
    ctx.once("book", request).await
}

#[tokio::main]
async fn main() -> Result<()> {
    let genkit = Genkit::builder().durable(FolderStore::open("runs")?).build()?;
    let ask = genkit
        .generate("Book a table for two.")
        .model("gemini/gemini-2.5-flash")
        .tools(tools![book_table]); // stored by name; another process looks it up
    // The same id always refers to the same run, in any process.
    let run = genkit.durable_run("order-4711", ask).await?;
    if std::env::args().nth(1).as_deref() == Some("yes") {
        run.answer_with(|question| Some(question.approve())).await?;
    }
    let response = run.wait().await?;
    for question in response.interrupts() {
        let call = question.tool_request();
        println!("waiting for {} {}; run again with `yes`", call.name, call.input);
    }
    println!("{} {}", run.status().await?.as_str(), response.text());
    Ok(())
}
