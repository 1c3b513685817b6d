//! What functions take by value is read and described the same way, whether their expansion is data or has a derive: for
//! random signatures, and random arguments of them.
//!
//! `signatures.rs` is written by `writer.rs`; `UPDATE=1` writes it anew. Each signature is there twice, the second time
//! with an attribute that says nothing and only a derive understands.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

#[rustfmt::skip] // as it was written
#[allow(clippy::empty_docs, reason = "an empty comment says nothing in a schema as well")]
mod signatures;
mod types;
mod writer;

use genkit::message::ToolRequest;
use genkit::{Flow, Prompt, Tool};
use genkit_tests::fuzz::{Rng, fuzz};
use serde_json::{Map, Value, json};

/// One signature: the function whose expansion is data, and that with the derive.
struct Pair {
    plain: Subject,
    derived: Subject,
    /// The names of each parameter, and JSON that it reads.
    params: &'static [(&'static [&'static str], &'static [&'static str])],
}

enum Subject {
    /// Reads leniently.
    Tool(Tool),
    /// Reads exactly.
    Flow(Flow),
    /// Reads text.
    Prompt(Prompt),
}

impl Subject {
    fn name(&self) -> &str {
        match self {
            Self::Tool(tool) => tool.name(),
            Self::Flow(flow) => flow.name(),
            Self::Prompt(prompt) => prompt.name(),
        }
    }

    fn schema(&self) -> String {
        let schema = match self {
            Self::Tool(tool) => tool.input_schema(),
            Self::Flow(flow) => flow.input_schema(),
            Self::Prompt(prompt) => prompt.input_schema(),
        };
        serde_json::to_string_pretty(schema).unwrap()
    }

    /// What the function answered or what was wrong, without its name.
    async fn run(&self, input: Value) -> String {
        let answer = match self {
            Self::Tool(tool) => {
                format!("{:?}", tool.call(&ToolRequest::new("it", input)).await)
            }
            Self::Flow(flow) => format!("{:?}", flow.run(input).await.map_err(|e| e.to_string())),
            Self::Prompt(prompt) => {
                let rendered = prompt.render(input).await;
                format!(
                    "{:?}",
                    rendered.map(|it| it.messages()[0].text()).map_err(|e| e.to_string())
                )
            }
        };
        answer.replace(&format!("`{}`", self.name()), "`it`")
    }
}

#[test]
fn the_signatures_are_as_written() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/inputs/signatures.rs");
    let written = writer::source();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &written).unwrap();
    }
    assert!(written == include_str!("signatures.rs"), "`UPDATE=1` writes it anew");
}

#[test]
fn schemas_are_those_of_the_derive() {
    for pair in signatures::pairs() {
        assert_eq!(pair.plain.schema(), pair.derived.schema(), "{}", pair.plain.name());
    }
}

#[test]
fn arguments_are_read_as_by_the_derive() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let pairs = signatures::pairs();
    let (mut read, mut refused) = (0, 0);
    fuzz("arguments", &[], |rng| {
        for pair in &pairs {
            let input = arguments(rng, pair);
            let derived = runtime.block_on(pair.derived.run(input.clone()));
            let plain = runtime.block_on(pair.plain.run(input.clone()));
            assert_eq!(plain, derived, "{} with {input}", pair.plain.name());
            match plain.contains("read: ") {
                true => read += 1,
                false => refused += 1,
            }
        }
    });
    assert!(read > 100 && refused > 100, "{read} were read and {refused} were not");
}

/// Mostly an object of the parameters; now and then something is missing, misspelt, twice, a string, or no object at all.
fn arguments(rng: &mut Rng, pair: &Pair) -> Value {
    if rng.chance(4) {
        return anything(rng);
    }
    let mut items: Vec<(String, Value)> = Vec::new();
    for (names, samples) in pair.params {
        if rng.chance(12) {
            continue;
        }
        let name = if rng.chance(80) { names[0] } else { *rng.pick::<&str>(names) };
        items.push((name.to_owned(), value(rng, samples)));
        if rng.chance(4) {
            items.push(((*rng.pick::<&str>(names)).to_owned(), value(rng, samples)));
        }
    }
    if rng.chance(5) {
        items.push(("other".to_owned(), anything(rng)));
    }
    if rng.chance(8) {
        return items.into_iter().map(|(_, value)| value).collect();
    }
    // In any order: the first that does not fit is told.
    for place in 0..items.len() {
        let other = rng.below(items.len());
        items.swap(place, other);
    }
    items.into_iter().collect::<Map<_, _>>().into()
}

fn value(rng: &mut Rng, samples: &[&str]) -> Value {
    let sample: Value = serde_json::from_str(rng.pick::<&str>(samples)).unwrap();
    match rng.below(100) {
        0..80 => sample,
        80..90 => Value::from(sample.to_string()),
        _ => anything(rng),
    }
}

fn anything(rng: &mut Rng) -> Value {
    match rng.below(12) {
        0 => Value::Null,
        1 => json!(rng.below(300)),
        2 => json!(-1),
        3 => json!(1.5),
        4 => json!(rng.chance(50)),
        5 => json!(""),
        6 => json!("7"),
        7 => json!("[1, \"2\"]"),
        8 => json!({}),
        9 => json!([]),
        10 => json!({"name": "5", "size": "9"}),
        _ => json!([1, "a", null]),
    }
}
