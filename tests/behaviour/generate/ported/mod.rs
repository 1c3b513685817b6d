//! Genkit's own tests of the loop, as data in `fixtures/genkit`, with one file for each of theirs: repository
//! genkit-ai/genkit at 846fb0ca6 (August 2026), folder `js/`.
//!
//! Each case names the original test. If the behavior is deliberately different here, `differs` states why and `genkit`
//! what Genkit does; `open` marks cases that should pass but do not yet.

mod case;
mod compare;
mod observe;
mod run;
mod tools;

use std::collections::BTreeSet;
use std::path::Path;

use case::{Case, Source};
use serde_json::{Map, Value};

/// Returns every file of the fixtures.
fn sources() -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/genkit");
    let entries = std::fs::read_dir(&folder).expect("the fixtures are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        serde_json::from_str(&text)
            .unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()))
    };
    files.iter().map(read).collect()
}

/// Returns the problems of a case. The list is empty if the case passes.
async fn judge(case: &Case) -> Vec<String> {
    let seen = match run::run(case).await {
        Ok(seen) => seen,
        Err(said) => return vec![said],
    };
    let mut said = differences(&seen.first, &case.expect);
    match (&seen.resumed, &case.expect_resumed) {
        (Some(is), Some(wanted)) => said.extend(differences(is, wanted)),
        (None, None) => {}
        _ => said.push("`resume` and `expect_resumed` go together".to_owned()),
    }
    if case.differs.is_some() {
        // An outdated mark would hide that both now agree.
        let last = seen.resumed.as_ref().unwrap_or(&seen.first);
        if differences(last, &case.genkit).is_empty() {
            said.push("it is marked as different, and does what Genkit does".to_owned());
        }
    }
    said
}

/// Compares every expected key with what was observed.
fn differences(is: &Map<String, Value>, wanted: &Map<String, Value>) -> Vec<String> {
    let mut comparison = compare::Comparison::default();
    // A run must not fail unless its error is expected.
    let no_error = Map::from_iter([("error".to_owned(), Value::Null)]);
    for (key, wanted) in no_error.iter().filter(|_| !wanted.contains_key("error")).chain(wanted) {
        let in_part = ["error", "finish", "request", "model_requests"].contains(&key.as_str());
        match is.get(key) {
            Some(is) if in_part => comparison.part(key, is, wanted),
            Some(is) => comparison.whole(key, is, wanted),
            None => comparison.note(key, "is nothing that a run shows"),
        }
    }
    comparison.differences
}

#[tokio::test(start_paused = true)]
async fn genkits_own_tests_hold() {
    let (mut passed, mut differ, mut left_out) = (0, 0, 0);
    let (mut failed, mut open) = (Vec::new(), Vec::new());
    for source in sources() {
        left_out += source.left_out.len();
        for case in &source.cases {
            let said = judge(case).await;
            match (&case.open, said.is_empty()) {
                (None, true) if case.differs.is_some() => differ += 1,
                (None, true) => passed += 1,
                (Some(reason), false) => open.push(format!("{}: {reason}", case.name)),
                (Some(_), true) => {
                    failed.push(format!("{}: it holds now: take `open` away", case.name))
                }
                (None, false) => {
                    let from = &case.from;
                    failed.push(format!("{} ({from})\n    {}", case.name, said.join("\n    ")));
                }
            }
        }
    }
    let failures = failed.len();
    let mut summary = format!(
        "ported cases: {passed} passed, {failures} failed, {differ} differ on purpose, {left_out} \
         left out"
    );
    if !open.is_empty() {
        summary += &format!(", {} open:\n  {}", open.len(), open.join("\n  "));
    }
    eprintln!("{summary}");
    assert!(failed.is_empty(), "{failures} ported cases failed:\n  {}", failed.join("\n  "));
}

#[test]
fn each_of_genkits_tests_is_a_case_or_left_out_with_a_reason() {
    let mut names = BTreeSet::new();
    for Source { file, tests, cases, left_out } in sources() {
        let reason = |what: &str, reason: &Option<String>| {
            let reasoned = reason.as_ref().is_none_or(|reason| reason.len() > 12);
            assert!(reasoned, "{file}: {what}: say why");
        };
        for case in &cases {
            assert!(names.insert(case.name.clone()), "{file}: two cases are named {}", case.name);
            reason(&case.name, &case.differs);
            reason(&case.name, &case.open);
            reason(&case.name, &case.varies);
            assert_eq!(
                case.differs.is_some(),
                !case.genkit.is_empty(),
                "{file}: {}: `differs` goes with `genkit`, what Genkit does instead",
                case.name
            );
            assert!(
                case.differs.is_none() || case.open.is_none(),
                "{file}: {}: it differs on purpose, or not yet on purpose",
                case.name
            );
        }
        let ported: BTreeSet<&str> = cases.iter().flat_map(Case::origins).collect();
        let out: BTreeSet<&str> = left_out.iter().map(|left| left.from.as_str()).collect();
        for left in &left_out {
            reason(&left.from, &Some(left.reason.clone()));
        }
        for from in ported.iter().chain(&out) {
            assert!(from.starts_with(&format!("{file}: ")), "{from} is not of {file}");
        }
        let both: Vec<_> = ported.intersection(&out).collect();
        assert!(both.is_empty(), "{file}: ported and left out: {both:?}");
        assert_eq!(ported.len() + out.len(), tests, "{file} has {tests} tests");
    }
    assert!(names.len() > 60, "only {} cases were found", names.len());
}
