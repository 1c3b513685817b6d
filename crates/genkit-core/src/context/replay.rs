//! Replay: the questions and recorded results of one run of a function, from which the next run continues.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

use super::question::{CallerAnswer, Question};
use super::suspended_runs::ExternalOperation;
use crate::sync::lock;
use genkit_untrusted::visible::Logged;

/// Answers by the key of their question, and results by the key of their `once`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    #[serde(default, rename = "a", skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, CallerAnswer>,
    #[serde(default, rename = "o", skip_serializing_if = "BTreeMap::is_empty")]
    pub once: BTreeMap<String, Value>,
    /// The question under each key, in the form that [`Rounds::identify_question`] returned. An answer is valid only
    /// for that question.
    #[serde(default, rename = "q", skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, String>,
    /// Answers that arrived before their question was asked, for forms that accept them.
    #[serde(skip)]
    pub unasked: BTreeMap<String, CallerAnswer>,
}

/// State that connects the rounds of a call, for a caller that answers questions with a repeated call.
pub trait Rounds: Send + Sync {
    /// Returns a string that identifies a question in later rounds.
    fn identify_question(&self, question: &str) -> String;

    /// Claims the recorded answers for this request. Returns `false` if another request claimed them first.
    fn claim_answers(&self) -> bool;
}

/// One run of a function: the recording of earlier runs, and its current questions.
pub(super) struct Replay {
    recording: Recording,
    /// The number of questions asked, used as the key of a question without a key.
    asked: usize,
    /// The question for each key that was used in this run.
    keys: BTreeMap<String, String>,
    /// The keys of recorded answers that the function has used.
    used: BTreeSet<String>,
    open: Vec<(Question, String)>,
    /// The number of `once` calls that are running.
    pub(super) busy: usize,
    /// The number of external operations that are followed, and the waits that allow the function to be dropped.
    pub(super) followed: usize,
    pub(super) waiting: Vec<(u64, Arc<dyn ExternalOperation>, Instant)>,
    /// The number of times that each key was used in this run.
    key_uses: BTreeMap<String, usize>,
    /// The number of questions being answered live, the time at which the first of them was asked, and the total
    /// duration of earlier questions.
    live: usize,
    live_since: Instant,
    paused: Duration,
}

impl Replay {
    pub(super) fn new(recording: Recording) -> Self {
        Self {
            recording,
            asked: 0,
            keys: BTreeMap::new(),
            used: BTreeSet::new(),
            open: Vec::new(),
            busy: 0,
            followed: 0,
            waiting: Vec::new(),
            key_uses: BTreeMap::new(),
            live: 0,
            live_since: Instant::now(),
            paused: Duration::ZERO,
        }
    }

    pub(super) fn has_recorded(&self) -> bool {
        !self.recording.once.is_empty()
    }

    pub(super) fn recorded_result(&self, key: &str) -> Option<Value> {
        self.recording.once.get(key).cloned()
    }

    /// Returns the recorded results whose keys begin with `prefix`, each with the rest of its key.
    pub(super) fn recorded_with_prefix(&self, prefix: &str) -> Vec<(String, Value)> {
        let after = self.recording.once.range(prefix.to_owned()..);
        let below = after.map_while(|(key, value)| Some((key.strip_prefix(prefix)?, value)));
        below.map(|(rest, value)| (rest.to_owned(), value.clone())).collect()
    }

    /// Returns the key, with a number appended if this run has already used it.
    pub(super) fn nth_key(&mut self, key: &str) -> String {
        let times = self.key_uses.entry(key.to_owned()).or_default();
        *times += 1;
        if *times == 1 { key.to_owned() } else { format!("{key}#{times}") }
    }

    pub(super) fn record_result(&mut self, key: &str, value: Value) {
        self.recording.once.insert(key.to_owned(), value);
    }

    /// Returns a key for the question `asked`: `own`, or its ordinal. Appends a number if another question has this
    /// key.
    pub(super) fn question_key(&mut self, own: Option<String>, asked: &str) -> String {
        self.asked += 1;
        let own = own.unwrap_or_else(|| format!("q{}", self.asked));
        let mut key = own.clone();
        let mut count = 1;
        while self.keys.get(&key).is_some_and(|other| other != asked) {
            count += 1;
            key = format!("{own}#{count}");
        }
        self.keys.insert(key.clone(), asked.to_owned());
        key
    }

    /// Returns the recorded answer to the question `asked` under `key`.
    pub(super) fn recorded_answer(&self, key: &str, asked: &str) -> Option<CallerAnswer> {
        let Recording { answers, asked: questions, .. } = &self.recording;
        // A recording from an older version has no questions here; each of its answers contains its question.
        let is_it = questions.get(key).is_none_or(|known| known == asked);
        if !is_it {
            tracing::debug!(key = %Logged::name(key), "a question has changed and is asked again");
        }
        answers.get(key).filter(|_| is_it).cloned()
    }

    /// Takes an answer that a client gave before the question was asked.
    pub(super) fn take_unasked(&mut self, key: &str) -> Option<CallerAnswer> {
        self.recording.unasked.remove(key)
    }

    /// Marks the recorded answer under `key` as used.
    pub(super) fn mark_used(&mut self, key: String) {
        self.used.insert(key);
    }

    /// Records an answer to the question `asked` that arrived while the function waited.
    pub(super) fn record_answer(&mut self, key: String, asked: String, answer: CallerAnswer) {
        self.recording.answers.insert(key.clone(), answer);
        self.recording.asked.insert(key.clone(), asked);
        self.used.insert(key);
    }

    pub(super) fn open_question(&mut self, question: Question, asked: String) {
        self.open.push((question, asked));
    }

    /// Takes the open questions and the recording, unless a `once` or similar work is running.
    pub(super) fn take_open(&mut self) -> Option<(Vec<Question>, Recording)> {
        if self.busy > 0 || self.open.is_empty() {
            return None;
        }
        let mut recording = self.recording.clone();
        // Answers that the function could not decode are requested again. Answers to questions that it never asked are
        // dropped, because a client could otherwise make the recording grow without limit.
        recording.answers.retain(|key, _| self.used.contains(key));
        recording.asked.retain(|key, _| self.used.contains(key));
        let mut questions = Vec::new();
        for (question, asked) in std::mem::take(&mut self.open) {
            recording.asked.insert(question.key.clone(), asked);
            questions.push(question);
        }
        Some((questions, recording))
    }

    pub(super) fn paused_time(&self) -> Duration {
        let now = if self.live > 0 { self.live_since.elapsed() } else { Duration::ZERO };
        self.paused + now
    }
}

/// A guard that is held while a `once` call runs.
pub struct OnceGuard<'a>(&'a Mutex<Replay>);

impl<'a> OnceGuard<'a> {
    pub(super) fn new(replay: &'a Mutex<Replay>) -> Self {
        lock(replay).busy += 1;
        Self(replay)
    }
}

impl Drop for OnceGuard<'_> {
    fn drop(&mut self) {
        lock(self.0).busy -= 1;
    }
}

/// A guard that is held while a question is answered live. This time does not count toward the time limit.
pub(super) struct LiveQuestion<'a>(&'a Mutex<Replay>);

impl<'a> LiveQuestion<'a> {
    pub(super) fn new(replay: &'a Mutex<Replay>) -> Self {
        let mut state = lock(replay);
        if state.live == 0 {
            state.live_since = Instant::now();
        }
        state.live += 1;
        drop(state);
        Self(replay)
    }
}

impl Drop for LiveQuestion<'_> {
    fn drop(&mut self) {
        let mut state = lock(self.0);
        state.live -= 1;
        if state.live == 0 {
            let asked = state.live_since.elapsed();
            state.paused += asked;
        }
    }
}
