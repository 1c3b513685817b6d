//! The recorded cases, and the models that they are for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use genkit::model::{Gemini, Model, OpenAi};
use genkit::{Error, ErrorKind};
use serde_json::{Value, json};

/// Further folders with cases, separated like `PATH`.
const MORE: &str = "GENKIT_WIRE_DIRS";

/// The key that every call has.
const KEY: &str = "KEY";

/// One recorded case.
pub struct Case {
    /// Its folder and file.
    pub name: String,
    pub json: Value,
}

impl Case {
    pub fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or_default()
    }

    pub fn provider(&self) -> &str {
        self.text("provider")
    }
}

/// Every case with that key: `request` or `expect`.
pub fn load(key: &str) -> Vec<Case> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wire");
    let mut files = Vec::new();
    files_in(&own, &mut files);
    if let Some(more) = std::env::var_os(MORE) {
        for folder in std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()) {
            assert!(folder.is_dir(), "{MORE} names {}, which is no folder", folder.display());
            files_in(&folder, &mut files);
        }
    }
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let file = path.file_stem().unwrap_or_default();
        let name = format!("{}/{}", folder.to_string_lossy(), file.to_string_lossy());
        Case { name, json }
    };
    files.into_iter().map(read).filter(|case| case.json.get(key).is_some()).collect()
}

fn files_in(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_in(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
}

/// The model of a provider that is built, at `url`.
pub fn model(provider: &str, name: &str, url: &str) -> Option<Arc<dyn Model>> {
    match provider {
        "gemini" => {
            let gemini = Gemini::builder().key(KEY).base_url(url).build().unwrap();
            Some(gemini.model(if name.is_empty() { "gemini-2.5-flash" } else { name }))
        }
        "openai" => {
            let openai = OpenAi::builder().key(KEY).base_url(format!("{url}/v1")).build().unwrap();
            Some(openai.model(if name.is_empty() { "gpt-4o" } else { name }))
        }
        _ => None,
    }
}

/// An error as the cases write it.
pub fn error(error: &Error) -> Value {
    let status = match error.kind() {
        ErrorKind::Cancelled => "CANCELLED",
        ErrorKind::InvalidArgument => "INVALID_ARGUMENT",
        ErrorKind::DeadlineExceeded => "DEADLINE_EXCEEDED",
        ErrorKind::NotFound => "NOT_FOUND",
        ErrorKind::AlreadyExists => "ALREADY_EXISTS",
        ErrorKind::PermissionDenied => "PERMISSION_DENIED",
        ErrorKind::Unauthenticated => "UNAUTHENTICATED",
        ErrorKind::ResourceExhausted => "RESOURCE_EXHAUSTED",
        ErrorKind::FailedPrecondition => "FAILED_PRECONDITION",
        ErrorKind::Aborted => "ABORTED",
        ErrorKind::OutOfRange => "OUT_OF_RANGE",
        ErrorKind::Unimplemented => "UNIMPLEMENTED",
        ErrorKind::Internal => "INTERNAL",
        ErrorKind::Unavailable => "UNAVAILABLE",
        _ => "UNKNOWN",
    };
    let wait = error.retry_after().map(|wait| wait.as_millis());
    json!({"error": {
        "status": status, "message": error.chain(), "retry_after_ms": wait.map(|ms| ms as u64),
    }})
}

/// What came of all cases, by provider.
#[derive(Default)]
pub struct Tally {
    rows: BTreeMap<String, Row>,
    failures: Vec<String>,
}

#[derive(Default)]
struct Row {
    passed: usize,
    failed: usize,
    tolerated: usize,
    not_tolerated: usize,
    not_built: Vec<String>,
}

impl Tally {
    /// Takes down a case that was run.
    pub fn ran(&mut self, case: &Case, differences: &[String]) {
        let row = self.rows.entry(case.provider().to_owned()).or_default();
        let tolerance = case.json["tolerance"] == true;
        let count = match (tolerance, differences.is_empty()) {
            (false, true) => &mut row.passed,
            (false, false) => &mut row.failed,
            (true, true) => &mut row.tolerated,
            (true, false) => &mut row.not_tolerated,
        };
        *count += 1;
        if !differences.is_empty() {
            let mark = if tolerance { " (tolerance)" } else { "" };
            self.failures.push(format!("{}{mark}\n    {}", case.name, differences.join("\n    ")));
        }
    }

    /// Takes down a case whose provider is not built.
    pub fn not_built(&mut self, case: &Case) {
        let row = self.rows.entry(case.provider().to_owned()).or_default();
        row.not_built.push(case.name.clone());
    }

    /// Prints a line for each provider, and fails if any case did.
    pub fn report(self, what: &str) {
        for (provider, row) in &self.rows {
            if row.not_built.is_empty() {
                eprintln!(
                    "{what}: {provider}: {} passed, {} failed; tolerance: {} passed, {} failed",
                    row.passed, row.failed, row.tolerated, row.not_tolerated
                );
            } else {
                let names = row.not_built.join(" ");
                eprintln!(
                    "{what}: {provider} is not built: {} not run: {names}",
                    row.not_built.len()
                );
            }
        }
        assert!(
            self.failures.is_empty(),
            "{} of the cases of {what} differ:\n  {}",
            self.failures.len(),
            self.failures.join("\n  ")
        );
    }
}
