//! Lines on a pipe.

use std::collections::HashMap;

use genkit_tests::fuzz::fuzz;
use serde_json::{Value, json};

use super::messages;
use crate::pipe::Pipe;
use crate::raw::meta;

/// Seeds that found errors.
const SEEDS: &[u64] = &[];

/// The number of lines of one case.
const LINES: usize = 12;

/// A server that is used for many cases.
struct Served {
    pipe: Pipe,
    modern: bool,
    case: u64,
}

impl Served {
    fn start(modern: bool) -> Self {
        let mut pipe = Pipe::start("conformance", &[]);
        if !modern {
            pipe.hello();
        }
        Self { pipe, modern, case: 0 }
    }

    /// Returns a valid request whose response contains its id.
    fn honest(&self, id: &str) -> Value {
        let uri = format!("test://template/{id}/data");
        let mut params = json!({ "uri": uri });
        if self.modern {
            params["_meta"] = meta(&json!({}));
        }
        json!({ "jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params })
    }

    /// Sends these lines among honest requests, and checks all responses.
    fn case(&mut self, lines: &[Vec<u8>]) {
        self.case += 1;
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for (number, line) in lines.iter().enumerate() {
            self.pipe.send_raw(&[line, &b"\n"[..]].concat());
            let id = format!("honest-{}-{number}", self.case);
            self.pipe.send(&self.honest(&id));
            wanted.insert(json!(id).to_string(), 1);
        }
        for id in lines.iter().filter_map(|line| messages::must_be_answered(line)) {
            *wanted.entry(id.to_string()).or_default() += 1;
        }
        // A barrier alone is not enough, since responses arrive in any order. Wait for all responses that must arrive.
        let mut came: HashMap<String, usize> = HashMap::new();
        while wanted.iter().any(|(id, count)| came.get(id).copied().unwrap_or(0) < *count) {
            let message = self.pipe.next();
            self.look_at(lines, &message, &mut came);
        }
        let last = format!("last-{}", self.case);
        self.pipe.send(&self.honest(&last));
        loop {
            let message = self.pipe.next();
            if message["id"] == last {
                break;
            }
            self.look_at(lines, &message, &mut came);
        }
        for (id, count) in &wanted {
            let came = came.get(id).copied().unwrap_or(0);
            assert_eq!(came, *count, "{id} was answered {came} times");
        }
    }

    fn look_at(&self, lines: &[Vec<u8>], message: &Value, came: &mut HashMap<String, usize>) {
        if message.get("method").is_some() {
            return;
        }
        let id = &message["id"];
        *came.entry(id.to_string()).or_default() += 1;
        if let Some(mark) = id.as_str().filter(|id| id.starts_with("honest-")) {
            // The contents of a template contain the id.
            assert!(message["result"].to_string().contains(mark), "{message}");
            return;
        }
        let known = id.is_null() || lines.iter().any(|line| messages::may_be_of(line, id));
        assert!(known, "a response without a request: {message}");
    }
}

fn lines_of(modern: bool) {
    let mut served = Served::start(modern);
    let mut shown = 0;
    fuzz("lines on a pipe", SEEDS, |rng| {
        let mut lines = Vec::new();
        for number in 0..LINES {
            shown += 1;
            let id = if rng.chance(50) { json!(shown) } else { json!(format!("id-{shown}")) };
            let _ = number;
            lines.push(messages::changed(rng, &id, modern));
        }
        let said: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
        let case = std::panic::AssertUnwindSafe(|| served.case(&lines));
        if let Err(panic) = std::panic::catch_unwind(case) {
            eprintln!("{said:#?}\n{}", served.pipe.stderr());
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn requests_among_any_lines_are_answered_once_in_a_session() {
    lines_of(false);
}

#[test]
fn requests_among_any_lines_are_answered_once_without_one() {
    lines_of(true);
}
