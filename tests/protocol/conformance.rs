//! The official conformance suite with `examples/conformance`, in both eras.

use crate::server::Server;
use crate::verdict::{Side, run_suite};

#[test]
fn all_scenarios_pass_in_the_era_of_sessions() {
    judge("2025-11-25", 33);
}

#[test]
fn all_scenarios_pass_in_the_era_without_sessions() {
    judge("2026-07-28", 40);
}

/// The extension is in no suite, so its scenarios are run one by one.
#[test]
fn all_scenarios_of_tasks_pass() {
    const SCENARIOS: [&str; 9] = [
        "tasks-capability-negotiation",
        "tasks-dispatch-and-envelope",
        "tasks-lifecycle",
        "tasks-mrtr-composition",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-request-state-removal",
        "tasks-required-task-error",
        "tasks-wire-fields",
    ];
    let server = Server::start("conformance", &[]);
    for scenario in SCENARIOS {
        let arguments = ["--scenario", scenario, "--url", server.url()];
        let verdicts = run_suite(scenario, Side::Server, &arguments);
        assert_eq!(verdicts.names(), [scenario], "{}", verdicts.story());
        verdicts.assert_passed();
    }
}

/// Runs the whole suite for one protocol version, which has `expected` scenarios.
fn judge(version: &str, expected: usize) {
    let server = Server::start("conformance", &[]);
    let arguments = ["--suite", "all", "--spec-version", version, "--url", server.url()];
    let verdicts = run_suite(version, Side::Server, &arguments);
    verdicts.assert_passed();
    let count = verdicts.names().len();
    assert_eq!(count, expected, "scenarios that left a result\n{}", verdicts.story());
}

/// No suite contains these: an extension is tested by its name.
#[test]
fn skills_pass() {
    let server = Server::start("conformance", &[]);
    for part in ["enumeration", "manifest", "directory"] {
        let scenario = format!("sep-2640-skills-{part}");
        let arguments = ["--scenario", &scenario, "--url", server.url()];
        let verdicts = run_suite(&scenario, Side::Server, &arguments);
        assert_eq!(verdicts.names(), [scenario.as_str()], "{}", verdicts.story());
        verdicts.assert_passed();
    }
}
