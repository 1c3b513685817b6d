//! Clients of the fleet, each of which repeats failed requests until they succeed.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use serde_json::{Value, json};

use super::exchange::{Exchange, alone, exchange, exchange_heard};
use crate::http::wire::{call, in_session, initialize};

/// The maximum number of repetitions of one call.
const TRIES: usize = 10;

/// The number of notes of one import.
const IMPORTED: usize = 25;

/// The observations of one client.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) calls: usize,
    /// The errors that it received.
    pub(super) failures: Vec<String>,
    /// The notes that are stored according to the responses.
    pub(super) answered: Vec<String>,
    /// Those of them that were sent only once.
    pub(super) at_once: Vec<String>,
    pub(super) deleted: Vec<String>,
    /// The number of questions that were answered.
    pub(super) asked: usize,
    /// The number of streams that were resumed at another instance.
    pub(super) resumed: usize,
}

impl Seen {
    pub(super) fn line(&self) -> String {
        let Self { calls, asked, resumed, failures, .. } = self;
        let told = failures.len();
        format!(
            "{calls} calls, {asked} questions, {resumed} streams resumed, {told} failures told: {failures:?}"
        )
    }

    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.asked += other.asked;
        self.answered.extend(other.answered);
        self.at_once.extend(other.at_once);
        self.deleted.extend(other.deleted);
    }

    /// Sends a request until there is a result.
    fn until_answered(&mut self, mut send: impl FnMut() -> Exchange) -> (Value, bool) {
        self.calls += 1;
        for attempt in 0..TRIES {
            let came = send();
            match came.answer() {
                Some(answer) if answer.get("result").is_some() => {
                    assert_ne!(answer["result"]["isError"], true, "{came:?}");
                    return (answer, attempt == 0);
                }
                _ => self.failures.push(told(&came)),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("not answered, {TRIES} times: {:?}", self.failures);
    }
}

/// Describes a failure. Panics if the failure was not reported as an error.
fn told(came: &Exchange) -> String {
    if let Some(answer) = came.answer() {
        return format!("error: {}", answer["error"]["message"]);
    }
    match came.status {
        0 => "the connection broke".to_owned(),
        // From the balancer, or from a server that shuts down.
        status @ (502 | 503) => format!("status {status}"),
        200 if !came.is_whole => "the answer broke off".to_owned(),
        _ => panic!("the failure is not reported as an error: {came:?}"),
    }
}

/// Adds notes by independent requests. Each text ends with a mark, so that no other text contains it.
pub(super) fn adds_alone(to: SocketAddr, number: usize, ends: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    while !ends.load(Ordering::SeqCst) {
        let text = format!("alone {number}-{}!", seen.calls);
        let params = json!({ "arguments": { "text": text } });
        let (answer, at_once) = seen.until_answered(|| alone(to, "add_note", params.clone()));
        assert_eq!(answer["result"]["structuredContent"]["text"], *text, "{answer}");
        seen.note(text, at_once);
    }
    seen
}

/// Adds notes and deletes each, which asks the user first. The answer may reach any instance.
pub(super) fn asks_alone(to: SocketAddr, number: usize, ends: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    while !ends.load(Ordering::SeqCst) {
        let text = format!("asked {number}-{}!", seen.calls);
        let params = json!({ "arguments": { "text": text } });
        let (added, at_once) = seen.until_answered(|| alone(to, "add_note", params.clone()));
        if !at_once {
            // The note may exist twice, and one copy would remain.
            continue;
        }
        let id = &added["result"]["structuredContent"]["id"];
        let params = json!({ "arguments": { "id": id } });
        let (asks, _) = seen.until_answered(|| alone(to, "delete_note", params.clone()));
        let result = &asks["result"];
        let key = result["inputRequests"].as_object().and_then(|asked| asked.keys().next());
        let key = key.unwrap_or_else(|| panic!("a question: {asks}")).clone();
        let yes = json!({ key: { "action": "accept", "content": {} } });
        let params = json!({
            "arguments": { "id": id }, "requestState": result["requestState"], "inputResponses": yes
        });
        // A response that was lost with its instance may have taken effect, so the note may already be deleted.
        let came = alone(to, "delete_note", params);
        seen.calls += 1;
        match came.answer() {
            Some(answer) if answer["result"]["structuredContent"]["text"] == *text => {
                seen.asked += 1;
                seen.deleted.push(text);
            }
            Some(answer) => panic!("no note was deleted: {answer}"),
            None => seen.failures.push(told(&came)),
        }
    }
    seen
}

/// Opens a session of 2025-11-25. Returns its id.
fn session(to: SocketAddr, seen: &mut Seen) -> String {
    for _ in 0..TRIES {
        let came = exchange(to, "POST", &[], Some(&initialize()));
        if let Some(id) = came.header("mcp-session-id").filter(|_| came.is_whole) {
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            while exchange(to, "POST", &in_session(id), Some(&ready)).status != 202 {
                seen.failures.push("`initialized` was not taken".to_owned());
            }
            return id.to_owned();
        }
        seen.failures.push(told(&came));
    }
    panic!("no session, {TRIES} times: {:?}", seen.failures);
}

/// Adds notes in one session, which lives as long as the client.
pub(super) fn adds_in_session(to: SocketAddr, number: usize, ends: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    let session = session(to, &mut seen);
    while !ends.load(Ordering::SeqCst) {
        let text = format!("in session {number}-{}!", seen.calls);
        let message = call("add_note", &json!({ "text": text }));
        let (answer, at_once) =
            seen.until_answered(|| exchange(to, "POST", &in_session(&session), Some(&message)));
        assert_eq!(answer["result"]["structuredContent"]["text"], *text, "{answer}");
        seen.note(text, at_once);
    }
    seen
}

/// Imports notes in one session, each import as a stream. An interrupted stream is resumed at the next instance.
pub(super) fn imports_in_session(to: SocketAddr, number: usize, ends: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    let session = session(to, &mut seen);
    while !ends.load(Ordering::SeqCst) {
        let texts: Vec<_> =
            (0..IMPORTED).map(|of| format!("imported {number}-{}-{of}!", seen.calls)).collect();
        let mut message = call("import_notes", &json!({ "texts": texts }));
        message["params"]["_meta"] = json!({ "progressToken": "t" });
        let mut resumed = 0;
        let (answer, at_once) = seen.until_answered(|| {
            let mut came = exchange(to, "POST", &in_session(&session), Some(&message));
            // With an event id the client resumes until there is a response.
            while let (200, None, Some(last)) = (came.status, came.answer(), came.last_event()) {
                resumed += 1;
                assert!(resumed < 100, "no instance responds: {came:?}");
                let headers = [&in_session(&session)[..], &[("last-event-id", &*last)]].concat();
                let more = exchange(to, "GET", &headers, None);
                let is_told = more.status == 200 || matches!(more.status, 0 | 502 | 503);
                assert!(is_told, "{more:?}");
                if more.answer().is_some() || more.last_event().is_some() {
                    came = more;
                } else {
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            came
        });
        seen.resumed += resumed;
        assert!(answer["result"].to_string().contains(&IMPORTED.to_string()), "{answer}");
        texts.into_iter().for_each(|text| seen.note(text, at_once));
    }
    seen
}

/// Makes a long call at an instance that dies during it, and resumes its stream at another. Returns what it received.
/// Sends to `begun` when it has read a part of it.
pub(super) fn loses_its_instance(to: SocketAddr, doomed: SocketAddr, begun: &Sender<()>) -> String {
    let mut seen = Seen::default();
    let session = session(to, &mut seen);
    let texts: Vec<_> = (0..2000).map(|of| format!("half {of}!")).collect();
    let mut message = call("import_notes", &json!({ "texts": texts }));
    message["params"]["_meta"] = json!({ "progressToken": "t" });
    let broken = exchange_heard(doomed, "POST", &in_session(&session), Some(&message), |read| {
        if read.windows(9).any(|text| text == b"/progress") {
            // The receiver is used only once.
            let _ = begun.send(());
        }
    });
    assert!(broken.status == 200 && !broken.is_whole && broken.answer().is_none(), "{broken:?}");
    let last = broken.last_event().expect("an id");
    let headers = [&in_session(&session)[..], &[("last-event-id", &*last)]].concat();
    // The next instance may be the dead one.
    let resume = || exchange(to, "GET", &headers, None).answer();
    let answer = (0..TRIES).find_map(|_| resume()).expect("an answer");
    assert_eq!(answer["id"], message["id"], "{answer}");
    answer["error"]["message"].as_str().unwrap_or_default().to_owned()
}

impl Seen {
    fn note(&mut self, text: String, at_once: bool) {
        if at_once {
            self.at_once.push(text.clone());
        }
        self.answered.push(text);
    }
}

/// Returns the number of notes with this text.
pub(super) fn stored(to: SocketAddr, text: &str) -> usize {
    let came = alone(to, "search_notes", json!({ "arguments": { "query": text } }));
    let notes = came.answer().unwrap_or_else(|| panic!("{came:?}"));
    let notes = notes["result"]["structuredContent"].as_array().expect("notes").clone();
    assert!(notes.iter().all(|note| note["text"] == text), "{notes:?}");
    notes.len()
}
