//! Typed settings: how a model receives them, and which are rejected before the call.

use genkit::action::PromptOptions;
use genkit::generate::GenerateOptions;
use genkit::model::{Effort, ModelRequest};
use genkit::testing::ScriptedModel;
use genkit::{Context, ErrorKind, Generate, Message, Prompt};
use serde_json::{Map, Value, json};

use crate::logged::Log;

fn all() -> Map<String, Value> {
    let all = json!({
        "temperature": 0.5, "topP": 0.9, "topK": 40, "maxOutputTokens": 100,
        "stopSequences": ["END", "STOP"], "seed": -7, "reasoningEffort": "high",
    });
    all.as_object().unwrap().clone()
}

macro_rules! set {
    ($of:expr, $temperature:ident $top_p:ident $top_k:ident $max:ident $stop:ident $seed:ident $reasoning:ident) => {
        $of.$temperature(0.5)
            .$top_p(0.9)
            .$top_k(40)
            .$max(100)
            .$stop(["END", "STOP"])
            .$seed(-7)
            .$reasoning(Effort::High)
    };
}

macro_rules! with_all {
    ($of:expr) => {
        set!($of, with_temperature with_top_p with_top_k with_max_output_tokens
            with_stop_sequences with_seed with_reasoning)
    };
}

fn run() -> Generate {
    let run = genkit::generate("hi");
    set!(run, temperature top_p top_k max_output_tokens stop_sequences seed reasoning)
}

#[tokio::test]
async fn each_place_has_the_same_settings() {
    let model = ScriptedModel::texts(["a", "b", "c"]);
    run().model(model.clone()).await.unwrap();
    let mut chat = run().model(model.clone()).chat();
    chat.send("And now?").await.unwrap();
    let prompt = Prompt::builder("p", "Asks.")
        .options(with_all!(PromptOptions::default()))
        .handler(|_: Context, _: Map<String, Value>| async { Ok("hi") });
    genkit::prompt(prompt).model(model.clone()).await.unwrap();
    for request in model.requests() {
        assert_eq!(request.config, all());
    }
    let options = with_all!(GenerateOptions::new([Message::user("hi")]));
    assert_eq!(options.config.unwrap(), all());
    assert_eq!(with_all!(ModelRequest::new([])).config, all());
}

#[tokio::test]
async fn last_of_a_setting_counts() {
    let model = ScriptedModel::text("a");
    let run = genkit::generate("hi").top_k(3).config(json!({"topK": 4, "own": true})).top_k(5);
    run.model(model.clone()).await.unwrap();
    assert_eq!(Value::from(model.requests()[0].config.clone()), json!({"topK": 5, "own": true}));
}

#[tokio::test]
async fn invalid_setting_is_rejected_before_the_call() {
    let ask = || genkit::generate("hi");
    for (run, said) in [
        (
            ask().temperature(-0.1),
            "the setting `temperature` is `-0.1`; it must be a number of at least 0",
        ),
        (ask().temperature(f64::NAN), "the setting `temperature` is `\"NaN\"`"),
        (ask().top_p(1.5), "the setting `topP` is `1.5`; it must be a number from 0 to 1"),
        (ask().top_p(f64::INFINITY), "the setting `topP` is `\"inf\"`"),
        (ask().max_output_tokens(0), "the setting `maxOutputTokens` is `0`"),
        (ask().stop_sequences([""]), "the setting `stopSequences` is `[\"\"]`"),
        (ask().config(json!({"topK": "many"})), "the setting `topK` is `\"many\"`"),
    ] {
        let model = ScriptedModel::text("never");
        let error = run.model(model.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().starts_with(said), "{error}");
        assert!(model.requests().is_empty());
    }
}

#[tokio::test]
async fn each_misspelt_setting_is_reported_once_and_sent_unchanged() {
    let (log, _listening) = Log::listening();
    let model = ScriptedModel::texts(["a", "b"]);
    let config = json!({"temperatur": 0.5, "topp": 0.9, "own": 1, "top_k": 2});
    for _ in 0..2 {
        genkit::generate("hi").model(model.clone()).config(config.clone()).await.unwrap();
    }
    let told = log.take("did you mean");
    assert_eq!(told.len(), 2, "{told:?}");
    for (misspelt, meant) in [("temperatur", "temperature"), ("topp", "topP")] {
        let hint = format!("the setting `{misspelt}` is sent to");
        let told = told.iter().find(|event| event.contains(&hint)).expect(misspelt);
        assert!(told.contains(&format!("did you mean `{meant}`")), "{told}");
    }
    for request in model.requests() {
        assert_eq!(Value::Object(request.config), config);
    }
}
