//! Genkit's own specification of `/util/generate`, which every language runs unchanged.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use genkit::model::{GenerateChunk, ModelInfo, ModelResponse};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Context, GenerateOptions, Genkit, Registry, Tool};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Spec {
    tests: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    stream: bool,
    input: GenerateOptions,
    #[serde(default)]
    stream_chunks: Vec<Vec<GenerateChunk>>,
    model_responses: Vec<ModelResponse>,
    expect_response: Option<Value>,
    expect_chunks: Option<Value>,
}

/// `generate*.yaml` of the fixtures and of the folders in `GENKIT_SPEC_DIRS`.
fn files() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/specs");
    let more = std::env::var_os("GENKIT_SPEC_DIRS").unwrap_or_default();
    let folders = std::iter::once(own).chain(std::env::split_paths(&more));
    let folders = folders.filter(|folder| !folder.as_os_str().is_empty());
    let mut files = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|e| panic!("cannot read the folder {}: {e}", folder.display()));
        files.extend(entries.map(|entry| entry.expect("an entry").path()).filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let yaml = Path::new(name).extension().is_some_and(|kind| kind == "yaml");
            yaml && name.starts_with("generate")
        }));
    }
    files.sort();
    files
}

/// The tool of the specification; its schemas are those of a function without input and output.
fn test_tool() -> Tool {
    let void = json!({"$schema": "http://json-schema.org/draft-07/schema#"});
    Tool::builder("testTool", "description")
        .input_schema(void.clone())
        .output_schema(void)
        .handler(|_: Context, _: Value| async { Ok("tool called") })
}

async fn run(case: &Case) -> (Value, Vec<GenerateChunk>) {
    let mut pieces = case.stream_chunks.iter().cloned();
    let script = case
        .model_responses
        .iter()
        .map(|answer| Scripted::chunks(pieces.next().unwrap_or_default(), answer.clone()));
    let model = ScriptedModel::new(script).named("programmableModel");
    let genkit = Genkit::builder()
        .registry(Registry::new())
        .add_model(model.with_info(ModelInfo::default()))
        .build()
        .expect("it is sound");
    let mut options = case.input.clone();
    // The specification's tool has no schema that says `object`, which our registry wants; it is
    // given by value.
    let tools: Vec<Tool> = options.tools.drain(..).map(|_| test_tool()).collect();
    let run = genkit.generate_with(options).tools(tools);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let response = if case.stream {
        let mut stream = run.stream();
        while let Some(chunk) = stream.next().await {
            seen.lock().unwrap().push(chunk.expect("a chunk"));
        }
        stream.response().await
    } else {
        run.await
    };
    let chunks = std::mem::take(&mut *seen.lock().unwrap());
    (json!(response.expect("a response")), chunks)
}

/// Without what is null, as JavaScript's `undefined` is not there.
fn stripped(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, stripped(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(stripped).collect::<Vec<_>>().into(),
        other => other,
    }
}

#[tokio::test]
async fn the_specification_of_generate_passes_unchanged() {
    let mut failed = Vec::new();
    let mut passed = 0;
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        let spec: Spec = serde_yaml_ng::from_str(&text)
            .unwrap_or_else(|e| panic!("{} does not read: {e}", file.display()));
        for case in spec.tests {
            let (response, chunks) = run(&case).await;
            let mut said = Vec::new();
            if let Some(wanted) = &case.expect_response
                && stripped(response.clone()) != stripped(wanted.clone())
            {
                said.push(format!("response\n  is     {response}\n  wanted {wanted}"));
            }
            if let Some(wanted) = &case.expect_chunks
                && stripped(json!(chunks)) != stripped(wanted.clone())
            {
                said.push(format!("chunks\n  are    {}\n  wanted {wanted}", json!(chunks)));
            }
            match said.is_empty() {
                true => passed += 1,
                false => failed.push(format!("{}: {}", case.name, said.join("\n"))),
            }
        }
    }
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
    assert!(passed >= 3, "only {passed} cases were found");
    #[expect(clippy::print_stdout, reason = "what was run is shown with --nocapture")]
    {
        println!("specifications of generate: {passed} passed, 0 failed");
    }
}
