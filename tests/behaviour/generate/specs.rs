//! The specification of `/util/generate`, in Genkit's format: cases of this repository, and Genkit's, unchanged, if
//! they are next to the repository or in a folder of `GENKIT_SPEC_DIRS`.

use std::path::Path;
use std::sync::{Arc, Mutex};

use genkit::generate::GenerateOptions;
use genkit::model::{GenerateChunk, ModelInfo, ModelResponse};
use genkit::testing::{Scripted, ScriptedModel};
use genkit::{Context, Genkit, Registry, Tool};
use genkit_tests::{case_folders, print_uncaptured};
use serde::Deserialize;
use serde_json::{Value, json};

/// A file of cases.
#[derive(Deserialize)]
struct Spec {
    /// The tools of this repository's cases. Genkit's cases use only `testTool`, which every runner provides.
    #[serde(default)]
    tools: Vec<SpecTool>,
    tests: Vec<SpecCase>,
}

/// A tool that returns a fixed output.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecTool {
    name: String,
    description: String,
    output: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpecCase {
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

impl SpecTool {
    /// Returns the tool of Genkit's specification.
    fn of_genkit() -> Self {
        let text = |text: &str| text.to_owned();
        let (name, description) = (text("testTool"), text("description"));
        Self { name, description, output: json!("tool called") }
    }

    /// Its schemas are those of a function without input and output.
    fn tool(&self) -> Tool {
        let void = json!({"$schema": "http://json-schema.org/draft-07/schema#"});
        let output = self.output.clone();
        Tool::builder(self.name.clone(), self.description.clone())
            .input_schema(void.clone())
            .output_schema(void)
            .handler(move |_: Context, _: Value| {
                let output = output.clone();
                async { Ok(output) }
            })
    }
}

async fn run(case: &SpecCase, tools: &[SpecTool]) -> (Value, Vec<GenerateChunk>) {
    let mut pieces = case.stream_chunks.iter().cloned();
    let script = case
        .model_responses
        .iter()
        .map(|answer| Scripted::chunks(pieces.next().unwrap_or_default(), answer.clone()));
    let model = ScriptedModel::new(script).with_name(case.input.model.clone().expect("a model"));
    let genkit = Genkit::builder()
        .registry(Registry::new())
        .model(model.with_info(ModelInfo::default()))
        .build()
        .expect("it is sound");
    let mut options = case.input.clone();
    // Their schemas do not declare `object`, which a registry requires, so the tools are passed by value.
    let find = |name: &str| tools.iter().find(|tool| tool.name == name).expect("it is known");
    let tools: Vec<Tool> = options.tools.drain(..).map(|name| find(&name).tool()).collect();
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

/// Removes null values, like JavaScript's `undefined`.
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
async fn specification_of_generate_passes_unchanged() {
    let (mut failed, mut lines) = (Vec::new(), String::new());
    for folder in case_folders::find("specs", "GENKIT_SPEC_DIRS", "genkit-specs") {
        let mut passed = 0;
        let before = failed.len();
        for (name, path) in folder.files("yaml") {
            // The other files are for interfaces that are not implemented.
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !file.starts_with("generate") {
                continue;
            }
            for (case, differences) in judge(&name, &path).await {
                match differences.is_empty() {
                    true => passed += 1,
                    false => failed.push(format!("{name}: {case}: {}", differences.join("\n"))),
                }
            }
        }
        let failures = failed.len() - before;
        lines += &format!("generate in {}: {passed} passed, {failures} failed\n", folder.name);
        let is_own = folder.name.starts_with("tests/");
        assert!(!is_own || passed + failures >= 3, "only {passed} cases of our own were found");
    }
    print_uncaptured(&lines);
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}

/// Returns the differences of each case in a file, by the name of the case.
async fn judge(name: &str, path: &Path) -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut spec: Spec =
        serde_yaml_ng::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    spec.tools.push(SpecTool::of_genkit());
    let mut judged = Vec::new();
    for case in spec.tests {
        let (response, chunks) = run(&case, &spec.tools).await;
        let mut differences = Vec::new();
        for (what, is, wanted) in [
            ("response", response, case.expect_response),
            ("chunks", json!(chunks), case.expect_chunks),
        ] {
            if let Some(wanted) = wanted
                && stripped(is.clone()) != stripped(wanted.clone())
            {
                differences.push(format!("{what}\n  is     {is}\n  wanted {wanted}"));
            }
        }
        judged.push((case.name, differences));
    }
    judged
}
