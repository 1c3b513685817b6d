//! The kind of an error, which is the same in the loop, over MCP, through a host and on the command line.

use genkit::mcp::McpHost;
use genkit::mcp::host::ServerConfig;
use genkit::testing::{Client, ScriptedModel};
use genkit::{
    Error, ErrorKind, Genkit, Registry, Result, prompt, prompts, resource, resources, tool, tools,
};
use serde_json::json;

/// Opens a door.
#[tool]
async fn open_door(code: u8) -> Result<String> {
    match code {
        7 => Ok("open".into()),
        8 => Err(Error::new(ErrorKind::PermissionDenied, "the door is locked")),
        _ => Err(Error::invalid_argument("no such code")),
    }
}

/// Opens a vault.
#[tool(needs_approval)]
async fn open_vault() -> String {
    "the vault is open".into()
}

/// Describes a door.
#[prompt]
async fn describe_door(_ctx: &genkit::Context) -> Result<String> {
    Err(Error::new(ErrorKind::FailedPrecondition, "no door yet"))
}

/// A door.
#[resource("door://{id}")]
async fn door(id: u8) -> Result<String> {
    Err(Error::not_found(format!("no door {id}")))
}

fn genkit() -> Genkit {
    let registry = Registry::new().add(tools![open_door, open_vault]);
    let registry = registry.add(prompts![describe_door]).add(resources![door]);
    Genkit::builder().registry(registry).build().unwrap()
}

async fn call_from_cli(arguments: &[&str]) -> Result<()> {
    let line = ["doors"].iter().chain(arguments).copied();
    genkit().serve_mcp().cli().command_line(line).await
}

#[tokio::test]
async fn unknown_tool_is_not_found_on_every_route() {
    let model = ScriptedModel::text("never");
    let looped = genkit().generate("go").model(model).tools(["open_dor"]).await.unwrap_err();
    let client = Client::connect(genkit().serve_mcp()).await.unwrap();
    let served = client.call_tool("open_dor", json!({})).await.unwrap_err();
    let called = call_from_cli(&["--call", "open_dor", "{}"]).await.unwrap_err();
    for error in [looped, served, called] {
        assert_eq!(error.kind(), ErrorKind::NotFound, "{}", error.chain());
        assert!(error.chain().contains("open_door"), "{}", error.chain());
    }
}

#[tokio::test]
async fn tool_that_fails_keeps_its_kind_through_a_host_and_on_the_command_line() {
    let host = McpHost::builder()
        .server("doors", ServerConfig::in_process(|| genkit().serve_mcp()))
        .build()
        .unwrap();
    for (code, kind) in [(8_u8, ErrorKind::PermissionDenied), (9, ErrorKind::InvalidArgument)] {
        let arguments = json!({ "code": code });
        let direct = open_door(code).await.unwrap_err();
        let hosted = host.call_tool("doors/open_door", arguments.clone()).await.unwrap_err();
        let called = call_from_cli(&["--call", "open_door", &arguments.to_string()]).await;
        for error in [direct, hosted, called.unwrap_err()] {
            assert_eq!(error.kind(), kind, "{}", error.chain());
        }
    }
}

#[tokio::test]
async fn prompts_and_resources_keep_their_kinds() {
    let client = Client::connect(genkit().serve_mcp()).await.unwrap();
    let prompt = client.get_prompt("describe_door", json!({})).await.unwrap_err();
    assert_eq!(prompt.kind(), ErrorKind::FailedPrecondition, "{}", prompt.chain());
    for uri in ["door://3", "window://3"] {
        let resource = client.read_resource(uri).await.unwrap_err();
        assert_eq!(resource.kind(), ErrorKind::NotFound, "{}", resource.chain());
    }
}

#[tokio::test]
async fn command_line_reports_one_short_line_and_takes_yes() {
    let error = call_from_cli(&["--call", "open_door", r#"{"code": "x"}"#]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(!error.chain().contains("must match this schema"), "{}", error.chain());
    assert!(error.chain().contains("code"), "{}", error.chain());

    let refused = call_from_cli(&["--call", "open_vault"]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::FailedPrecondition, "{}", refused.chain());
    assert!(refused.chain().contains("--yes"), "{}", refused.chain());
    call_from_cli(&["--call", "open_vault", "--yes"]).await.unwrap();
}
