//! Retrievers of a run: find the documents for its prompt.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use genkit_core::internal::action::CustomAction;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::suggest::unknown_name;
use genkit_core::{
    Context, Document, ErrorContext as _, Message, Registry, Result, RetrieverRef, Role,
};

const KIND: &str = "retriever";

#[derive(Deserialize)]
struct Found {
    documents: Vec<Document>,
}

/// Returns the documents that the retrievers find for the last message of the user.
pub(crate) async fn find_documents(
    messages: &[Message],
    retrievers: &[(RetrieverRef, usize)],
    registry: &Registry,
    context: impl Fn() -> Context,
) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let asked = messages.iter().rev().find(|message| message.role == Role::User);
    let query = asked.map(Message::text).unwrap_or_default();
    if query.trim().is_empty() {
        return Ok(documents);
    }
    for (reference, k) in retrievers {
        let name = reference.name();
        let retriever = find_retriever(reference, registry)?;
        let request = json!({ "query": Document::from(query.as_str()), "options": { "k": k } });
        let found = retriever.run(request).context(&context()).await;
        let found = found.context(format!("the retriever `{name}` failed"))?;
        let found: Found = serde_json::from_value(found).map_err(|why| {
            E::RetrievedNoDocuments { name: name.to_owned(), why: why.to_string() }
        })?;
        documents.extend(found.documents);
    }
    Ok(documents)
}

fn find_retriever(reference: &RetrieverRef, registry: &Registry) -> Result<Arc<dyn CustomAction>> {
    let own = reference.as_action().cloned();
    let name = reference.name();
    own.or_else(|| registry.custom_action(KIND, name)).ok_or_else(|| {
        let actions = registry.custom_actions();
        let known = actions.iter().filter(|action| action.kind() == KIND);
        E::UnknownRetriever(unknown_name(KIND, name, known.map(|action| action.flow().name())))
            .into()
    })
}
