//! Blocks of data: each is read by the code that reads it in practice.

use std::fs;
use std::path::Path;

use genkit::evaluate::DataSet;
use genkit::mcp::McpHost;
use genkit::testing::Client;
use genkit::{Genkit, Registry};
use genkit_tests::cargo::cargo;
use serde_json::Value;

use super::pages::{Block, Page, documents, root};

/// The program on the page about tools, whose schema that page shows.
#[allow(dead_code, reason = "it is a separate program")]
#[path = "../../../genkit/examples/serving/tool_arguments.rs"]
mod tool_arguments;

/// Returns the schema of its tool, as a client sees it.
async fn shown_schema() -> Value {
    let tool = Registry::linked().tool("create_task").expect("it is linked");
    let client = Client::connect(crate::serving([tool])).await.unwrap();
    Value::Object(client.tools().await.unwrap()[0].input_schema().clone())
}

/// Reads a block of JSON according to its kind.
async fn read_json(block: &Block) -> Result<(), String> {
    let value: Value = serde_json::from_str(&block.text).map_err(|error| error.to_string())?;
    if value.get("mcpServers").or(value.get("servers")).is_some() {
        let host = McpHost::builder().config_variables(["DOCS_TOKEN"]).config_json(&block.text);
        return host.map(drop).map_err(|error| error.chain());
    }
    if block.mark.starts_with("<!-- schema: ") {
        let shown = shown_schema().await;
        return if value == shown { Ok(()) } else { Err(format!("{shown:#}")) };
    }
    if value.is_array() {
        let cases = DataSet::from_json(&block.text).map_err(|error| error.chain())?;
        return if cases.is_empty() { Err("no case".to_owned()) } else { Ok(()) };
    }
    // The input of a flow.
    let is_call = value.as_object().is_some_and(|body| body.keys().eq(["data"]));
    if is_call { Ok(()) } else { Err("nothing reads this".to_owned()) }
}

#[tokio::test]
async fn every_block_of_json_is_read() {
    let blocks: Vec<Block> = documents().iter().flat_map(Page::blocks).collect();
    let json: Vec<&Block> = blocks.iter().filter(|block| block.info == "json").collect();
    assert!(json.len() >= 5, "only {} blocks", json.len());
    for block in json {
        if let Err(why) = read_json(block).await {
            panic!("{}: {why}", block.place);
        }
    }
}

/// Returns the features listed in `features = [..]` of genkit.
fn features(toml: &str) -> Vec<String> {
    let ours = toml.lines().filter(|line| line.starts_with("genkit = "));
    let lists = ours.filter_map(|line| line.split_once("features = [")?.1.split(']').next());
    let words = lists.flat_map(|list| list.split(','));
    words.map(|word| word.trim().trim_matches('"').to_owned()).collect()
}

/// Creates a link to the repository at the place where readers of the pages have their clone: next to their package,
/// with the name `genkit`.
fn link_clone(folder: &Path) {
    #[cfg(unix)]
    use std::os::unix::fs::symlink as link_folder;
    #[cfg(windows)]
    use std::os::windows::fs::symlink_dir as link_folder;
    let link = folder.join("genkit");
    if !link.exists() {
        fs::create_dir_all(folder).unwrap();
        link_folder(root().canonicalize().unwrap(), link).unwrap();
    }
}

#[test]
fn every_block_of_toml_is_a_manifest() {
    let manifest = fs::read_to_string(root().join("genkit/Cargo.toml")).unwrap();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide-manifests");
    link_clone(&scratch);
    for (number, block) in documents().iter().flat_map(Page::blocks).enumerate() {
        if block.info != "toml" {
            continue;
        }
        for feature in features(&block.text) {
            let is_there = manifest.contains(&format!("\n{feature} = ["));
            assert!(is_there, "{}: there is no feature `{feature}`", block.place);
        }
        let folder = scratch.join(number.to_string());
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/main.rs"), "fn main() {}").unwrap();
        let package = "[workspace]\n[package]\nname = \"page\"\nedition = \"2024\"\n";
        fs::write(folder.join("Cargo.toml"), format!("{package}{}", block.text)).unwrap();
        let read = cargo().current_dir(&folder).args(["metadata", "--no-deps", "-q"]).output();
        let read = read.expect("cargo runs");
        let said = String::from_utf8_lossy(&read.stderr).into_owned();
        assert!(read.status.success(), "{}: {said}", block.place);
    }
}

#[test]
fn every_prompt_file_is_one() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide-prompts");
    let mut seen = 0;
    for block in documents().iter().flat_map(Page::blocks) {
        if !block.text.starts_with("---\n") || block.place.contains("skills.md") {
            continue;
        }
        seen += 1;
        fs::create_dir_all(&scratch).unwrap();
        fs::write(scratch.join("trip.prompt"), &block.text).unwrap();
        let builder = Genkit::builder().registry(Registry::new()).prompts_dir(&scratch);
        let genkit = builder.build().unwrap_or_else(|why| panic!("{}: {why:?}", block.place));
        let prompt = genkit.registry().prompt("trip").expect("the prompt is there");
        assert!(prompt.template().is_some());
    }
    assert_eq!(seen, 1);
}

#[test]
fn every_skill_is_one() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide-skills");
    let is_skill =
        |block: &Block| block.text.starts_with("---\n") && block.place.contains("skills.md");
    let blocks: Vec<Block> = documents().iter().flat_map(Page::blocks).filter(is_skill).collect();
    assert_eq!(blocks.len(), 1);
    for block in blocks {
        fs::create_dir_all(scratch.join("git-flow")).unwrap();
        fs::write(scratch.join("git-flow/SKILL.md"), &block.text).unwrap();
        let skills = genkit::Skill::read_dir(&scratch);
        assert_eq!(
            skills.unwrap_or_else(|why| panic!("{}: {why}", block.place))[0].name(),
            "git-flow"
        );
    }
}

/// An error on a page is the compiler's actual message.
#[test]
fn compiler_errors_match_the_guide() {
    let folder = root().join("ui-tests/cases/options/fail");
    let said: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "stderr"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    for block in documents().iter().flat_map(Page::blocks) {
        let Some(first) = block.text.lines().next().filter(|it| it.starts_with("error: ")) else {
            continue;
        };
        let is_said = said.iter().any(|said| said.contains(first));
        assert!(is_said, "{}: no case of ui-tests says {first:?}", block.place);
    }
}
