//! The official conformance suite, with stricter rules than its own.
//!
//! The suite counts a scenario as passed even if it observed nothing. Here a scenario passes only if at least one of
//! its checks succeeded and none failed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::packages;
use crate::program;

/// The time limit of a whole run.
const PATIENCE: Duration = Duration::from_secs(300);

/// The maximum length of a program's output that is shown with a failure, in characters from the end.
const MAX_STORY: usize = 1500;

/// A check that proves nothing, because it succeeds even if there was no message to check.
const EMPTY_CHECK: &str = "wire-schema-valid";

/// Scenarios that the suite may skip, each with the reason.
const MAY_SKIP: [(&str, &str); 0] = [];

/// The side of the protocol that this library implements.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Side {
    Server,
    Client,
}

/// The outcome of each scenario of one run.
pub(crate) struct Verdicts {
    title: String,
    verdicts: BTreeMap<String, Verdict>,
    story: String,
}

/// Runs the suite with these arguments; `title` names the run.
pub(crate) fn run_suite(title: &str, side: Side, arguments: &[&str]) -> Verdicts {
    let npm = packages::npm();
    let out = packages::scratch(&format!("conformance-{}", title.replace([' ', '/'], "-")));
    let mut suite = packages::tool(Path::new("node"));
    suite
        .current_dir(npm)
        .arg("node_modules/@modelcontextprotocol/conformance/dist/index.js")
        .arg(if side == Side::Server { "server" } else { "client" })
        .args(arguments)
        .arg("-o")
        .arg(&out);
    let ran = program::run(&mut suite, PATIENCE).unwrap_or_else(|story| panic!("{story}"));
    assert!(matches!(ran.code, Some(0 | 1)), "the suite broke down\n{}", ran.story());
    let mut verdicts = BTreeMap::new();
    collect(&out, &out, side, &mut verdicts);
    Verdicts { title: title.to_owned(), verdicts, story: ran.story() }
}

impl Verdicts {
    /// Returns the scenarios that left a result.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.verdicts.keys().map(String::as_str).collect()
    }

    /// Returns the complete output of the suite.
    pub(crate) fn story(&self) -> &str {
        &self.story
    }

    /// Prints each verdict and fails unless all passed.
    pub(crate) fn assert_passed(&self) {
        let Self { title, verdicts, .. } = self;
        for (scenario, verdict) in verdicts {
            eprintln!("{title} {scenario}: {verdict}");
        }
        let failed = verdicts.values().filter(|verdict| !verdict.passes()).count();
        eprintln!("{title}: {} passed, {failed} failed", verdicts.len() - failed);
        assert_eq!(failed, 0, "failed scenarios of {title}; each is named above");
    }
}

/// Collects the verdict of each scenario that left its checks under `folder`.
fn collect(out: &Path, folder: &Path, side: Side, verdicts: &mut BTreeMap<String, Verdict>) {
    for entry in fs::read_dir(folder).expect("results") {
        let path = entry.expect("an entry").path();
        if path.join("checks.json").is_file() {
            let name = scenario(path.strip_prefix(out).expect("it is under it"), side);
            let verdict = Verdict::of(&name, &path, side);
            assert!(verdicts.insert(name, verdict).is_none(), "two results: {}", path.display());
        } else if path.is_dir() {
            collect(out, &path, side, verdicts);
        }
    }
}

/// `server-tools-list-2026-11-21T08-43-11-123Z` belongs to the scenario `tools-list`.
fn scenario(folder: &Path, side: Side) -> String {
    let name = folder.to_string_lossy().replace('\\', "/");
    let name = match side {
        Side::Server => name.strip_prefix("server-").unwrap_or(&name),
        Side::Client => &name,
    };
    let stamp = name.rfind('T').and_then(|t| name[..t].len().checked_sub("-YYYY-MM-DD".len()));
    name[..stamp.unwrap_or(name.len())].to_owned()
}

/// The overall result of the checks of one scenario.
enum Verdict {
    Passed { checks: usize },
    Skipped { reason: &'static str },
    Failed(Vec<String>),
}

impl Verdict {
    fn of(scenario: &str, folder: &Path, side: Side) -> Self {
        let file = folder.join("checks.json");
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let checks: Vec<Value> = serde_json::from_str(&text).expect("a list of checks");
        match (Self::judge(scenario, &checks, side), fs::read_to_string(folder.join("stderr.txt")))
        {
            (Self::Failed(mut faults), Ok(said)) if !said.trim().is_empty() => {
                let start = said.char_indices().rev().nth(MAX_STORY).map_or(0, |(at, _)| at);
                faults.push(format!("the program said: {}", said[start..].trim()));
                Self::Failed(faults)
            }
            (verdict, _) => verdict,
        }
    }

    fn judge(scenario: &str, checks: &[Value], side: Side) -> Self {
        let of = |status: &'static str| checks.iter().filter(move |c| c["status"] == status);
        let mut failures: Vec<String> = of("FAILURE").map(failure).collect();
        if side == Side::Client {
            // A recommendation that a client does not follow is a warning there.
            failures.extend(of("WARNING").map(failure));
        }
        if !failures.is_empty() {
            return Self::Failed(failures);
        }
        let succeeded = of("SUCCESS").filter(|check| check["id"] != EMPTY_CHECK).count();
        if succeeded > 0 {
            return Self::Passed { checks: of("SUCCESS").count() };
        }
        let skipped = of("SKIPPED").count() > 0;
        match MAY_SKIP.iter().find(|(name, _)| skipped && *name == scenario) {
            Some((_, reason)) => Self::Skipped { reason },
            None if skipped => Self::Failed(vec!["the suite skipped it".to_owned()]),
            None => Self::Failed(vec!["the suite observed nothing".to_owned()]),
        }
    }

    fn passes(&self) -> bool {
        !matches!(self, Self::Failed(_))
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Passed { checks } => write!(out, "passed ({checks} checks)"),
            Self::Skipped { reason } => write!(out, "skipped: {reason}"),
            Self::Failed(faults) => write!(out, "FAILED\n    {}", faults.join("\n    ")),
        }
    }
}

fn failure(check: &Value) -> String {
    let text = |key: &str| check[key].as_str();
    let message = text("errorMessage").or(text("description")).unwrap_or("?");
    let details = match &check["details"] {
        Value::Null => String::new(),
        details => format!(" {details}"),
    };
    let (id, name) = (text("id").unwrap_or("?"), text("name").unwrap_or("?"));
    format!("{id} ({name}): {message}{details}")
}

#[test]
fn scenario_without_its_own_success_has_failed() {
    let checks = |list: &[(&str, &str)]| -> Vec<Value> {
        list.iter().map(|(id, s)| serde_json::json!({ "id": id, "status": s })).collect()
    };
    for (list, server, client) in [
        (&[("own", "SUCCESS"), (EMPTY_CHECK, "SUCCESS")][..], true, true),
        (&[("own", "SUCCESS"), ("other", "FAILURE")][..], false, false),
        (&[("own", "SUCCESS"), ("other", "WARNING")][..], true, false),
        (&[(EMPTY_CHECK, "SUCCESS")][..], false, false),
        (&[("own", "SKIPPED")][..], false, false),
        (&[("own", "INFO")][..], false, false),
        (&[][..], false, false),
    ] {
        for (side, passes) in [(Side::Server, server), (Side::Client, client)] {
            let verdict = Verdict::judge("x", &checks(list), side);
            assert_eq!(verdict.passes(), passes, "{list:?}");
        }
    }
}

#[test]
fn scenario_is_derived_from_its_folder() {
    for (folder, side, name) in [
        ("server-tools-list-2026-11-21T08-43-11-123Z", Side::Server, "tools-list"),
        (
            "server-input-required-result-multi-round-2026-11-21T08-43-11-123Z",
            Side::Server,
            "input-required-result-multi-round",
        ),
        ("tools-list", Side::Server, "tools-list"),
        ("tools_call-2026-11-21T08-43-11-123Z", Side::Client, "tools_call"),
        ("auth/basic-cimd-2026-11-21T08-43-11-123Z", Side::Client, "auth/basic-cimd"),
    ] {
        assert_eq!(scenario(Path::new(folder), side), name);
    }
}
