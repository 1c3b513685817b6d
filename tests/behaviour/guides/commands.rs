//! Commands: each refers to an existing program, package, feature and flag.

use std::collections::BTreeSet;
use std::fs;

use super::pages::{Page, documents, pages, read, root};

/// Programs of other projects that a reader has, or that the pages ask the reader to install.
const PROGRAMS: [&str; 9] =
    ["cargo", "cd", "claude", "curl", "docker", "npx", "ollama", "openssl", "sh"];

/// The subcommands of `cargo`.
const OF_CARGO: [&str; 8] = ["new", "run", "test", "build", "install", "doc", "add", "watch"];

/// Returns the lines of a block, without comments and blank lines; `a && b` counts as two.
fn commands(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(|line| line.split(" && ").map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Returns the members of the workspace, and the programs that readers create.
fn members() -> BTreeSet<String> {
    let folders = ["examples", "crates"].map(|folder| root().join(folder));
    let found = folders.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let names = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .chain(["genkit", "genkit-tests", "ui-tests", "genkit-macros"].map(str::to_owned))
        .collect()
}

/// Returns the word after `flag`.
fn after<'a>(command: &'a str, flag: &str) -> Option<&'a str> {
    let mut words = command.split_whitespace().skip_while(|word| *word != flag);
    words.nth(1)
}

fn check_cargo(command: &str, place: &str) {
    let verb = command.split_whitespace().nth(1).unwrap_or_default();
    assert!(OF_CARGO.contains(&verb), "{place}: cargo {verb}");
    if let Some(name) = after(command, "-p") {
        assert!(members().contains(name), "{place}: there is no package {name}");
    }
    if let Some(name) = after(command, "--example") {
        let manifest = read("genkit/Cargo.toml");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{place}: no example {name}");
    }
    if let Some((_, own)) = command.split_once(" -- ") {
        check_flags(own, place);
    }
}

/// Checks flags of `.cli()` and of the examples.
fn check_flags(own: &str, place: &str) {
    let known = read("crates/genkit-mcp-server/src/cli/command.rs")
        + &read("crates/genkit-mcp-server/src/cli/publish/mod.rs")
        + &read("examples/quickstart/src/main.rs");
    for flag in own.split_whitespace().filter_map(|word| word.strip_prefix("--")) {
        assert!(known.contains(&format!("{flag}\"")), "{place}: there is no flag --{flag}");
    }
}

#[test]
fn guide_commands_name_existing_targets() {
    // Programs that readers create on the pages: `cargo new weather`.
    let own: BTreeSet<String> = pages()
        .iter()
        .flat_map(Page::blocks)
        .filter(|block| block.info == "sh")
        .flat_map(|block| commands(&block.text))
        .filter_map(|line| line.strip_prefix("cargo new ").map(str::to_owned))
        .collect();
    let pinned =
        read("tests/protocol/packages.rs") + &read("crates/genkit-mcp-server/src/cli/inspect.rs");
    let mut seen = 0;
    for block in documents().iter().flat_map(Page::blocks).filter(|block| block.info == "sh") {
        for command in commands(&block.text) {
            seen += 1;
            let words: Vec<&str> = command.split_whitespace().collect();
            let program = words[0];
            let is_there = PROGRAMS.contains(&program) || own.contains(program);
            assert!(is_there, "{}: there is no program {program}", block.place);
            match program {
                "cargo" => check_cargo(&command, &block.place),
                "npx" => {
                    let package = words[1];
                    assert!(pinned.contains(package), "{}: {package} is not pinned", block.place);
                }
                name if own.contains(name) => check_flags(&command, &block.place),
                _ => {}
            }
        }
    }
    assert!(seen > 15, "only {seen} commands");
}

/// Checks `cargo run -p NAME` in tables, too.
#[test]
fn packages_in_the_text_are_members() {
    for page in documents() {
        for rest in page.text.split("cargo run -p ").skip(1) {
            let name = rest.split([' ', '`', '\n']).next().unwrap_or_default();
            assert!(members().contains(name), "{}: there is no package {name}", page.name);
        }
    }
}
