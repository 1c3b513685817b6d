//! The pages and their parts.

use std::fs;
use std::path::{Path, PathBuf};

/// The maximum length of a page.
const MAX_LINES: usize = 150;

/// A page, by its name without `.md`.
pub(super) struct Page {
    pub(super) name: String,
    pub(super) text: String,
}

/// A block between fences.
pub(super) struct Block {
    /// The text after the fence: `rust,no_run`.
    pub(super) info: String,
    pub(super) text: String,
    /// The line before the fence.
    pub(super) mark: String,
    /// The location, such as `page.md:7`.
    pub(super) place: String,
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(super) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns whether files should be written.
pub(super) fn is_update() -> bool {
    std::env::var_os("UPDATE").is_some()
}

/// Writes the whole file or nothing, since other tests read it at the same time.
pub(super) fn write(path: &str, text: &str) {
    let path = root().join(path);
    let beside = path.with_extension("new");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, path).unwrap();
}

/// Compares a generated file; `UPDATE=1` writes it.
pub(super) fn compare(path: &str, wanted: &str) {
    if is_update() {
        write(path, wanted);
    }
    let there = fs::read_to_string(root().join(path)).unwrap_or_default();
    let differs = there.lines().zip(wanted.lines()).find(|(a, b)| a != b);
    assert!(
        there == wanted,
        "{path} is not what it is made of, first at {differs:?}: \
         UPDATE=1 cargo test -p genkit-tests --test behaviour guides"
    );
}

/// Returns every page of the guide, sorted, without the lists next to them.
pub(super) fn pages() -> Vec<Page> {
    let folder = root().join("genkit/guide");
    let mut pages: Vec<Page> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
        .map(|path| Page {
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            text: fs::read_to_string(path).unwrap(),
        })
        .filter(|page| page.name != "SUMMARY" && page.name != "links")
        .collect();
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

pub(super) fn page(name: &str) -> Page {
    Page { name: name.to_owned(), text: read(&format!("genkit/guide/{name}.md")) }
}

/// Returns the pages and the README.
pub(super) fn documents() -> Vec<Page> {
    let readme = Page { name: "../../README".to_owned(), text: read("README.md") };
    pages().into_iter().chain([readme]).collect()
}

impl Page {
    /// Returns the heading without its `#`.
    pub(super) fn title(&self) -> &str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// Returns everything outside blocks.
    pub(super) fn prose(&self) -> String {
        let mut in_block = false;
        let is_prose = |line: &&str| {
            let is_fence = line.starts_with("```");
            in_block ^= is_fence;
            !is_fence && !in_block
        };
        self.text.lines().filter(is_prose).map(|line| format!("{line}\n")).collect()
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines().enumerate();
        let mut before = "";
        while let Some((number, line)) = lines.next() {
            if let Some(info) = line.strip_prefix("```") {
                let text = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
                blocks.push(Block {
                    info: info.to_owned(),
                    text: text.map(|line| format!("{line}\n")).collect(),
                    mark: before.to_owned(),
                    place: format!("{}.md:{}", self.name, number + 1),
                });
            }
            before = line;
        }
        blocks
    }

    /// Returns the lines under a heading, up to the next.
    pub(super) fn section(&self, heading: &str) -> Option<String> {
        let prose = self.prose();
        let (_, rest) = prose.split_once(&format!("\n## {heading}\n"))?;
        Some(rest.split("\n## ").next().unwrap_or_default().to_owned())
    }
}

#[test]
fn pages_are_short_and_have_their_form() {
    for page in pages() {
        let lines = page.text.lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines, over {MAX_LINES}", page.name);
        assert!(page.text.starts_with("# "), "{} has no title", page.name);
        assert!(page.text.contains("|---|"), "{} has no table", page.name);
        let has_program =
            page.blocks().iter().any(|block| block.mark.starts_with("<!-- example: "));
        assert_eq!(has_program, page.section("Pitfalls").is_some(), "{}: pitfalls", page.name);
    }
}

#[test]
fn no_line_is_hidden_on_a_code_host() {
    for block in documents().iter().flat_map(Page::blocks) {
        let hidden = block.text.lines().find(|line| *line == "#" || line.starts_with("# "));
        let is_rust = block.info.starts_with("rust");
        assert!(!is_rust || hidden.is_none(), "{}: {hidden:?} shows there", block.place);
    }
}

#[test]
fn every_rust_block_is_a_test() {
    for block in documents().iter().flat_map(Page::blocks) {
        let is_rust = block.info.split(',').next() == Some("rust");
        let is_left_out = block.info.contains("ignore") || block.info.contains("compile_fail");
        assert!(!is_rust || !is_left_out, "{}: {} is not tested", block.place, block.info);
        let known = ["rust", "sh", "text", "json", "toml", "dockerfile"];
        let kind = block.info.split(',').next().unwrap_or_default();
        assert!(known.contains(&kind), "{}: nothing reads a block of `{kind}`", block.place);
    }
}
