//! Search terms lead to a page: the names and aliases of its module, which rustdoc's search reads.

use super::pages::read;

/// The terms, and the page that each must find.
const WORDS: [(&str, &str); 35] = [
    ("agent", "generate"),
    ("approval", "human_in_the_loop"),
    ("audit", "authentication"),
    ("authentication", "authentication"),
    ("axum", "serving"),
    ("Claude Desktop", "quickstart"),
    ("cassette", "testing"),
    ("chat", "generate"),
    ("cursor", "quickstart"),
    ("database pool", "state"),
    ("deadline", "generate"),
    ("Docker", "deploying"),
    ("elicitation", "human_in_the_loop"),
    ("embeddings", "providers"),
    ("enum", "tools"),
    ("evaluator", "developer_tools"),
    ("health check", "deploying"),
    ("HTTPS", "tls"),
    ("human in the loop", "human_in_the_loop"),
    ("interrupt", "human_in_the_loop"),
    ("JSON schema", "tools"),
    ("JWT", "authentication"),
    ("listener", "tls"),
    ("middleware", "middleware"),
    ("Ollama", "providers"),
    ("OpenTelemetry", "observability"),
    ("rate limit", "middleware"),
    ("retry", "middleware"),
    ("sampling", "mcp_servers"),
    ("streaming", "generate"),
    ("sub-agents", "generate"),
    ("structured output", "structured_output"),
    ("testing", "testing"),
    ("tls", "tls"),
    ("Unix socket", "tls"),
];

#[test]
fn words_of_a_search_lead_to_their_page() {
    let modules = read("genkit/src/guide/mod.rs");
    for (word, page) in WORDS {
        let line = modules.lines().find(|line| line.trim().starts_with(&format!("{page}: ")));
        let line = line.unwrap_or_else(|| panic!("there is no page {page}"));
        let alias = format!("\"{}\"", word.to_lowercase());
        assert!(word == page || line.contains(&alias), "`{word}` does not lead to {page}");
        let text = read(&format!("genkit/guide/{page}.md")).to_lowercase();
        assert!(text.contains(&word.to_lowercase()), "the page {page} does not contain `{word}`");
    }
}
