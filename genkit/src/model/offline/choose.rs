//! Which tool a message means, by the words that both have.

use std::collections::HashSet;

use serde_json::Value;

use super::shape::{Kind, Shape};
use super::words;
use crate::model::ToolDefinition;

/// What a word counts in a tool's name, and one that half of all names begin with.
const NAME: usize = 8;
const GENERIC: usize = 2;
/// That all words of its name are there.
const WHOLE_NAME: usize = 6;
/// What a word counts in a description, the name of a property, a listed value.
const DESCRIPTION: usize = 2;
const PROPERTY: usize = 2;
const LISTED: usize = 2;
/// What it counts in the description of a property.
const ASIDE: usize = 1;

/// How many words of each of these count.
const MAX_COUNTED: usize = 4;

/// How much of a description is looked at, in characters.
const MAX_DESCRIPTION: usize = 2000;

/// How many tools and properties of each are looked at.
pub(super) const MAX_TOOLS: usize = 512;
const MAX_PROPERTIES: usize = 64;

/// The stems of a tool's name; words that say nothing are left out if others are there.
pub(super) fn name_stems(tool: &ToolDefinition) -> Vec<String> {
    let all = words::split_name(&tool.name);
    let says = |word: &&String| !words::is_stop(word) || words::is_generic(word);
    let mut stems: Vec<String> = all.iter().filter(says).map(|word| words::stem(word)).collect();
    if stems.is_empty() {
        stems = all.iter().map(|word| words::stem(word)).collect();
    }
    stems
}

/// How much a tool has to do with the words of a message.
pub(super) fn score(tool: &ToolDefinition, stems: &HashSet<&str>) -> usize {
    let has = |stem: &String| stems.contains(stem.as_str());
    let name = name_stems(tool);
    let worth = |stem: &String| if words::is_generic(stem) { GENERIC } else { NAME };
    let mut score: usize = name.iter().filter(|stem| has(stem)).map(worth).sum();
    if is_named(tool, stems) {
        score += WHOLE_NAME;
    }
    let mut counted: HashSet<String> = name.into_iter().collect();
    let mut count = |text: &str, is_name: bool, worth: usize, most: usize| {
        let found = if is_name { words::split_name(text) } else { sentence(text) };
        let mut hits = 0;
        // A description begins with a verb that half of all do: `Gets`, `Tells`.
        let says = |stem: &String| !words::is_stop(stem) && !words::is_generic(stem);
        for stem in found.iter().filter(|word| says(word)).map(|word| words::stem(word)) {
            if hits < most && says(&stem) && has(&stem) && counted.insert(stem) {
                hits += 1;
            }
        }
        hits * worth
    };
    score += count(&tool.description, false, DESCRIPTION, MAX_COUNTED);
    let Some(root) = tool.input_schema() else { return score };
    let mut aside = 0;
    for (name, schema, _) in Shape::of(root, root).properties().into_iter().take(MAX_PROPERTIES) {
        aside += count(name, true, PROPERTY, 1);
        let shape = Shape::of(schema, root);
        if let Kind::Choice(all) = &shape.kind {
            for listed in all.iter().filter_map(|listed| listed.value.as_str()) {
                aside += count(listed, true, LISTED, 1);
            }
        }
        let said = shape.get("description").and_then(Value::as_str).unwrap_or_default();
        aside += count(said, false, ASIDE, 1);
    }
    // However much a tool says of its arguments, that is less than its name.
    score + aside.min(NAME - 1)
}

/// Whether a message has all words of a tool's name that tell it from others.
pub(super) fn is_named(tool: &ToolDefinition, stems: &HashSet<&str>) -> bool {
    let name = name_stems(tool);
    let all_generic = name.iter().all(|stem| words::is_generic(stem));
    let counts = |stem: &&String| all_generic || !words::is_generic(stem);
    !name.is_empty() && name.iter().filter(counts).all(|stem| stems.contains(stem.as_str()))
}

fn sentence(text: &str) -> Vec<String> {
    let text: String = text.chars().take(MAX_DESCRIPTION).collect();
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .map(words::lower)
        .collect()
}
