//! The revisions of a run: one file each. The first line contains the status of the run.

use serde::{Deserialize, Serialize};

use super::disk::RunFolder;
use genkit_core::Result;
use genkit_core::{RunChange, RunEntry, RunHead, RunId, RunStatus, StoredRun};

/// The version of the file format.
const VERSION: u32 = 1;

/// The first line of a file. The second line is the head, and the other lines are the log.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RevisionHeader {
    version: u32,
    status: RunStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wake_at_ms: Option<u64>,
    /// The number of log lines.
    log: usize,
    /// The incarnation of the run. 0 in files of older versions.
    #[serde(default)]
    incarnation: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The creation time of the run, in milliseconds since the Unix epoch.
    #[serde(default)]
    created_ms: u64,
    /// The time at which this revision was written, in milliseconds since the Unix epoch.
    #[serde(default)]
    updated_ms: u64,
}

impl RevisionHeader {
    fn new(change: &RunChange, updated_ms: u64) -> Self {
        Self {
            version: VERSION,
            status: change.status,
            wake_at_ms: change.wake_at_ms,
            log: change.log.len(),
            incarnation: 0,
            name: String::new(),
            tags: Vec::new(),
            error: change.error.clone(),
            created_ms: 0,
            updated_ms,
        }
    }
}

fn revision_name(revision: u64) -> String {
    format!("{revision:012}.run")
}

impl RunFolder {
    /// Returns the number of the last revision. Returns `None` if there is no run.
    pub(super) fn last_revision(&self) -> Result<Option<u64>> {
        Ok(self.list_numbers("", ".run")?.pop())
    }

    /// Writes the first revision. Returns `false` if the run exists.
    pub(super) fn write_first(&self, first: &RunChange, now_ms: u64) -> Result<bool> {
        let title = RevisionHeader {
            incarnation: RunHead::new_incarnation(),
            name: first.name.clone().unwrap_or_default(),
            tags: first.tags.clone().unwrap_or_default(),
            created_ms: now_ms,
            ..RevisionHeader::new(first, now_ms)
        };
        self.write_revision(1, title, first, || Ok(true))
    }

    /// Writes the revision after `at`. Returns `false` if the run is not at revision `at`, or if the change is fenced.
    pub(super) fn write_next(&self, at: u64, change: &RunChange, now_ms: u64) -> Result<bool> {
        let Some(before) = self.read_title(at)? else { return Ok(false) };
        let incarnation = before.incarnation;
        let title = RevisionHeader {
            incarnation,
            name: change.name.clone().unwrap_or(before.name),
            tags: change.tags.clone().unwrap_or(before.tags),
            created_ms: before.created_ms,
            ..RevisionHeader::new(change, now_ms)
        };
        self.write_revision(at + 1, title, change, || {
            let current = self.read_title(at)?.map(|title| title.incarnation);
            let is_same = current == Some(incarnation)
                && change.incarnation.is_none_or(|expected| expected == incarnation);
            Ok(is_same
                && match &change.owner {
                    Some(owner) => self.is_owned_by(owner)?,
                    None => true,
                })
        })
    }

    /// Reads the first line of a revision. Returns `None` if the revision does not exist.
    fn read_title(&self, revision: u64) -> Result<Option<RevisionHeader>> {
        let Some(text) = self.read(&revision_name(revision))? else { return Ok(None) };
        let title = text.lines().next().and_then(|title| serde_json::from_str(title).ok());
        Ok(Some(title.ok_or_else(|| self.torn_file(&revision_name(revision)))?))
    }

    fn write_revision(
        &self,
        revision: u64,
        title: RevisionHeader,
        change: &RunChange,
        check: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        change.check_lines()?;
        let RunChange { head, log, .. } = change;
        let mut text = serde_json::to_string(&title)?;
        for line in std::iter::once(head).chain(log) {
            text.push('\n');
            text.push_str(line);
        }
        text.push('\n');
        self.write_new(&revision_name(revision), &text, true, check)
    }

    /// Reads the head of the run.
    pub(super) fn read_head(&self) -> Result<Option<RunHead>> {
        let Some(revision) = self.last_revision()? else { return Ok(None) };
        let Some(text) = self.read(&revision_name(revision))? else { return Ok(None) };
        Ok(Some(self.read_text(revision, &text)?.at))
    }

    /// Reads the list entry of the run. Returns `None` if the run does not exist.
    pub(super) fn read_entry(&self, id: &RunId) -> Result<Option<RunEntry>> {
        let Some(revision) = self.last_revision()? else { return Ok(None) };
        let Some(title) = self.read_title(revision)? else { return Ok(None) };
        if title.version != VERSION {
            return Err(self.torn_file(&revision_name(revision)).into());
        }
        let mut entry = RunEntry::new(id.clone(), Some(title.status));
        entry.wake_at_ms = title.wake_at_ms;
        (entry.name, entry.tags, entry.error) = (title.name, title.tags, title.error);
        (entry.created_ms, entry.updated_ms) = (title.created_ms, title.updated_ms);
        Ok(Some(entry))
    }

    pub(super) fn load_run(&self) -> Result<Option<StoredRun>> {
        let mut whole: Option<StoredRun> = None;
        for (before, revision) in self.list_numbers("", ".run")?.into_iter().enumerate() {
            // The run was deleted in the meantime.
            let Some(text) = self.read(&revision_name(revision))? else { return Ok(None) };
            if revision != before as u64 + 1 {
                return Err(self.torn_file(&revision_name(before as u64 + 1)).into());
            }
            let StoredRun { at, head, log, .. } = self.read_text(revision, &text)?;
            match &mut whole {
                Some(run) => {
                    run.at = at;
                    run.head = head;
                    run.log.extend(log);
                }
                None => whole = Some(StoredRun::new(at, head, log)),
            }
        }
        Ok(whole)
    }

    fn read_text(&self, revision: u64, text: &str) -> Result<StoredRun> {
        let torn = || self.torn_file(&revision_name(revision));
        let mut lines = text.lines();
        let title: RevisionHeader =
            lines.next().and_then(|title| serde_json::from_str(title).ok()).ok_or_else(torn)?;
        let head = lines.next().ok_or_else(torn)?;
        let log: Vec<String> = lines.map(str::to_owned).collect();
        if title.version != VERSION || log.len() != title.log || !text.ends_with('\n') {
            return Err(torn().into());
        }
        let at = RunHead::new(revision, title.status, title.wake_at_ms);
        Ok(StoredRun::new(at.with_incarnation(title.incarnation), head, log))
    }
}
