//! Conversion of server names into keys.

use std::collections::BTreeSet;

/// The longest key of a server, in bytes: 64.
///
/// ```
/// let text = format!(r#"{{"mcpServers": {{"{}": {{"command": "x"}}}}}}"#, "x".repeat(100));
/// let file = genkit_mcp_servers_file::parse(&text, "mcp.json", |_| None)?;
/// assert_eq!(file.servers[0].key.len(), genkit_mcp_servers_file::MAX_KEY_BYTES);
/// # Ok::<(), genkit_mcp_servers_file::Error>(())
/// ```
pub const MAX_KEY_BYTES: usize = 64;

/// Returns keys for these names, in their order. A client prefixes tool names with a key and a `/`, so keys must be
/// short and must not contain `/` or `*`; galleries write names such as `io.github.owner/server`.
pub(crate) fn assign_keys(names: &[&str]) -> Vec<String> {
    let mut taken: BTreeSet<String> =
        names.iter().filter(|name| is_key(name)).map(|name| (*name).to_owned()).collect();
    let key = |name: &&str| {
        if is_key(name) {
            return (*name).to_owned();
        }
        let legal = legal_key(name);
        let key = (1..)
            .map(|count| match count {
                1 => legal.clone(),
                count => {
                    let end = format!("-{count}");
                    format!("{}{end}", truncate_text(&legal, MAX_KEY_BYTES - end.len()))
                }
            })
            .find(|key| !taken.contains(key))
            .unwrap_or_default();
        taken.insert(key.clone());
        key
    };
    names.iter().map(key).collect()
}

fn is_key(name: &str) -> bool {
    !name.is_empty() && legal_key(name) == name
}

fn legal_key(name: &str) -> String {
    let replaced = |part: char| if part.is_control() || "/*".contains(part) { '-' } else { part };
    let key: String = name.chars().map(replaced).collect();
    if key.is_empty() { "server".to_owned() } else { truncate_text(&key, MAX_KEY_BYTES).to_owned() }
}

/// Returns at most the first `bytes` of a string, ending at a character boundary.
fn truncate_text(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
