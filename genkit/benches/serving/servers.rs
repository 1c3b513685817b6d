//! The servers that are compared. This program starts itself as one of them.

use std::convert::Infallible;
use std::sync::Arc;

use genkit::mcp::McpServer;
use genkit::{Genkit, Registry, tool, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Adds two numbers. The response is the same as that of the servers written by hand, which return only text.
#[tool(name = "add")]
async fn add_as_text(a: i64, b: i64) -> String {
    (a + b).to_string()
}

/// The arguments of each of 1,000 tools.
#[derive(Deserialize, genkit::schemars::JsonSchema)]
#[schemars(crate = "genkit::schemars")]
#[allow(dead_code, reason = "these tools are never called")]
struct Forecast {
    /// The city.
    city: String,
    /// How many days.
    days: u32,
    /// The unit.
    unit: Option<String>,
}

/// Serves until the client disconnects.
pub(crate) fn serve(name: &str, port: &str) {
    let address = format!("127.0.0.1:{port}");
    match name {
        "bare-std" => bare_std(),
        "bare" => bare(Value::Null),
        "bare-list" => bare(serde_json::to_value(thousand_shown()).unwrap()),
        "bare-derived" => bare(Value::Array((0..1000).map(derived).collect())),
        "rmcp-derived" => {
            let tools = (0..1000).map(|n| serde_json::from_value(derived(n)).unwrap());
            rmcp_stdio(tools.collect(), true);
        }
        "rmcp" => rmcp_stdio(Vec::new(), false),
        "rmcp-pipes" => rmcp_stdio(Vec::new(), true),
        "rmcp-list" => rmcp_stdio(thousand_shown(), false),
        "rmcp-pipes-list" => rmcp_stdio(thousand_shown(), true),
        "bare-http" => bare_http(&address),
        "bare-hyper" => bare_hyper(&address),
        "rmcp-http-examples" => rmcp_http(&address, false, rmcp_sessions()),
        "rmcp-http-nodelay" => rmcp_http(&address, true, rmcp_sessions()),
        "rmcp-http-stateless" => {
            let config = rmcp_sessions().with_legacy_session_mode(false);
            rmcp_http(&address, true, config.with_json_response(true));
        }
        "ours" => ours(genkit(tools![add]).serve_mcp(), None),
        "ours-deaf" => {
            // A subscriber that disables spans.
            listen(LevelFilter::ERROR);
            ours(genkit(tools![add]).serve_mcp(), None);
        }
        "ours-heard" => {
            // A subscriber that records spans but does not export them.
            listen(LevelFilter::INFO);
            ours(genkit(tools![add]).serve_mcp(), None);
        }
        "ours-text" => ours(genkit(tools![add_as_text]).serve_mcp(), None),
        "ours-list" => ours(genkit(thousand()).serve_mcp(), None),
        "ours-http" => ours(genkit(tools![add]).serve_mcp(), Some(&address)),
        "ours-http-stateless" => {
            ours(genkit(tools![add]).serve_mcp().stateless(true), Some(&address));
        }
        other => panic!("unknown server {other}"),
    }
}

/// Sets a subscriber that records spans up to this level.
fn listen(level: LevelFilter) {
    let subscriber = tracing_subscriber::registry().with(level);
    tracing::subscriber::set_global_default(subscriber).unwrap();
}

fn genkit<A: Into<genkit::Action>>(actions: impl IntoIterator<Item = A>) -> Genkit {
    Genkit::builder().registry(Registry::new().add(actions)).build().unwrap()
}

#[tokio::main]
async fn ours(server: McpServer, address: Option<&str>) {
    match address {
        Some(address) => server.http(address).await.unwrap(),
        None => server.await.unwrap(),
    }
}

fn thousand() -> Vec<genkit::Tool> {
    let tool = |n| {
        genkit::Tool::builder(format!("forecast_{n:03}"), format!("The weather of region {n}."))
            .handler(|_: genkit::Context, _: Forecast| async { Ok("sunny".to_owned()) })
    };
    (0..1000).map(tool).collect()
}

/// Returns the same tools in their served form, so that every server writes the same bytes.
#[tokio::main(flavor = "current_thread")]
async fn thousand_shown() -> Vec<Tool> {
    let input = concat!(
        r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "#,
        r#""capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}"#,
        "\n",
        r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#,
        "\n",
    );
    let (output, mut shown) = tokio::io::duplex(64 * 1024);
    let serving = tokio::spawn(genkit(thousand()).serve_mcp().serve(input.as_bytes(), output));
    let mut lines = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut shown, &mut lines).await.unwrap();
    serving.await.unwrap().unwrap();
    let list: Value = serde_json::from_str(lines.lines().next_back().unwrap()).unwrap();
    serde_json::from_value(list["result"]["tools"].clone()).unwrap()
}

/// Creates a tool as a handwritten server does at startup, with a separately derived schema.
fn derived(n: usize) -> Value {
    json!({
        "name": format!("forecast_{n:03}"),
        "description": format!("The weather of region {n}."),
        "inputSchema": genkit::schemars::schema_for!(Forecast),
    })
}

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
struct Rpc<'a> {
    id: Option<i64>,
    method: &'a str,
    #[serde(default)]
    params: Option<Value>,
}

/// Handles a message as a handwritten loop does, for the baseline. Returns whether there is a response.
fn answer(message: &[u8], tools: &Value, out: &mut Vec<u8>) -> bool {
    #[derive(serde::Serialize)]
    struct Answer<T> {
        jsonrpc: &'static str,
        id: i64,
        result: T,
    }
    let rpc: Rpc = serde_json::from_slice(message).unwrap();
    let Some(id) = rpc.id else { return false };
    let result = match rpc.method {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "bare", "version": "0"}}),
        "tools/call" => {
            let mut params = rpc.params.unwrap_or_default();
            let args: Add = serde_json::from_value(params["arguments"].take()).unwrap();
            json!({"content": [{"type": "text", "text": (args.a + args.b).to_string()}], "isError": false})
        }
        "tools/list" => {
            #[derive(serde::Serialize)]
            struct List<'a> {
                tools: &'a Value,
            }
            let result = List { tools };
            serde_json::to_writer(out, &Answer { jsonrpc: "2.0", id, result }).unwrap();
            return true;
        }
        _ => json!({}),
    };
    serde_json::to_writer(out, &json!({"jsonrpc": "2.0", "id": id, "result": result})).unwrap();
    true
}

#[tokio::main]
async fn bare(tools: Value) {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    let mut input = BufReader::new(tokio::io::stdin());
    let mut output = tokio::io::stdout();
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line).await.unwrap() > 0 {
        if answer(&line, &tools, &mut out) {
            out.push(b'\n');
        }
        line.clear();
        // Flush only if no complete line is waiting, so that a burst needs one write.
        if !input.buffer().contains(&b'\n') {
            output.write_all(&out).await.unwrap();
            output.flush().await.unwrap();
            out.clear();
        }
    }
}

fn bare_std() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut output = std::io::stdout().lock();
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        if answer(&line, &Value::Null, &mut out) {
            out.push(b'\n');
        }
        line.clear();
        if !input.buffer().contains(&b'\n') {
            output.write_all(&out).unwrap();
            output.flush().unwrap();
            out.clear();
        }
    }
}

/// Serves a handler on axum that responds to each body.
#[tokio::main]
async fn bare_http(address: &str) {
    use axum::http::{StatusCode, header::CONTENT_TYPE};
    use axum::response::IntoResponse as _;
    use axum::serve::ListenerExt as _;
    let handler = |body: axum::body::Bytes| async move {
        let mut out = Vec::new();
        if !answer(&body, &Value::Null, &mut out) {
            return Ok::<_, Infallible>(StatusCode::ACCEPTED.into_response());
        }
        Ok(([(CONTENT_TYPE, "application/json")], out).into_response())
    };
    let app = axum::Router::new().route("/mcp", axum::routing::post(handler));
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, app).await.unwrap();
}

/// A handler written by hand with rmcp.
#[derive(Clone)]
struct Adder {
    tools: Arc<Vec<Tool>>,
}

impl ServerHandler for Adder {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = Value::Object(params.arguments.unwrap_or_default());
        let args: Add = serde_json::from_value(args)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let sum = (args.a + args.b).to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(sum)]).into())
    }
}

#[tokio::main]
async fn rmcp_stdio(tools: Vec<Tool>, pipes: bool) {
    let adder = Adder { tools: Arc::new(tools) };
    let served = if pipes {
        adder.serve(rmcp::transport::stdio_pipes()).await.unwrap().waiting().await
    } else {
        adder.serve(rmcp::transport::stdio()).await.unwrap().waiting().await
    };
    served.unwrap();
}

/// Serves the baseline for HTTP: hyper's connections directly connected to the handwritten loop.
#[tokio::main]
async fn bare_hyper(address: &str) {
    use http_body_util::{BodyExt as _, Full};
    use hyper::body::{Bytes, Incoming};
    use hyper::service::service_fn;
    use hyper::{Request, Response};
    let answer = |request: Request<Incoming>| async move {
        let body = request.into_body().collect().await?.to_bytes();
        let mut out = Vec::new();
        let status = if answer(&body, &Value::Null, &mut out) { 200 } else { 202 };
        let response =
            Response::builder().status(status).header("content-type", "application/json");
        Ok::<_, hyper::Error>(response.body(Full::<Bytes>::from(out)).unwrap())
    };
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let stream = hyper_util::rt::TokioIo::new(stream);
        tokio::spawn(async move {
            let connection = hyper::server::conn::http1::Builder::new();
            // Ends when the client disconnects.
            let _ = connection.serve_connection(stream, service_fn(answer)).await;
        });
    }
}

fn rmcp_sessions() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
}

/// Serves as in rmcp's examples, except for notifications.
#[tokio::main]
async fn rmcp_http(address: &str, nodelay: bool, config: StreamableHttpServerConfig) {
    use axum::serve::ListenerExt as _;
    let adder = Adder { tools: Arc::default() };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(adder.clone()), sessions, config);
    let app = axum::Router::new().route_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    if nodelay {
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
        axum::serve(listener, app).await.unwrap();
    } else {
        axum::serve(listener, app).await.unwrap();
    }
}
