//! Servers whose contents do not match what they declared.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use genkit::mcp::host::McpHost;
use serde_json::{Value, json};

use super::{answer, capabilities, digest, manifest};
use crate::host::hostile::by_hand;

fn entry(name: &str, text: &str) -> Value {
    let uri = format!("skill://{name}/SKILL.md");
    json!({
        "uri": uri, "frontmatter": {"name": name, "description": format!("About {name}")},
        "resources": [{"uri": uri, "digest": digest(text.as_bytes()), "size": text.len()}],
    })
}

fn host(entries: Value, serves: Value) -> McpHost {
    let server = by_hand(capabilities(), move |message, say| {
        if let Some(reply) = answer(message, &entries, &serves) {
            let _ = say.send(reply);
        }
    });
    McpHost::builder().server("s", server).build().unwrap()
}

#[tokio::test]
async fn bad_entry_is_left_out_and_not_its_list() {
    let text = manifest("good", "x");
    let mut huge = entry("huge", "x");
    huge["resources"][0]["size"] = json!(1 << 30);
    let mut outside = entry("outside", "x");
    let file =
        json!({"uri": "skill://outside/../good/SKILL.md", "digest": digest(b"x"), "size": 1});
    outside["resources"].as_array_mut().unwrap().push(file);
    let mut other = entry("other", "x");
    other["uri"] = json!("skill://good/SKILL.md");
    let twice = entry("good", "something else");
    let entries = json!([entry("good", &text), huge, outside, other, twice, 7, null, {}]);
    let host = host(entries, json!({"skill://good/SKILL.md": text}));
    let skills = host.skills().await;
    assert_eq!(skills.len(), 1, "{skills:?}");
    assert_eq!((skills[0].name(), skills[0].server()), ("good", "s"));
    let loaded = skills[0].load().await.unwrap();
    assert_eq!(loaded.instructions(), "x");
    for path in ["../other/SKILL.md", "", "/etc/passwd", "skill://good/SKILL.md"] {
        let error = loaded.read(path).await.unwrap_err().to_string();
        assert!(error.contains("has no file"), "{path}: {error}");
    }
}

#[tokio::test]
async fn changed_skill_is_rejected_until_it_is_listed_again() {
    let reads = Arc::new(AtomicUsize::new(0));
    let lists = Arc::new(AtomicUsize::new(0));
    let (old, new) = (manifest("a", "old"), manifest("a", "new"));
    let (read, listed) = (Arc::clone(&reads), Arc::clone(&lists));
    let server = by_hand(capabilities(), move |message, say| {
        let count = match message["method"].as_str() {
            Some("skills/list") => listed.fetch_add(1, Ordering::SeqCst),
            Some("resources/read") => read.fetch_add(1, Ordering::SeqCst),
            _ => return,
        };
        let text = if count == 0 && message["method"] == "skills/list" { &old } else { &new };
        let serves = json!({"skill://a/SKILL.md": new});
        if let Some(reply) = answer(message, &json!([entry("a", text)]), &serves) {
            let _ = say.send(reply);
        }
    });
    let host = McpHost::builder().server("s", server).build().unwrap();
    let first = host.skills().await.remove(0);
    assert_eq!(reads.load(Ordering::SeqCst), 0, "nothing is fetched in advance");
    let error = first.load().await.unwrap_err().to_string();
    assert!(
        error.contains("the MCP server `s` sent") && error.contains("a different digest"),
        "{error}"
    );
    let second = host.skills().await.remove(0);
    assert_ne!(first.fingerprint(), second.fingerprint());
    assert_eq!(second.load().await.unwrap().instructions(), "new");
}

#[tokio::test]
async fn million_listed_skills_are_truncated_to_a_thousand() {
    let page = Arc::new(AtomicUsize::new(0));
    let server = by_hand(capabilities(), move |message, say| {
        if message["method"] != "skills/list" {
            return;
        }
        let at = page.fetch_add(1, Ordering::SeqCst);
        let digest = format!("sha256:{}", "0".repeat(64));
        let skills: Vec<Value> = (0..5000)
            .map(|number| {
                let name = format!("s{at}-{number}");
                let uri = format!("skill://{name}/SKILL.md");
                json!({
                    "uri": uri, "frontmatter": {"name": name, "description": "d"},
                    "resources": [{"uri": uri, "digest": digest, "size": 1}],
                })
            })
            .collect();
        let result = json!({"skills": skills, "nextCursor": at.to_string()});
        let _ = say.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
    });
    let host = McpHost::builder().server("s", server).build().unwrap();
    let skills = host.client("s").unwrap().skills().await.unwrap();
    assert_eq!(skills.len(), 1000);
}

#[tokio::test]
async fn server_without_the_extension_is_not_asked() {
    let server = by_hand(json!({"resources": {}}), |message, _| {
        assert_ne!(message["method"], "skills/list");
    });
    let host = McpHost::builder().server("s", server).build().unwrap();
    assert!(host.client("s").unwrap().skills().await.unwrap().is_empty());
}
