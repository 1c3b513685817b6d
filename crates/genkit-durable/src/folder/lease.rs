//! Leases: one file for each lease, with increasing numbers. The last lease is valid.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::disk::{RunFolder, remove_file};
use genkit_core::Result;
use genkit_core::{LeaseEnd, LeaseTime};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lease {
    /// The owner of the lease, or an empty string if the lease was released.
    owner: String,
    #[serde(flatten)]
    end: LeaseEnd,
}

fn lease_name(number: u64) -> String {
    format!("{number}.lease")
}

impl RunFolder {
    /// Takes or renews the lease. Returns whether the run is abandoned, because the lease of another owner expired
    /// without being released, or `None` if another owner holds the lease.
    pub(super) fn take_lease(
        &self,
        owner: &str,
        now: &LeaseTime,
        ttl: Duration,
    ) -> Result<Option<bool>> {
        let last = self.last_lease()?;
        let is_of_other = last.as_ref().is_some_and(|(_, lease)| lease.owner != owner);
        if is_of_other && last.as_ref().is_some_and(|(_, lease)| !lease.end.is_over(now)) {
            return Ok(None);
        }
        let is_abandoned = last.as_ref().is_some_and(|(_, lease)| !lease.owner.is_empty());
        let is_taken = self.write_lease(last, owner, LeaseEnd::after(now, ttl))?;
        if is_taken && is_of_other && is_abandoned {
            self.remove_leftovers(now.wall_ms)?;
        }
        Ok(is_taken.then_some(is_of_other && is_abandoned))
    }

    /// Releases the lease.
    pub(super) fn release(&self, owner: &str, now: &LeaseTime) -> Result<()> {
        let last = self.last_lease()?;
        if last.as_ref().is_some_and(|(_, lease)| lease.owner == owner) {
            self.write_lease(last, "", LeaseEnd::after(now, Duration::ZERO))?;
        }
        Ok(())
    }

    pub(super) fn is_leased(&self, now: &LeaseTime) -> Result<bool> {
        Ok(self.last_lease()?.is_some_and(|(_, lease)| !lease.end.is_over(now)))
    }

    /// Returns whether the lease belongs to `owner`, even if it has expired.
    pub(super) fn is_owned_by(&self, owner: &str) -> Result<bool> {
        Ok(self.last_lease()?.is_some_and(|(_, lease)| lease.owner == owner))
    }

    fn write_lease(&self, last: Option<(u64, Lease)>, owner: &str, end: LeaseEnd) -> Result<bool> {
        let number = last.map_or(1, |(number, _)| number + 1);
        let lease = serde_json::to_string(&Lease { owner: owner.to_owned(), end })?;
        // Not flushed to disk, because no process holds a lease after a crash of the machine.
        if !self.write_new(&lease_name(number), &lease, false, || Ok(true))? {
            return Ok(false);
        }
        let numbers = self.list_numbers("", ".lease")?;
        if numbers.last() != Some(&number) {
            // Other processes took newer leases in the meantime and removed the file with this number.
            remove_file(&self.folder_path().join(lease_name(number)))?;
            return Ok(false);
        }
        // The previous lease is kept, so that a slow reader of the list still finds a lease.
        for old in numbers.into_iter().filter(|old| old + 1 < number) {
            remove_file(&self.folder_path().join(lease_name(old)))?;
        }
        Ok(true)
    }

    /// Returns the last lease. A lease that cannot be parsed was cut off by a crash, and counts as expired.
    fn last_lease(&self) -> Result<Option<(u64, Lease)>> {
        loop {
            let Some(number) = self.list_numbers("", ".lease")?.pop() else { return Ok(None) };
            // If the file no longer exists, there is a newer lease file.
            if let Some(text) = self.read(&lease_name(number))? {
                let torn = || Lease {
                    owner: "torn".to_owned(),
                    end: LeaseEnd { until_ms: 0, ttl_ms: None, boot: None },
                };
                return Ok(Some((number, serde_json::from_str(&text).unwrap_or_else(|_| torn()))));
            }
        }
    }
}
