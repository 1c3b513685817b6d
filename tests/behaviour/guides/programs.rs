//! The programs on the pages are the examples, and each is complete.

use std::fs;
use std::path::PathBuf;

use super::pages::{Block, is_update, pages, read, root, write};

/// The maximum length of a program on a page.
const LINES: std::ops::RangeInclusive<usize> = 20..=60;

fn examples() -> Vec<PathBuf> {
    let folders = ["serving", "asking"].map(|it| root().join("genkit/examples").join(it));
    let files = folders.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    files.map(|file| file.unwrap().path()).collect()
}

/// Returns the program without the leading module comment and lint attributes.
fn shown(program: &str) -> &str {
    program.find("\nuse ").map_or(program, |at| &program[at + 1..])
}

/// Returns the expected text of a block, given the mark before it.
fn wanted(block: &Block) -> Option<String> {
    let mark = block.mark.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (kind, name) = mark.split_once(": ")?;
    match kind {
        "example" => {
            let stem = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == name);
            let path = examples().into_iter().find(stem);
            let path = path.unwrap_or_else(|| panic!("{}: no example {name}", block.place));
            Some(shown(&fs::read_to_string(path).unwrap()).to_owned())
        }
        "file" => Some(read(name)),
        _ => None,
    }
}

/// Returns the features and dependencies that the program needs in its manifest.
fn needs(name: &str, program: &str) -> String {
    const CRATES: [(&str, &str); 7] = [
        ("serde", "`serde` (`derive`)"),
        ("schemars", "`schemars`"),
        ("serde_json", "`serde_json`"),
        ("axum", "`axum`"),
        ("tokio_rustls", "`tokio-rustls` (`ring`)"),
        ("tracing", "`tracing`"),
        ("tracing_subscriber", "`tracing-subscriber`"),
    ];
    let manifest = read("genkit/Cargo.toml");
    let (_, rest) =
        manifest.split_once(&format!("[[example]]\nname = \"{name}\"\n")).expect("an example");
    let (_, rest) = rest.split_once("required-features = [").expect("it needs features");
    let features = rest.split(']').next().unwrap_or_default().split(',').map(str::trim);
    let features = features.filter(|it| !matches!(*it, "\"inventory\"" | "\"generate\""));
    let features: Vec<_> = features.map(|it| it.replace('"', "`")).collect();
    let is_used = |name: &str| {
        let paths = program.matches(&format!("{name}::")).count();
        paths > program.matches(&format!("_{name}::")).count()
    };
    // Features of tokio that have the name of a module.
    let mut tokio: Vec<_> = ["fs", "net", "process", "signal", "sync", "time"]
        .into_iter()
        .filter(|module| program.contains(&format!("tokio::{module}::")))
        .chain(["macros", "rt-multi-thread"])
        .map(|feature| format!("`{feature}`"))
        .collect();
    tokio.sort_unstable();
    let tokio = is_used("tokio").then(|| format!("`tokio` ({})", tokio.join(", ")));
    let others = CRATES.iter().filter(|(name, _)| is_used(name));
    let crates: Vec<_> =
        tokio.into_iter().chain(others.map(|(_, shown)| (*shown).to_owned())).collect();
    format!("*Features*: {}. *Other dependencies*: {}.", features.join(", "), crates.join(", "))
}

/// In sequence, since both may write the pages.
#[test]
fn page_shows_its_program_and_its_dependencies() {
    programs_are_the_examples();
    needs_are_those_of_the_manifest();
}

/// The line under a program lists its features and dependencies.
fn needs_are_those_of_the_manifest() {
    for page in pages() {
        let mut text = page.text.clone();
        for block in page.blocks() {
            let name = block.mark.strip_prefix("<!-- example: ");
            let Some(name) = name.and_then(|it| it.strip_suffix(" -->")) else { continue };
            let program = format!("{}\n```{}\n{}```\n", block.mark, block.info, block.text);
            let (before, after) = text.split_once(&program).expect("the block is there");
            let line = format!("\n{}\n", needs(name, &block.text));
            if is_update() {
                let after = match after.strip_prefix("\n*Features*: ") {
                    Some(old) => old.split_once('\n').map_or("", |it| it.1),
                    None => after,
                };
                text = format!("{before}{program}{line}{after}");
            } else {
                assert!(after.starts_with(&line), "{}: {line}; UPDATE=1 writes it", block.place);
            }
        }
        if text != page.text {
            write(&format!("genkit/guide/{}.md", page.name), &text);
        }
    }
}

fn programs_are_the_examples() {
    let mut seen = 0;
    for page in pages() {
        let mut text = page.text.clone();
        for block in page.blocks() {
            let Some(wanted) = wanted(&block) else { continue };
            seen += 1;
            let there = format!("{}\n```{}\n{}```", block.mark, block.info, block.text);
            let wanted = format!("{}\n```{}\n{wanted}```", block.mark, block.info);
            if is_update() {
                text = text.replace(&there, &wanted);
            } else {
                assert_eq!(there, wanted, "{}: not the file; UPDATE=1 writes it", block.place);
            }
        }
        if text != page.text {
            write(&format!("genkit/guide/{}.md", page.name), &text);
        }
    }
    assert!(seen > examples().len(), "each example is on a page, and the Dockerfile");
}

#[test]
fn each_example_has_its_page_and_its_length() {
    let pages = pages();
    for path in examples() {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(LINES.contains(&lines), "{name} has {lines} lines, not {LINES:?}");
        let mark = format!("<!-- example: {name} -->");
        let on = pages.iter().filter(|page| page.text.contains(&mark)).count();
        assert_eq!(on, 1, "{name} is on {on} pages");
    }
}
