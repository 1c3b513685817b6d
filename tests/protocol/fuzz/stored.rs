//! Files and stored runs that were modified.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, GenerateResponse, Tool};
use genkit_tests::fuzz::fuzz;
use serde_json::{Value, json};

use super::{mutate, runtime};
use crate::raw::within;

/// Seeds that found errors.
const SEEDS: &[u64] = &[];

#[test]
fn configuration_that_was_changed_is_read_or_rejected_and_shows_no_secret() {
    let file = json!({
        "mcpServers": {
            "one": {
                "command": "server", "args": ["--key", "${SECRET}", "${NAME:-x}"],
                "env": { "TOKEN": "${env:SECRET}" }, "cwd": "folder", "envFile": ".env"
            },
            "two": {
                "type": "http", "url": "https://example.com/${NAME}",
                "headers": { "authorization": "Bearer ${SECRET}" }, "timeout": 30_000,
                "enabledTools": ["a", "b*"], "disabled": false
            }
        },
        "inputs": []
    });
    let variables = |name: &str| match name {
        "SECRET" => Some("s3cret".to_owned()),
        "NAME" => Some("name".to_owned()),
        _ => None,
    };
    fuzz("configuration files", SEEDS, |rng| {
        let mut changed = file.clone();
        for _ in 0..rng.below(4) {
            mutate::value(rng, &mut changed, &[]);
        }
        let mut text = match changed.as_object() {
            Some(map) if rng.chance(15) && !map.is_empty() => mutate::doubled(rng, map),
            _ => mutate::spelled(rng, &changed),
        };
        if rng.chance(30) {
            let at = text.len() / 2;
            let at = (at..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.insert_str(
                at,
                rng.pick::<&str>(&["// a comment\n", "/* another */", ",", "/*", "\""]),
            );
        }
        if rng.chance(40) {
            let mut bytes = text.into_bytes();
            mutate::bytes(rng, &mut bytes);
            text = String::from_utf8_lossy(&bytes).into_owned();
        }
        let said = match genkit_mcp_servers_file::parse(&text, "mcp.json", variables) {
            Err(error) => format!("{error} {error:?}"),
            Ok(file) => {
                let errors = file.servers.iter().filter_map(|it| it.transport.as_ref().err());
                let errors: Vec<_> = errors.map(|error| format!("{error} {error:?}")).collect();
                format!("{errors:?} {:?} {file:?}", file.notices)
            }
        };
        assert!(!said.contains("s3cret"), "{text}\n{said}");
    });
}

/// Pays after approval, and counts how often.
fn pay(paid: &Arc<AtomicU32>) -> Tool {
    let paid = Arc::clone(paid);
    let tool = Tool::builder("pay", "Pays.").needs_approval(true);
    tool.handler(move |_: Context, input: Value| {
        let paid = Arc::clone(&paid);
        async move {
            paid.fetch_add(1, Ordering::SeqCst);
            Ok(input.to_string())
        }
    })
}

#[test]
fn modified_stored_run_resumes_or_is_rejected_and_pays_at_most_once() {
    let paid = Arc::new(AtomicU32::new(0));
    let tools = [pay(&paid)];
    let runtime = runtime();
    let script = || {
        ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({ "cents": 5 }))]),
            ModelResponse::from_text("Paid."),
        ])
    };
    fuzz("stored runs", SEEDS, |rng| {
        runtime.block_on(async {
            let model = script();
            let asked = genkit::generate("go").model(model.clone()).tools(&tools).await.unwrap();
            let mut stored = serde_json::to_value(&asked).unwrap();
            for _ in 0..rng.below(3) {
                mutate::value(rng, &mut stored, &[]);
            }
            let mut text = mutate::spelled(rng, &stored);
            if rng.chance(25) {
                let mut bytes = text.into_bytes();
                mutate::bytes(rng, &mut bytes);
                text = String::from_utf8_lossy(&bytes).into_owned();
            }
            let Ok(back) = serde_json::from_str::<GenerateResponse>(&text) else { return };
            let before = paid.load(Ordering::SeqCst);
            let answers: Vec<_> = back.interrupts().iter().map(|q| q.approve()).collect();
            let approved = answers.len() as u32;
            let resumed = genkit::resume_with_answers(back, answers).model(model).tools(&tools);
            let _ = within("a resumed run", resumed.into_future()).await;
            let now = paid.load(Ordering::SeqCst) - before;
            assert!(now <= approved.min(1), "paid {now} times, approved {approved}:\n{text}");
        });
    });
}
