//! Resources and documents in the request to a model.

use genkit::action::ResourceContents;
use genkit::message::ToolRequest;
use genkit::model::{Document, ModelInfo, Supports};
use genkit::testing::ScriptedModel;
use genkit::{
    Error, ErrorKind, Genkit, Message, Part, Registry, Role, resource, resources, tool, tools,
};
use serde_json::json;

/// A note by its number.
#[resource("note://{id}")]
async fn note(id: u64) -> String {
    format!("note {id}")
}

/// Tells the time.
#[tool]
async fn now() -> String {
    "noon".to_owned()
}

/// A picture.
#[resource("art://dot", mime_type = "image/png")]
async fn dot() -> ResourceContents {
    ResourceContents::bytes([1, 2])
}

async fn asked(genkit: &Genkit, prompt: Vec<Part>) -> genkit::Result<Vec<Part>> {
    let model = ScriptedModel::text("x");
    genkit.generate(prompt).model(model.clone()).resources(resources![dot]).await?;
    Ok(model.requests()[0].messages[0].content.clone())
}

#[tokio::test]
async fn resource_part_is_replaced_with_the_content() {
    let registry = Registry::new().add(resources![note]);
    let genkit = Genkit::builder().registry(registry).build().unwrap();
    let prompt = vec![
        Part::text("What is this?"),
        Part::resource_link("note://7"),
        Part::resource_link("art://dot"),
        Part::resource_text("doc://held", "text/plain", "held"),
    ];
    let parts = asked(&genkit, prompt).await.unwrap();
    let of = |part: Part, uri: &str| part.with_metadata("resource", json!({ "uri": uri }));
    let templated = json!({"uri": "note://7", "template": "note://{id}"});
    assert_eq!(
        parts,
        [
            Part::text("What is this?"),
            Part::text("note 7").with_metadata("resource", templated),
            of(Part::image("image/png", [1, 2]), "art://dot"),
            of(Part::text("held"), "doc://held"),
        ]
    );
    let error = asked(&genkit, vec![Part::resource_link("nope://1")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("no") && error.to_string().contains("nope://1"), "{error}");
}

#[tokio::test]
async fn documents_go_to_the_model_or_into_the_prompt() {
    for context in [true, false] {
        let mut info = ModelInfo::default();
        info.supports = Some(Supports::all().with_docs(context));
        let model = ScriptedModel::text("x").with_info(info);
        let mut named = Document::from("Closed on Sundays.");
        named.metadata.insert("ref".into(), json!("hours"));
        let docs = ["Opens at nine.".into(), named];
        genkit::generate("When?").docs(docs).model(model.clone()).await.unwrap();
        let request = model.requests().remove(0);
        if context {
            assert_eq!(request.docs.len(), 2);
            assert_eq!(request.messages[0].text(), "When?");
        } else {
            assert!(request.docs.is_empty());
            assert_eq!(
                request.messages[0].text(),
                "When?\n\nUse the following information to complete your task:\n\n\
                 - [0]: Opens at nine.\n- [hours]: Closed on Sundays.\n\n"
            );
        }
    }
}

#[tokio::test]
async fn documents_stay_next_to_the_question_in_every_turn() {
    let info = ModelInfo::default().with_supports(Supports::all());
    let model = super::calls([("now", json!({}))]).with_info(info);
    let run = genkit::generate("When?").docs(["Opens at nine."]).model(model.clone());
    run.tools(tools![now]).await.unwrap();
    for request in model.requests() {
        assert!(request.messages[0].text().contains("Opens at nine."));
        assert_eq!(json!(request).to_string().matches("Opens at nine.").count(), 1);
    }
}

#[tokio::test]
async fn documents_are_placed_next_to_the_question_if_the_history_ends_in_tool_results() {
    let info = ModelInfo::default().with_supports(Supports::all());
    let call = ToolRequest::new("now", json!({}));
    let answer = call.respond(json!("noon"));
    for (first, at) in [(Message::user("When?"), 0), (Message::system("Be brief."), 1)] {
        let model = ScriptedModel::text("x").with_info(info.clone());
        let history = [first, Message::model(call.clone())];
        let run = genkit::generate(vec![answer.clone()]).messages(history).model(model.clone());
        run.docs(["Opens at nine."]).await.unwrap();
        let asked = model.requests().remove(0);
        let messages = &asked.messages;
        assert!(asked.docs.is_empty());
        assert_eq!(messages[at].role, Role::User);
        assert!(messages[at].text().contains("Opens at nine."), "{messages:?}");
        assert_eq!(messages.last().unwrap().content.len(), 1, "the answer alone");
    }
}

#[tokio::test]
async fn spare_model_gets_the_documents_too() {
    let down = ScriptedModel::new([Err(Error::new(ErrorKind::Unavailable, "down"))]);
    let plain = ModelInfo::default().with_supports(Supports::text_only());
    let spare = ScriptedModel::text("x").with_info(plain);
    let run = genkit::generate("When?").docs(["Opens at nine."]).model(down);
    run.middleware(genkit::middleware::fallback([spare.clone()])).await.unwrap();
    assert!(spare.requests()[0].messages[0].text().contains("Opens at nine."));
}
