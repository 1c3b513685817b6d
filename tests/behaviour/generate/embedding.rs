//! Resources and documents in what a model is asked.

use genkit::action::ResourceContents;
use genkit::model::{Document, ModelInfo, Supports};
use genkit::testing::ScriptedModel;
use genkit::{ErrorKind, Genkit, Part, Registry, resource, resources};
use serde_json::json;

/// A note by its number.
#[resource("note://{id}")]
async fn note(id: u64) -> String {
    format!("note {id}")
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
async fn a_resource_part_becomes_what_the_resource_holds() {
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
        info.supports = Some(Supports { context, ..Supports::all() });
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
