//! The features that each provider supports. Every cell of the table in `genkit/guide/provider_features.md` is
//! determined by calls to a stand-in, and a cell with an unexpected value fails.

mod content;
mod more;
mod output;
mod settings;
mod thoughts;
mod tools;

use std::path::Path;

use genkit::model::{ChunkSink, GenerateChunk, ModelRequest, ModelResponse};
use genkit::{BoxFuture, Message, Part};
use serde_json::Value;

use crate::cases::BUILT;
use crate::mock::{Mock, Said, dialect};

/// The detected support of a provider; an error describes what is wrong.
type Cell = Result<String, Box<dyn std::error::Error + Send + Sync>>;

/// A row of the table: the feature, and the check that determines its cell for a provider.
struct Row {
    feature: &'static str,
    check: fn(&'static str) -> BoxFuture<'static, Cell>,
}

/// The rows of a topic.
type Topic = (&'static str, &'static [Row]);

/// A row whose check is an async function.
macro_rules! row {
    ($feature:literal, $check:path $(, $argument:expr)*) => {
        crate::features::Row {
            feature: $feature,
            check: |provider| Box::pin($check(provider $(, $argument)*)),
        }
    };
}
use row;

/// Fails the cell unless the condition holds.
macro_rules! must {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+).into());
        }
    };
}
use must;

const TOPICS: [Topic; 6] =
    [content::TOPIC, tools::TOPIC, output::TOPIC, thoughts::TOPIC, settings::TOPIC, more::TOPIC];

fn yes() -> Cell {
    Ok("yes".to_owned())
}

/// Returns the cell of a feature that a provider does not have.
fn no() -> Cell {
    Ok("–".to_owned())
}

/// Returns the provider's stand-in.
fn mock(provider: &str, said: impl IntoIterator<Item = Said>) -> Mock {
    Mock::says(dialect(provider), said)
}

/// Asks once.
async fn ask(provider: &str, mock: &Mock, request: &ModelRequest) -> genkit::Result<ModelResponse> {
    mock.model(provider).generate(request, &ChunkSink::none()).await
}

/// Sends a plain question, modified by a function.
async fn asked_with(
    provider: &str,
    change: impl FnOnce(ModelRequest) -> ModelRequest,
) -> (Mock, genkit::Result<ModelResponse>) {
    let mock = mock(provider, [Said::text("ok")]);
    let request = change(ModelRequest::new([Message::user("hi")]));
    let answer = ask(provider, &mock, &request).await;
    (mock, answer)
}

/// Sends a streamed request. Returns the chunks and the response.
async fn streamed(
    provider: &str,
    mock: &Mock,
    request: &ModelRequest,
) -> genkit::Result<(Vec<GenerateChunk>, ModelResponse)> {
    let (send, chunks) = std::sync::mpsc::channel();
    let sink = ChunkSink::new(move |chunk| drop(send.send(chunk)));
    let response = mock.model(provider).generate(request, &sink).await?;
    Ok((chunks.try_iter().collect(), response))
}

/// Returns the thoughts of a message.
fn reasoning(message: &Message) -> String {
    let thoughts = message.content.iter().filter_map(|part| match part {
        Part::Reasoning { reasoning, .. } => Some(reasoning.as_str()),
        _ => None,
    });
    thoughts.collect()
}

#[tokio::test]
async fn table_of_features_is_as_documented() {
    let mut table = format!("| feature | `{}` |\n", BUILT.join("` | `"));
    table.push_str(&format!("|---|{}\n", "---|".repeat(BUILT.len())));
    let mut wrong = Vec::new();
    for (topic, rows) in TOPICS {
        table.push_str(&format!("| **{topic}** |{}\n", " |".repeat(BUILT.len())));
        for row in rows {
            table.push_str(&format!("| {} |", row.feature));
            for provider in BUILT {
                let cell = (row.check)(provider).await.unwrap_or_else(|why| {
                    wrong.push(format!("{provider}, {}: {why}", row.feature));
                    "?".to_owned()
                });
                table.push_str(&format!(" {cell} |"));
            }
            table.push('\n');
        }
    }
    assert!(wrong.is_empty(), "{} cells are wrong:\n  {}", wrong.len(), wrong.join("\n  "));
    compare_with_docs(&table);
}

/// The table is between two marks of the page; `UPDATE=1` writes it.
fn compare_with_docs(table: &str) {
    const MARKS: (&str, &str) =
        ("<!-- features: made by tests/wire/features -->\n", "<!-- /features -->");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../genkit/guide/provider_features.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(MARKS.0).expect("the page has the mark");
    let (documented, after) = rest.split_once(MARKS.1).expect("the page has both marks");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, format!("{before}{}\n{table}\n{}{after}", MARKS.0, MARKS.1)).unwrap();
        return;
    }
    let changed: Vec<_> =
        documented.trim().lines().zip(table.trim().lines()).filter(|(a, b)| a != b).collect();
    assert!(
        documented.trim() == table.trim(),
        "the table of genkit/guide/provider_features.md is not what the checks find; UPDATE=1 writes it: {changed:#?}"
    );
}

/// Finds the paths at which two bodies differ.
fn differences(a: &Value, b: &Value, at: &str, found: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in b {
                let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                match a.get(key) {
                    Some(before) => differences(before, value, &at, found),
                    None => match value.as_object().filter(|map| map.len() == 1) {
                        Some(_) => {
                            differences(&Value::Object(serde_json::Map::new()), value, &at, found)
                        }
                        None => found.push(at),
                    },
                }
            }
            let gone = a.keys().filter(|key| !b.contains_key(*key));
            found.extend(gone.map(|key| format!("no {at}.{key}")));
        }
        (a, b) if a == b => {}
        _ => found.push(at.to_owned()),
    }
}
