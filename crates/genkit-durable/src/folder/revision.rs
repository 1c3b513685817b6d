//! The revisions of a run: one file each. The first line contains the status of the run.

use serde::{Deserialize, Serialize};

use super::disk::RunFolder;
use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::{RunChange, RunHead, RunStatus, StoredRun};

/// The version of the file format.
const VERSION: u32 = 1;

/// The first line of a file. The second line is the head, and the other lines are the log.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Title {
    version: u32,
    status: RunStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wake_at_ms: Option<u64>,
    /// The number of log lines.
    log: usize,
}

fn revision_name(revision: u64) -> String {
    format!("{revision:012}.run")
}

impl RunFolder {
    /// Returns the number of the last revision. `None` if there is no run.
    pub(super) fn last_revision(&self) -> Result<Option<u64>> {
        Ok(self.list_numbers("", ".run")?.pop())
    }

    pub(super) fn has_revision(&self, revision: u64) -> Result<bool> {
        Ok(self.folder_path().join(revision_name(revision)).try_exists()?)
    }

    /// Writes a revision. Returns `false` if it already exists.
    pub(super) fn write_revision(&self, revision: u64, change: &RunChange) -> Result<bool> {
        let RunChange { status, wake_at_ms, head, log, .. } = change;
        if head.contains('\n') || log.iter().any(|line| line.contains('\n')) {
            return Err(E::LineBreak.into());
        }
        let (status, wake_at_ms) = (*status, *wake_at_ms);
        let title = Title { version: VERSION, status, wake_at_ms, log: log.len() };
        let mut text = serde_json::to_string(&title)?;
        for line in std::iter::once(head).chain(log) {
            text.push('\n');
            text.push_str(line);
        }
        text.push('\n');
        self.write_new(&revision_name(revision), &text, true)
    }

    /// Reads the head of the run.
    pub(super) fn read_head(&self) -> Result<Option<RunHead>> {
        let Some(revision) = self.last_revision()? else { return Ok(None) };
        let Some(text) = self.read(&revision_name(revision))? else { return Ok(None) };
        Ok(Some(read(revision, &text)?.at))
    }

    pub(super) fn load_run(&self) -> Result<Option<StoredRun>> {
        let mut whole: Option<StoredRun> = None;
        for (before, revision) in self.list_numbers("", ".run")?.into_iter().enumerate() {
            // The run was removed meanwhile.
            let Some(text) = self.read(&revision_name(revision))? else { return Ok(None) };
            if revision != before as u64 + 1 {
                return Err(E::TornFile(revision_name(before as u64 + 1)).into());
            }
            let StoredRun { at, head, log, .. } = read(revision, &text)?;
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
}

fn read(revision: u64, text: &str) -> Result<StoredRun> {
    let torn = || E::TornFile(revision_name(revision));
    let mut lines = text.lines();
    let title: Title =
        lines.next().and_then(|title| serde_json::from_str(title).ok()).ok_or_else(torn)?;
    let head = lines.next().ok_or_else(torn)?;
    let log: Vec<String> = lines.map(str::to_owned).collect();
    if title.version != VERSION || log.len() != title.log || !text.ends_with('\n') {
        return Err(torn().into());
    }
    Ok(StoredRun::new(RunHead::new(revision, title.status, title.wake_at_ms), head, log))
}
