//! `examples/proxy`: one server in front of many, as seen by clients.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use genkit::context::Progress;
use genkit::mcp::host::{McpHost, ServerConfig, ServerState};
use genkit::{Elicited, ErrorKind};
use serde_json::{Value, json};

use super::mark::{self, Mark};
use super::{Told, until};
use crate::pipe::Pipe;
use crate::server::Server;
use crate::{packages, program, server};

/// The time limit of the inspector.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns a configuration with `notes`.
fn config(test: &str, mark: &Mark) -> String {
    let scratch = packages::scratch(&format!("proxy-{test}"));
    let env = json!({ mark::VARIABLE: mark.name() });
    let notes = json!({"command": server::example("notes"), "args": [scratch.join("notes.db")], "env": env});
    let config = scratch.join("mcp.json");
    std::fs::write(&config, json!({"mcpServers": {"notes": notes}}).to_string()).unwrap();
    config.to_string_lossy().into_owned()
}

/// Raw bytes: the servers behind are included from the first list on, and end with the proxy.
#[test]
fn proxy_serves_a_client_over_pipes() {
    let mark = Mark::new("proxy-pipes");
    let mut pipe = Pipe::start("proxy", &[&config("pipes", &mark)]);
    pipe.hello();
    let listed = pipe.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let behind = ["add_note", "delete_note", "import_notes", "search_notes"];
    let behind: Vec<_> = behind.iter().map(|name| format!("notes__{name}")).collect();
    assert_eq!(names[..4], behind);
    assert_eq!(names[4], "servers");
    assert_eq!(tools[1]["annotations"]["destructiveHint"], true);
    let added = pipe.call("notes__add_note", &json!({"text": "buy milk"}));
    assert_eq!(added["structuredContent"]["text"], "buy milk", "{added}");
    let servers = pipe.call("servers", &json!({})).to_string();
    assert!(servers.contains("connected") && servers.contains("notes"), "{servers}");
    let read = pipe.request("resources/read", &json!({"uri": "note://1"}));
    assert!(read["result"]["contents"][0]["text"].to_string().contains("buy milk"), "{read}");
    let wrong = pipe.call("notes__add_note", &json!({"text": " "}));
    assert_eq!(wrong["isError"], true, "{wrong}");
    assert_eq!(wrong["content"][0]["text"], "a note needs text");
    assert_eq!(mark.processes().len(), 1);
    pipe.hang_up();
    pipe.rest();
    assert_eq!(pipe.exit_code(Duration::from_secs(20)), Some(0), "{}", pipe.stderr());
    assert_eq!(mark.processes(), [0; 0]);
}

/// The official inspector over HTTP, in both eras.
#[test]
fn proxy_serves_the_inspector_over_http() {
    let mark = Mark::new("proxy-inspector");
    let proxy = Server::start("proxy", &[&config("inspector", &mark)]);
    for era in ["legacy", "modern"] {
        let inspect = |arguments: &[&str]| -> Value {
            let mut node = packages::tool(Path::new("node"));
            node.current_dir(packages::npm())
                .arg("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
                .args(["--cli", "--format", "json", "-q", "--protocol-era", era])
                .arg(proxy.url())
                .args(arguments);
            let ran = program::run(&mut node, PATIENCE).unwrap();
            assert_eq!(ran.code, Some(0), "{}", ran.story());
            let said: Value = serde_json::from_str(&ran.stdout).unwrap();
            said["result"].clone()
        };
        let tools = inspect(&["--method", "tools/list", "--strict"]);
        assert_eq!(tools["tools"].as_array().unwrap().len(), 5, "{tools}");
        let call = ["--method", "tools/call", "--tool-name", "notes__search_notes"];
        let found = inspect(&[&call[..], &["--tool-args-json", r#"{"query":"x"}"#]].concat());
        let found = &found["structuredContent"];
        assert_eq!(found.get("result").unwrap_or(found), &json!([]), "{found}");
        let templates = inspect(&["--method", "resources/templates/list"]);
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "note://{id}");
    }
}

/// The host in front of the proxy, and a server of this library behind it: everything passes in both directions.
#[tokio::test(flavor = "multi_thread")]
async fn proxy_passes_everything_in_both_directions() {
    for http in [false, true] {
        let mark = Mark::new(&format!("proxy-chain-{http}"));
        let config = config(&format!("chain-{http}"), &mark);
        let web = http.then(|| Server::start("proxy", &[&config]));
        let told = Told::default();
        let host = McpHost::builder().on_event(told.listener()).on_elicit(|asked| async move {
            let question = "notes: Allow `Delete a note` to run with {\"id\":1}?";
            assert_eq!(asked.message, question);
            Elicited::Accepted(json!({}))
        });
        let host = match &web {
            Some(web) => host.server("proxy", ServerConfig::http(web.url())),
            None => {
                let proxy = ServerConfig::stdio(server::example("proxy")).arg(&config);
                host.server("proxy", proxy.env(mark::VARIABLE, mark.name()))
            }
        };
        let host = host.build().unwrap();
        let call = async |tool: &str, input| host.call_tool(&format!("proxy/{tool}"), input).await;
        let added = call("notes__add_note", json!({"text": "buy milk"})).await.unwrap();
        assert_eq!((&added["id"], &added["text"]), (&json!(1), &json!("buy milk")));

        // Progress passes through two hops.
        let texts = json!({"texts": ["a", "b"]});
        call("notes__import_notes", texts).await.unwrap();
        let step = |done: f64, said: &str| {
            let progress = Progress::new(done).with_total(2.0).with_message(said);
            ("proxy".to_owned(), "notes__import_notes".to_owned(), progress)
        };
        let seen = told.steps();
        assert!(
            seen.contains(&step(1.0, "1 of 2")) && seen.contains(&step(2.0, "2 of 2")),
            "{seen:?}"
        );

        let prompt = json!({"topic": "shop"});
        let prompt = host.get_prompt("proxy/notes__summarize", prompt).await.unwrap();
        assert!(prompt.messages()[0].text().contains("shop"), "{prompt:?}");
        let note = host.read_resource("note://1").await.unwrap();
        assert!(note[0].as_text().unwrap().contains("buy milk"), "{note:?}");
        let error = host.read_resource("note://99").await.unwrap_err();
        assert!(error.to_string().contains("note://99"), "{error}");
        let error = call("notes__nope", json!({})).await.unwrap_err();
        assert_ne!(error.kind(), ErrorKind::Unavailable, "{error}");

        // The last server's question is answered by the first client.
        let deleted = call("notes__delete_note", json!({"id": 1})).await.unwrap();
        assert_eq!(deleted["text"], "buy milk");
        assert_eq!(host.status()[0].state, ServerState::Connected);
        host.close().await;
        drop(web);
        // The proxy ends the servers behind it. If it was killed, they end when their input closes.
        until("the end of what is behind", async || mark.processes().is_empty()).await;
    }
}

/// A server that dies behind a proxy disappears from its lists, and returns.
#[test]
fn server_behind_it_that_is_killed() {
    let mark = Mark::new("proxy-killed");
    let mut pipe = Pipe::start("proxy", &[&config("killed", &mark)]);
    pipe.hello();
    pipe.call("notes__add_note", &json!({"text": "buy milk"}));
    mark.kill();
    // As in `memory.rs`: the proxy logs when it has noticed the end.
    let deadline = std::time::Instant::now() + PATIENCE;
    while !pipe.stderr().contains("lost the connection to an MCP server") {
        assert!(std::time::Instant::now() < deadline, "{}", pipe.stderr());
        std::thread::sleep(Duration::from_millis(5));
    }
    // Until it is back, its tools are unknown.
    while !pipe.request("tools/list", &json!({})).to_string().contains("notes__search_notes") {
        assert!(std::time::Instant::now() < deadline, "{}", pipe.stderr());
        std::thread::sleep(Duration::from_millis(5));
    }
    let found = pipe.call("notes__search_notes", &json!({"query": "milk"}));
    assert!(found["content"][0]["text"].as_str().unwrap().contains("buy milk"), "{found}");
}

#[test]
fn missing_configuration_is_reported() {
    let ran = program::run(Command::new(server::example("proxy")).arg("/nowhere"), PATIENCE);
    let ran = ran.unwrap();
    assert_eq!(ran.code, Some(1), "{}", ran.story());
    assert!(ran.stderr.contains("/nowhere"), "{}", ran.story());
}
