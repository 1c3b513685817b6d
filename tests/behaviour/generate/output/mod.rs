//! Structured output: native if the model supports it, otherwise by instructions.

mod extract;

use genkit::model::{Constrained, ModelInfo, ModelRequest, Supports};
use genkit::testing::ScriptedModel;
use genkit::{ErrorKind, Format, Generate, Message, Part, Role, tool, tools};
use serde_json::{Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema, Debug, PartialEq)]
struct Dish {
    name: String,
    minutes: u32,
}

/// Tells the time.
#[tool]
async fn now() -> &'static str {
    "noon"
}

fn model(constrained: Constrained) -> ScriptedModel {
    let mut info = ModelInfo::default();
    info.supports = Some(Supports::all().with_constrained(constrained));
    ScriptedModel::text(r#"{"name": "soup", "minutes": 20}"#).with_info(info)
}

async fn asked(model: &ScriptedModel, run: impl FnOnce(Generate) -> Generate) -> ModelRequest {
    let base = genkit::generate("A dish?").output::<Dish>().model(model.clone());
    let response = run(base).await.unwrap();
    assert_eq!(response.output::<Dish>().unwrap(), Dish { name: "soup".into(), minutes: 20 });
    model.requests().remove(0)
}

fn instructions(request: &ModelRequest) -> Vec<String> {
    let parts = request.messages.iter().flat_map(|message| &message.content);
    let of_output = parts.filter(|part| part.metadata().get("purpose") == Some(&json!("output")));
    of_output.filter_map(|part| part.as_text().map(str::to_owned)).collect()
}

#[tokio::test]
async fn provider_binds_the_output_where_it_can() {
    let cases: [(Constrained, bool, bool); 5] = [
        (Constrained::All, false, true),
        (Constrained::All, true, true),
        (Constrained::NoTools, false, true),
        (Constrained::NoTools, true, false),
        (Constrained::None, false, false),
    ];
    for (constrained, with_tools, native) in cases {
        let model = model(constrained);
        let run = |run: Generate| if with_tools { run.tools(tools![now]) } else { run };
        let request = asked(&model, run).await;
        let label = format!("{constrained:?} {with_tools}");
        assert_eq!(request.output.constrained, Some(native), "{label}");
        assert_eq!(instructions(&request).len(), usize::from(!native), "{label}");
        assert_eq!(request.output.schema.as_ref().unwrap()["type"], "object");
        assert_eq!(request.output.content_type.as_deref(), Some("application/json"));
    }
}

#[tokio::test]
async fn schema_always_reaches_the_model() {
    let unknown = || {
        ScriptedModel::text(r#"{"name": "soup", "minutes": 20}"#).with_info(ModelInfo::default())
    };
    let model_ = unknown();
    let request = asked(&model_, |run| run).await;
    assert!(instructions(&request)[0].contains("\"minutes\""), "nothing is known of the model");
    let all = model(Constrained::All);
    let request = asked(&all, |run| run.constrained(false)).await;
    assert_eq!(request.output.constrained, Some(false));
    assert!(instructions(&request)[0].contains("\"minutes\""), "the user opted out");
    let all = model(Constrained::All);
    let request = asked(&all, |run| run.output_instructions(true)).await;
    assert_eq!((request.output.constrained, instructions(&request).len()), (Some(true), 1));
    let none = model(Constrained::None);
    let request = asked(&none, |run| run.output_instructions(false)).await;
    assert!(instructions(&request).is_empty());
    let none = model(Constrained::None);
    let request = asked(&none, |run| run.output_instructions("As JSON!")).await;
    assert_eq!(instructions(&request), ["As JSON!"]);
}

#[tokio::test]
async fn instructions_are_added_to_the_system_or_last_user_message() {
    let none = model(Constrained::None);
    let request = asked(&none, |run| run.system("Be brief.")).await;
    assert_eq!(request.messages[0].content.len(), 2);
    assert_eq!(request.messages[0].role, Role::System);
    let none = model(Constrained::None);
    let history = [Message::user("a"), Message::model("b")];
    let request = asked(&none, |run| run.messages(history)).await;
    let sizes: Vec<usize> = request.messages.iter().map(|m| m.content.len()).collect();
    assert_eq!(sizes, [1, 1, 2]);
}

#[tokio::test]
async fn place_for_the_instructions_is_used_even_at_the_beginning() {
    let place = Part::text("").with_metadata("purpose", "output").with_metadata("pending", true);
    let none = model(Constrained::None);
    let request = asked(&none, |run| run.prompt([place, Part::text("A dish?")])).await;
    assert_eq!(request.messages[0].content.len(), 2);
    assert!(request.messages[0].content[0].as_text().unwrap().contains("\"minutes\""));

    let own = Part::text("My own words.").with_metadata("purpose", "output");
    let none = model(Constrained::None);
    let request = asked(&none, |run| run.prompt([Part::text("A dish?"), own])).await;
    assert_eq!(instructions(&request), ["My own words."]);
}

#[tokio::test]
async fn formats_read_their_own_texts() {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let colours = json!({"type": "string", "enum": ["red", "green"]});
    let rows = json!({"type": "array", "items": {"type": "object"}});
    for (format, schema, text, value) in [
        (Format::Json, json!({"type": "object"}), "```json\n{\"a\": 1}\n```", json!({"a": 1})),
        (Format::Array, strings, "Here: [\"a\", \"b\"]", json!(["a", "b"])),
        (Format::Enum, colours, "\"red\"\n", json!("red")),
        (Format::Jsonl, rows, "{\"a\": 1}\n{\"a\": 2}\n", json!([{"a": 1}, {"a": 2}])),
        (Format::Text, Value::Null, "{\"a\": 1}", json!("{\"a\": 1}")),
    ] {
        let mut run = genkit::generate("go").format(format).model(ScriptedModel::text(text));
        if !schema.is_null() {
            run = run.output_schema(schema);
        }
        let response = run.await.unwrap();
        assert_eq!(response.output_value().unwrap(), value, "{format:?}");
    }
}

#[tokio::test]
async fn values_that_count_as_nothing_elsewhere_are_values() {
    for (text, value) in [("0", json!(0)), ("false", json!(false)), ("\"\"", json!(""))] {
        let model = ScriptedModel::text(text);
        let run = genkit::generate("go").output_schema(json!({})).model(model);
        assert_eq!(run.await.unwrap().output_value().unwrap(), value);
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema, Debug, PartialEq)]
struct Person {
    name: String,
    #[serde(default)]
    age: u32,
    nick: Option<String>,
}

#[tokio::test]
async fn nulls_of_properties_that_may_be_left_out_are_left_out() {
    let model = ScriptedModel::text(r#"{"name": "Ada", "age": null, "nick": null}"#);
    let response = genkit::generate("Who?").output::<Person>().model(model).await.unwrap();
    let ada = Person { name: "Ada".into(), age: 0, nick: None };
    assert_eq!(response.output::<Person>().unwrap(), ada);
}

#[tokio::test]
async fn mismatching_output_error_contains_the_text() {
    let run = genkit::generate("go").output::<Dish>();
    let response = run.model(ScriptedModel::text("I cannot cook.")).await.unwrap();
    let error = response.output::<Dish>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("I cannot cook."), "{error}");
    let run = genkit::generate("go").output::<Dish>();
    let response = run.model(ScriptedModel::text(r#"{"name": "soup"}"#)).await.unwrap();
    let said = response.output::<Dish>().unwrap_err().to_string();
    assert!(said.contains("missing field `minutes`") && said.contains("soup"), "{said}");
}

#[tokio::test]
async fn schema_that_a_format_cannot_have_is_an_error_before_the_call() {
    let model = ScriptedModel::text("x");
    let run = genkit::generate("go").format(Format::Array).output_schema(json!({"type": "object"}));
    let error = run.model(model.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn run_that_continues_has_its_own_instructions_and_system_message() {
    let none = model(Constrained::None);
    let request = asked(&none, |run| run.system("Be brief.")).await;
    let history = request.messages;
    let model = ScriptedModel::text("[]").with_info(ModelInfo::default());
    let list = json!({"type": "array", "items": {"type": "string"}});
    let run = genkit::generate("And now?").system("Be long.").messages(history.clone());
    run.format(Format::Array).output_schema(list.clone()).model(model.clone()).await.unwrap();
    let request = model.requests().remove(0);
    assert_eq!(request.messages[0].content[0], Part::text("Be long."), "it replaces the older one");
    assert_eq!(request.messages.len(), 3);

    let model = ScriptedModel::text("[]").with_info(ModelInfo::default());
    let run = genkit::generate("And now?").messages(history);
    run.format(Format::Array).output_schema(list).model(model.clone()).await.unwrap();
    let said = instructions(&model.requests()[0]);
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("JSON array") && !said[0].contains("minutes"), "{}", said[0]);

    let model = ScriptedModel::text("It is soup.");
    let history = model_history(&model).await;
    assert_eq!(history, ["A dish?", "{}", "In words?"], "nothing is left of the older output");
}

/// Returns the requests to a model that continues with plain text after a run with a schema.
async fn model_history(model: &ScriptedModel) -> Vec<String> {
    let bound = ScriptedModel::text("{}").with_info(ModelInfo::default());
    let first = genkit::generate("A dish?").output::<Dish>().model(bound).await.unwrap();
    let run = genkit::generate("In words?").messages(first.messages()).model(model.clone());
    run.await.unwrap();
    model.requests()[0].messages.iter().map(Message::text).collect()
}

#[tokio::test]
async fn json_without_a_schema_is_requested_by_instructions() {
    let model = ScriptedModel::text("{}");
    genkit::generate("Three colours?").format(Format::Json).model(model.clone()).await.unwrap();
    assert_eq!(instructions(&model.requests()[0]), ["Output should be in JSON format."]);
}
