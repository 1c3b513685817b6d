//! The recorded state of a task, which is saved if its caller's run is durable.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::{LONGEST_POLL, LONGEST_TASK, POLL_INTERVAL, SHORTEST_POLL, TASK_TIMEOUT};
use genkit_core::internal::time::now_ms;

/// The recorded state of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskRecord {
    pub(super) task_id: String,
    /// The creation time of the task by this machine's clock, in milliseconds since the Unix epoch. The time to live
    /// counts from this time, even if the run is resumed later.
    begun_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    /// The user's answers, by the server's keys, so that the user is not asked again.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) answers: Map<String, Value>,
    /// The number of times that a run was interrupted for this task, and the last interrupt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shown: Option<(u32, Value)>,
    /// The final state of the task, if it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ended: Option<Value>,
}

impl TaskRecord {
    pub(super) fn new(task_id: String, created: &Value) -> Self {
        let mut note = Self {
            task_id,
            begun_ms: now_ms(),
            ttl_ms: None,
            answers: Map::new(),
            shown: None,
            ended: None,
        };
        note.update_ttl(created);
        note
    }

    /// Reads the recorded state; older versions recorded only the id.
    pub(in crate::request) fn read(recorded: Value) -> Option<Self> {
        match recorded {
            Value::String(id) => Some(Self::new(id, &Value::Null)),
            Value::Null => None,
            note => serde_json::from_value(note).ok(),
        }
    }

    /// Updates the time to live from the server's task.
    pub(super) fn update_ttl(&mut self, task: &Value) {
        let said = task["ttlMs"].as_f64().filter(|ms| ms.is_finite() && *ms >= 0.0);
        if let Some(ms) = said {
            self.ttl_ms = Some(ms as u64);
        }
    }

    /// Returns how long the task is polled in total.
    pub(super) fn total_time(&self) -> Duration {
        match self.ttl_ms {
            Some(ttl) => Duration::from_millis(ttl).min(LONGEST_TASK),
            None => TASK_TIMEOUT,
        }
    }

    /// Returns when polling ends, in milliseconds since the Unix epoch.
    pub(super) fn deadline_ms(&self) -> u64 {
        self.begun_ms
            .saturating_add(u64::try_from(self.total_time().as_millis()).unwrap_or(u64::MAX))
    }

    /// Returns how much longer the task is polled.
    pub(super) fn time_left(&self) -> Duration {
        Duration::from_millis(self.deadline_ms().saturating_sub(now_ms()))
    }
}

/// Returns the polling interval that the server requests, within limits.
pub(super) fn poll_interval(task: &Value) -> Duration {
    let said = task["pollIntervalMs"].as_f64().filter(|ms| ms.is_finite() && *ms >= 0.0);
    let said =
        said.map(|ms| Duration::from_secs_f64((ms / 1000.0).min(LONGEST_POLL.as_secs_f64())));
    said.unwrap_or(POLL_INTERVAL).max(SHORTEST_POLL)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn time_of_a_task_counts_from_its_beginning_in_every_run() {
        let mut note = TaskRecord::new("t".to_owned(), &json!({"ttlMs": null}));
        assert_eq!(note.total_time(), TASK_TIMEOUT);
        note.begun_ms -= 3_600_000;
        let json = serde_json::to_value(&note).expect("a note");
        let later = TaskRecord::read(json).expect("a note");
        assert_eq!(later, note);
        assert!(later.time_left() <= TASK_TIMEOUT - Duration::from_secs(3600));
        for (said, limit) in [
            (json!(3_600_500), Duration::from_millis(3_600_500)),
            (json!(0), Duration::ZERO),
            (json!(1e300), LONGEST_TASK),
            (json!(u64::MAX), LONGEST_TASK),
        ] {
            note.update_ttl(&json!({ "ttlMs": said }));
            assert_eq!(note.total_time(), limit, "{said}");
        }
        // An absent or invalid value does not change the previous one.
        note.update_ttl(&json!({ "ttlMs": 5 }));
        for nothing in [json!(null), json!(-1), json!("7")] {
            note.update_ttl(&json!({ "ttlMs": nothing }));
            assert_eq!(note.total_time(), Duration::from_millis(5), "{nothing}");
        }
        assert!(note.time_left().is_zero());
    }

    #[test]
    fn records_of_older_versions_are_readable() {
        assert_eq!(TaskRecord::read(json!("t7")).expect("an id").task_id, "t7");
        assert_eq!(TaskRecord::read(Value::Null), None);
    }

    #[test]
    fn poll_interval_of_the_server_is_bounded() {
        for (said, meant) in [
            (json!(0), SHORTEST_POLL),
            (json!(2500), Duration::from_millis(2500)),
            (json!(1e300), LONGEST_POLL),
            (json!(u64::MAX), LONGEST_POLL),
            (json!(-5), POLL_INTERVAL),
            (json!("5"), POLL_INTERVAL),
            (Value::Null, POLL_INTERVAL),
        ] {
            assert_eq!(poll_interval(&json!({ "pollIntervalMs": said })), meant, "{said}");
        }
    }
}
