//! Leases: one file each, with increasing numbers. The last one is valid.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::disk::{RunFolder, remove_file};
use genkit_core::Result;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lease {
    owner: String,
    until_ms: u64,
}

fn lease_name(number: u64) -> String {
    format!("{number}.lease")
}

impl RunFolder {
    /// Takes or renews the lease at `now_ms`. Returns `false` if another owner has it.
    pub(super) fn take_lease(&self, owner: &str, now_ms: u64, ttl: Duration) -> Result<bool> {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let last = self.last_lease()?;
        if let Some((_, lease)) = &last
            && lease.owner != owner
            && lease.until_ms > now_ms
        {
            return Ok(false);
        }
        self.write_lease(last, owner, now_ms.saturating_add(ttl))
    }

    /// Releases the lease.
    pub(super) fn give_back(&self, owner: &str, now_ms: u64) -> Result<()> {
        let last = self.last_lease()?;
        if last.as_ref().is_some_and(|(_, lease)| lease.owner == owner) {
            self.write_lease(last, owner, now_ms)?;
        }
        Ok(())
    }

    pub(super) fn is_leased(&self, now_ms: u64) -> Result<bool> {
        Ok(self.last_lease()?.is_some_and(|(_, lease)| lease.until_ms > now_ms))
    }

    fn write_lease(&self, last: Option<(u64, Lease)>, owner: &str, until_ms: u64) -> Result<bool> {
        let number = last.map_or(1, |(number, _)| number + 1);
        let lease = serde_json::to_string(&Lease { owner: owner.to_owned(), until_ms })?;
        // After a crash of the machine no process has a lease, so it is not flushed to disk.
        if !self.write_new(&lease_name(number), &lease, false)? {
            return Ok(false);
        }
        let numbers = self.list_numbers("", ".lease")?;
        if numbers.last() != Some(&number) {
            // Other processes took newer leases meanwhile, and had already removed the file of this number.
            remove_file(&self.folder_path().join(lease_name(number)))?;
            return Ok(false);
        }
        // The previous lease is kept, so that a slow reader of the list still finds one.
        for old in numbers.into_iter().filter(|old| old + 1 < number) {
            remove_file(&self.folder_path().join(lease_name(old)))?;
        }
        Ok(true)
    }

    /// Returns the last lease. A lease that cannot be parsed was cut off by a crash, and counts as expired.
    fn last_lease(&self) -> Result<Option<(u64, Lease)>> {
        loop {
            let Some(number) = self.list_numbers("", ".lease")?.pop() else { return Ok(None) };
            // If the file is gone, there is a newer one.
            if let Some(text) = self.read(&lease_name(number))? {
                let nobody = || Lease { owner: String::new(), until_ms: 0 };
                return Ok(Some((
                    number,
                    serde_json::from_str(&text).unwrap_or_else(|_| nobody()),
                )));
            }
        }
    }
}
