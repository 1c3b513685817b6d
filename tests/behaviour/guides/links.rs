//! Links: by label, to existing files and headings, and for rustdoc to the items of `links.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::pages::{Page, documents, page, pages, read, root};

/// Returns the definitions `[label]: target` at the end of a page.
fn definitions(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    lines.filter(|(label, target)| !label.contains('[') && !target.contains(' ')).collect()
}

/// Returns the targets of the links `[text](target)` in the text.
fn inline(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// Returns the anchors of a page, as a code host generates them from headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|heading| anchor(heading.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn check(page: &Page, target: &str) {
    if target.starts_with("http") {
        return;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = root().join("genkit/guide").join(&page.name);
    let file = match path {
        "" => folder.with_extension("md"),
        path => folder.parent().unwrap_or(Path::new(".")).join(path),
    };
    assert!(file.exists(), "{}: there is no {target}", page.name);
    if !anchor.is_empty() {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(anchors(&text).contains(anchor), "{}: {path} has no #{anchor}", page.name);
    }
}

#[test]
fn every_relative_link_leads_somewhere() {
    let more = ["CONTRIBUTING", "docs/architecture", "tests/README"];
    let more =
        more.map(|name| Page { name: format!("../../{name}"), text: read(&format!("{name}.md")) });
    for page in documents().into_iter().chain(more) {
        let prose = page.prose();
        inline(&prose).into_iter().for_each(|target| check(&page, target));
        definitions(&prose).values().for_each(|target| check(&page, target));
    }
}

/// In rustdoc a page has no neighboring files.
#[test]
fn pages_link_by_label_alone() {
    for page in pages() {
        let wrong = inline(&page.prose())
            .into_iter()
            .map(str::to_owned)
            .find(|target| !target.starts_with('#') && !target.starts_with("http"));
        assert_eq!(wrong, None, "{}: write `[label]`, and its target at the end", page.name);
    }
}

#[test]
fn every_label_is_known_to_rustdoc_and_to_the_code_host() {
    let text = read("genkit/guide/links.md");
    let items = definitions(&text);
    assert_eq!(items.len(), text.lines().count(), "links.md has a line that is not a definition");
    let mut used = BTreeSet::new();
    for page in pages() {
        let prose = page.prose();
        let defined = definitions(&prose);
        for label in defined.keys() {
            let item = items.get(label);
            assert!(item.is_some(), "{}: [{label}] has no item in links.md", page.name);
            let uses = prose.matches(&format!("[{label}]")).count();
            assert!(uses > 1, "{}: [{label}] is not used", page.name);
        }
        for label in items.keys().filter(|label| prose.contains(&format!("[{label}]"))) {
            assert!(defined.contains_key(label), "{}: [{label}] leads nowhere", page.name);
            used.insert((*label).to_owned());
        }
    }
    let of_a_page = |label: &str| root().join(format!("genkit/guide/{label}.md")).exists();
    let unused = items.keys().find(|label| !used.contains(**label) && !of_a_page(label));
    assert_eq!(unused, None, "links.md has a label that no page uses");
}

#[test]
fn every_page_is_in_the_book_the_index_and_the_modules() {
    let (summary, index) = (read("genkit/guide/SUMMARY.md"), page("index"));
    let modules = read("genkit/src/guide/mod.rs");
    let front = read("genkit/src/lib.rs");
    for page in pages().into_iter().filter(|page| page.name != "index") {
        let Page { name, .. } = &page;
        assert!(summary.contains(&format!("({name}.md)")), "{name} is not in SUMMARY.md");
        assert!(modules.contains(&format!("\n    {name}: ")), "{name} is not a module");
        let label = name.replace('_', " ");
        let listed = [format!("[{name}]"), format!("[{label}]")];
        let is_beside = matches!(name.as_str(), "process" | "provider_features");
        assert!(is_beside || listed.iter().any(|it| index.text.contains(it)), "{name}: index");
        let is_second = is_beside || matches!(name.as_str(), "models" | "coding_agents");
        assert!(is_second || front.contains(&format!("(guide::{name})")), "{name}: front page");
    }
}

/// Returns the output of mdBook for chapters, with the preprocessor of `book.toml`: links to files outside become plain
/// text.
fn in_the_book(pages: &[Page]) -> Vec<String> {
    let chapters = pages.iter().map(|page| {
        let content =
            json!({"content": page.text, "sub_items": [], "path": format!("{}.md", page.name)});
        json!({"Chapter": content})
    });
    let book = json!([{}, {"items": chapters.collect::<Vec<_>>()}]);
    let mut python = Command::new("python3");
    let python = python.arg(root().join(".ci/book.py")).stdin(Stdio::piped());
    let mut python = python.stdout(Stdio::piped()).spawn().expect("python3 runs");
    let mut input = python.stdin.take().expect("it is piped");
    input.write_all(book.to_string().as_bytes()).unwrap();
    drop(input);
    let made = python.wait_with_output().unwrap();
    assert!(made.status.success());
    let book: Value = serde_json::from_slice(&made.stdout).unwrap();
    let items = book["items"].as_array().unwrap();
    items.iter().map(|it| it["Chapter"]["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn book_leads_to_its_own_pages() {
    let pages = pages();
    let settings = read("genkit/guide/book.toml");
    assert!(settings.contains("command = \"python3 ../../.ci/book.py\""));
    let (mut inside, mut outside) = (0, 0);
    for (page, text) in pages.iter().zip(in_the_book(&pages)) {
        outside += definitions(&page.text).values().filter(|it| it.starts_with("..")).count();
        for target in definitions(&text).values().filter(|it| !it.starts_with("http")) {
            let file = target.split('#').next().unwrap_or_default();
            let is_page = pages.iter().any(|it| format!("{}.md", it.name) == file);
            let is_picture =
                file.ends_with(".png") && root().join("genkit/guide").join(file).exists();
            assert!(is_page || is_picture, "{}: {target} is outside the book", page.name);
            inside += 1;
        }
    }
    assert!(inside > 50 && outside > 20, "{inside} links inside, {outside} outside");
}
