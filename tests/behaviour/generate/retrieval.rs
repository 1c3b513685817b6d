//! Retrievers: annotated functions and values, by value and by name, and the documents that a run receives.

use genkit::model::{Document, from_fn};
use genkit::retrieval::{Reranker, Retriever};
use genkit::testing::{Client, ScriptedModel};
use genkit::{ErrorKind, Genkit, Registry, Result, actions, retriever};
use serde_json::json;

struct Notes(Vec<&'static str>);

/// Searches the notes.
#[retriever(tags("private"))]
async fn notes(notes: &Notes, query: Document, k: usize) -> Result<Vec<Document>> {
    let query = query.text();
    let found = notes.0.iter().filter(|note| query.split(' ').any(|word| note.contains(word)));
    Ok(found.take(k).map(|note| Document::from(*note)).collect())
}

/// Returns a model that repeats the texts of the documents.
fn reader() -> impl genkit::model::Model {
    from_fn("reader", |request, _| async move {
        request.docs.iter().map(Document::text).collect::<Vec<_>>().join("; ")
    })
}

fn shop() -> Genkit {
    let registry = Registry::new().add(actions![notes]);
    let texts = vec!["open at nine", "closed on Sunday", "open at ten on Monday"];
    Genkit::builder()
        .registry(registry)
        .state(Notes(texts))
        .default_model(reader())
        .build()
        .unwrap()
}

#[tokio::test]
async fn documents_for_the_prompt_reach_the_model() {
    let shop = shop();
    let run = shop.generate("open when").retriever("notes", 5);
    assert_eq!(run.await.unwrap().text(), "open at nine; open at ten on Monday");
    let run = shop.generate("open when").docs(["given"]).retriever(Retriever::of::<notes>(), 1);
    assert_eq!(run.await.unwrap().text(), "given; open at nine");
}

#[tokio::test]
async fn each_turn_of_a_chat_has_its_own_documents() {
    let mut chat = shop().generate(()).retriever("notes", 1).chat();
    assert_eq!(chat.send("Sunday").await.unwrap().text(), "closed on Sunday");
    assert_eq!(chat.send("Monday").await.unwrap().text(), "open at ten on Monday");
}

#[tokio::test]
async fn unknown_retriever_is_named() {
    let error = shop().generate("hi").retriever("note", 1).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(
        error.to_string().contains("Unknown retriever: note. Did you mean `notes`?"),
        "{error}"
    );
}

#[tokio::test]
async fn error_of_a_retriever_ends_the_run() {
    let broken = Retriever::builder("broken", "Fails.")
        .handler(|_, _| async { Err::<Vec<Document>, _>("the index is gone".into()) });
    let error = shop().generate("hi").retriever(&broken, 1).await.unwrap_err();
    assert!(error.chain().contains("the index is gone"), "{}", error.chain());
    for k in [0, 101] {
        let error = broken.retrieve("hi", k).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
}

#[tokio::test]
async fn missing_state_is_found_before_anything_runs() {
    let error = Genkit::builder().registry(Registry::new().add(actions![notes])).build();
    let error = error.unwrap_err().to_string();
    assert!(error.contains("retriever `notes`") && error.contains("Notes"), "{error}");
}

#[tokio::test]
async fn reranker_orders_more_candidates_than_are_returned() {
    let longest = Reranker::builder("longest", "The longest first.").handler(
        |_: Document, mut documents: Vec<Document>| async move {
            documents.sort_by_key(|document| std::cmp::Reverse(document.text().len()));
            Ok(documents)
        },
    );
    let retriever = Retriever::of::<notes>().with_reranker(longest, 3);
    let run = shop().generate("open").retriever(retriever, 1);
    assert_eq!(run.await.unwrap().text(), "open at ten on Monday");
}

#[tokio::test]
async fn retriever_is_mounted_with_a_prefix_and_serves_as_a_tool() {
    let mounted = Registry::new().mount("shop", &Registry::new().add(actions![notes]));
    let genkit = Genkit::builder().registry(mounted).state(Notes(vec!["open"]));
    let genkit = genkit.default_model(ScriptedModel::text("hi")).build().unwrap();
    genkit.generate("open").retriever("shop_notes", 1).await.unwrap();

    let registry = Registry::new().add(Retriever::of::<notes>().into_tool(2));
    let server = Genkit::builder().registry(registry).state(Notes(vec!["open at nine"]));
    let client = Client::connect(server.build().unwrap().serve_mcp()).await.unwrap();
    let found = client.call_tool("notes", json!({"query": "open"})).await.unwrap();
    let found = found.structured().expect("a value");
    assert_eq!(found["result"][0]["text"], "open at nine", "{found}");
}
