//! One program in three versions: tools with two parameters, written by hand, with genkit's macros and with rmcp's
//! macros.

use std::fmt::Write as _;
use std::path::Path;

/// The way in which the tools are written.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    /// A derived struct for each function and a `match` by name, without other macros and without a server.
    Hand,
    Genkit,
    Rmcp,
}

/// Waits for a future without a runtime.
const WAIT: &str = "
fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
";

impl Way {
    /// The first is the baseline.
    pub(crate) const ALL: [Self; 3] = [Self::Hand, Self::Genkit, Self::Rmcp];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hand => "by-hand",
            Self::Genkit => "genkit",
            Self::Rmcp => "rmcp",
        }
    }

    pub(crate) fn manifest(self) -> String {
        let serde = "serde = { version = \"1\", features = [\"derive\"] }\nschemars = \"1\"\n";
        let tokio = "tokio = { version = \"1\", features = [\"rt\", \"macros\"] }\n";
        let dependencies = match self {
            Self::Hand => format!("{serde}serde_json = \"1\"\n"),
            Self::Genkit => {
                let features =
                    "default-features = false, features = [\"inventory\", \"mcp-server\"]";
                let path = Path::new(env!("CARGO_MANIFEST_DIR"));
                format!("genkit = {{ path = {path:?}, {features} }}\n{tokio}")
            }
            Self::Rmcp => {
                let features = "features = [\"transport-io\"]";
                format!("rmcp = {{ version = \"=3.9.0\", {features} }}\n{serde}{tokio}")
            }
        };
        format!(
            "[package]\nname = \"{}\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n[workspace]\n\n\
             [profile.dev]\ndebug = \"line-tables-only\"\n\n[profile.release]\nstrip = true\n",
            self.name()
        )
    }

    pub(crate) fn source(self, tools: usize) -> String {
        let all = |one: fn(usize) -> String| -> String { (0..tools).map(one).collect() };
        match self {
            Self::Hand => by_hand(tools, all(hand)),
            Self::Genkit => format!(
                "{}#[tokio::main(flavor = \"current_thread\")]\n\
                 async fn main() -> genkit::Result<()> {{\n    genkit::serve_mcp().await\n}}\n",
                all(ours)
            ),
            Self::Rmcp => format!(
                "use rmcp::{{ServerHandler, ServiceExt, handler::server::wrapper::Parameters, tool, tool_handler, tool_router}};\n\
                 {}#[derive(Clone)]\nstruct All;\n#[tool_router]\nimpl All {{\n{}}}\n\
                 #[tool_handler(router = Self::tool_router())]\nimpl ServerHandler for All {{}}\n\
                 #[tokio::main(flavor = \"current_thread\")]\nasync fn main() {{\n    \
                 All.serve(rmcp::transport::stdio()).await.unwrap().waiting().await.unwrap();\n}}\n",
                all(arguments),
                all(theirs)
            ),
        }
    }
}

fn by_hand(tools: usize, functions: String) -> String {
    let mut source = functions;
    source.push_str("fn schema(name: &str) -> Option<schemars::Schema> {\n    match name {\n");
    for n in 0..tools {
        writeln!(source, "        \"add_{n}\" => Some(schemars::schema_for!(Args{n})),").unwrap();
    }
    source.push_str("        _ => None,\n    }\n}\n");
    source.push_str(
        "async fn call(name: &str, arguments: serde_json::Value) -> serde_json::Result<serde_json::Value> {\n    match name {\n",
    );
    for n in 0..tools {
        writeln!(
            source,
            "        \"add_{n}\" => {{\n            let Args{n} {{ a, b }} = serde_json::from_value(arguments)?;\n            \
             serde_json::to_value(add_{n}(a, b).await)\n        }}"
        )
        .unwrap();
    }
    source.push_str("        _ => Ok(serde_json::Value::Null),\n    }\n}\n");
    source.push_str(WAIT);
    source.push_str(
        "fn main() {\n    let name = std::env::args().nth(1).unwrap_or_default();\n    \
         println!(\"{:?}\", schema(&name));\n    \
         println!(\"{:?}\", wait(call(&name, serde_json::json!({\"a\": 1, \"b\": \"2\"}))));\n}\n",
    );
    source
}

/// Returns the body of function `n`. The body of function 0 contains `edited`.
fn body(n: usize) -> String {
    let note = if n == 0 { "edited" } else { "" };
    format!("format!(\"{{a}} {{b}} {note}\")")
}

fn hand(n: usize) -> String {
    format!(
        "{}async fn add_{n}(a: i64, b: String) -> String {{\n    {}\n}}\n",
        arguments(n),
        body(n)
    )
}

fn arguments(n: usize) -> String {
    format!(
        "#[derive(serde::Deserialize, schemars::JsonSchema)]\n#[serde(deny_unknown_fields)]\nstruct Args{n} {{\n    \
         /// The first.\n    a: i64,\n    /// The second.\n    b: String,\n}}\n"
    )
}

fn ours(n: usize) -> String {
    format!(
        "/// Adds, number {n}.\n#[genkit::tool]\nasync fn add_{n}(\n    /// The first.\n    a: i64,\n    \
         /// The second.\n    b: String,\n) -> String {{\n    {}\n}}\n",
        body(n)
    )
}

fn theirs(n: usize) -> String {
    format!(
        "    /// Adds, number {n}.\n    #[tool]\n    \
         async fn add_{n}(&self, Parameters(Args{n} {{ a, b }}): Parameters<Args{n}>) -> String {{\n        {}\n    }}\n",
        body(n)
    )
}
