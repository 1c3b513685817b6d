//! The official inspector's command line with `notes`: one run for each request.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::notes::{self, LEGACY, MODERN};
use super::target::{Target, Transport};
use crate::packages;
use crate::program::{self, Ran};

/// The time limit of one request, including the start of Node.
const PATIENCE: Duration = Duration::from_secs(60);

/// The inspector's exit code for a tool that failed or does not exist.
const TOOL_FAILED: i32 = 5;

/// The inspector in one era, over one target.
struct Inspector {
    era: &'static str,
    target: Target,
}

impl Inspector {
    fn new(era: &'static str, transport: Transport) -> Self {
        let target = Target::new(&format!("inspector-{era}-{transport:?}"), transport);
        Self { era, target }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut node = packages::tool(Path::new("node"));
        node.current_dir(packages::npm())
            .arg("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
            .args(["--cli", "--format", "json", "-q", "--protocol-era", self.era]);
        // `http URL` or `stdio COMMAND ARGUMENT…`; a URL that ends in `/mcp` determines the transport.
        node.args(&self.target.arguments()[1..]).args(arguments);
        program::run(&mut node, PATIENCE).unwrap_or_else(|story| panic!("{story}"))
    }

    /// Sends a request that succeeds, and returns its result.
    fn get(&self, arguments: &[&str]) -> Value {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.story());
        let said: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.story()));
        said["result"].clone()
    }

    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let arguments = arguments.to_string();
        let call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json"];
        self.get(&[&call[..], &[&arguments]].concat())
    }

    /// Makes a call that fails. Returns the tool's error, or `Null` if it was never called.
    fn failing_call(&self, tool: &str, arguments: &str) -> Value {
        let call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments];
        let ran = self.run(&call);
        assert_eq!(ran.code, Some(TOOL_FAILED), "{}", ran.story());
        let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        said["result"].clone()
    }

    /// Returns its output for a request that fails.
    fn fails(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(1), "{}", ran.story());
        let said: Value =
            serde_json::from_str(&ran.stderr).unwrap_or_else(|_| panic!("{}", ran.story()));
        said["error"]["message"].as_str().unwrap_or_default().to_owned()
    }
}

/// Sends the same requests as the scripts, as far as the inspector supports them.
fn visit(era: &'static str, transport: Transport, protocol: &str) {
    let inspector = Inspector::new(era, transport);
    let greeting = inspector.get(&["--method", "initialize"]);
    assert_eq!(greeting["protocolVersion"], protocol, "{greeting}");
    // `--strict` fails for schemas that some clients do not support.
    let tools = inspector.get(&["--method", "tools/list", "--strict"]);
    let seen = json!({
        "server": greeting["serverInfo"],
        "instructions": greeting["instructions"],
        "tools": tools["tools"],
        "added": inspector.call("add_note", &json!({ "text": "buy milk", "topic": "shop" })),
        "addedWithDefault": inspector.call("add_note", &json!({ "text": "pay rent" })),
        "found": inspector.call("search_notes", &json!({ "query": "milk" })),
        "wrongType": inspector.failing_call("add_note", r#"{"text":{"no":"text"}}"#),
        "resources": inspector.get(&["--method", "resources/list"])["resources"],
        "templates": inspector.get(&["--method", "resources/templates/list"])["resourceTemplates"],
        "recent": inspector.get(&["--method", "resources/read", "--uri", "notes://recent"]),
        "note": inspector.get(&["--method", "resources/read", "--uri", "note://1"]),
        "prompts": inspector.get(&["--method", "prompts/list"])["prompts"],
        "prompt": inspector.get(&[
            "--method", "prompts/get", "--prompt-name", "summarize",
            "--prompt-args", "topic=shop", "sentences=2",
        ]),
    });
    notes::identity(&seen);
    notes::tools(&seen);
    notes::results(&seen, protocol);
    assert!(notes::failed(&seen, "wrongType").contains("`text`"));
    notes::resources(&seen);
    notes::prompts(&seen);
    failures(&inspector);
}

fn failures(inspector: &Inspector) {
    assert_eq!(inspector.failing_call("no_such_tool", "{}"), Value::Null);
    let told = inspector.fails(&["--method", "resources/read", "--uri", "note://99"]);
    assert!(told.contains("note://99"), "{told}");
    let told = inspector.fails(&["--method", "prompts/get", "--prompt-name", "summarize"]);
    assert!(told.contains("topic"), "{told}");
}

#[test]
fn it_sees_everything_with_a_session_over_stdio() {
    visit("legacy", Transport::Stdio, LEGACY);
}

#[test]
fn it_sees_everything_with_a_session_over_http() {
    visit("legacy", Transport::Http, LEGACY);
}

#[test]
fn it_sees_everything_without_a_session_over_stdio() {
    visit("modern", Transport::Stdio, MODERN);
}

#[test]
fn it_sees_everything_without_a_session_over_http() {
    visit("modern", Transport::Http, MODERN);
}

#[test]
fn client_negotiates_the_newer_protocol() {
    for transport in [Transport::Stdio, Transport::Http] {
        let inspector = Inspector::new("auto", transport);
        assert_eq!(inspector.get(&["--method", "initialize"])["protocolVersion"], MODERN);
        let added = inspector.call("add_note", &json!({ "text": "hello" }));
        assert_eq!(added["structuredContent"]["id"], 1, "{added}");
    }
}
