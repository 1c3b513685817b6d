//! Skills of a program over stdio together with those of a folder, used by one model.

use genkit::Skill;
use genkit::mcp::host::{McpHost, ServerConfig};
use genkit::message::ToolRequest;
use genkit::middleware::skills;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use serde_json::json;

use crate::packages;
use crate::server::example;

#[tokio::test]
async fn model_uses_a_skill_of_a_folder_and_one_of_a_program() {
    let folder = packages::scratch("skills");
    std::fs::create_dir_all(folder.join("greet")).unwrap();
    let text = "---\nname: greet\ndescription: How we greet\n---\nSay hello.\n";
    std::fs::write(folder.join("greet/SKILL.md"), text).unwrap();
    let host = McpHost::builder()
        .server("conformance", ServerConfig::stdio(example("conformance")))
        .build()
        .unwrap();
    let call = |name: &str, input| ToolRequest::new(name, input);
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([
            call("use_skill", json!({"name": "greet"})),
            call("use_skill", json!({"name": "conformance/refunds"})),
        ]),
        ModelResponse::from_tool_requests([call(
            "read_skill_file",
            json!({"skill": "conformance/refunds", "path": "references/limits.md"}),
        )]),
        ModelResponse::from_text("done"),
    ]);
    let local: Vec<Skill> = Skill::read_dir(&folder).unwrap();
    let middleware = skills(local).source(host.clone());
    let run = genkit::generate("Greet, and pay back.").model(model.clone()).middleware(middleware);
    assert_eq!(run.await.unwrap().text(), "done");
    let used = model.tool_outputs("use_skill");
    assert_eq!(used[0]["instructions"], "Say hello.\n");
    assert!(used[1]["instructions"].as_str().unwrap().contains("Ask for the order first."));
    assert_eq!(used[1]["files"], json!(["references/limits.md"]));
    let read = model.tool_outputs("read_skill_file");
    assert!(read[0]["text"].as_str().unwrap().starts_with("# Limits"), "{read:?}");
    host.close().await;
}
