//! The data of a run that Restate stores: a head, and the log in pieces.

use genkit::durable::{RunChange, RunHead, RunStatus, StoredRun};
use serde::{Deserialize, Serialize};

/// The key of the head.
pub(crate) const HEAD: &str = "run";

/// The key of the workers of a run.
pub(crate) const WORKERS: &str = "workers";

/// The keys of the pieces of the log, the oldest first. Each piece is larger than the next, so a small number of pieces
/// is sufficient.
pub(crate) const PIECES: [&str; 32] = [
    "log.0", "log.1", "log.2", "log.3", "log.4", "log.5", "log.6", "log.7", "log.8", "log.9",
    "log.10", "log.11", "log.12", "log.13", "log.14", "log.15", "log.16", "log.17", "log.18",
    "log.19", "log.20", "log.21", "log.22", "log.23", "log.24", "log.25", "log.26", "log.27",
    "log.28", "log.29", "log.30", "log.31",
];

/// The head of a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct HeadPiece {
    pub(crate) status: RunStatus,
    pub(crate) revision: u64,
    head: String,
    /// The number of pieces of the log.
    pub(crate) pieces: usize,
}

/// The stored data of a run.
pub(crate) struct RunPieces {
    pub(crate) head: HeadPiece,
    pub(crate) log: Vec<Vec<String>>,
}

/// A change of the log: the pieces to write with their indices, and the pieces to remove.
pub(crate) struct LogChange {
    pub(crate) pieces: Vec<(usize, Vec<String>)>,
    pub(crate) gone: std::ops::Range<usize>,
}

impl RunPieces {
    /// Creates the data of a run that is not stored yet.
    pub(crate) fn empty_run() -> Self {
        let head =
            HeadPiece { status: RunStatus::Working, revision: 0, head: String::new(), pieces: 0 };
        Self { head, log: Vec::new() }
    }

    pub(crate) fn to_stored(&self) -> StoredRun {
        let head = RunHead::new(self.head.revision, self.head.status, None);
        StoredRun::new(head, &*self.head.head, self.log.concat())
    }

    /// Applies a change. Merges the new lines with the last pieces, unless these are much larger, so that each line is
    /// rewritten a few times rather than once for each later step.
    pub(crate) fn apply_change(&mut self, change: RunChange) -> LogChange {
        let before = self.log.len();
        (self.head.status, self.head.head) = (change.status, change.head);
        self.head.revision += 1;
        let mut first = before;
        if !change.log.is_empty() {
            self.log.push(change.log);
            while let [.., earlier, last] = &mut *self.log {
                let is_full = self.head.pieces >= PIECES.len();
                if piece_bytes(earlier) > 2 * piece_bytes(last) && !is_full {
                    break;
                }
                let last = std::mem::take(last);
                earlier.extend(last);
                self.log.pop();
            }
            first = self.log.len() - 1;
        }
        self.head.pieces = self.log.len();
        let pieces = (first..self.log.len()).map(|at| (at, self.log[at].clone())).collect();
        LogChange { pieces, gone: self.log.len()..before.max(self.log.len()) }
    }
}

fn piece_bytes(piece: &[String]) -> usize {
    piece.iter().map(String::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_is_whole_and_each_line_is_written_a_few_times() {
        let mut kept = RunPieces::empty_run();
        let (mut disk, mut written, mut all) = (Vec::<Vec<String>>::new(), 0, Vec::new());
        for step in 0..4000 {
            let lines: Vec<String> = (0..step % 3).map(|n| format!("{step:06}.{n}")).collect();
            all.extend(lines.clone());
            let change = RunChange::new(RunStatus::Working, "{}").with_log(lines);
            let LogChange { pieces, gone } = kept.apply_change(change);
            for (at, piece) in pieces {
                written += piece.len();
                disk.resize(disk.len().max(at + 1), Vec::new());
                disk[at] = piece;
            }
            for at in gone {
                disk[at].clear();
            }
            disk.truncate(kept.head.pieces);
            assert_eq!(disk.concat().len(), all.len(), "step {step}");
        }
        assert_eq!((disk.concat(), kept.to_stored().log), (all.clone(), all.clone()));
        assert!(kept.head.pieces < 16, "{} pieces", kept.head.pieces);
        assert!(written < 16 * all.len(), "{written} writes of {} lines", all.len());
    }
}
