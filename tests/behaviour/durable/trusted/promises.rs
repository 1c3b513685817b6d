//! Each guarantee of the guide names the test that checks it.

use std::collections::BTreeSet;
use std::path::Path;

fn collect(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let after = text.split("fn ").skip(1);
            names.extend(after.filter_map(|rest| rest.split(['(', '<']).next().map(str::to_owned)));
        }
    }
}

#[test]
fn each_guarantee_names_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut names = BTreeSet::new();
    for folder in ["tests/behaviour/durable", "crates"] {
        collect(&root.join(folder), &mut names);
    }
    let page = root.join("genkit/guide/durable_guarantees.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut rows = 0;
    let mut is_tested = false;
    for line in page.lines() {
        match line.strip_prefix('|') {
            None => is_tested = false,
            Some(row) if row.ends_with("| test |") => is_tested = true,
            Some(row) if is_tested && !row.starts_with("---") => {
                let last = row.trim_end_matches('|').rsplit('|').next().unwrap();
                let tests: Vec<_> = last.split('`').skip(1).step_by(2).collect();
                assert!(!tests.is_empty(), "no test: {line}");
                let unknown = tests.iter().find(|test| !names.contains(**test));
                assert!(unknown.is_none(), "there is no test {unknown:?}: {line}");
                rows += 1;
            }
            Some(_) => {}
        }
    }
    assert!(rows > 25, "{rows}");
}
