//! The client of the MCP conformance suite, written with an MCP host.
//!
//! The suite runs `conformance_client <URL>` once per scenario. The environment contains the name of the scenario,
//! the protocol version and other values.

mod access;
mod arguments;
mod scenario;

use std::time::Duration;

use genkit::mcp::host::{ElicitRequest, McpClient, McpHost, ProtocolEra, Sampling, ServerConfig};
use genkit::serde_json::json;
use genkit::{Error, ErrorKind, Result};
use offline::Offline;
use scenario::Scenario;

/// The key of the suite's server in the host.
const SERVER: &str = "suite";

/// The time limit of a scenario; the suite waits for 30 seconds.
const PATIENCE: Duration = Duration::from_secs(25);

/// The number of rounds in the scenario where the authorization server changes.
const MIGRATION_ROUNDS: usize = 3;

#[tokio::main]
async fn main() -> Result<()> {
    let scenario = Scenario::from_environment()?;
    match tokio::time::timeout(PATIENCE, run(&scenario)).await {
        Ok(done) => done,
        Err(_) => Err(Error::new(ErrorKind::DeadlineExceeded, "the scenario took too long")),
    }
}

async fn run(scenario: &Scenario) -> Result<()> {
    let era = match scenario.version.as_str() {
        "2026-07-28" => ProtocolEra::Stateless,
        _ => ProtocolEra::Sessions,
    };
    let server = ServerConfig::http(&scenario.url).protocol(era).oauth(access::oauth(scenario)?);
    let host = McpHost::builder()
        .name("conformance-client")
        .version(env!("CARGO_PKG_VERSION"))
        .server(SERVER, server)
        .on_elicit(|asked: ElicitRequest| async move { asked.accept_defaults() })
        .sampling(Sampling::with(Offline).allow(|_| true))
        .roots(["file:///workspace"])
        .build()?;
    let client = host.client(SERVER)?;
    let done = match client.ready().await {
        Ok(()) => play(scenario, &client).await,
        Err(error) => Err(error),
    };
    host.close().await;
    done
}

async fn play(scenario: &Scenario, client: &McpClient) -> Result<()> {
    match scenario.name.as_str() {
        "http-custom-headers" => call_as_specified(scenario, client).await,
        "json-schema-2020-12-preservation" => echo_schema(client).await,
        "http-standard-headers" => {
            call_all(client).await?;
            read_all(client).await
        }
        "auth/authorization-server-migration" => {
            for _ in 0..MIGRATION_ROUNDS {
                call_all(client).await?;
            }
            Ok(())
        }
        // The scenario checks that no file is fetched in advance.
        "sep-2640-client-no-prefetch" => client.skills().await.map(|_| ()),
        name if name.starts_with("sep-2640-client-") => use_all(client).await,
        _ => call_all(client).await,
    }
}

/// Calls each tool with arguments that match its schema.
async fn call_all(client: &McpClient) -> Result<()> {
    for tool in client.tools().await? {
        let name = tool.name();
        let arguments = arguments::matching_arguments(tool.input_schema());
        // Some scenarios return errors on purpose; the suite checks the requests.
        if let Err(error) = client.call_tool(name, arguments).await {
            eprintln!("{name}: {}", error.chain());
        }
    }
    Ok(())
}

/// Makes the calls that the suite specifies.
async fn call_as_specified(scenario: &Scenario, client: &McpClient) -> Result<()> {
    // The schemas specify which arguments are sent as headers.
    client.tools().await?;
    for call in scenario.context["toolCalls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default();
        client.call_tool(name, call["arguments"].clone()).await?;
    }
    Ok(())
}

/// Sends the schema of one tool, unchanged, to the other tool.
async fn echo_schema(client: &McpClient) -> Result<()> {
    let tools = client.tools().await?;
    let rich = tools.iter().find(|tool| !tool.input_schema()["$defs"].is_null());
    let echo = tools.iter().find(|tool| tool.input_schema()["$defs"].is_null());
    let (Some(rich), Some(echo)) = (rich, echo) else {
        return Err(Error::not_found("no tool with a schema to echo"));
    };
    let schema = rich.input_schema();
    client.call_tool(echo.name(), json!({ "schema": schema })).await?;
    Ok(())
}

/// Loads each skill with all of its files. A skill that does not match its listing is rejected and skipped.
async fn use_all(client: &McpClient) -> Result<()> {
    for skill in client.skills().await? {
        match skill.load().await {
            Ok(loaded) => {
                for path in skill.paths() {
                    loaded.read(path).await?;
                }
            }
            Err(error) => eprintln!("{}: {}", skill.name(), error.chain()),
        }
    }
    Ok(())
}

/// Gets all prompts and reads all resources.
async fn read_all(client: &McpClient) -> Result<()> {
    for prompt in client.prompts().await? {
        client.get_prompt(prompt.name(), json!({})).await?;
    }
    for resource in client.resources().await? {
        client.read_resource(resource.uri()).await?;
    }
    Ok(())
}
