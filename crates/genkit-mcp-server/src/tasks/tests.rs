use serde_json::{Value, json};

use super::record::{Stage, TaskRecord};
use genkit_core::internal::context::{Question, QuestionKind, Recording};
use genkit_core::{RunHead, RunStatus, StoredRun};

/// Returns a task as stored by the first version of this library.
fn golden() -> Value {
    json!({
        "task": 1,
        "call": {
            "tool": "pay", "input": {"cents": 5},
            "principal": {"id": "ada", "scopes": ["pay"], "claims": {}},
            "client": {"info": {"name": "c", "version": "1"}, "elicitation": true, "sampling": false,
                "roots": false, "tasks": true},
            "trustsClient": false, "meta": {"traceparent": "00-1-2-01"}
        },
        "createdMs": 1000, "updatedMs": 2000, "ttlMs": 3000, "attempts": 1, "rounds": 2,
        "recording": {"a": {"q1": {"action": "accept"}}, "q": {"q1": "hash", "q2": "hash"}},
        "message": "half",
        "stage": {"asks": {"2.q2": {"key": "q2", "request": {"method": "elicitation/create", "params": {
            "mode": "form", "message": "Sure?",
            "requestedSchema": {"type": "object", "properties": {}}
        }}}}}
    })
}

fn stored(head: &Value, log: &[&str]) -> StoredRun {
    let at = RunHead::new(1, RunStatus::Working, None);
    StoredRun::new(at, head.to_string(), log.iter().map(ToString::to_string).collect())
}

#[test]
fn only_records_of_this_version_are_read() {
    let line = r#"{"once":["charge","receipt"]}"#;
    let record = TaskRecord::read(&stored(&golden(), &[line])).expect("a valid record");
    assert_eq!(record.ends_ms(), 4000);
    assert_eq!(record.call.principal().expect("a principal").id(), "ada");
    assert_eq!(record.recording().once["charge"], "receipt");
    assert_eq!(record.recording().answers.len(), 1);
    let mut written: Value = serde_json::to_value(&record).expect("JSON");
    written["updatedMs"] = json!(2000);
    assert_eq!(written, golden());
    let mut newer = golden();
    newer["task"] = json!(2);
    assert!(TaskRecord::read(&stored(&newer, &[])).is_none());
    assert!(TaskRecord::read(&stored(&golden(), &["torn"])).is_none());
    assert!(TaskRecord::read(&stored(&json!({"body": {"flow": {}}}), &[])).is_none());
}

#[test]
fn key_is_never_used_twice() {
    let mut record = TaskRecord::read(&stored(&golden(), &[])).expect("a valid record");
    let question = || {
        let kind = QuestionKind::Approval { message: "Sure?".to_owned() };
        vec![Question { key: "q2".to_owned(), kind }]
    };
    let mut seen = vec!["2.q2".to_owned()];
    for _ in 0..3 {
        record.store_questions(question(), Recording::default()).expect("few questions");
        let Stage::Asks(open) = &record.stage else { panic!("no question") };
        let key = open.keys().next().expect("a key").clone();
        assert!(!seen.contains(&key), "{key}");
        // The previous key no longer matches a question.
        let old = seen.last().expect("a key").clone();
        assert!(
            !record.record_answers([(old, json!({"action": "accept"}))].into()).expect("small")
        );
        seen.push(key);
    }
}

#[test]
fn results_are_stored_in_the_log_and_not_in_the_head() {
    let mut record = TaskRecord::read(&stored(&golden(), &[])).expect("a valid record");
    let mut recording = Recording::default();
    recording.once.insert("charge".to_owned(), json!("receipt"));
    record.store_questions(Vec::new(), recording).expect("no questions");
    let change = record.take_change().expect("JSON");
    assert_eq!(change.log, [r#"{"once":["charge","receipt"]}"#]);
    assert!(!change.head.contains("receipt") && !change.head.contains('\n'));
    assert!(record.take_change().expect("JSON").log.is_empty());
}
