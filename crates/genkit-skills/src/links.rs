//! Links in Markdown to other files of a skill.

/// Returns the relative links in Markdown (`[text](path)`, `![alt](path)`), each with its line, counted from 1. Code is
/// skipped.
pub(crate) fn relative_links(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| start.starts_with(marker));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(marker)) if open == marker => fence = None,
            (None, None) => {
                found.extend(find_links(line).into_iter().map(|link| (link, number + 1)));
            }
            (Some(_), _) => {}
        }
    }
    found
}

fn find_links(line: &str) -> Vec<String> {
    // Text between two backticks is code.
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
    let mut links = Vec::new();
    let mut rest = prose.as_str();
    while let Some(at) = rest.find("](") {
        rest = &rest[at + 2..];
        let Some(end) = rest.find(')') else { break };
        let target = rest[..end].trim();
        let target = match target.strip_prefix('<').and_then(|inner| inner.split_once('>')) {
            Some((inner, _)) => inner,
            // A title may follow.
            None => target.split_whitespace().next().unwrap_or_default(),
        };
        let path = target.split(['#', '?']).next().unwrap_or_default();
        let is_elsewhere = path.contains(':') || path.starts_with('/');
        if !path.is_empty() && !is_elsewhere {
            links.push(decode_percent(path));
        }
        rest = &rest[end..];
    }
    links
}

/// Decodes percent-encoding: `my%20file` becomes `my file`.
fn decode_percent(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let value = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (byte, value) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Resolves a link relative to its folder. Returns `None` if it leads out of the folder.
pub(crate) fn resolve_link(link: &str) -> Option<String> {
    let mut segments = Vec::new();
    for segment in link.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_distinguished_from_other_text() {
        let text = "[a](x.md) ![i](img/y.png \"title\") [w](https://e.org/z)\n`[c](code.md)` [h](#there)\n\
                    ```\n[f](fenced.md)\n```\n[s](<my file.md>) [e](my%20other.md#part)\n[r](/etc/hosts)";
        let expected = [("x.md", 1), ("img/y.png", 1), ("my file.md", 6), ("my other.md", 6)];
        let expected: Vec<_> =
            expected.iter().map(|(link, line)| ((*link).to_owned(), *line)).collect();
        assert_eq!(relative_links(text), expected);
    }

    #[test]
    fn link_is_resolved_within_its_folder() {
        assert_eq!(resolve_link("./a/../b.md").as_deref(), Some("b.md"));
        assert_eq!(resolve_link("../b.md"), None);
    }
}
