//! A model that uses skills from folders and from servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use genkit::mcp::host::{McpHost, ServerConfig};
use genkit::message::ToolRequest;
use genkit::middleware::skills;
use genkit::model::ModelResponse;
use genkit::skill::OfferedSkill;
use genkit::testing::ScriptedModel;
use genkit::{Genkit, Registry, Skill};
use serde_json::{Value, json};

use super::{folder, manifest, write};

fn calls(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ScriptedModel {
    let calls: Vec<_> =
        calls.into_iter().map(|(name, input)| ToolRequest::new(name, input)).collect();
    ScriptedModel::new([ModelResponse::from_tool_requests(calls), ModelResponse::from_text("done")])
}

/// Returns a host with one server, `shop`, that serves the skills of a folder.
fn shop(root: &std::path::Path) -> McpHost {
    let registry = Registry::new().add(Skill::read_dir(root).unwrap());
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let server = ServerConfig::in_process(move || genkit.serve_mcp());
    McpHost::builder().server("shop", server).build().unwrap()
}

#[tokio::test]
async fn skills_of_folders_and_servers_do_not_replace_each_other() {
    let (here, there) = (folder("model-here"), folder("model-there"));
    write(&here, "refunds/SKILL.md", manifest("refunds", "Ours."));
    write(&here, "refunds/law.md", "The law.");
    write(&there, "refunds/SKILL.md", manifest("refunds", "Theirs."));
    write(&there, "refunds/prices.md", "Prices.");
    let host = shop(&there);
    let model = calls([
        ("use_skill", json!({"name": "refunds"})),
        ("use_skill", json!({"name": "shop/refunds"})),
        ("read_skill_file", json!({"skill": "refunds", "path": "law.md"})),
        ("read_skill_file", json!({"skill": "shop/refunds", "path": "prices.md"})),
        ("read_skill_file", json!({"skill": "refunds", "path": "prices.md"})),
        ("read_skill_file", json!({"skill": "refunds", "path": "../refunds/law.md"})),
        ("use_skill", json!({"name": "refund"})),
        ("use_skill", json!({"query": "refunds"})),
    ]);
    let run = genkit::generate("Pay it back.").model(model.clone());
    let run = run.system("Be kind.").middleware(skills([here.clone()]).source(host.clone())).await;
    assert_eq!(run.unwrap().text(), "done");
    let system = model.requests()[0].messages[0].text();
    assert!(system.starts_with("Be kind."), "{system}");
    assert!(system.contains("- refunds: About refunds\n"), "{system}");
    assert!(
        system.contains("- shop/refunds (of the MCP server `shop`): About refunds"),
        "{system}"
    );
    let used = model.tool_outputs("use_skill");
    assert_eq!(
        (&used[0]["instructions"], &used[0]["from"]),
        (&json!("Ours."), &json!("this program"))
    );
    assert_eq!(used[0]["files"], json!(["law.md"]));
    assert_eq!(used[1]["instructions"], "Theirs.");
    assert!(used[1]["from"].as_str().unwrap().contains("the MCP server `shop`"), "{}", used[1]);
    assert!(used[2]["error"].as_str().unwrap().contains("refunds"), "{}", used[2]);
    assert_eq!(used[3]["found"].as_array().unwrap().len(), 2);
    let read = model.tool_outputs("read_skill_file");
    assert_eq!((&read[0]["text"], &read[1]["text"]), (&json!("The law."), &json!("Prices.")));
    assert!(read[2]["error"].is_string() && read[3]["error"].is_string(), "{read:?}");
    host.close().await;
    std::fs::remove_dir_all(here).unwrap();
    std::fs::remove_dir_all(there).unwrap();
}

#[tokio::test]
async fn approval_holds_for_the_files_as_they_are() {
    let there = folder("model-approval");
    write(&there, "refunds/SKILL.md", manifest("refunds", "Theirs."));
    let asked = Arc::new(AtomicUsize::new(0));
    let (count, says_yes) = (Arc::clone(&asked), Arc::new(AtomicUsize::new(0)));
    let yes = Arc::clone(&says_yes);
    let approve = move |skill: OfferedSkill| {
        assert_eq!(skill.server(), Some("shop"));
        count.fetch_add(1, Ordering::SeqCst);
        let yes = yes.load(Ordering::SeqCst) > 0;
        async move { yes }
    };
    let host = shop(&there);
    let none: [Skill; 0] = [];
    let middleware = skills(none).source(host.clone()).approve_with(approve);
    let run = async |middleware: &genkit::middleware::Skills| {
        let model = calls([("use_skill", json!({"name": "shop/refunds"}))]);
        let run = genkit::generate("x").model(model.clone()).middleware(middleware.clone());
        run.await.unwrap();
        model.tool_outputs("use_skill").remove(0)
    };
    let refused = run(&middleware).await;
    assert!(refused["error"].as_str().unwrap().contains("did not approve"), "{refused}");
    assert!(!refused.to_string().contains("Theirs."), "{refused}");
    says_yes.store(1, Ordering::SeqCst);
    assert_eq!(run(&middleware).await["instructions"], "Theirs.");
    assert_eq!(run(&middleware).await["instructions"], "Theirs.");
    assert_eq!(asked.load(Ordering::SeqCst), 2, "the approval is not requested twice");
    host.close().await;
    std::fs::remove_dir_all(there).unwrap();
}

#[tokio::test]
async fn unlisted_skills_are_mentioned_and_can_be_found() {
    let here = folder("model-many");
    for number in 0..150 {
        let name = format!("task-{number}");
        write(&here, &format!("{name}/SKILL.md"), manifest(&name, "x"));
    }
    write(&here, "zebra/SKILL.md", manifest("zebra", "Stripes."));
    let model = calls([("use_skill", json!({"query": "zebra"}))]);
    let run = genkit::generate("x").model(model.clone()).middleware(skills([here.clone()]));
    run.await.unwrap();
    let system = model.requests()[0].messages[0].text();
    assert!(system.len() <= 8 * 1024, "{}", system.len());
    assert!(system.contains("(51 more are not listed here"), "{system}");
    assert!(!system.contains("zebra"));
    let found = model.tool_outputs("use_skill").remove(0);
    assert!(found["found"][0].as_str().unwrap().starts_with("- zebra:"), "{found}");
    std::fs::remove_dir_all(here).unwrap();
}
