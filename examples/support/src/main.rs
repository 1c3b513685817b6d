//! A support agent with other agents, in a terminal: one is called as a tool, one takes over the conversation, and one
//! works in the background. The session is stored while a turn runs, so it continues after a restart or a crash.
//!
//! ```text
//! cargo run -p support -- billing refund order 7     asks for approval, and ends
//! cargo run -p support -- yes                        continues in a new process
//! cargo run -p support -- transfer_to_complaints     another agent answers from now on
//! cargo run -p support -- delegate_to_shipping track order 7     shipping works in the background
//! cargo run -p support -- --background billing refund order 8    the whole turn is in the background
//! cargo run -p support -- --web                      http://127.0.0.1:3400, with the page of the example `chat`
//! GEMINI_API_KEY=.. MODEL=gemini/gemini-2.5-flash cargo run -p support -- "Where is order 7?"
//! ```

#![allow(clippy::print_stdout, reason = "an interactive program")]

use std::time::Duration;

use axum::response::Html;
use axum::routing::get;
use genkit::durable::FolderStore;
use genkit::sessions::{Agent, AgentBuilder, AgentInput, AgentOutput};
use genkit::{Interrupt, Message, Result, tool, tools};
use offline::Offline;

const USAGE: &str = "usage: support [--background] MESSAGE | yes | no | --web";

/// The time limit for background work.
const PATIENCE: Duration = Duration::from_secs(300);

/// The duration of a lease. After a process is killed, the next process waits until its lease ends.
const LEASE: Duration = Duration::from_secs(5);

/// The duration of each call to a service of the shop.
const SERVICE: Duration = Duration::from_millis(500);

/// Refunds an order.
#[tool(needs_approval)]
async fn refund(order: u32) -> String {
    tokio::time::sleep(SERVICE).await;
    format!("Order {order} was refunded.")
}

/// Tracks the parcel of an order.
#[tool]
async fn track(order: u32) -> String {
    tokio::time::sleep(SERVICE).await;
    format!("Order {order} is on its way.")
}

fn with_model(agent: AgentBuilder) -> AgentBuilder {
    match std::env::var("MODEL") {
        Ok(name) => agent.model(name),
        Err(_) => agent.model(Offline),
    }
}

async fn support() -> Result<Agent> {
    let store = FolderStore::open("support-sessions")?;
    let billing = with_model(Agent::builder("billing"))
        .description("Handles payments and refunds.")
        .tools(tools![refund])
        .build()?;
    let shipping = with_model(Agent::builder("shipping"))
        .description("Knows where parcels are.")
        .tools(tools![track])
        .store(store.clone())
        .lease(LEASE)
        .build()?;
    // Continue the background work that an earlier process left unfinished.
    shipping.resume_turns().await?;
    let complaints = with_model(Agent::builder("complaints"))
        .description("Listens to complaints.")
        .instructions("You are patient.")
        .build()?;
    with_model(Agent::builder("support"))
        .instructions("You help customers. Give each task to the agent that can do it.")
        .tools([billing.into_tool()?])
        .hand_over_to([complaints])
        .background_agents([shipping])
        .store(store)
        .lease(LEASE)
        .build()
}

/// Serves the agent to the page of the example `chat`.
async fn serve_page(agent: Agent) -> Result<()> {
    let page = get(|| async { Html(include_str!("../../chat/src/page.html")) });
    let app = genkit::serve_agui(agent).router()?.route("/", page);
    let port = std::env::var("PORT").unwrap_or_else(|_| "3400".to_owned());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

fn print_questions(questions: &[Interrupt]) {
    for question in questions {
        println!("{} Answer with `yes` or `no`.", question.message().unwrap_or("Continue?"));
    }
}

fn print_output(output: &AgentOutput) {
    print_questions(&output.interrupts());
    if !output.is_interrupted() {
        println!("{}", output.text());
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let message = arguments.join(" ");
    if message.is_empty() || ["-h", "--help"].contains(&&*message) {
        println!("{USAGE}");
        return Ok(());
    }
    let agent = support().await?;
    if message == "--web" {
        return serve_page(agent).await;
    }
    let agent_name = agent.name();
    let session = agent.session("customer");
    if let Some(work) = message.strip_prefix("--background ") {
        let input = AgentInput::from_message(Message::user(work)).detached(true);
        let started = session.send_input(input).await?;
        let id = started.snapshot_id.unwrap_or_default();
        println!("working: {id}");
        let ended = agent.wait_for_snapshot(&id, PATIENCE).await?;
        println!("{}", ended.state.messages.last().map(Message::text).unwrap_or_default());
        return Ok(());
    }
    let questions = session.interrupts().await?;
    if questions.is_empty() {
        let turn = match &*message {
            // The process that received the answer has ended. Empty input continues its turn.
            "yes" | "no" => session.send_input(AgentInput::default()),
            _ => session.send(message),
        };
        print_output(&turn.await?);
        let agent = session.snapshot().await?.and_then(|snapshot| snapshot.state.agent);
        println!("(you are talking to {})", agent.as_deref().unwrap_or(agent_name));
        return Ok(());
    }
    if !matches!(&*message, "yes" | "no") {
        // Any other message leaves the questions open.
        print_questions(&questions);
        return Ok(());
    }
    let answers = questions.iter().map(|question| match &*message {
        "yes" => question.approve(),
        _ => question.decline(),
    });
    print_output(&session.resume(answers.collect::<Vec<_>>()).await?);
    Ok(())
}
