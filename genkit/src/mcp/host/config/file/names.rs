//! The names of the servers of a file as keys of a host.

use std::collections::BTreeSet;

use crate::mcp::host::limits::MAX_KEY;
use crate::truncate::truncate;

/// Keys for these names, in their order. A host puts a key and a `/` before the names of tools, and
/// takes no `/`, no `*` and nothing long; galleries write names such as `io.github.owner/server`.
pub(crate) fn keys(names: &[&str]) -> Vec<String> {
    let mut taken: BTreeSet<String> =
        names.iter().filter(|name| is_key(name)).map(|name| (*name).to_owned()).collect();
    let key = |name: &&str| {
        if is_key(name) {
            return (*name).to_owned();
        }
        let legal = legal(name);
        let key = (1..)
            .map(|count| match count {
                1 => legal.clone(),
                count => {
                    let end = format!("-{count}");
                    format!("{}{end}", truncate(&legal, MAX_KEY - end.len()))
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
    !name.is_empty() && legal(name) == name
}

fn legal(name: &str) -> String {
    let replaced = |part: char| if part.is_control() || "/*".contains(part) { '-' } else { part };
    let key: String = name.chars().map(replaced).collect();
    if key.is_empty() { "server".to_owned() } else { truncate(&key, MAX_KEY).to_owned() }
}
