//! Runs every case in every folder: those of this repository in `tests/fixtures/dotprompt`, those in
//! `GENKIT_PROMPT_SPEC_DIRS`, and `../shared/fixtures/dotprompt` next to the repository.

use genkit_dotprompt::{Data, Environment, Metadata, PromptFile, Rendered};
use genkit_tests::{case_folders, print_uncaptured};
use serde_json::{Map, Value, json};

const VARIABLE: &str = "GENKIT_PROMPT_SPEC_DIRS";

#[test]
fn every_case_of_every_folder() {
    let mut failures = Vec::new();
    for folder in case_folders::find("dotprompt", VARIABLE, "dotprompt") {
        let (mut files, mut cases) = (0, 0);
        for (name, path) in folder.files("yaml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let groups = groups(&name, &text);
            files += 1;
            for group in &groups {
                for test in list(group, "tests") {
                    cases += 1;
                    let test = test.as_object().expect("a test is a map");
                    if let Err(what) = run_case(group, test) {
                        let group = group["name"].as_str().unwrap_or("?");
                        let desc = test.get("desc").and_then(Value::as_str).unwrap_or("?");
                        failures.push(format!("{name}/{group}/{desc}: {what}"));
                    }
                }
            }
        }
        assert!(cases > 0, "{} has no cases", folder.name);
        print_uncaptured(&format!("{}: {cases} prompt cases in {files} files\n", folder.name));
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

/// Returns the groups of a file. The cases are YAML 1.2 with unusual whitespace, so this crate's own YAML parser reads
/// them. Files that it rejects are read by another parser.
fn groups(name: &str, text: &str) -> Vec<Map<String, Value>> {
    let text = text.strip_prefix("---\n").unwrap_or(text);
    let value = match PromptFile::parse(name, &format!("---\ncases:\n{text}\n---\n")) {
        Ok(file) => file.raw().expect("a frontmatter")["cases"].clone(),
        Err(_) => serde_yaml_ng::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}")),
    };
    serde_json::from_value(value).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn list<'a>(map: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    map.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn entries<'a>(
    map: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    map.get(key).and_then(Value::as_object).into_iter().flatten()
}

fn run_case(group: &Map<String, Value>, test: &Map<String, Value>) -> Result<(), String> {
    let expect = test.get("expect").and_then(Value::as_object).ok_or("`expect` is missing")?;
    let results = results(group, test);
    if let Some(piece) = expect.get("error") {
        let piece = piece.as_str().ok_or("`error` is not a string")?;
        return match results {
            Ok(_) => Err("expected an error, but rendering succeeded".to_owned()),
            Err(error) if error.contains(piece) => Ok(()),
            Err(error) => Err(format!("{piece:?} is not in {error:?}")),
        };
    }
    let (rendered, metadata) = results?;
    compare_rendered(&rendered, expect)?;
    compare_metadata(&metadata, expect)
}

/// Calls `render` and `metadata`.
fn results(
    group: &Map<String, Value>,
    test: &Map<String, Value>,
) -> Result<(Rendered, Metadata), String> {
    let text = |error: genkit_dotprompt::Error| error.to_string();
    let mut builder = Environment::builder();
    for (name, source) in entries(group, "partials") {
        builder =
            builder.partial(name, source.as_str().ok_or("a partial is text")?).map_err(text)?;
    }
    if let Some(Value::Object(partials)) = group.get("resolverPartials").cloned() {
        builder =
            builder.partial_resolver(move |name| Some(partials.get(name)?.as_str()?.to_owned()));
    }
    for (name, schema) in entries(group, "schemas") {
        builder = builder.schema(name, schema.clone());
    }
    for (name, definition) in entries(group, "tools") {
        builder = builder.tool(name, definition.clone());
    }
    let environment = builder.build();
    let source = group.get("template").and_then(Value::as_str).ok_or("`template` is missing")?;
    let options = Metadata::from(test.get("options").cloned().unwrap_or_default());
    let prompt = PromptFile::parse("case.prompt", source).map_err(text)?;
    let rendered = environment.render(&prompt, &data(group, test), &options).map_err(text)?;
    let metadata = environment.metadata(&prompt, &options).map_err(text)?;
    Ok((rendered, metadata))
}

/// Returns the data of a test. The `data` of the test overrides the `data` of the group key by key.
fn data(group: &Map<String, Value>, test: &Map<String, Value>) -> Data {
    let find = |key: &str| {
        let of = |map: &Map<String, Value>| map.get("data")?.get(key).cloned();
        of(test).or_else(|| of(group)).unwrap_or_default()
    };
    let map = |key| find(key).as_object().cloned().unwrap_or_default();
    let list = |key| find(key).as_array().cloned().unwrap_or_default();
    let mut data = Data::from_input(find("input"));
    (data.context, data.messages, data.docs) = (map("context"), list("messages"), list("docs"));
    data
}

fn compare_rendered(rendered: &Rendered, expect: &Map<String, Value>) -> Result<(), String> {
    let mut found = rendered.metadata.as_map().clone();
    let messages = rendered.messages.iter().map(|message| message.to_value()).collect();
    found.insert("messages".to_owned(), Value::Array(messages));
    if found.contains_key("input") {
        return Err("the rendered metadata contains `input`".to_owned());
    }
    if expect.contains_key("raw") {
        same("raw", found.get("raw"), expect.get("raw"))?;
    }
    compare(found, expect, &["input", "raw"])
}

fn compare_metadata(metadata: &Metadata, expect: &Map<String, Value>) -> Result<(), String> {
    compare(metadata.as_map().clone(), expect, &["messages", "raw"])
}

fn compare(
    found: Map<String, Value>,
    expect: &Map<String, Value>,
    without: &[&str],
) -> Result<(), String> {
    let mut expected = expect.clone();
    for key in ["ext", "config", "metadata"] {
        expected.entry(key).or_insert_with(|| json!({}));
    }
    let mut keys: Vec<_> = found.keys().chain(expected.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys.into_iter().filter(|key| !without.contains(&key.as_str())) {
        same(key, found.get(key), expected.get(key))?;
    }
    Ok(())
}

fn same(key: &str, found: Option<&Value>, expected: Option<&Value>) -> Result<(), String> {
    match (found, expected) {
        (Some(found), Some(expected)) if equal(found, expected) => Ok(()),
        _ => {
            let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            Err(format!("`{key}` is {}, expected {}", show(found), show(expected)))
        }
    }
}

/// Compares values: `3` equals `3.0`, and the order of keys does not matter.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(key, a): (&String, &Value)| b.get(key).is_some_and(|b| equal(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}
