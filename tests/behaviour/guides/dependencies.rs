//! The lines that depend on this repository. Each can be pasted into a package next to the reader's clone.

use super::pages::{Page, compare, documents, pages, read};

/// The path of the reader's clone, as seen from a package next to it. All lines are generated from this constant.
const CLONE: &str = "../genkit";

/// Returns the path of a crate in the reader's clone.
fn path_in_clone(name: &str) -> String {
    let folder = if name == "genkit" { "genkit".to_owned() } else { format!("crates/{name}") };
    let manifest = read(&format!("{folder}/Cargo.toml"));
    assert!(manifest.contains(&format!("\nname = \"{name}\"\n")), "{folder} is not `{name}`");
    format!("{CLONE}/{folder}")
}

/// Returns a line of a manifest that depends on a crate of this repository, with the path in the reader's clone.
fn with_path(line: &str) -> Option<String> {
    let (head, table) = line.split_once(" = { ")?;
    let name = head.strip_prefix("//! ").unwrap_or(head);
    let (key, rest) = table.split_once(" = \"")?;
    if !name.starts_with("genkit") || !matches!(key, "git" | "path") {
        return None;
    }
    let (_, rest) = rest.split_once('"')?;
    Some(format!("{head} = {{ path = \"{}\"{rest}", path_in_clone(name)))
}

/// `UPDATE=1` writes the lines. It runs before the tests that generate whole pages.
pub(super) fn lines_have_the_path_of_the_clone() {
    let guide = pages().into_iter().map(|page| format!("genkit/guide/{}.md", page.name));
    let mut count = 0;
    for file in guide.chain(["README.md".to_owned(), "genkit/src/lib.rs".to_owned()]) {
        let text = read(&file);
        let mut wanted = String::new();
        for line in text.lines() {
            let written = with_path(line);
            count += usize::from(written.is_some());
            wanted.push_str(written.as_deref().unwrap_or(line));
            wanted.push('\n');
        }
        if text.contains("path = ") || wanted != text {
            compare(&file, &wanted);
        }
    }
    assert!(count >= 6, "only {count} lines found");
    for template in ["agent", "chat", "http", "stdio"] {
        let answers = read(&format!("templates/{template}/cargo-generate.toml"));
        let default = format!("default = \"path = \\\"{}\\\"\"", path_in_clone("genkit"));
        assert!(answers.lines().any(|line| line == default), "templates/{template}: {default}");
    }
}

#[test]
fn manifests_have_no_placeholder() {
    let front: String = read("genkit/src/lib.rs")
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let front = Page { name: "genkit/src/lib.rs".to_owned(), text: front };
    let mut count = 0;
    for block in documents().iter().chain([&front]).flat_map(Page::blocks) {
        if block.info != "toml" {
            continue;
        }
        for line in block.text.lines().filter(|line| line.contains("genkit")) {
            // Only this form is written from the constant.
            assert!(with_path(line).is_some(), "{}: {line}", block.place);
            count += 1;
        }
        assert!(!block.text.contains('<'), "{}: {}", block.place, block.text);
    }
    assert!(count >= 6, "only {count} lines found");
}
