//! `server-filesystem`: files are read and written, only where that is allowed.

use std::path::{Path, PathBuf};

use genkit::mcp::McpHost;
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use serde_json::json;

use super::mark::Mark;
use super::{as_a_model_sees, node};
use crate::packages;

/// Returns a host with one such server for an empty folder.
fn open(test: &str) -> (McpHost, Mark, PathBuf) {
    let folder = packages::scratch(&format!("filesystem-{test}")).canonicalize().unwrap();
    let mark = Mark::new(&format!("filesystem-{test}"));
    let server = node("server-filesystem", &mark).arg(&folder);
    (McpHost::builder().server("fs", server).build().unwrap(), mark, folder)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn reads_and_writes_files_of_the_filesystem_server() {
    let (host, mark, folder) = open("files");
    let file = folder.join("näme.txt");
    let input = json!({"path": text(&file), "content": "one\ntwo\n"});
    let written = host.call_tool("fs/write_file", input).await.unwrap();
    assert!(written["content"].as_str().unwrap().starts_with("Successfully wrote"), "{written}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    let read = host.call_tool("fs/read_text_file", json!({"path": text(&file)})).await.unwrap();
    assert_eq!(read, json!({"content": "one\ntwo\n"}));
    let listed = host.call_tool("fs/list_directory", json!({"path": text(&folder)})).await;
    assert_eq!(listed.unwrap(), json!({"content": "[FILE] näme.txt"}));
    mark.close(host).await;
}

#[tokio::test]
async fn failed_and_rejected_calls_are_errors() {
    let (host, mark, folder) = open("refused");
    let missing = json!({"path": text(&folder.join("none"))});
    let error = host.call_tool("fs/read_text_file", missing.clone()).await.unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("ENOENT: no such file or directory"), "{said}");
    // The model sees the tool's own error, and can correct its call.
    let seen = as_a_model_sees(&host, "fs/read_text_file", missing).await;
    assert_eq!(seen.output, json!({"error": said}));
    let outside = json!({"path": "/etc/hostname"});
    let error = host.call_tool("fs/read_text_file", outside.clone()).await.unwrap_err();
    assert!(error.to_string().contains("Access denied"), "{error}");
    let seen = as_a_model_sees(&host, "fs/read_text_file", outside).await;
    assert!(seen.error().unwrap().contains("path outside allowed directories"), "{seen:?}");
    mark.close(host).await;
}

/// The folders of the host override those of the command line, even while it runs.
#[tokio::test]
async fn host_roots_are_the_allowed_folders() {
    let mark = Mark::new("filesystem-roots");
    let one = packages::scratch("filesystem-roots-one").canonicalize().unwrap();
    let two = packages::scratch("filesystem-roots-two").canonicalize().unwrap();
    let uri = |folder: &Path| format!("file://{}", text(folder));
    let host = McpHost::builder()
        .server("fs", node("server-filesystem", &mark).arg("/usr"))
        .roots([uri(&one)])
        .build()
        .unwrap();
    let may = async |folder: &Path| {
        host.call_tool("fs/list_directory", json!({"path": text(folder)})).await.is_ok()
    };
    super::until("the first folder", async || may(&one).await).await;
    assert!(!may(&two).await && !may(Path::new("/usr")).await);
    host.set_roots([uri(&two)]).await;
    super::until("the second folder", async || may(&two).await).await;
    assert!(!may(&one).await);
    mark.close(host).await;
}

#[tokio::test]
async fn loop_writes_and_reads() {
    let (host, mark, folder) = open("loop");
    let path = folder.join("a.txt");
    let path = text(&path);
    let call =
        |tool: &str, input| ModelResponse::from_tool_requests([ToolRequest::new(tool, input)]);
    let model = ScriptedModel::new([
        call("fs/read_text_file", json!({"path": path})),
        call("fs/write_file", json!({"path": path, "content": "hello"})),
        // Models omit the server if the name is unambiguous without it.
        call("read_text_file", json!({"path": path})),
        ModelResponse::from_text("It says hello."),
    ]);
    let tools = host.tools().only(["fs/read_*", "fs/write_file"]);
    let answer = genkit::generate("What does a.txt say?").model(model.clone()).tools(tools);
    assert_eq!(answer.await.unwrap().text(), "It says hello.");
    let read = model.tool_outputs("fs/read_text_file");
    assert!(read[0]["error"].as_str().unwrap().starts_with("ENOENT"), "{read:?}");
    assert_eq!(read[1], json!({"content": "hello"}));
    let offered = &model.requests()[0].tools;
    assert!(!offered.iter().any(|tool| tool.name.contains("move_file")));
    let write = offered.iter().find(|tool| tool.name == "fs/write_file").unwrap();
    assert_eq!(write.input_schema().unwrap()["required"], json!(["path", "content"]));
    mark.close(host).await;
}
