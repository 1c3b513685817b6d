//! The official conformance suite against `examples/conformance`, in both eras.
//!
//! Its own verdict is too kind: a scenario that saw nothing counts as passed there. Here one
//! passes only if a check of its own succeeded and none failed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::packages;
use crate::program;
use crate::server::Server;

/// How long a whole run may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Succeeds also when there was no message to look at: it shows nothing by itself.
const EMPTY_CHECK: &str = "wire-schema-valid";

/// Scenarios that may be skipped by the suite, each with the reason.
const MAY_SKIP: [(&str, &str); 0] = [];

#[test]
fn all_scenarios_pass_in_the_era_of_sessions() {
    judge("2025-11-25", 33);
}

#[test]
fn all_scenarios_pass_in_the_era_without_sessions() {
    judge("2026-07-28", 40);
}

/// Runs the whole suite for one protocol version, of which `expected` scenarios are known.
fn judge(version: &str, expected: usize) {
    let npm = packages::npm();
    let out = packages::scratch(&format!("conformance-{version}"));
    let server = Server::start("conformance", &[]);
    let mut suite = packages::tool(Path::new("node"));
    suite
        .current_dir(npm)
        .arg("node_modules/@modelcontextprotocol/conformance/dist/index.js")
        .args(["server", "--suite", "all", "--spec-version", version])
        .args(["--url", server.url(), "-o"])
        .arg(&out);
    let ran = program::run(&mut suite, PATIENCE).unwrap_or_else(|story| panic!("{story}"));
    assert!(matches!(ran.code, Some(0 | 1)), "the suite broke down\n{}", ran.story());
    let verdicts = verdicts(&out);
    for (scenario, verdict) in &verdicts {
        eprintln!("{version} {scenario}: {verdict}");
    }
    let failed = verdicts.values().filter(|verdict| !verdict.passes()).count();
    eprintln!("{version}: {} passed, {failed} failed", verdicts.len() - failed);
    assert_eq!(verdicts.len(), expected, "scenarios that left a result\n{}", ran.story());
    assert_eq!(failed, 0, "failed scenarios of {version}; each is named above");
}

/// The verdict on each scenario that left its checks in `out`.
fn verdicts(out: &Path) -> BTreeMap<String, Verdict> {
    let folders = fs::read_dir(out).expect("results").map(|entry| entry.expect("a folder").path());
    folders.map(|folder| (scenario(&folder), Verdict::of(&scenario(&folder), &folder))).collect()
}

/// `server-tools-list-2026-11-21T08-43-11-123Z` is of the scenario `tools-list`.
fn scenario(folder: &Path) -> String {
    let name = folder.file_name().expect("a name").to_string_lossy();
    let name = name.strip_prefix("server-").unwrap_or(&name);
    let stamp = name.rfind('T').and_then(|t| name[..t].len().checked_sub("-YYYY-MM-DD".len()));
    name[..stamp.unwrap_or(name.len())].to_owned()
}

/// What the checks of one scenario amount to.
enum Verdict {
    Passed { checks: usize },
    Skipped { reason: &'static str },
    Failed(Vec<String>),
}

impl Verdict {
    fn of(scenario: &str, folder: &Path) -> Self {
        let file = folder.join("checks.json");
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let checks: Vec<Value> = serde_json::from_str(&text).expect("a list of checks");
        Self::judge(scenario, &checks)
    }

    fn judge(scenario: &str, checks: &[Value]) -> Self {
        let of = |status: &'static str| checks.iter().filter(move |c| c["status"] == status);
        let failures: Vec<String> = of("FAILURE").map(failure).collect();
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
    let text = |key: &str| check[key].as_str().unwrap_or("?").to_owned();
    let details = match &check["details"] {
        Value::Null => String::new(),
        details => format!(" {details}"),
    };
    format!("{} ({}): {}{details}", text("id"), text("name"), text("errorMessage"))
}

#[test]
fn a_scenario_without_a_success_of_its_own_has_failed() {
    let checks = |list: &[(&str, &str)]| -> Vec<Value> {
        list.iter().map(|(id, s)| serde_json::json!({ "id": id, "status": s })).collect()
    };
    for (list, passes) in [
        (&[("own", "SUCCESS"), (EMPTY_CHECK, "SUCCESS")][..], true),
        (&[("own", "SUCCESS"), ("other", "FAILURE")][..], false),
        (&[(EMPTY_CHECK, "SUCCESS")][..], false),
        (&[("own", "SKIPPED")][..], false),
        (&[("own", "INFO")][..], false),
        (&[][..], false),
    ] {
        assert_eq!(Verdict::judge("x", &checks(list)).passes(), passes, "{list:?}");
    }
}

#[test]
fn the_scenario_is_told_from_its_folder() {
    for (folder, name) in [
        ("server-tools-list-2026-11-21T08-43-11-123Z", "tools-list"),
        (
            "server-input-required-result-multi-round-2026-11-21T08-43-11-123Z",
            "input-required-result-multi-round",
        ),
        ("tools-list", "tools-list"),
    ] {
        assert_eq!(scenario(Path::new(folder)), name);
    }
}
