//! The rules for the runs that a worker performs: builds, and limits per name or tag.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::limits::SKIP;
use crate::record::Record;
use genkit_core::internal::sync::lock;

type AcceptsBuild = Box<dyn Fn(Option<&str>) -> bool + Send + Sync>;

/// The rules of a worker. Without rules, every run is performed.
#[derive(Default)]
pub(crate) struct WorkRules {
    pub(super) builds: Option<AcceptsBuild>,
    /// The free slots of each name or tag.
    slots: HashMap<String, Arc<Semaphore>>,
    /// Prefixes of tags, each with the number of slots of every tag that starts with it.
    prefixes: Vec<(String, usize)>,
    /// The free slots of tags that start with such a prefix. Only tags of active runs have an entry.
    pub(super) tags: Mutex<HashMap<String, Arc<Semaphore>>>,
    rates: HashMap<String, Mutex<Rate>>,
}

/// A rate limit, with the start times of the last period.
struct Rate {
    most: usize,
    period: Duration,
    starts: VecDeque<Instant>,
}

/// The decision whether a worker performs a run.
pub(crate) enum Admission {
    /// The run is performed while these slots are held.
    Yes(Vec<OwnedSemaphorePermit>),
    /// No slot of this name or tag is free.
    Full(String),
    /// The run must not be performed for this duration.
    NotFor(Duration),
}

impl WorkRules {
    pub(super) fn set_limit(&mut self, key: String, runs: usize) {
        self.slots.insert(key, Arc::new(Semaphore::new(runs.clamp(1, Semaphore::MAX_PERMITS))));
    }

    pub(super) fn set_limit_per_tag(&mut self, prefix: String, runs: usize) {
        self.prefixes.push((prefix, runs.clamp(1, Semaphore::MAX_PERMITS)));
    }

    /// Returns the number of slots of a tag, from the longest prefix that matches.
    fn tag_limit(&self, tag: &str) -> Option<usize> {
        let fits = self.prefixes.iter().filter(|(prefix, _)| tag.starts_with(&**prefix));
        fits.max_by_key(|(prefix, _)| prefix.len()).map(|(_, runs)| *runs)
    }

    /// Takes a slot of a tag. Returns `None` if all are taken.
    fn acquire_tag_slot(&self, tag: &str, limit: usize) -> Option<OwnedSemaphorePermit> {
        let mut tags = lock(&self.tags);
        // A permit holds its semaphore, so the semaphores of idle tags have no other owner.
        tags.retain(|_, slots| Arc::strong_count(slots) > 1);
        let slots = tags.entry(tag.to_owned());
        let slots = slots.or_insert_with(|| Arc::new(Semaphore::new(limit)));
        Arc::clone(slots).try_acquire_owned().ok()
    }

    pub(super) fn set_rate(&mut self, key: String, runs: usize, period: Duration) {
        let rate = Rate { most: runs.max(1), period, starts: VecDeque::new() };
        self.rates.insert(key, Mutex::new(rate));
    }

    /// Decides whether the worker performs the run with this record.
    pub(crate) fn admit(&self, record: &Record) -> Admission {
        let build = record.kept.build.as_deref();
        if self.builds.as_ref().is_some_and(|accepts| !accepts(build)) {
            return Admission::NotFor(SKIP);
        }
        // A tag may equal the name or another tag, and then needs only one slot.
        let tags: BTreeSet<&str> = record.kept.tags.iter().map(String::as_str).collect();
        let keys: BTreeSet<&str> =
            tags.iter().copied().chain(std::iter::once(record.body.name())).collect();
        let mut permits = Vec::new();
        for (&key, slots) in keys.iter().filter_map(|key| Some((key, self.slots.get(*key)?))) {
            match Arc::clone(slots).try_acquire_owned() {
                Ok(permit) => permits.push(permit),
                Err(_) => return Admission::Full(key.to_owned()),
            }
        }
        for (tag, limit) in tags.iter().filter_map(|tag| Some((*tag, self.tag_limit(tag)?))) {
            match self.acquire_tag_slot(tag, limit) {
                Some(permit) => permits.push(permit),
                None => return Admission::Full(tag.to_owned()),
            }
        }
        let rates: Vec<_> = keys.iter().filter_map(|key| self.rates.get(*key)).collect();
        let waits = rates.iter().filter_map(|rate| lock(rate).wait_for_start()).max();
        if let Some(wait) = waits {
            return Admission::NotFor(wait);
        }
        rates.iter().for_each(|rate| lock(rate).starts.push_back(Instant::now()));
        Admission::Yes(permits)
    }

    /// Returns the number of free slots.
    pub(super) fn free_slots(&self, key: &str) -> usize {
        let fixed = self.slots.get(key).map(|slots| slots.available_permits());
        let of_tag = self.tag_limit(key).map(|limit| {
            lock(&self.tags).get(key).map_or(limit, |slots| slots.available_permits())
        });
        fixed.into_iter().chain(of_tag).min().unwrap_or(usize::MAX)
    }
}

impl Rate {
    /// Returns the wait until another run may start. Returns `None` if it may start now.
    fn wait_for_start(&mut self) -> Option<Duration> {
        while self.starts.front().is_some_and(|start| start.elapsed() >= self.period) {
            self.starts.pop_front();
        }
        let oldest = self.starts.front().filter(|_| self.starts.len() >= self.most)?;
        Some(self.period.saturating_sub(oldest.elapsed()))
    }
}
