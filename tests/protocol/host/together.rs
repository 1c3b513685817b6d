//! All third-party servers in one host, from a configuration file.

use genkit::Tool;
use genkit::mcp::host::{McpHost, ServerState};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use serde_json::{Value, json};

use super::mark::{self, Mark};
use super::web::Web;
use crate::{packages, server};

#[tokio::test]
async fn one_host_for_all() {
    let mark = Mark::new("together");
    let web = Web::start();
    let scratch = packages::scratch("host-together").canonicalize().unwrap();
    let files = scratch.join("files");
    std::fs::create_dir(&files).unwrap();
    let config = scratch.join("mcp.json");
    let node = |name: &str, rest: Value, env: Value| {
        let script = packages::node_server(name);
        let mut args = vec![json!(script)];
        args.extend(rest.as_array().unwrap().clone());
        let mut env = env;
        env[mark::VARIABLE] = mark.name().into();
        json!({"command": "node", "args": args, "env": env})
    };
    let memory = scratch.join("memory.jsonl");
    let marked = json!({ mark::VARIABLE: mark.name() });
    let time = ["-m", "mcp_server_time", "--local-timezone", "UTC"];
    let servers = json!({"mcpServers": {
        "everything": node("server-everything", json!(["stdio"]), json!({})),
        "fs": node("server-filesystem", json!(["files"]), json!({})),
        "memory": node("server-memory", json!([]), json!({"MEMORY_FILE_PATH": memory})),
        "notes": {"command": server::example("notes"), "args": ["notes.db"], "env": marked},
        "time": {"command": packages::python(), "args": time, "env": marked},
        "web": {"type": "http", "url": web.url()},
        "gone": {"command": "no-such-program-anywhere"},
        "off": {"command": "node", "disabled": true},
    }});
    let mut servers = servers;
    for key in ["fs", "notes"] {
        servers["mcpServers"][key]["cwd"] = json!(scratch);
    }
    std::fs::write(&config, serde_json::to_string_pretty(&servers).unwrap()).unwrap();

    let host = McpHost::from_config_file(&config).unwrap();
    assert_eq!(host.notices(), [""; 0]);
    host.ready().await;
    let states: Vec<_> = host.status().into_iter().map(|s| (s.server, s.state)).collect();
    let up = |key: &str| (key.to_owned(), ServerState::Connected);
    let wanted = [
        up("everything"),
        up("fs"),
        up("memory"),
        up("notes"),
        up("time"),
        up("web"),
        ("gone".to_owned(), ServerState::Failed),
        ("off".to_owned(), ServerState::Disabled),
    ];
    assert_eq!(states, wanted, "{:#?}", host.status());
    let gone = host.status().remove(6).last_error.unwrap();
    assert!(gone.contains("no-such-program-anywhere"), "{gone}");

    // One run with tools of all of them. Each has its server's key before its name.
    let path = files.join("a.txt");
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([
            ToolRequest::new("everything/get-sum", json!({"a": 1, "b": 2})),
            ToolRequest::new("web/get-sum", json!({"a": 3, "b": 4})),
            ToolRequest::new("fs/write_file", json!({"path": path, "content": "x"})),
            ToolRequest::new("memory/read_graph", json!({})),
            ToolRequest::new("notes/add_note", json!({"text": "buy milk"})),
            ToolRequest::new("time/get_current_time", json!({"timezone": "UTC"})),
        ]),
        ModelResponse::from_text("Done."),
    ]);
    let response = genkit::generate("Go.").model(model.clone()).tools(host.tools()).await.unwrap();
    assert_eq!(response.text(), "Done.");
    let output = |tool: &str| model.tool_outputs(tool).remove(0);
    assert_eq!(output("everything/get-sum"), "The sum of 1 and 2 is 3.");
    assert_eq!(output("web/get-sum"), "The sum of 3 and 4 is 7.");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "x");
    assert_eq!(output("memory/read_graph")["entities"], json!([]));
    assert_eq!(output("notes/add_note")["text"], "buy milk");
    assert_eq!(output("time/get_current_time")["timezone"], "UTC");

    // The resource of one of them, found among all.
    let note = host.read_resource("note://1").await.unwrap();
    assert!(note[0].as_text().unwrap().contains("buy milk"), "{note:?}");
    let tools = host.tools().await.unwrap();
    let asks: Vec<_> = tools.iter().filter(|t| t.annotations().destructive == Some(true)).collect();
    assert!(asks.iter().any(|tool| tool.name() == "notes/delete_note"), "{asks:?}");
    assert!(tools.iter().map(Tool::name).all(|name| name.split('/').count() == 2));
    mark.close(host).await;
}
