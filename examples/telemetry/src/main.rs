//! Traces one question through the agent loop, a host and a tool of another server: one trace across two processes,
//! exported to an OpenTelemetry collector over OTLP.
//!
//! ```text
//! cargo run -p telemetry                                 asks; starts the server as a child process on stdio
//! cargo run -p telemetry -- URL                          asks; connects to a server over HTTP
//! cargo run -p telemetry -- --serve                      the server, on stdio
//! cargo run -p telemetry -- --serve --http 127.0.0.1:0   the server, over HTTP
//! ```
//!
//! The collector is at the address in `OTEL_EXPORTER_OTLP_ENDPOINT`, by default `http://localhost:4318`. To view the
//! traces, run `docker run -p 16686:16686 -p 4318:4318 jaegertracing/jaeger`. No real model is needed: the example uses
//! `offline`.

#![allow(clippy::print_stdout, reason = "an interactive program")]

use genkit::mcp::host::{McpHost, ServerConfig, StderrTo};
use genkit::{Error, Genkit, Registry, Result, tool, tools};
use offline::Offline;

const QUESTION: &str = "What is the tide in Cuxhaven?";

const USAGE: &str = "usage: telemetry [URL | --serve [--http ADDRESS]]";

/// Gets the tide of a port.
#[tool]
async fn get_tide(
    /// The name of the port.
    port: String,
) -> Result<String> {
    match port.to_lowercase().as_str() {
        "cuxhaven" => Ok("high water at noon".to_owned()),
        _ => Err(Error::not_found(format!("no tide data for `{port}`"))),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        [] => ask(None).await,
        ["-h" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["--serve"] => serve(None).await,
        ["--serve", "--http", address] => serve(Some(address)).await,
        [url] if url.starts_with("http") => ask(Some(url)).await,
        _ => Err(Error::invalid_argument(USAGE)),
    }
}

/// Runs the server. It continues the trace of the client by default.
async fn serve(address: Option<&str>) -> Result<()> {
    let _telemetry = genkit_opentelemetry::otlp("tides").install()?;
    let genkit = Genkit::builder().registry(Registry::new().add(tools![get_tide])).build()?;
    let server = genkit.serve_mcp().name("tides");
    match address {
        Some(address) => server.http(address).await,
        None => server.await,
    }
}

/// Runs the client. With `.trace_context(true)`, the server continues the traces of the client.
async fn ask(url: Option<&str>) -> Result<()> {
    let _telemetry = genkit_opentelemetry::otlp("assistant").install()?;
    let tides = match url {
        Some(url) => ServerConfig::from(ServerConfig::http(url).trace_context(true)),
        None => {
            // A child process receives only the listed environment variables.
            let settings = std::env::vars().filter(|(name, _)| name.starts_with("OTEL_"));
            let program = std::env::current_exe()?;
            let child = ServerConfig::stdio(program).arg("--serve").envs(settings);
            child.stderr(StderrTo::Inherit).trace_context(true).into()
        }
    };
    let host = McpHost::builder().server("sea", tides).build()?;
    let answer = genkit::generate(QUESTION).model(Offline).tools(host.tools());
    let answer = answer.await;
    // The server must stop, and send its spans, before this program exits.
    host.close().await;
    println!("{}", answer?.text());
    Ok(())
}
