//! Prompt programs that users requested: prompts with tools, prompts of an MCP server used through a host, and those in
//! MCP's own guide.

use genkit::mcp::McpHost;
use genkit::mcp::host::ServerConfig;
use genkit::mcp::rmcp::RawClient as _;
use genkit::message::ToolRequest;
use genkit::model::{FinishReason, ModelResponse};
use genkit::testing::{Client, ScriptedModel};
use genkit::{
    Context, Genkit, Message, Part, Prompt, Registry, Role, actions, prompt, prompts, resource,
    tool, tools,
};
use serde_json::{Value, json};

prompts!(mod asks = "behaviour/prompts/seeds");

/// Forecasts the weather of today.
#[tool]
async fn forecast_for(
    /// The town.
    place: String,
) -> String {
    format!("rain in {place} until noon")
}

/// What a share costs.
#[tool]
async fn share_price(symbol: String) -> f64 {
    if symbol == "ACME" { 12.5 } else { 100.0 }
}

/// Multiplies.
#[tool]
async fn worth(a: f64, b: f64) -> f64 {
    a * b
}

fn call(name: &str, input: Value) -> ModelResponse {
    ModelResponse::from_tool_requests([ToolRequest::new(name, input)])
}

fn texts(messages: &[Message]) -> Vec<(Role, String)> {
    messages.iter().map(|message| (message.role, message.text())).collect()
}

fn genkit(model: &ScriptedModel) -> Genkit {
    let registry = Registry::new()
        .add(asks::all())
        .add(prompts![explain_code, analyze_project])
        .add(tools![forecast_for, share_price, worth]);
    Genkit::builder().registry(registry).default_model(model.clone()).build().unwrap()
}

#[tokio::test]
async fn prompt_made_at_run_time_has_tools() {
    let model = ScriptedModel::new([
        call("forecast_for", json!({"place": "Oslo"})),
        ModelResponse::from_text("Take one."),
    ]);
    let umbrella = Prompt::builder("umbrella", "Says whether to take an umbrella.")
        .argument("place", "A town.")
        .tools(tools![forecast_for])
        .template("An umbrella for {{place}}?")
        .unwrap();
    let answer = genkit::prompt(umbrella).input(json!({"place": "Oslo"})).model(model.clone());
    assert_eq!(answer.await.unwrap().text(), "Take one.");
    assert_eq!(model.requests()[0].messages[0].text(), "An umbrella for Oslo?");
    assert_eq!(model.tool_outputs("forecast_for"), ["rain in Oslo until noon"]);
}

#[tokio::test]
async fn prompt_file_has_tools_and_streams() {
    let model = ScriptedModel::new([
        call("forecast_for", json!({"place": "Bergen"})),
        ModelResponse::from_text("Yes, until noon."),
    ]);
    let mut stream = asks::forecast(asks::Forecast::new("Bergen")).model(model.clone()).stream();
    let mut chunks = 0;
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
        chunks += 1;
    }
    assert!(chunks >= 2, "{chunks}"); // the tool's result, and the text
    assert_eq!(stream.response().await.unwrap().text(), "Yes, until noon.");
    assert_eq!(model.tool_outputs("forecast_for"), ["rain in Bergen until noon"]);
}

#[tokio::test]
async fn max_turns_of_the_file_limits_tool_rounds() {
    let holding = |symbol: &str, shares| asks::PortfolioHoldingsItem::new(symbol, shares);
    let input = asks::Portfolio::new(vec![holding("ACME", 100), holding("OTHER", 2)]);
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests(
            ["ACME", "OTHER"]
                .map(|symbol| ToolRequest::new("share_price", json!({"symbol": symbol}))),
        ),
        call("worth", json!({"a": 12.5, "b": 100})),
        call("worth", json!({"a": 100.0, "b": 2})),
        ModelResponse::from_text("1450"),
    ]);
    let answer = asks::portfolio(input.clone()).model(model.clone()).await.unwrap();
    assert_eq!(answer.text(), "1450");
    assert!(model.requests()[0].messages[0].text().contains("\n- 100 of ACME\n- 2 of OTHER\n"));
    assert_eq!(model.tool_outputs("share_price"), [12.5, 100.0]);
    assert_eq!(model.tool_outputs("worth"), [1250.0, 200.0]);

    let again = || call("share_price", json!({"symbol": "ACME"}));
    let model = ScriptedModel::new((0..9).map(|_| again()));
    let answer = asks::portfolio(input).model(model.clone()).await.unwrap();
    assert_eq!(answer.finish_reason, Some(FinishReason::Aborted));
    assert_eq!(model.requests().len(), 5); // four rounds, and the response that requests a fifth
}

#[tokio::test]
async fn program_may_run_the_tools_of_a_prompt() {
    let model = ScriptedModel::new([
        call("forecast_for", json!({"place": "Rome"})),
        ModelResponse::from_text("No."),
    ]);
    let ask = || asks::forecast(asks::Forecast::new("Rome")).model(model.clone());
    let first = ask().return_tool_requests(true).await.unwrap();
    let [request] = &first.tool_requests()[..] else { panic!("one request") };
    let answer = Part::from(request.respond("dry all day"));
    let done = genkit::generate(answer).messages(first.messages()).model(model.clone());
    assert_eq!(done.await.unwrap().text(), "No.");
    assert_eq!(model.tool_outputs("forecast_for"), ["dry all day"]);
}

#[tokio::test]
async fn host_uses_the_prompts_of_a_server() {
    let server = genkit(&ScriptedModel::text("unused"));
    let server = ServerConfig::in_process(move || server.serve_mcp());
    let host = McpHost::builder().server("songs", server).build().unwrap();

    let reply = host.get_prompt("songs/sing-along", json!({})).await.unwrap();
    assert_eq!(reply.messages()[0].text(), "When the sun comes out, stamp your feet!");
    let reply = host.get_prompt("songs/sing-along", json!({"action": "wave"})).await.unwrap();
    assert_eq!(reply.messages()[0].text(), "When the sun comes out, wave!");

    // As a prompt that runs, with a model and the server's own tools.
    let model = ScriptedModel::new([
        call("songs/forecast_for", json!({"place": "Rome"})),
        ModelResponse::from_text("La la la."),
    ]);
    let listed = host.prompts().await.unwrap();
    let song = listed.iter().find(|prompt| prompt.name() == "songs/sing-along").unwrap();
    let answer = genkit::prompt(song)
        .input(json!({"action": "whistle"}))
        .model(model.clone())
        .tools(host.tools())
        .await
        .unwrap();
    assert_eq!(answer.text(), "La la la.");
    assert_eq!(model.requests()[0].messages[0].text(), "When the sun comes out, whistle!");
    assert_eq!(model.tool_outputs("songs/forecast_for"), ["rain in Rome until noon"]);
    host.close().await;
}

/// Explains a piece of code.
#[prompt(config = { "temperature": 0.1 })]
async fn explain_code(
    /// The code.
    code: String,
    /// What it is written in.
    language: Option<String>,
) -> String {
    let language = language.as_deref().unwrap_or("some language");
    format!("What does this {language} do, and why?\n\n{code}")
}

/// The log of a period.
#[resource("log://{period}")]
async fn log_of(period: String) -> String {
    format!("{period}: disk full")
}

/// Looks for the cause of trouble in a log and a source file.
#[prompt(tools = [forecast_for])]
async fn analyze_project(
    ctx: &Context,
    /// How far back to look.
    #[arg(complete = ["1h", "1d", "1w"])]
    timeframe: String,
    /// The file to look at.
    file_uri: String,
) -> genkit::Result<Vec<Message>> {
    ctx.info(format!("reading {file_uri}")).await;
    Ok(vec![
        Message::user("What goes wrong here?"),
        Message::user(Part::resource_link(format!("log://{timeframe}"))),
        Message::user(Part::resource_text(file_uri, "text/x-rust", "fn main() { write() }")),
    ])
}

#[tokio::test]
async fn clients_list_and_get_the_prompts_of_the_guide() {
    let client = Client::connect(genkit(&ScriptedModel::text("")).serve_mcp()).await.unwrap();
    let listed = client.prompts().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|prompt| prompt.name()).collect();
    let all = ["analyze_project", "debug-error", "explain_code", "forecast", "git-commit"];
    assert_eq!(names[..5], all);
    let commit = &listed[4];
    assert_eq!(commit.description(), Some("Writes a commit message."));
    let argument = &commit.arguments()[0];
    assert_eq!((argument.name.as_str(), argument.required), ("changes", true));
    assert!(argument.description.as_deref().unwrap().starts_with("a diff or a list"));
    let required: Vec<bool> = listed[2].arguments().iter().map(|it| it.required).collect();
    assert_eq!(required, [true, false]);

    // MCP has no system role, so its text comes first.
    let reply = client.get_prompt("git-commit", json!({"changes": "- a\n+ b"})).await.unwrap();
    let said = texts(reply.messages());
    assert!(said.iter().any(|(_, text)| text.contains("one line in the imperative")), "{said:?}");
    assert_eq!(said.last().unwrap().1, "Write one for this:\n\n- a\n+ b");

    let given = json!({"error": "no such file", "tried": "[\"restart\", \"wait\"]"});
    let reply = client.get_prompt("debug-error", given).await.unwrap();
    let roles: Vec<Role> = reply.messages().iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Model, Role::User]);
    let last = reply.messages()[2].text();
    assert_eq!(last, "I tried to restart. I tried to wait. What next?");

    let given = json!({"timeframe": "1h", "file_uri": "file:///main.rs"});
    let raw = serde_json::to_value(client.raw_prompt("analyze_project", given).await.unwrap());
    let raw = raw.unwrap();
    assert_eq!(raw["messages"][1]["content"]["uri"], "log://1h");
    assert_eq!(raw["messages"][2]["content"]["resource"]["mimeType"], "text/x-rust");
    assert_eq!(client.complete("analyze_project", "timeframe", "1").await.unwrap().len(), 3);
    let missing = client.get_prompt("git-commit", json!({})).await.unwrap_err().to_string();
    assert!(missing.contains("`changes`"), "{missing}");
}

#[tokio::test]
async fn seed_prompts_run_against_a_model() {
    let model = ScriptedModel::texts(["Say b instead of a", "It adds.", "Look at the path."]);
    let commit = asks::git_commit(asks::GitCommit::new("- a\n+ b")).model(model.clone());
    assert_eq!(commit.await.unwrap().text(), "Say b instead of a");
    let explain = genkit(&model).prompt("explain_code").input(json!({"code": "a + b"}));
    assert_eq!(explain.await.unwrap().text(), "It adds.");
    let debug =
        asks::DebugError { tried: Some(vec!["read it".into()]), ..asks::DebugError::new("x") };
    assert_eq!(
        asks::debug_error(debug).model(model.clone()).await.unwrap().text(),
        "Look at the path."
    );
    let asked = model.requests();
    assert_eq!(asked[0].messages[0].role, Role::System);
    assert_eq!(asked[1].messages[0].text(), "What does this some language do, and why?\n\na + b");
    assert_eq!(asked[1].config["temperature"], 0.1);
    assert_eq!(asked[2].messages.len(), 3);

    // Resources that a prompt refers to are read when it runs.
    let model = ScriptedModel::new([
        call("forecast_for", json!({"place": "here"})),
        ModelResponse::from_text("The disk is full."),
    ]);
    let all = actions![analyze_project, forecast_for, log_of];
    let own = Genkit::builder().registry(Registry::new().add(all)).build().unwrap();
    let input = json!({"timeframe": "1d", "file_uri": "file:///main.rs"});
    let answer = own.prompt("analyze_project").input(input).model(model.clone()).await.unwrap();
    assert_eq!(answer.text(), "The disk is full.");
    let asked = serde_json::to_string(&model.requests()[0].messages).unwrap();
    assert!(asked.contains("1d: disk full") && asked.contains("fn main()"), "{asked}");
}
