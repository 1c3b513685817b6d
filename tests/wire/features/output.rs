//! Structured output.

use genkit::{Format, tool, tools};

use super::{Cell, Row, Topic, mock, must, row};
use crate::mock::Said;

pub(super) const TOPIC: Topic = ("Structured output", ROWS);

const ROWS: &[Row] = &[
    row!("constrained to a schema", bound, false),
    row!("constrained to a schema, together with tools", bound, true),
    row!("JSON without a schema", json),
];

#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Dish {
    name: String,
    minutes: Option<u32>,
}

/// Tells the time.
#[tool]
async fn now() -> &'static str {
    "noon"
}

const SOUP: &str = r#"{"name": "soup", "minutes": 20}"#;

/// Returns whether the API applies the schema, or the prompt requests it. The output is parsed either way.
async fn bound(provider: &'static str, beside_tools: bool) -> Cell {
    let mock = mock(provider, [Said::text(SOUP)]);
    let mut run = genkit::generate("A dish?").model(mock.model(provider)).output::<Dish>();
    if beside_tools {
        run = run.tools(tools![now]);
    }
    let response = run.await?;
    let dish: Dish = response.output()?;
    must!(dish == Dish { name: "soup".to_owned(), minutes: Some(20) }, "{dish:?}");
    let asked = mock.asked();
    match asked.schema {
        Some(schema) => {
            must!(schema["properties"]["name"].is_object(), "{schema}");
            Ok("by the API".to_owned())
        }
        None => {
            must!(asked.text().contains("minutes"), "{}", asked.text());
            Ok("by the prompt".to_owned())
        }
    }
}

async fn json(provider: &'static str) -> Cell {
    let mock = mock(provider, [Said::text(SOUP)]);
    let run = genkit::generate("A dish, as JSON?").model(mock.model(provider)).format(Format::Json);
    let response = run.await?;
    let value = response.output_value()?;
    must!(value["name"] == "soup", "{value}");
    Ok(if mock.asked().json { "by the API" } else { "by the prompt" }.to_owned())
}
