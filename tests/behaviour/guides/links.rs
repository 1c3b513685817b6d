//! Links: by label, to files and headings that are there, and for rustdoc to the items of `links.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::pages::{Page, documents, page, pages, read, root};

/// `[label]: target` at the end of a page.
fn definitions(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    lines.filter(|(label, target)| !label.contains('[') && !target.contains(' ')).collect()
}

/// `[text](target)` in the text.
fn inline(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// The anchors of a page, as a code host makes them of headings.
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

/// In rustdoc a page has no neighbours that are files.
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
    assert_eq!(items.len(), text.lines().count(), "links.md has a line that is no definition");
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
        assert!(modules.contains(&format!("\n    {name}: ")), "{name} is no module");
        let label = name.replace('_', " ");
        let listed = [format!("[{name}]"), format!("[{label}]")];
        let is_beside = matches!(name.as_str(), "process" | "provider_features");
        assert!(is_beside || listed.iter().any(|it| index.text.contains(it)), "{name}: index");
        let is_second = is_beside || matches!(name.as_str(), "models" | "coding_agents");
        assert!(is_second || front.contains(&format!("(guide::{name})")), "{name}: front page");
    }
}
