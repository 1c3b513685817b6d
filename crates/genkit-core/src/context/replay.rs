//! Replay: what a run of a function asked and did, so that the next run goes on from there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

use super::question::{CallerAnswer, Question};
use super::rest::Elsewhere;
use crate::sync::lock;
use crate::visible::Logged;

/// Answers by the key of their question, and results by the key of their `once`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    #[serde(default, rename = "a", skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, CallerAnswer>,
    #[serde(default, rename = "o", skip_serializing_if = "BTreeMap::is_empty")]
    pub once: BTreeMap<String, Value>,
    /// What was asked under each key, as its [`Rounds`] know it again: an answer is to nothing else.
    #[serde(default, rename = "q", skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, String>,
    /// Answers to what was never asked, for forms that take them.
    #[serde(skip)]
    pub unasked: BTreeMap<String, CallerAnswer>,
}

/// What a caller that answers by calling again keeps of its rounds.
pub trait Rounds: Send + Sync {
    /// What a question is known by in later rounds.
    fn know(&self, question: &str) -> String;

    /// Takes the answers that are recorded. They are taken by one request: `false` if another was faster.
    fn claim(&self) -> bool;
}

/// One run of a function: what was recorded before, and what it asks now.
pub(super) struct Replay {
    recording: Recording,
    /// Questions without a key of their own get their ordinal.
    asked: usize,
    /// What was asked under the keys of this run.
    keys: BTreeMap<String, String>,
    /// The keys of recorded answers that the function took.
    used: BTreeSet<String>,
    open: Vec<(Question, String)>,
    /// How many `once` are running.
    pub(super) busy: usize,
    /// How many things elsewhere are followed, and those of them for which the function may be dropped.
    pub(super) followed: usize,
    pub(super) resting: Vec<(u64, Arc<dyn Elsewhere>, Instant)>,
    /// How often what is known by a key was begun in this run.
    times: BTreeMap<String, usize>,
    /// How many questions are being answered live, since when, and how long before that.
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
            resting: Vec::new(),
            times: BTreeMap::new(),
            live: 0,
            live_since: Instant::now(),
            paused: Duration::ZERO,
        }
    }

    pub(super) fn has_recorded(&self) -> bool {
        !self.recording.once.is_empty()
    }

    pub(super) fn recorded(&self, key: &str) -> Option<Value> {
        self.recording.once.get(key).cloned()
    }

    /// The same key, with a number where it was taken in this run already.
    pub(super) fn nth(&mut self, key: &str) -> String {
        let times = self.times.entry(key.to_owned()).or_default();
        *times += 1;
        if *times == 1 { key.to_owned() } else { format!("{key}#{times}") }
    }

    pub(super) fn record(&mut self, key: &str, value: Value) {
        self.recording.once.insert(key.to_owned(), value);
    }

    /// The key of what is `asked`: its own, or its ordinal. Two questions never share an answer.
    pub(super) fn key(&mut self, own: Option<String>, asked: &str) -> String {
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

    /// The answer to what is asked under `key`.
    pub(super) fn answer(&self, key: &str, asked: &str) -> Option<CallerAnswer> {
        let Recording { answers, asked: questions, .. } = &self.recording;
        // What was stored before questions were kept says of itself what it is to.
        let is_it = questions.get(key).is_none_or(|known| known == asked);
        if !is_it {
            tracing::debug!(key = %Logged::name(key), "a question has changed and is asked anew");
        }
        answers.get(key).filter(|_| is_it).cloned()
    }

    /// The answer that a client gave to what it was not asked.
    pub(super) fn unasked(&mut self, key: &str) -> Option<CallerAnswer> {
        self.recording.unasked.remove(key)
    }

    /// Notes that the answer under `key` was understood.
    pub(super) fn used(&mut self, key: String) {
        self.used.insert(key);
    }

    /// Records an answer that was given live to what was `asked`.
    pub(super) fn answered(&mut self, key: String, asked: String, answer: CallerAnswer) {
        self.recording.answers.insert(key.clone(), answer);
        self.recording.asked.insert(key.clone(), asked);
        self.used.insert(key);
    }

    pub(super) fn open(&mut self, question: Question, asked: String) {
        self.open.push((question, asked));
    }

    /// The open questions and the record, once nothing that must not be cut off is running.
    pub(super) fn take_open(&mut self) -> Option<(Vec<Question>, Recording)> {
        if self.busy > 0 || self.open.is_empty() {
            return None;
        }
        let mut recording = self.recording.clone();
        // What the function did not understand is asked again, and what it never asked is not
        // carried on: a client could make the record grow for ever.
        recording.answers.retain(|key, _| self.used.contains(key));
        recording.asked.retain(|key, _| self.used.contains(key));
        let mut questions = Vec::new();
        for (question, asked) in std::mem::take(&mut self.open) {
            recording.asked.insert(question.key.clone(), asked);
            questions.push(question);
        }
        Some((questions, recording))
    }

    pub(super) fn paused(&self) -> Duration {
        let now = if self.live > 0 { self.live_since.elapsed() } else { Duration::ZERO };
        self.paused + now
    }
}

/// Held while a `once` runs.
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

/// Held while somebody is asked live: the time does not count.
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
