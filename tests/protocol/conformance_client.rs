//! The official conformance suite with `examples/conformance_client`, in both eras.

use crate::server::example;
use crate::verdict::{Side, run_suite};

/// The scenarios of both eras.
const BOTH: [&str; 16] = [
    "auth/basic-cimd",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/pre-registration",
    "auth/scope-from-scopes-supported",
    "auth/scope-from-www-authenticate",
    "auth/scope-omitted-when-undefined",
    "auth/scope-retry-limit",
    "auth/scope-step-up",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-none",
    "auth/token-endpoint-auth-post",
    "json-schema-2020-12-preservation",
    "tools_call",
];

#[test]
fn all_scenarios_pass_in_the_era_of_sessions() {
    judge("2025-11-25", &["elicitation-sep1034-client-defaults", "initialize", "sse-retry"]);
}

#[test]
fn all_scenarios_pass_in_the_era_without_sessions() {
    judge(
        "2026-07-28",
        &[
            "auth/authorization-server-migration",
            "auth/iss-normalized",
            "auth/iss-not-advertised",
            "auth/iss-supported",
            "auth/iss-supported-missing",
            "auth/iss-unexpected",
            "auth/iss-wrong-issuer",
            "auth/metadata-issuer-mismatch",
            "auth/offline-access-not-supported",
            "auth/offline-access-scope",
            "auth/resource-mismatch",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "http-standard-headers",
            "json-schema-ref-no-deref",
            "request-metadata",
            "sep-2322-client-request-state",
        ],
    );
}

/// No suite contains these: each is run by its name.
#[test]
fn non_interactive_client_gets_access() {
    for scenario in [
        "auth/client-credentials-basic",
        "auth/client-credentials-jwt",
        "auth/enterprise-managed-authorization",
        "auth/wif-jwt-bearer",
    ] {
        let command = command();
        let verdicts =
            run_suite(scenario, Side::Client, &["--scenario", scenario, "--command", &command]);
        assert_eq!(verdicts.names(), [scenario], "{}", verdicts.story());
        verdicts.assert_passed();
    }
}

/// An extension is run by its name.
#[test]
fn access_is_bound_to_a_key() {
    for scenario in ["auth/dpop", "auth/dpop-nonce"] {
        let command = command();
        let arguments = ["--scenario", scenario, "--command", &command];
        let verdicts = run_suite(scenario, Side::Client, &arguments);
        assert_eq!(verdicts.names(), [scenario], "{}", verdicts.story());
        verdicts.assert_passed();
    }
}

/// An extension is run by its name.
#[test]
fn skills_are_verified_and_never_fetched_ahead() {
    for part in ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"] {
        let scenario = format!("sep-2640-client-{part}");
        let command = command();
        let arguments = ["--scenario", &scenario, "--command", &command];
        let verdicts = run_suite(&scenario, Side::Client, &arguments);
        assert_eq!(verdicts.names(), [scenario.as_str()], "{}", verdicts.story());
        verdicts.assert_passed();
    }
}

/// Runs the whole suite for one protocol version, which contains `BOTH` and these scenarios.
fn judge(version: &str, only: &[&str]) {
    let command = command();
    let arguments = ["--suite", "all", "--spec-version", version, "--command", &command];
    let verdicts = run_suite(&format!("client {version}"), Side::Client, &arguments);
    verdicts.assert_passed();
    let mut expected = [&BOTH[..], only].concat();
    expected.sort_unstable();
    assert_eq!(verdicts.names(), expected, "scenarios that left a result\n{}", verdicts.story());
}

/// Returns the command, which the suite splits at spaces and passes to a shell.
fn command() -> String {
    let program = example("conformance_client").display().to_string();
    assert!(!program.contains(char::is_whitespace), "the suite cannot start {program:?}: a blank");
    program
}
