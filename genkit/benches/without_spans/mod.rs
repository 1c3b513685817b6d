//! Builds a bench without spans: the baseline for the cost of spans without a subscriber.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Returns the program of `bench`, built with the same features and with `tracing/max_level_off`, which compiles out
/// all spans and events. Its dependencies are built next to the existing ones, and kept.
pub(crate) fn program(bench: &str, features: &[&str]) -> PathBuf {
    let features = format!("{},tracing/max_level_off", features.join(","));
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["bench", "--no-run", "--package", "genkit", "--bench", bench])
        .args(["--features", &features, "--message-format=json-render-diagnostics"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit());
    println!("$ cargo bench --no-run --bench {bench} --features {features}");
    let built = cargo.output().unwrap();
    assert!(built.status.success(), "failed to build the bench without spans");
    let messages = String::from_utf8(built.stdout).unwrap();
    let found = messages.lines().rev().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_it = message["target"]["name"] == bench;
        is_it.then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    found.expect("cargo prints the path of the program")
}
