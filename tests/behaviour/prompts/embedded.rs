//! `prompts!("folder")`: prompts that are embedded in the program, with types.

use genkit::message::ToolRequest;
use genkit::model::{ModelResponse, ToolChoice};
use genkit::testing::{Client, ScriptedModel};
use genkit::{ErrorKind, Genkit, Prompt, Registry, Role, actions, flow, prompts, tool};
use serde_json::json;

use crate::serving;

/// One place of a journey.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Stop {
    /// Its name.
    place: String,
}

prompts!("behaviour/prompts/embedded", schemas(Stop));

use embedded::{Journey, JourneyCompanionsItem, JourneyOutput, JourneyPace};

/// Tells what the sky looks like.
#[tool]
async fn sky_over(city: String) -> String {
    format!("clear over {city}")
}

#[tokio::test]
async fn struct_type_is_the_prompt_input() {
    let child = JourneyCompanionsItem { is_child: Some(true), ..JourneyCompanionsItem::new("Ann") };
    let journey = Journey {
        days: Some(2),
        companions: Some(vec![JourneyCompanionsItem::new("Bob"), child]),
        first: Some(Stop { place: "Colosseum".into() }),
        ..Journey::new("Rome")
    };
    let options = embedded::journey(journey.clone()).render().await.unwrap();
    let said: Vec<String> = options.messages.iter().map(|message| message.text()).collect();
    let wanted = "Rome, 2 days, slow, with Bob, with Ann (a child), first Colosseum";
    assert_eq!(said, ["You plan journeys.\n", wanted]);
    assert_eq!(options.messages[0].role, Role::System);
    assert_eq!(options.model.as_deref(), Some("house/planner"));
    assert_eq!(options.tools, ["sky_over"]);
    assert_eq!((options.max_turns, options.config.unwrap()["topK"].clone()), (Some(2), json!(3)));
    let schema = options.output.unwrap().json_schema.unwrap();
    assert_eq!(schema["properties"]["stops"]["items"]["properties"]["place"]["type"], "string");

    let fast = Journey { pace: Some(JourneyPace::VeryFast), ..journey };
    let options = embedded::journey(fast).render().await.unwrap();
    assert!(options.messages[1].text().starts_with("Rome, 2 days, very fast"));
}

#[tokio::test]
async fn prompt_runs_with_its_tools_and_a_typed_response() {
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("sky_over", json!({"city": "Rome"}))]),
        ModelResponse::from_text(r#"{"stops": [{"place": "Forum"}], "cost": 12.5}"#),
    ]);
    let answer = embedded::journey(Journey::new("Rome"))
        .model(model.clone())
        .temperature(0.9) // takes precedence
        .await
        .unwrap();
    let plan: JourneyOutput = answer.output().unwrap();
    assert_eq!((plan.stops[0].place.as_str(), plan.cost), ("Forum", Some(12.5)));
    assert_eq!(model.tool_outputs("sky_over"), ["clear over Rome"]);
    let config = &model.requests()[0].config;
    assert_eq!((&config["temperature"], &config["topK"]), (&json!(0.9), &json!(3)));

    let model = ScriptedModel::text("[\"warm\", \"cold\"]");
    let farewell = embedded::mails::Farewell { to: Some("Ann".into()), ..Default::default() };
    let answer = embedded::mails::farewell(farewell).model(model.clone()).await.unwrap();
    let tones: embedded::mails::FarewellOutput = answer.output().unwrap();
    assert_eq!(tones[1], embedded::mails::FarewellOutputItem::Cold);
    assert!(model.requests()[0].messages[0].text().starts_with("Bye, Ann"));
}

#[tokio::test]
async fn variant_takes_the_same_input_and_one_without_a_schema_takes_any() {
    let short = embedded::journey_short(Journey::new("Oslo")).render().await.unwrap();
    assert_eq!(short.messages[0].text(), "Oslo!");
    let morning = embedded::morning().input(json!({"name": "Ann"})).render().await.unwrap();
    assert_eq!(morning.messages[0].text(), "Good morning, Ann!");
    let model = ScriptedModel::text("Morning!");
    let (mut chat, sent) = (embedded::morning().model(model.clone()).chat(), model);
    chat.send("How are you?").await.unwrap();
    assert!(sent.requests()[0].messages.iter().any(|message| message.text() == "Good morning!"));
}

#[tokio::test]
async fn embedded_prompts_register_and_are_listed() {
    let mut names: Vec<String> =
        embedded::all().iter().map(|prompt| prompt.name().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["journey", "journey.short", "mails/farewell", "morning"]);
    for name in names {
        assert!(Registry::global().prompt(&name).is_some(), "{name}");
    }
    let options = genkit::prompt("mails/farewell").input(json!({"to": "Bob"})).render().await;
    assert_eq!(options.unwrap().messages[0].text(), "Bye, Bob");
}

#[tokio::test]
async fn clients_list_and_get_embedded_prompts() {
    let client = Client::connect(serving(embedded::all())).await.unwrap();
    let listed = client.prompts().await.unwrap();
    let journey = listed.iter().find(|prompt| prompt.name() == "journey").unwrap();
    assert_eq!(journey.description(), Some("Plans a journey."));
    let arguments: Vec<(String, bool)> =
        journey.arguments().into_iter().map(|it| (it.name, it.required)).collect();
    let named = |name: &str, required| (name.to_owned(), required);
    assert_eq!(arguments[..3], [named("city", true), named("days", false), named("pace", false)]);
    let given = json!({"city": "Bern", "days": "4", "pace": "very fast"});
    let reply = client.get_prompt("journey", given).await.unwrap();
    assert_eq!(reply.messages()[1].text(), "Bern, 4 days, very fast");
    assert_eq!(client.complete("journey", "pace", "v").await.unwrap(), ["very fast"]);
}

/// Plans a journey.
#[flow]
async fn travels(#[input] journey: Journey) -> Vec<Stop> {
    vec![Stop { place: journey.city }]
}

#[tokio::test]
async fn prompt_input_type_can_be_a_flow_input() {
    let went = genkit::run_flow("travels", json!({"city": "Rome"})).await.unwrap();
    assert_eq!(went, json!([{"place": "Rome"}]));
    let schema = schemars::schema_for!(Journey);
    assert_eq!(schema.get("properties").unwrap()["city"]["description"], "where it goes");
    let first = &schema.get("properties").unwrap()["first"];
    assert_eq!(first["properties"]["place"]["description"], "Its name.");
    let error = genkit::run_flow("travels", json!({"city": "Rome", "pace": "loud"})).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidArgument);
}

mod annotated {
    use super::*;

    /// A tide.
    #[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
    struct Tide {
        meters: f64,
    }

    /// Tells the tide.
    #[tool]
    async fn tide_at(port: String) -> String {
        format!("high at {port}")
    }

    /// Asks for a tide.
    #[genkit::prompt(
        model = "house/sailor",
        config = { "temperature": 0.1, "stopSequences": ["."] },
        tools = [tide_at, "sky_*"],
        tool_choice = tide_at,
        max_turns = 1,
        output = Tide,
    )]
    async fn ask_for_tide(port: String) -> String {
        format!("The tide at {port}?")
    }

    /// Asks for a tide, and calls the tools itself.
    #[genkit::prompt(tools = [tide_at], return_tool_requests, output = {"type": "string"})]
    async fn ask_by_hand() -> &'static str {
        "The tide?"
    }

    fn asks() -> ModelResponse {
        ModelResponse::from_tool_requests([ToolRequest::new("tide_at", json!({"port": "Kiel"}))])
    }

    #[tokio::test]
    async fn prompt_function_declares_its_run_options() {
        let model = ScriptedModel::new([asks(), ModelResponse::from_text(r#"{"meters": 2.5}"#)]);
        let model = model.with_name("house/sailor");
        let registry = Registry::new().add(actions![ask_for_tide, tide_at, sky_over]);
        let genkit = Genkit::builder().registry(registry).model(model.clone()).build().unwrap();
        let answer = genkit.prompt("ask_for_tide").input(json!({"port": "Kiel"})).await.unwrap();
        assert_eq!(answer.output::<Tide>().unwrap(), Tide { meters: 2.5 });
        let asked = &model.requests()[0];
        assert_eq!(asked.messages[0].text(), "The tide at Kiel?");
        assert_eq!((&asked.config["temperature"], asked.tools.len()), (&json!(0.1), 2));
        assert_eq!(asked.tool_choice, Some(ToolChoice::tool("tide_at")));
        assert_eq!(model.tool_outputs("tide_at"), ["high at Kiel"]);
    }

    #[tokio::test]
    async fn prompt_turn_limit_applies_unless_the_run_sets_another() {
        let endless = || ScriptedModel::new([asks(), asks(), asks()]);
        let run = |model: ScriptedModel| {
            genkit::prompt(Prompt::of::<ask_for_tide>()).input(json!({"port": "Kiel"})).model(model)
        };
        let model = endless();
        run(model.clone()).await.unwrap();
        assert_eq!(model.requests().len(), 2); // one round, and the response that requests another
        let model = endless();
        run(model.clone()).max_turns(2).await.unwrap();
        assert_eq!(model.requests().len(), 3);
    }

    #[tokio::test]
    async fn prompt_can_leave_tool_calls_to_the_caller() {
        let model = ScriptedModel::new([asks()]);
        let answer = genkit::prompt(Prompt::of::<ask_by_hand>()).model(model).await.unwrap();
        assert_eq!(answer.tool_requests()[0].name, "tide_at");
        let options = Prompt::of::<ask_by_hand>().options().clone();
        assert_eq!(options.output().unwrap().json_schema.as_ref().unwrap()["type"], "string");
    }
}
