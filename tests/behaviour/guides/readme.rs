//! The README: short, and consistent with the front page of the documentation.

use super::pages::{Page, read};

const MAX_LINES: usize = 150;

/// Returns the first program in a documentation comment, without its hidden lines.
fn first_of_comment(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let block = lines.skip_while(|line| !line.starts_with("```")).skip(1);
    let block = block.take_while(|line| *line != "```").filter(|line| !line.starts_with("# "));
    block.map(|line| format!("{line}\n")).collect()
}

#[test]
fn readme_is_short_and_begins_as_the_front_page() {
    let readme = Page { name: "README".to_owned(), text: read("README.md") };
    let lines = readme.text.lines().count();
    assert!(lines <= MAX_LINES, "README.md has {lines} lines");
    let first = &readme.blocks()[0];
    assert_eq!(first.text, first_of_comment(&read("genkit/src/lib.rs")));
}

/// The first screen links to further pages.
#[test]
fn front_page_is_one_screen() {
    let front = read("genkit/src/lib.rs");
    let lines = front.lines().take_while(|line| line.starts_with("//!")).count();
    assert!(lines <= 60, "the front page has {lines} lines");
}

#[test]
fn commands_of_the_readme_are_those_that_ci_runs() {
    let (readme, ci) = (read("README.md"), read(".ci/run"));
    for command in ["cargo test --workspace --all-features", "cargo run -p quickstart -- --demo"] {
        assert!(readme.contains(&format!("```sh\n{command}\n```")), "README.md: {command}");
    }
    assert!(ci.contains("cargo test --workspace --all-features"));
}
