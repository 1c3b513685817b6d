//! Memory: a tool that searches past conversations.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use genkit_core::internal::time::format_iso8601;
use genkit_core::{Context, Message, Result, Role, Tool};

use crate::agent::Agent;

/// The maximum number of sessions that a search reads. Default is 500.
pub(crate) const MAX_SESSIONS: usize = 500;

/// The maximum number of messages that a search returns. Default is 5.
const MAX_FOUND: usize = 5;

/// The maximum number of words of a query that are used. Default is 16.
const MAX_WORDS: usize = 16;

/// The maximum length of a message in a result, in characters. Default is 600.
const MAX_TEXT: usize = 600;

#[derive(Deserialize, JsonSchema)]
struct Query {
    /// The words to search for.
    query: String,
}

/// A message of a past conversation.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundMessage {
    session: String,
    time: String,
    role: String,
    text: String,
    #[serde(skip)]
    score: usize,
    #[serde(skip)]
    updated: u64,
}

/// Returns the part of a session id before the last `/`. Without context providers, sessions
/// with the same prefix belong to the same user.
fn user_prefix(session: &str) -> Option<&str> {
    session.rsplit_once('/').map(|(prefix, _)| prefix).filter(|prefix| !prefix.is_empty())
}

/// Creates the tool that searches the other sessions of the owner of `session`.
pub(crate) fn search_tool(agent: &Agent, session: &str, owner: &str) -> Tool {
    let about = "Searches past conversations with this user, and returns the messages that contain the most words of the query.";
    let (agent, session, owner) = (agent.clone(), session.to_owned(), owner.to_owned());
    Tool::builder("search_conversations", about).read_only(true).handler(
        move |_: Context, query: Query| {
            let (agent, session, owner) = (agent.clone(), session.clone(), owner.clone());
            async move { Ok(search(&agent, &session, &owner, &query.query).await?) }
        },
    )
}

async fn search(
    agent: &Agent,
    session: &str,
    owner: &str,
    query: &str,
) -> Result<Vec<FoundMessage>> {
    let words = query.split_whitespace().take(MAX_WORDS).map(str::to_lowercase);
    let words: Vec<String> = words.collect();
    let is_past = |other: &str| {
        let is_users = !owner.is_empty()
            || user_prefix(session).is_some_and(|prefix| user_prefix(other) == Some(prefix));
        is_users && other != session
    };
    let mut found: Vec<FoundMessage> = Vec::new();
    if owner.is_empty() && user_prefix(session).is_none() {
        return Ok(found);
    }
    let sessions = agent.sessions()?;
    for past in sessions.list(owner).await? {
        let Some((state, updated)) = sessions.load_newest(&past, owner).await? else { continue };
        let other = state.session_id.unwrap_or_default();
        if !is_past(&other) {
            continue;
        }
        for message in state.messages {
            let score = count_matches(&message, &words);
            if score > 0 {
                found.push(FoundMessage {
                    session: other.clone(),
                    time: format_iso8601(updated),
                    role: if message.role == Role::User { "user" } else { "model" }.to_owned(),
                    text: message.text().chars().take(MAX_TEXT).collect(),
                    score,
                    updated,
                });
            }
        }
        found.sort_by_key(|message| Reverse((message.score, message.updated)));
        found.truncate(MAX_FOUND);
    }
    Ok(found)
}

/// Returns the number of query words that a message contains. Only messages from the user and the model count.
fn count_matches(message: &Message, words: &[String]) -> usize {
    if !matches!(message.role, Role::User | Role::Model) {
        return 0;
    }
    let text = message.text().to_lowercase();
    words.iter().filter(|word| text.contains(word.as_str())).count()
}
