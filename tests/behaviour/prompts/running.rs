//! Prompts that run: the options that they set, and those of the run itself.

use genkit::action::{PromptOptions, PromptReply};
use genkit::generate::OutputOptions;
use genkit::message::ToolRequest;
use genkit::model::{ModelResponse, ToolChoice};
use genkit::testing::ScriptedModel;
use genkit::{
    Context, ErrorKind, Format, Genkit, Message, Prompt, Registry, Role, prompt, prompts, tool,
    tools,
};
use serde_json::{Map, Value, json};

/// Tells the weather.
#[tool]
async fn weather(city: String) -> String {
    format!("sunny in {city}")
}

/// Tells the time.
#[tool]
async fn time() -> &'static str {
    "noon"
}

/// Plans a trip.
#[prompt]
async fn plan(city: String, #[arg(default = 3)] days: u32) -> Vec<Message> {
    vec![Message::system("You plan trips."), Message::user(format!("{days} days in {city}"))]
}

type Input = Map<String, Value>;

/// Returns a prompt that sets all options of its run.
fn trip() -> Prompt {
    let options = PromptOptions::default()
        .with_model("house/planner")
        .with_config_value("temperature", 0.1)
        .with_config_value("topK", 5)
        .with_tools(tools![weather])
        .with_tool_choice(ToolChoice::Required)
        .with_max_turns(2)
        .with_docs(["Rome is old."])
        .with_output(
            OutputOptions::default()
                .with_format(Format::Enum)
                .with_json_schema(json!({"type": "string", "enum": ["go", "stay"]})),
        );
    Prompt::builder("trip", "Plans a trip.").argument("city", "The city.").options(options).handler(
        |_: Context, input: Input| async move {
            Ok(vec![
                Message::system("You plan trips."),
                Message::user(format!("Go to {}?", input["city"].as_str().unwrap_or_default())),
            ])
        },
    )
}

/// Returns an instance with these models, and prompts in its registry.
fn genkit(planner: &ScriptedModel) -> Genkit {
    let registry = Registry::new().add(prompts![plan]).add(trip()).add(tools![weather, time]);
    let registry =
        registry.add(named("trip.formal", "Formally.")).add(named("trip.short", "Briefly."));
    let planner = planner.clone().with_name("house/planner");
    Genkit::builder()
        .registry(registry)
        .model(planner)
        .default_model(ScriptedModel::text("of the default model"))
        .build()
        .unwrap()
}

fn named(name: &'static str, text: &'static str) -> Prompt {
    Prompt::builder(name, "Says it.").handler(move |_: Context, _: Input| async move { Ok(text) })
}

fn texts(messages: &[Message]) -> Vec<String> {
    messages.iter().map(Message::text).collect()
}

#[tokio::test]
async fn prompt_brings_its_model_its_settings_and_its_tools() {
    let call = ToolRequest::new("weather", json!({"city": "Rome"}));
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([call]),
        ModelResponse::from_text("go"),
    ]);
    let response = genkit(&model).prompt("trip").input(json!({"city": "Rome"})).await.unwrap();
    assert_eq!(response.output::<String>().unwrap(), "go");
    let asked = &model.requests()[0];
    assert_eq!(asked.config, *json!({"temperature": 0.1, "topK": 5}).as_object().unwrap());
    assert_eq!(asked.tool_choice, Some(ToolChoice::Required));
    assert_eq!(asked.docs.len(), 1);
    assert_eq!(asked.tools[0].name, "weather");
    assert_eq!(asked.output.format.as_deref(), Some("enum"));
    assert_eq!(asked.messages[1].content[0].as_text(), Some("Go to Rome?"));
    assert_eq!(model.tool_outputs("weather"), ["sunny in Rome"]);
}

#[tokio::test]
async fn run_options_override_prompt_options() {
    let planner = ScriptedModel::text("unused");
    let own = ScriptedModel::text(r#"{"a": 1}"#);
    let response = genkit(&planner)
        .prompt("trip")
        .input(json!({"city": "Rome"}))
        .model(own.clone())
        .temperature(0.9)
        .tools(tools![time])
        .tool_choice(ToolChoice::Auto)
        .docs(["Rome is new."])
        .output_schema(json!({"type": "object"}))
        .await
        .unwrap();
    assert_eq!(response.output::<Value>().unwrap(), json!({"a": 1}));
    assert!(planner.requests().is_empty());
    let asked = &own.requests()[0];
    assert_eq!(asked.config, *json!({"temperature": 0.9, "topK": 5}).as_object().unwrap());
    assert_eq!(asked.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["time"]);
    assert_eq!(asked.docs[0].content[0].as_text(), Some("Rome is new."));
    assert_eq!(asked.output.format.as_deref(), Some("json"));
}

#[tokio::test]
async fn turns_of_a_prompt_are_limited_and_its_tool_requests_returned() {
    let call = || ModelResponse::from_tool_requests([ToolRequest::new("time", json!({}))]);
    let model = ScriptedModel::new([call(), call(), call()]);
    let once = PromptOptions::default().with_tools(["time"]).with_max_turns(1);
    let ask = |options: PromptOptions| {
        Prompt::builder("ask", "Asks.")
            .options(options)
            .handler(|_: Context, _: Input| async { Ok("What time is it?") })
    };
    let genkit = genkit(&model);
    let run = genkit.prompt(ask(once.clone())).model(model.clone());
    let error = run.fail_on_max_turns(true).await.unwrap_err();
    assert!(error.to_string().contains("limit of 1 tool rounds"), "{error}");
    let returned = ask(once.with_return_tool_requests(true));
    let response = genkit.prompt(&returned).model(model.clone()).await.unwrap();
    assert_eq!(response.tool_requests().len(), 1);
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn prompt_renders_to_plain_data_without_a_model() {
    let model = ScriptedModel::text("unused");
    let run = genkit(&model).prompt("trip").input(json!({"city": "Rome"}));
    let options = run.clone().prompt("Now!").tools(["ti*", "weather"]).render().await.unwrap();
    assert_eq!(texts(&options.messages), ["You plan trips.", "Go to Rome?", "Now!"]);
    assert_eq!(options.model.as_deref(), Some("house/planner"));
    assert_eq!(options.tools, ["time", "weather"]);
    assert_eq!(options.max_turns, Some(2));
    assert!(model.requests().is_empty());
    // The stored data runs like any other.
    let stored = serde_json::to_value(run.render().await.unwrap()).unwrap();
    let stored = serde_json::from_value(stored).unwrap();
    let response = genkit(&ScriptedModel::text("stay")).generate_with(stored).await.unwrap();
    assert_eq!(response.text(), "stay");
}

#[tokio::test]
async fn prompt_streams_in_its_format() {
    let model = ScriptedModel::streaming(["{\"a\": 1}\n", "{\"a\": 2}\n"]);
    let lines = Prompt::builder("lines", "Asks for lines.")
        .options(PromptOptions::default().with_output_format("jsonl"))
        .handler(|_: Context, _: Input| async { Ok("Lines, please.") });
    let mut stream = genkit::prompt(lines).model(model).stream();
    while let Some(chunk) = stream.next().await {
        chunk.unwrap();
    }
    assert_eq!(stream.output_value(), Some(json!([{"a": 1}, {"a": 2}])));
    let response = stream.response().await.unwrap();
    assert_eq!(response.output::<Value>().unwrap(), json!([{"a": 1}, {"a": 2}]));
}

#[tokio::test]
async fn history_precedes_the_prompt_messages() {
    let model = ScriptedModel::texts(["a", "b"]);
    let history =
        [Message::system("old"), Message::user("Where was I?"), Message::model("In Oslo.")];
    let genkit = genkit(&model);
    let run = genkit.prompt("plan").input(json!({"city": "Rome"})).model(model.clone());
    let response = run.clone().messages(history).await.unwrap();
    let asked = &model.requests()[0].messages;
    assert_eq!(texts(asked), ["You plan trips.", "Where was I?", "In Oslo.", "3 days in Rome"]);
    // A response can be used as a history.
    run.input(json!({"city": "Bonn", "days": 1})).messages(&response).await.unwrap();
    let asked = &model.requests()[1].messages;
    assert_eq!(texts(asked)[4..], ["a", "1 days in Bonn"]);
    assert_eq!(asked.iter().filter(|message| message.role == Role::System).count(), 1);
}

#[tokio::test]
async fn chat_starts_with_a_prompt_and_keeps_its_settings() {
    let model = ScriptedModel::texts(["go", "stay"]);
    let mut chat = genkit(&model).prompt("trip").input(json!({"city": "Rome"})).chat();
    chat.send("Please.").await.unwrap();
    chat.send("Sure?").await.unwrap();
    let asked = model.requests();
    assert_eq!(texts(chat.messages())[1..3], ["Go to Rome?", "Please."]);
    assert_eq!(asked[1].messages.len(), 5); // contains the prompt once
    assert_eq!(asked[1].config, asked[0].config);
    assert_eq!(asked[1].tools[0].name, "weather");
}

#[tokio::test]
async fn interrupted_run_resumes_with_its_prompt_options() {
    /// Books it.
    #[tool(needs_approval)]
    async fn book() -> &'static str {
        "booked"
    }
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("book", json!({}))]),
        ModelResponse::from_text("Done."),
    ]);
    let prompt = Prompt::builder("book", "Books.")
        .argument("city", "The city.")
        .tools(tools![book])
        .handler(|_: Context, _: Input| async { Ok("Book it.") });
    let run = genkit::prompt(&prompt).model(model.clone());
    let asked = run.clone().input(json!({"city": "Rome"})).await.unwrap();
    assert!(asked.is_interrupted());
    let done = run.resume(asked, |question| question.approve()).await.unwrap();
    assert_eq!((done.text().as_str(), model.tool_outputs("book").len()), ("Done.", 1));
    assert_eq!(texts(&model.requests()[1].messages)[..1], ["Book it."]); // once
}

#[tokio::test]
async fn reply_overrides_prompt_options() {
    let model = ScriptedModel::text("deep");
    let think = Prompt::builder("think", "Thinks.").model("house/planner").handler(
        |_: Context, input: Input| async move {
            let reply = PromptReply::new([Message::user("Think.")]);
            Ok(match input.contains_key("hard") {
                true => reply,
                false => reply.with_options(PromptOptions::default().with_model("house/other")),
            })
        },
    );
    let genkit = genkit(&model);
    let model_of =
        async |input: Value| genkit.prompt(&think).input(input).render().await.unwrap().model;
    assert_eq!(model_of(json!({"hard": true})).await.as_deref(), Some("house/planner"));
    assert_eq!(model_of(json!({})).await.as_deref(), Some("house/other"));
}

#[tokio::test]
async fn rendered_prompt_is_a_history_without_ceremony() {
    let model = ScriptedModel::text("x");
    let reply = Prompt::of::<plan>().render(json!({"city": "Rome"})).await.unwrap();
    genkit::generate(()).messages(reply).model(model.clone()).await.unwrap();
    assert_eq!(texts(&model.requests()[0].messages), ["You plan trips.", "3 days in Rome"]);
}

#[tokio::test]
async fn mismatching_argument_is_named() {
    let genkit = genkit(&ScriptedModel::text("x"));
    let said = async |run: genkit::Generate| {
        let error = run.await.unwrap_err();
        (error.kind(), error.to_string())
    };
    let (kind, text) = said(genkit.prompt("trip").input(json!({"city": 5}))).await;
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(text.contains("`city`") && text.contains("string"), "{text}");
    let (_, text) = said(genkit.prompt("trip")).await;
    assert!(text.contains("city"), "{text}");
    let (_, text) = said(genkit.prompt("plan").input(json!({"city": "x", "days": "many"}))).await;
    assert!(text.starts_with("at `days`"), "{text}");
    let (_, text) = said(genkit.generate("hi").input(json!({}))).await;
    assert!(text.contains("`genkit::prompt(..)`"), "{text}");
    let (_, text) = said(genkit.prompt("plan").input(f64::NAN)).await;
    assert!(text.contains("the value is NaN"), "{text}");
}

#[tokio::test]
async fn unknown_prompt_names_the_nearest_and_the_variants() {
    let genkit = genkit(&ScriptedModel::text("x"));
    let error = genkit.prompt("trip.formel").render().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let text = error.to_string();
    assert!(text.contains("Did you mean `trip.formal`?"), "{text}");
    assert!(text.ends_with("variants of `trip`: `trip`, `trip.formal`, `trip.short`"), "{text}");
    let error = genkit.prompt("plam").render().await.unwrap_err();
    assert!(error.to_string().contains("Did you mean `plan`?"), "{error}");
    assert!(genkit.prompt("/executable-prompt/trip.formal").render().await.is_ok());
}

#[tokio::test]
async fn rendering_ends_with_the_run() {
    let slow = Prompt::builder("slow", "Waits.").handler(|_: Context, _: Input| async {
        std::future::pending::<()>().await;
        Ok("never")
    });
    let run = genkit::prompt(&slow).model(ScriptedModel::text("x"));
    let error = run.clone().cancel_on(std::future::ready(())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    let error = run.deadline(std::time::Duration::from_millis(5)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
}
