//! The English of comments, documentation and pages: phrases that read as a translation are counted for each folder,
//! and a count must not rise. A lower count passes; `UPDATE=1` writes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::pages::{is_update, read, root, write};

const COUNTS: &str = "tests/fixtures/prose.txt";

/// Phrases that maintainers of axum or tokio would not write. Each is compared as whole words, in lower case.
const PHRASES: [&str; 21] = [
    "somebody",
    "whoever",
    "nobody",
    "anew",
    "once more",
    "stands in",
    "stands for itself",
    "stands beside",
    "is told",
    "are told",
    "tells of",
    "says so",
    "says what",
    "goes on",
    "go on with",
    "of its own kind",
    "of one's own",
    "what becomes of",
    "mend",
    "mends",
    "as it stands",
];

/// The folders that are counted, and the files at the root.
const FOLDERS: [&str; 6] = ["crates", "examples", "genkit", "genkit-macros", "docs", "."];

#[test]
fn phrases_that_read_as_a_translation_do_not_increase() {
    let mut counts = BTreeMap::new();
    for folder in FOLDERS {
        let path = root().join(folder);
        if matches!(folder, "crates" | "examples") {
            for entry in fs::read_dir(&path).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let count = count_folder(&path.join(&name));
                counts.insert(format!("{folder}/{name}"), count);
            }
        } else if folder == "." {
            let files = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
            counts.insert(
                "root".to_owned(),
                files.map(|file| count_file(&path.join(file))).iter().sum(),
            );
        } else {
            counts.insert(folder.to_owned(), count_folder(&path));
        }
    }
    let listed = read(COUNTS);
    let listed: BTreeMap<&str, usize> = listed
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(folder, count)| (folder, count.parse().unwrap()))
        .collect();
    for (folder, count) in &counts {
        let most = listed.get(folder.as_str()).copied().unwrap_or_default();
        assert!(
            *count <= most || is_update(),
            "{folder} has {count} phrases that read as a translation, and had {most}; write them as CONTRIBUTING.md says"
        );
    }
    let lines: Vec<String> =
        counts.iter().map(|(folder, count)| format!("{folder} {count}\n")).collect();
    if is_update() {
        write(COUNTS, &lines.concat());
    }
}

fn count_folder(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !matches!(name, "target" | "node_modules" | "tests") {
            count += count_folder(&path);
        } else if path.is_file() {
            count += count_file(&path);
        }
    }
    count
}

fn count_file(path: &Path) -> usize {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let Some("rs" | "md") = extension else { return 0 };
    let text = fs::read_to_string(path).unwrap();
    let is_prose =
        |line: &&str| extension == Some("md") || line.contains("//") || line.contains('"');
    text.lines().filter(is_prose).map(count_line).sum()
}

fn count_line(line: &str) -> usize {
    let words: Vec<String> = line
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let text = format!(" {} ", words.join(" "));
    PHRASES.iter().map(|phrase| text.matches(&format!(" {phrase} ")).count()).sum()
}

#[test]
fn phrase_is_counted_as_whole_words() {
    assert_eq!(count_line("/// Nobody is told; the amendment goes on."), 3);
    assert_eq!(count_line("/// The caller receives the error."), 0);
}
