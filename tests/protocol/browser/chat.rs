//! The page of the example `chat`: streamed text, tools of the server and of the page, approvals, errors, and a stop.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::chromium::{drive, is_there};
use crate::program::Heard;
use crate::server;

/// The startup time limit of the example.
const START: Duration = Duration::from_secs(60);

/// The example, killed on drop.
struct Chat {
    child: Child,
    told: Heard,
}

impl Chat {
    fn start() -> Self {
        let mut chat = Command::new(server::example("chat"));
        let mut child = chat.env("PORT", "0").stdout(Stdio::piped()).spawn().expect("it starts");
        let told = Heard::listen(child.stdout.take().expect("its output"));
        Self { child, told }
    }

    fn address(&self) -> String {
        let since = Instant::now();
        while !self.told.so_far().ends_with('\n') {
            assert!(since.elapsed() < START, "the chat does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        self.told.so_far().trim().to_owned()
    }
}

impl Drop for Chat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn person_chats_approves_and_stops() {
    if !is_there() {
        return;
    }
    let seen = drive("browser-chat", "chat.mjs", || {
        let chat = Chat::start();
        let address = chat.address();
        (chat, vec![address])
    });

    let read = |step: &str| {
        let lines = seen[step].as_array().unwrap_or_else(|| panic!("{step}: {seen}"));
        lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    };
    let weather = read("weather");
    assert!(weather.contains("tool: weather {\"city\":\"Rome\"}"), "{weather}");
    assert!(
        weather.contains("assistant: ") && weather.contains("It is sunny in Rome."),
        "{weather}"
    );
    let question = seen["question"].as_str().expect("a question");
    assert!(question.contains("transfer") && question.contains("Ada"), "{question}");
    assert!(!read("declined").contains("were transferred"), "{}", read("declined"));
    assert!(read("approved").contains("60 euros were transferred to Bob."), "{}", read("approved"));
    assert_eq!(seen["color"], "red");
    assert!(read("painted").contains("painted"), "{}", read("painted"));
    assert!(read("failed").contains("this tool always fails"), "{}", read("failed"));
    assert_eq!(seen["stopped"], serde_json::json!(["error: stopped"]));
}
