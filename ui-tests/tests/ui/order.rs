//! Rules for the cases themselves.

use super::{cases, read};

/// The prefix of a line in which a case declares its number of mistakes.
const MISTAKES: &str = "// mistakes: ";

/// One mistake causes one error, without follow-up errors.
#[test]
fn each_mistake_causes_one_compile_error() {
    for case in cases("fail") {
        let source = read(&case);
        let mistakes = source.lines().find_map(|line| line.strip_prefix(MISTAKES));
        let mistakes = mistakes.map_or(1, |number| number.parse().expect("a number"));
        let said = read(&case.with_extension("stderr"));
        let errors = said.lines().filter(|line| line.starts_with("error")).count();
        assert_eq!(errors, mistakes, "{}", case.display());
    }
}

/// A message must be understandable without reading the macros.
#[test]
fn compiler_messages_hide_macro_internals() {
    for case in cases("fail") {
        let said = read(&case.with_extension("stderr"));
        for secret in ["/home/", "/root/", "/work/", "/tmp/", ".cargo", "index.crates"] {
            assert!(!said.contains(secret), "{}: {secret}", case.display());
        }
    }
}

/// Each case has a corrected version that compiles, in a module with its name in a `pass` file of its topic.
#[test]
fn each_failing_case_has_a_corrected_version() {
    let passing = cases("pass");
    let missing: Vec<String> = cases("fail")
        .into_iter()
        .filter(|case| {
            let name = case.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let topic = case.parent().and_then(|folder| folder.parent());
            !passing
                .iter()
                .filter(|pass| topic.is_some_and(|topic| pass.starts_with(topic)))
                .any(|pass| read(pass).contains(&format!("mod {name} {{")))
        })
        .map(|case| case.display().to_string())
        .collect();
    assert!(missing.is_empty(), "cases without a corrected version:\n{}", missing.join("\n"));
}
