//! The servers that are compared: this program starts itself as one of them.

use std::convert::Infallible;
use std::sync::Arc;

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

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Adds two numbers; the same answer as the servers written by hand, which give text alone.
#[tool(name = "add")]
async fn add_as_text(a: i64, b: i64) -> String {
    (a + b).to_string()
}

/// The arguments of each of 1,000 tools.
#[derive(Deserialize, genkit::schemars::JsonSchema)]
#[schemars(crate = "genkit::schemars")]
#[allow(dead_code, reason = "nobody calls them")]
struct Forecast {
    /// The city.
    city: String,
    /// How many days.
    days: u32,
    /// The unit.
    unit: Option<String>,
}

/// Serves until its client is gone.
pub(crate) fn serve(name: &str, port: &str) {
    let address = format!("127.0.0.1:{port}");
    match name {
        "bare-std" => bare_std(),
        "bare" => bare(Value::Null),
        "bare-list" => bare(serde_json::to_value(thousand_shown()).unwrap()),
        "rmcp" => rmcp_stdio(Vec::new(), false),
        "rmcp-pipes" => rmcp_stdio(Vec::new(), true),
        "rmcp-list" => rmcp_stdio(thousand_shown(), false),
        "rmcp-pipes-list" => rmcp_stdio(thousand_shown(), true),
        "bare-http" => bare_http(&address),
        "rmcp-http-examples" => rmcp_http(&address, false, false),
        "rmcp-http" => rmcp_http(&address, true, false),
        "rmcp-http-json" => rmcp_http(&address, true, true),
        "ours" => ours(genkit(tools![add]), None),
        "ours-text" => ours(genkit(tools![add_as_text]), None),
        "ours-list" => ours(genkit(thousand()), None),
        "ours-http" => ours(genkit(tools![add]), Some(&address)),
        other => panic!("there is no server {other}"),
    }
}

fn genkit<A: Into<genkit::Action>>(actions: impl IntoIterator<Item = A>) -> Genkit {
    Genkit::builder().registry(Registry::new().add(actions)).build().unwrap()
}

#[tokio::main]
async fn ours(genkit: Genkit, address: Option<&str>) {
    let server = genkit.serve_mcp();
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

/// The same tools as they are served, so that every server writes the same bytes.
fn thousand_shown() -> Vec<Tool> {
    let names: Vec<String> = thousand().iter().map(|tool| tool.name().to_owned()).collect();
    let handler = genkit(thousand()).serve_mcp().into_handler().unwrap();
    names.iter().map(|name| handler.get_tool(name).unwrap()).collect()
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

/// The floor: what a loop written by hand does with a message. Says whether there is an answer.
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
        // Flush only once no whole line waits, so that a burst costs one write.
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

/// A handler that answers each body, on axum.
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

/// As in rmcp's examples, but for what is told.
#[tokio::main]
async fn rmcp_http(address: &str, nodelay: bool, json: bool) {
    use axum::serve::ListenerExt as _;
    let adder = Adder { tools: Arc::default() };
    let service = StreamableHttpService::new(
        move || Ok(adder.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default().with_json_response(json),
    );
    let app = axum::Router::new().route_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    if nodelay {
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
        axum::serve(listener, app).await.unwrap();
    } else {
        axum::serve(listener, app).await.unwrap();
    }
}
