//! Resuming with the builder of the interrupted run, and with arguments that differ from those of the model.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use genkit::{Approval, ErrorKind, GenerateResponse, Interrupt, Part, Role, tools};
use serde_json::{Value, json};

use super::interrupts::{Answering, add, ask, delete, go_on, send, stored};
use super::{calls, outputs};

/// Returns the texts that tool responses contain in addition to their outputs.
pub(super) fn notes(response: &GenerateResponse) -> Vec<String> {
    let messages = response.messages();
    let answers =
        messages.iter().flat_map(|message| &message.content).filter_map(Part::as_tool_response);
    answers
        .flat_map(|answer| &answer.content)
        .filter_map(Part::as_text)
        .map(str::to_owned)
        .collect()
}

pub(super) fn noted(asked: Value) -> String {
    format!(
        "Note: the user changed the arguments of this call before it ran. You had asked for: {asked}"
    )
}

#[tokio::test]
async fn model_sees_the_input_that_ran_and_that_it_was_edited() {
    let tools = tools![delete, add];
    let model = calls([("delete", json!({"id": 7})), ("add", json!({"a": 1, "b": 2}))]);
    let run = genkit::generate("go").model(model.clone()).tools(&tools);
    let asked = stored(&run.clone().await.unwrap());
    let done = run.clone().resume(asked, |q| q.approve_with(json!({"id": 8}))).await.unwrap();
    assert_eq!(outputs(&done), [json!("8 is gone"), json!(3)]);
    // The messages that the model receives are the same as those that are stored.
    assert_eq!(model.tool_calls()[0].input, json!({"id": 8}));
    assert_eq!(notes(&done), [noted(json!({"id": 7}))]);
    let request = &model.requests()[1].messages;
    assert_eq!(request[1].content[0].metadata()["replacedInput"], json!({"id": 7}));
    assert_eq!(request[2], done.messages()[2]);

    // Passing the input of the model again does not count as an edit.
    let model = calls([("delete", json!({"id": 7}))]);
    let response = ask(&model, &tools).await;
    let answer = response.interrupts()[0].approve_with(json!({"id": 7}));
    let done = go_on(response, vec![answer], &model, &tools).await.unwrap();
    assert!(notes(&done).is_empty());
}

#[tokio::test]
async fn edited_call_that_asks_again_stays_edited_and_noted() {
    let tools = tools![send];
    for (last, output) in [
        (Interrupt::approve as Answering, json!("sent 20")),
        (
            |q: &Interrupt| q.decline_with("too late"),
            json!({"error": "the user did not approve: too late"}),
        ),
    ] {
        let model = calls([("send", json!({"euros": 500}))]);
        let run = genkit::generate("go").model(model.clone()).tools(&tools);
        let asked = stored(&run.clone().await.unwrap());
        let again =
            run.clone().resume(asked, |q| q.approve_with(json!({"euros": 20}))).await.unwrap();
        let again = stored(&again);
        assert_eq!(again.interrupts()[0].metadata(), Some(&json!("Really 20?")));
        assert_eq!(again.tool_requests()[0].input, json!({"euros": 20}));
        // A plain answer replaces nothing, and what was approved stays approved.
        let done = run.resume(again, last).await.unwrap();
        assert_eq!(outputs(&done), [output]);
        assert_eq!(model.tool_calls()[0].input, json!({"euros": 20}));
        assert_eq!(notes(&done), [noted(json!({"euros": 500}))]);
    }
}

#[tokio::test]
async fn run_that_is_kept_resumes_with_its_tools_policy_and_settings() {
    let tools = tools![add];
    let model = calls([("add", json!({"a": 1, "b": 2}))]);
    let asking = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asking);
    let run = genkit::generate("go")
        .system("Be brief.")
        .model(model.clone())
        .temperature(0.5)
        .tools(&tools)
        .tool_choice(genkit::model::ToolChoice::Required)
        .approval(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            Approval::ask("Add?")
        });
    let asked = run.clone().await.unwrap();
    assert_eq!(asked.interrupts()[0].message(), Some("Add?"));
    let done = run.resume(stored(&asked), Interrupt::approve).await.unwrap();
    assert_eq!((done.text().as_str(), asking.load(Ordering::SeqCst)), ("done", 2));
    let last = &model.requests()[1];
    assert_eq!(last.config["temperature"], 0.5);
    assert_eq!(last.tool_choice, Some(genkit::model::ToolChoice::Auto), "it has called one");
    let roles: Vec<Role> = last.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Model, Role::Tool], "and no prompt again");

    // Values that were passed only to the interrupted run are also used by another builder.
    let model = calls([("add", json!({"a": 1, "b": 2}))]);
    let run = genkit::generate("go").model(model.clone()).temperature(0.5).tools(&tools);
    let asked = run.approval(|_| Approval::Ask(None)).await.unwrap();
    let other = genkit::generate(()).model(model.clone()).tools(&tools).max_output_tokens(9);
    other.resume(asked, |q| q.approve()).await.unwrap();
    let last = &model.requests()[1];
    assert_eq!(
        (&last.config["temperature"], &last.config["maxOutputTokens"]),
        (&json!(0.5), &json!(9))
    );
}

#[tokio::test]
async fn answer_may_be_anything_that_serializes() {
    #[derive(serde::Serialize)]
    struct Input {
        id: u32,
    }
    let tools = tools![delete];
    let model = calls([("delete", json!({"id": 7}))]);
    let response = ask(&model, &tools).await;
    let done = genkit::resume(response.clone(), |q| q.approve_with(Input { id: 8 }));
    let done = done.model(model.clone()).tools(&tools).await.unwrap();
    assert_eq!(outputs(&done), ["8 is gone"]);

    // A value that cannot be serialized causes an error of the run, rather than a silent null.
    let model = calls([("delete", json!({"id": 7}))]);
    let response = ask(&model, &tools).await;
    let unserializable = std::collections::HashMap::from([((1, 2), 3)]);
    let run = genkit::resume(response, |q| q.respond(&unserializable));
    let error = run.model(model.clone()).tools(&tools).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error
            .to_string()
            .starts_with("the answer for `delete` cannot be used: failed to serialize the output"),
        "{error}"
    );
    assert!(error.partial().unwrap().is_interrupted(), "the question is not lost");
}
