//! The formats that programs use for an entry, converted to a single format.

use serde_json::{Map, Value};

/// Alternative names of keys.
const RENAMED: [(&str, &str); 6] = [
    ("environment", "env"),
    ("baseUrl", "url"),
    ("endpoint", "url"),
    ("uri", "url"),
    ("http_headers", "headers"),
    ("working_directory", "cwd"),
];

/// Rewrites an entry to the shape of `mcpServers`.
pub(crate) fn unify_entry(entry: &mut Map<String, Value>) {
    // Programs with a form write empty strings for fields that are not filled in.
    entry.retain(|key, value| {
        let is_optional = matches!(key.as_str(), "command" | "url" | "baseUrl" | "cwd" | "type");
        !(is_optional && value.as_str().is_some_and(|text| text.trim().is_empty()))
    });
    // Continue writes the transport as an object.
    if let Some(Value::Object(inner)) = entry.get_mut("transport") {
        let inner = std::mem::take(inner);
        entry.shift_remove("transport");
        for (key, value) in inner {
            entry.entry(key).or_insert(value);
        }
    }
    // Older versions of Zed write the program as an object.
    if let Some(Value::Object(inner)) = entry.get_mut("command") {
        let inner = std::mem::take(inner);
        entry.shift_remove("command");
        for (key, value) in inner {
            let key = if key == "path" { "command".to_owned() } else { key };
            entry.entry(key).or_insert(value);
        }
    }
    // OpenCode writes the program and its arguments as one list.
    if let Some(Value::Array(words)) = entry.get_mut("command")
        && !words.is_empty()
    {
        let program = words.remove(0);
        let mut args = std::mem::take(words);
        if let Some(Value::Array(more)) = entry.get_mut("args") {
            args.append(more);
        }
        entry.insert("command".to_owned(), program);
        entry.insert("args".to_owned(), Value::Array(args));
    }
    for (other, key) in RENAMED {
        if !entry.contains_key(key)
            && let Some(value) = entry.shift_remove(other)
        {
            entry.insert(key.to_owned(), value);
        }
    }
    // Witsy writes the arguments of a program as the URL.
    let is_program = entry.get("type").is_some_and(|kind| kind == "stdio")
        && entry.contains_key("command")
        && !entry.contains_key("args");
    let is_address = |url: &str| url.starts_with("http://") || url.starts_with("https://");
    if is_program
        && let Some(Value::String(line)) = entry.get("url")
        && !is_address(line)
    {
        let args = Value::String(line.clone());
        entry.shift_remove("url");
        entry.insert("args".to_owned(), args);
    }
    if let Some(Value::String(line)) = entry.get("args") {
        let args = split_words(line).into_iter().map(Value::String).collect();
        entry.insert("args".to_owned(), Value::Array(args));
    }
}

/// Returns the name of an entry in a list.
pub(crate) fn listed_name(entry: &Value) -> Option<String> {
    let keys = ["name", "title", "key", "id", "uuid"];
    let name =
        keys.into_iter().find_map(|key| entry.get(key)?.as_str().filter(|it| !it.is_empty()));
    name.map(str::to_owned)
}

/// Splits a command line into words, which may be in quotes.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
