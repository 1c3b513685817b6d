//! Prompts about notes.

use genkit::action::{CompleteRequest, PromptReply};
use genkit::{Message, Part, Result, prompt};

use crate::store::Store;

/// Summarizes all notes on a topic.
#[prompt(title = "Summarize a topic", version = "1.0")]
pub(crate) async fn summarize(
    store: &Store,
    /// The topic.
    #[arg(complete = topics)]
    topic: String,
    /// The number of sentences in the summary.
    #[arg(default = 3)]
    sentences: u8,
) -> Result<PromptReply> {
    let notes = store.search(&topic, 100)?;
    let mut messages = vec![Message::user(format!(
        "Summarize my notes on {topic} in {sentences} sentences. Quote notes by their id."
    ))];
    for note in notes {
        let uri = format!("note://{}", note.id);
        messages.push(Message::user(Part::resource_text(uri, "text/plain", note.text)));
    }
    messages.push(Message::model("I have read the notes. Here is the summary:"));
    Ok(PromptReply::new(messages).with_description(format!("Notes on {topic}")))
}

/// Asks for the next step that a note suggests.
#[prompt(title = "Next step")]
pub(crate) async fn next_step(
    store: &Store,
    /// The number of the note.
    id: i64,
) -> Result<String> {
    Ok(format!("What should I do next about this note?\n\n{}", store.get(id)?.text))
}

async fn topics(asked: CompleteRequest) -> Result<Vec<String>> {
    let typed = asked.value().to_lowercase();
    let topics = asked.state::<Store>()?.topics()?;
    Ok(topics.into_iter().filter(|topic| topic.to_lowercase().starts_with(&typed)).collect())
}
