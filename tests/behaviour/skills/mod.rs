//! Skills from folders and from servers, for clients and for a model.

mod cases;
mod folders;
mod hostile;
mod model;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use genkit::mcp::McpServer;
use genkit::{Genkit, Registry, Skill};
use serde_json::Value;

/// Returns an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("genkit-skills-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Returns the text of a valid `SKILL.md`.
fn manifest(name: &str, instructions: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}\n---\n{instructions}")
}

fn serving(skills: Vec<Skill>) -> McpServer {
    let registry = Registry::new().add(skills);
    Genkit::builder().registry(registry).build().unwrap().serve_mcp()
}

/// Returns the digest that this library computes for these bytes.
fn digest(bytes: &[u8]) -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let root = folder(&format!("digest-{}", NUMBER.fetch_add(1, Ordering::SeqCst)));
    write(&root, "a/SKILL.md", manifest("a", ""));
    write(&root, "a/x", bytes);
    let skills = Skill::read_dir(&root).unwrap();
    let digest = skills[0].file("x").unwrap().digest().to_owned();
    std::fs::remove_dir_all(root).unwrap();
    digest
}

/// Responds to a host's request from a list of entries and the contents that it serves.
fn answer(message: &Value, entries: &Value, serves: &Value) -> Option<Value> {
    let result = match message["method"].as_str()? {
        "skills/list" => serde_json::json!({ "skills": entries }),
        "resources/read" => {
            let uri = message["params"]["uri"].as_str()?;
            serde_json::json!({ "contents": [{ "uri": uri, "text": serves.get(uri)? }] })
        }
        _ => return None,
    };
    Some(serde_json::json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

/// Returns the capabilities of a server with skills.
fn capabilities() -> Value {
    serde_json::json!({"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}})
}
