//! The cases of `skills.yaml`: how a server lists a folder, and what a host may load.

use std::collections::BTreeSet;

use genkit::Skill;
use genkit::mcp::host::{McpHost, RemoteSkill, ServerConfig};
use genkit_tests::{case_folders, print_uncaptured};
use serde_json::{Map, Value, json};

use super::{answer, capabilities, digest, folder, write};
use crate::host::hostile::by_hand;

#[tokio::test]
async fn every_case_passes_unchanged() {
    let (mut failed, mut passed, mut lines) = (Vec::new(), 0, String::new());
    for folder in case_folders::find("skills", "GENKIT_SPEC_DIRS", "skills") {
        let before = passed + failed.len();
        for (name, path) in folder.files("yaml") {
            if path.file_name().is_none_or(|file| file != "skills.yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let spec: Value = serde_yaml_ng::from_str(&text).unwrap();
            for case in spec["tests"].as_array().unwrap() {
                let wrong = match case.get("serve") {
                    Some(serve) => served(serve, &case["expect"]).await,
                    None => hosted(&case["host"], &case["expect"]).await,
                };
                match wrong {
                    Ok(()) => passed += 1,
                    Err(why) => failed.push(format!("{name}: {}: {why}", case["name"])),
                }
            }
        }
        let count = passed + failed.len() - before;
        let is_own = folder.name.starts_with("tests/");
        assert!(!is_own || count >= 10, "only {count} cases of our own were found");
        lines += &format!("skills in {}: {count} cases\n", folder.name);
    }
    print_uncaptured(&lines);
    assert!(failed.is_empty(), "{passed} passed, these not:\n{}", failed.join("\n"));
}

/// Checks that a folder becomes an entry of `skills/list` that a host can see, or is rejected.
async fn served(serve: &Value, expect: &Value) -> Result<(), String> {
    let root = folder("case");
    let path = serve["path"].as_str().unwrap();
    let mut bytes = Map::new();
    for (file, content) in serve["files"].as_object().unwrap() {
        let content = match content {
            Value::String(text) => text.clone().into_bytes(),
            encoded => decoded(encoded["base64"].as_str().unwrap()),
        };
        write(&root, &format!("{path}/{file}"), &content);
        let about = json!({"digest": digest(&content), "size": content.len()});
        bytes.insert(format!("skill://{path}/{file}"), about);
    }
    let read = Skill::read_dir(&root);
    std::fs::remove_dir_all(&root).unwrap();
    if expect["refused"] == true {
        return match read {
            Ok(skills) => Err(format!("not refused: {skills:?}")),
            Err(_) => Ok(()),
        };
    }
    let skills = read.map_err(|error| error.to_string())?;
    let genkit = genkit::Genkit::builder().registry(genkit::Registry::new().add(skills.clone()));
    let genkit = genkit.build().unwrap();
    let host = McpHost::builder()
        .server("s", ServerConfig::in_process(move || genkit.serve_mcp()))
        .build()
        .unwrap();
    let listed = host.skills().await;
    let wanted = &expect["entry"];
    let uri = wanted["uri"].as_str().unwrap();
    let found = listed.iter().find(|skill| skill.uri() == uri).ok_or("it is not listed")?;
    if Value::Object(found.frontmatter().clone()) != wanted["frontmatter"] {
        return Err(format!("another frontmatter: {:?}", found.frontmatter()));
    }
    let skill = skills.iter().find(|skill| skill.uri() == uri).ok_or("it is not read")?;
    let files: BTreeSet<&str> = skill.files().iter().map(|file| file.uri()).collect();
    let all: BTreeSet<&str> =
        wanted["files"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    if files != all || found.paths().count() != all.len() {
        return Err(format!("other files: {files:?}"));
    }
    for file in skill.files() {
        let about = &bytes[file.uri()];
        if about["digest"] != file.digest() || about["size"] != file.size() {
            return Err(format!("another digest or size: {file:?}"));
        }
    }
    // The host verifies that it reads what was listed.
    let loaded = found.load().await.map_err(|error| error.to_string())?;
    for path in found.paths() {
        loaded.read(path).await.map_err(|error| error.to_string())?;
    }
    host.close().await;
    Ok(())
}

/// Decodes Base64, in which the cases write bytes.
fn decoded(text: &str) -> Vec<u8> {
    let of = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        bits = bits << 6 | u32::from(of(letter));
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}

/// Checks that a listed skill is loaded and read, or rejected.
async fn hosted(case: &Value, expect: &Value) -> Result<(), String> {
    let mut entry = case["entry"].clone();
    for file in entry["resources"].as_array_mut().unwrap() {
        let of = file["of"].as_str().unwrap().to_owned();
        let file = file.as_object_mut().unwrap();
        file.remove("of");
        file.entry("digest").or_insert_with(|| digest(of.as_bytes()).into());
        file.entry("size").or_insert_with(|| of.len().into());
    }
    let (entries, serves) = (json!([entry]), case["serves"].clone());
    let server = by_hand(capabilities(), move |message, say| {
        if let Some(reply) = answer(message, &entries, &serves) {
            let _ = say.send(reply);
        }
    });
    let host = McpHost::builder().server("s", server).build().unwrap();
    let uri = case["load"].as_str().unwrap();
    let root = uri.strip_suffix("SKILL.md").unwrap();
    let listed = host.skills().await;
    let skill: Option<&RemoteSkill> = listed.iter().find(|skill| skill.uri() == uri);
    let loaded = match skill {
        Some(skill) => skill.load().await.ok(),
        None => None,
    };
    let word = |ok: bool| if ok { "ok" } else { "refused" };
    let mut found = vec![word(loaded.is_some())];
    for then in case["then"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let path = then.strip_prefix(root).unwrap();
        let read = match &loaded {
            Some(loaded) => loaded.read(path).await.is_ok(),
            None => false,
        };
        found.push(word(read));
    }
    host.close().await;
    match json!(found) == *expect {
        true => Ok(()),
        false => Err(format!("{found:?} in the place of {expect}")),
    }
}
