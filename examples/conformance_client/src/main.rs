//! What the MCP conformance suite asks of a client, written with an MCP host.
//!
//! The suite starts `conformance_client <URL>` once for each scenario, with its name, the version
//! of the protocol and what else it needs in the environment.

mod access;
mod arguments;
mod scenario;

use std::time::Duration;

use genkit::mcp::host::{ElicitRequest, McpClient, McpHost, ProtocolEra, Sampling, ServerConfig};
use genkit::serde_json::json;
use genkit::{Error, ErrorKind, Result};
use offline::Offline;
use scenario::Scenario;

/// Who the suite's server is for the host.
const SERVER: &str = "suite";

/// The suite waits for 30 seconds.
const PATIENCE: Duration = Duration::from_secs(25);

/// How often the scenario of a server that moves between authorization servers asks.
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
        "http-custom-headers" => call_as_told(scenario, client).await,
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
        // Nothing is fetched ahead: that is the scenario.
        "sep-2640-client-no-prefetch" => client.skills().await.map(|_| ()),
        name if name.starts_with("sep-2640-client-") => use_all(client).await,
        _ => call_all(client).await,
    }
}

/// Calls each tool that the host offers, with arguments that fit its schema.
async fn call_all(client: &McpClient) -> Result<()> {
    for tool in client.tools().await? {
        let name = tool.name();
        let arguments = arguments::fitting(tool.input_schema());
        // Some scenarios refuse on purpose; what counts is what the server saw.
        if let Err(error) = client.call_tool(name, arguments).await {
            eprintln!("{name}: {}", error.chain());
        }
    }
    Ok(())
}

/// Makes exactly the calls that the suite wants.
async fn call_as_told(scenario: &Scenario, client: &McpClient) -> Result<()> {
    // Which arguments go into headers stands in the schemas.
    client.tools().await?;
    for call in scenario.context["toolCalls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().unwrap_or_default();
        client.call_tool(name, call["arguments"].clone()).await?;
    }
    Ok(())
}

/// Sends the schema of one tool back through the other, as it was received.
async fn echo_schema(client: &McpClient) -> Result<()> {
    let tools = client.tools().await?;
    let rich = tools.iter().find(|tool| !tool.input_schema()["$defs"].is_null());
    let echo = tools.iter().find(|tool| tool.input_schema()["$defs"].is_null());
    let (Some(rich), Some(echo)) = (rich, echo) else {
        return Err(Error::not_found("the suite offers no schema to echo"));
    };
    let schema = rich.input_schema();
    client.call_tool(echo.name(), json!({ "schema": schema })).await?;
    Ok(())
}

/// Loads each skill with all of its files. What is not as it was listed is refused, and that ends it.
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

/// Reads what else there is.
async fn read_all(client: &McpClient) -> Result<()> {
    for prompt in client.prompts().await? {
        client.get_prompt(prompt.name(), json!({})).await?;
    }
    for resource in client.resources().await? {
        client.read_resource(resource.uri()).await?;
    }
    Ok(())
}
