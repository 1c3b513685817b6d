//! Tool search by a query.

use std::collections::BTreeMap;

use super::request::ToolDefinition;
use genkit_schema::internal::truncate::truncate;

/// The maximum length of a query, in bytes; the rest is ignored. Default is 1,024.
const MAX_QUERY: usize = 1_024;

/// The maximum length of a tool's description that is searched, in bytes. Default is 4 KiB.
const MAX_DESCRIPTION: usize = 4 * 1_024;

/// The maximum number of groups of tools that are listed. Default is 32.
const MAX_GROUPS: usize = 32;

/// Returns the tools that match `query`, best match first. Words in the name have the highest weight, followed by words
/// in argument names and in the description.
pub fn find_matches<'a>(tools: &'a [ToolDefinition], query: &str) -> Vec<&'a ToolDefinition> {
    let query = truncate(query, MAX_QUERY).to_lowercase();
    let words: Vec<&str> = split_words(&query).map(singular_form).collect();
    let scored = tools.iter().map(|tool| (score_tool(tool, &query, &words), tool));
    let mut found: Vec<(u32, &ToolDefinition)> = scored.filter(|(score, _)| *score > 0).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, tool)| tool).collect()
}

/// Lists the groups of tools (the part of a name before `/` or `__`) with the number of tools in each:
/// ` Groups: github (12), jira (7).`. Returns an empty string if there are no groups.
pub fn list_groups(tools: &[&ToolDefinition]) -> String {
    let mut groups = BTreeMap::new();
    let split = |name| str::split_once(name, '/').or_else(|| name.split_once("__"));
    for (group, _) in tools.iter().filter_map(|tool| split(tool.name.as_str())) {
        *groups.entry(group).or_insert(0) += 1;
    }
    let more = match groups.len().saturating_sub(MAX_GROUPS) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let groups: Vec<String> =
        groups.iter().take(MAX_GROUPS).map(|(group, tools)| format!("{group} ({tools})")).collect();
    if groups.is_empty() { String::new() } else { format!(" Groups: {}{more}.", groups.join(", ")) }
}

fn score_tool(tool: &ToolDefinition, query: &str, words: &[&str]) -> u32 {
    let name = tool.name.to_lowercase();
    if name == query.trim() {
        return u32::MAX;
    }
    let description = truncate(&tool.description, MAX_DESCRIPTION).to_lowercase();
    let properties = tool.input_schema().and_then(|schema| schema["properties"].as_object());
    let arguments = || properties.into_iter().flat_map(|properties| properties.keys());
    let of_word = |word: &&str| {
        let named =
            if self::split_words(&name).any(|part| singular_form(part) == *word) { 8 } else { 0 };
        let holds = if name.contains(word) { 4 } else { 0 };
        let takes = arguments().any(|argument| argument.to_lowercase().contains(word));
        let says = self::split_words(&description).any(|part| singular_form(part) == *word);
        named.max(holds) + 2 * u32::from(takes) + 2 * u32::from(says)
    };
    words.iter().map(of_word).sum()
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| word.len() > 1)
}

fn singular_form(word: &str) -> &str {
    word.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(word)
}
