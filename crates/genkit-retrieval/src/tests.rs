use genkit_agent as _; // Runs tools.
use genkit_core::{Document, ErrorKind, Part, ToolRequest};
use genkit_model::{Embedding, FnEmbedder, embedder_fn};
use serde_json::json;

use crate::{MAX_RESULTS, MAX_TEXT_BYTES, MemoryIndex, Retriever};

fn vowels() -> FnEmbedder {
    embedder_fn("vowels", |texts: Vec<String>| async move {
        let count = |text: &String| ["a", "o"].map(|vowel| text.matches(vowel).count() as f64);
        texts.iter().map(|text| Embedding::new(count(text))).collect::<Vec<_>>()
    })
}

fn texts(found: &[Document]) -> Vec<&str> {
    found.iter().filter_map(|document| document.content[0].as_text()).collect()
}

#[tokio::test]
async fn similar_documents_come_first() {
    let index = MemoryIndex::new(vowels());
    assert!(index.search("moon", 1).await.unwrap().is_empty());
    index.add(["banana", "moon", "oat"]).await.unwrap();
    assert_eq!(texts(&index.search("spoon", 2).await.unwrap()), ["moon", "oat"]);
    assert_eq!(texts(&index.search("spoon", 9).await.unwrap()), ["moon", "oat", "banana"]);
}

#[tokio::test]
async fn large_additions_are_embedded_in_batches() {
    let embedder = embedder_fn("small", |texts: Vec<String>| async move {
        assert!(texts.len() <= 100);
        texts.iter().map(|text| Embedding::new([text.len() as f64, 1.0])).collect::<Vec<_>>()
    });
    let index = MemoryIndex::new(embedder);
    index.add((1..=250).map(|length| "x".repeat(length))).await.unwrap();
    assert_eq!(index.len(), 250);
}

#[tokio::test]
async fn full_index_adds_nothing() {
    let index = MemoryIndex::new(vowels()).max_documents(2);
    let error = index.add(["a", "o", "ao"]).await.unwrap_err();
    assert_eq!((error.kind(), index.len()), (ErrorKind::ResourceExhausted, 0));
    index.add(["a", "o"]).await.unwrap();
    assert!(index.add(["ao"]).await.is_err());
}

#[tokio::test]
async fn texts_are_checked_before_they_are_embedded() {
    let index = MemoryIndex::new(vowels());
    for text in [" ".to_owned(), "a".repeat(MAX_TEXT_BYTES + 1)] {
        let error = index.add(["a".to_owned(), text]).await.unwrap_err();
        assert_eq!((error.kind(), index.len()), (ErrorKind::InvalidArgument, 0));
    }
}

#[tokio::test]
async fn vectors_that_cannot_be_compared_are_errors() {
    let faults: [fn(usize) -> Vec<Embedding>; 4] = [
        |_| Vec::new(),
        |count| vec![Embedding::new([f64::NAN]); count],
        |count| vec![Embedding::new([0.0; 0]); count],
        |count| (1..=count).map(|size| Embedding::new(vec![1.0; size])).collect(),
    ];
    for fault in faults {
        let embedder =
            embedder_fn("odd", move |texts: Vec<String>| async move { fault(texts.len()) });
        let index = MemoryIndex::new(embedder);
        let error = index.add(["a", "b"]).await.unwrap_err();
        assert_eq!((error.kind(), index.len()), (ErrorKind::Internal, 0), "{error}");
    }
}

#[tokio::test]
async fn huge_and_empty_vectors_are_compared() {
    let embedder = embedder_fn("huge", |texts: Vec<String>| async move {
        let scale = |text: &String| if text == "none" { 0.0 } else { f64::MAX };
        texts.iter().map(|text| Embedding::new([scale(text); 2])).collect::<Vec<_>>()
    });
    let index = MemoryIndex::new(embedder);
    index.add(["none", "much"]).await.unwrap();
    assert_eq!(texts(&index.search("q", 1).await.unwrap()), ["much"]);
}

#[tokio::test]
async fn retriever_returns_at_most_the_requested_number() {
    let many = Retriever::builder("many", "Searches.")
        .handler(|query: Document, _| async move { Ok(vec![query; 500]) });
    assert_eq!(many.retrieve("q", 3).await.unwrap().len(), 3);
    for k in [0, MAX_RESULTS + 1] {
        assert_eq!(many.retrieve("q", k).await.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

#[tokio::test]
async fn model_searches_with_a_tool() {
    let index = MemoryIndex::new(vowels());
    let guide = Document::new([Part::text("moon")]).with_metadata("ref", "g1");
    index.add([guide]).await.unwrap();
    let tool = index.into_retriever("notes", "Searches the notes.").into_tool(2);
    assert_eq!((tool.name(), tool.annotations().read_only), ("notes", Some(true)));
    let request = ToolRequest::new("notes", json!({"query": "spoon"}));
    let response = tool.call(&request).await.unwrap().into_response().unwrap();
    assert_eq!(response.output, json!([{"text": "moon", "metadata": {"ref": "g1"}}]));
}
