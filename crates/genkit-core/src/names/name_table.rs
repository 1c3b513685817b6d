//! Names that clients have received and that must therefore not change.

use std::collections::{HashMap, HashSet};

use crate::names::{Numbers, is_safe, safe_name};

/// The names that clients have received. A sent name keeps referring to the same tool, so that a permission for the
/// name does not apply to another tool. There are two exceptions, for removed tools: a sent name may pass to a tool
/// with exactly this name, and the oldest names are dropped beyond `MAX_REMOVED`.
#[derive(Default)]
pub struct NameTable {
    /// The sent names, by our name.
    assigned: HashMap<String, AssignedName>,
    /// Our names, by the sent name.
    owners: HashMap<String, String>,
    numbers: Numbers,
    /// The number of calls to [`assign_names`](Self::assign_names).
    round: u64,
}

struct AssignedName {
    sent: String,
    /// The last round that included the name.
    round: u64,
}

/// The maximum number of names of removed tools that are kept in case the tools are added again. Default is 20,000.
const MAX_REMOVED: usize = 20_000;

/// The maximum number of numbered names that are logged at a time. Default is 10.
const MAX_LOGGED: usize = 10;

impl NameTable {
    /// Returns the name to send for each of `all`, by our name. A name that was sent before stays the
    /// same. `is_kept_as_it_is` returns whether a name is sent unchanged.
    pub fn assign_names<'a>(
        &mut self,
        all: impl Iterator<Item = &'a str>,
        is_kept_as_it_is: impl Fn(&str) -> bool,
    ) -> HashMap<&'a str, String> {
        self.assign_all(all.collect(), &is_kept_as_it_is)
    }

    fn assign_all<'a>(
        &mut self,
        all: Vec<&'a str>,
        is_kept_as_it_is: &dyn Fn(&str) -> bool,
    ) -> HashMap<&'a str, String> {
        self.round += 1;
        let here: HashSet<&str> = all.iter().copied().collect();
        let mut told = Vec::new();
        let is_safe = |name: &str| is_safe(name) || is_kept_as_it_is(name);
        let (safe, others): (Vec<&str>, Vec<&str>) =
            all.into_iter().partition(|name| is_safe(name));
        for name in safe.into_iter().chain(others) {
            if let Some(given) = self.assigned.get_mut(name) {
                given.round = self.round;
                continue;
            }
            let wanted = if is_safe(name) { name.to_owned() } else { safe_name(name) };
            // A safe name is taken over from a removed tool. Otherwise, the names of removed tools stay reserved.
            let owner = self.owners.get(&wanted);
            if is_safe(name)
                && let Some(gone) = owner.filter(|owner| !here.contains(owner.as_str())).cloned()
            {
                self.assigned.remove(&gone);
                self.owners.remove(&wanted);
            }
            let owners = &self.owners;
            let is_taken =
                |sent: &str| owners.contains_key(sent) || (sent != name && here.contains(sent));
            let sent = self.numbers.free_name(wanted.clone(), is_taken);
            if sent != wanted {
                told.push((name, sent.clone(), self.owners.get(&wanted).cloned()));
            }
            self.owners.insert(sent.clone(), name.to_owned());
            self.assigned.insert(name.to_owned(), AssignedName { sent, round: self.round });
        }
        self.forget_old(here.len());
        log_changes(&told);
        here.into_iter()
            .filter_map(|name| Some((name, self.assigned.get(name)?.sent.clone())))
            .collect()
    }

    /// Drops the names of the tools that were removed first, if there are too many names of removed tools.
    fn forget_old(&mut self, here: usize) {
        let gone = self.assigned.len() - here;
        if gone <= MAX_REMOVED {
            return;
        }
        let mut rounds: Vec<(u64, String)> = self
            .assigned
            .iter()
            .filter(|(_, given)| given.round < self.round)
            .map(|(name, given)| (given.round, name.clone()))
            .collect();
        rounds.sort_unstable();
        for (_, name) in rounds.into_iter().take(gone - MAX_REMOVED / 2) {
            if let Some(given) = self.assigned.remove(&name) {
                self.owners.remove(&given.sent);
            }
        }
        self.numbers = Numbers::default();
    }
}

fn log_changes(told: &[(&str, String, Option<String>)]) {
    for (name, sent, owner) in told.iter().take(MAX_LOGGED) {
        tracing::warn!(
            ?name,
            ?sent,
            ?owner,
            "two names are equal after invalid characters are replaced, so clients receive the second name with a number appended; rename one of them, or the key of its server"
        );
    }
    if let Some(more) = told.len().checked_sub(MAX_LOGGED).filter(|more| *more > 0) {
        tracing::warn!(more, "more names are equal after invalid characters are replaced");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_name_is_stable_while_the_tool_exists() {
        let mut kept = NameTable::default();
        let mut give = |all: &[&'static str]| {
            let given = kept.assign_names(all.iter().copied(), |_| false);
            all.iter().map(|name| given[name].clone()).collect::<Vec<_>>()
        };
        assert_eq!(give(&["a__b/c"]), ["a__b__c"]);
        assert_eq!(give(&["a/b__c", "a__b/c"]), ["a__b__c_2", "a__b__c"]);
        // A safe name that is added later gets a number as well, because its form is taken.
        assert_eq!(give(&["a/b__c", "a__b/c", "a__b__c"]), ["a__b__c_2", "a__b__c", "a__b__c_3"]);
        // A tool that is added again gets its previous name, and the other name does not change.
        assert_eq!(give(&["a/b__c"]), ["a__b__c_2"]);
        assert_eq!(give(&["a/b__c", "a__b/c"]), ["a__b__c_2", "a__b__c"]);
    }

    #[test]
    fn removed_name_is_available_to_the_tool_that_has_it() {
        let mut kept = NameTable::default();
        let mut give = |all: &[&'static str]| {
            let given = kept.assign_names(all.iter().copied(), |_| false);
            all.iter().map(|name| given[name].clone()).collect::<Vec<_>>()
        };
        assert_eq!(give(&["a/b"]), ["a__b"]);
        assert_eq!(give(&["a__b"]), ["a__b"]);
        assert_eq!(give(&["a/b", "a__b"]), ["a__b_2", "a__b"]);
    }

    #[test]
    fn unused_names_are_eventually_removed() {
        let mut kept = NameTable::default();
        for round in 0..4 {
            let all: Vec<String> = (0..MAX_REMOVED).map(|n| format!("s{round}/{n}")).collect();
            kept.assign_names(all.iter().map(String::as_str), |_| false);
        }
        assert!(kept.assigned.len() <= 2 * MAX_REMOVED, "{}", kept.assigned.len());
        assert_eq!(kept.assigned.len(), kept.owners.len());
    }

    #[test]
    fn twenty_thousand_names_that_become_one_take_one_pass() {
        let all: Vec<String> =
            (0..20_000).map(|n| format!("{n:015b}").replace('0', " ").replace('1', ".")).collect();
        let mut kept = NameTable::default();
        for _ in 0..3 {
            let given = kept.assign_names(all.iter().map(String::as_str), |_| false);
            assert_eq!(given.values().collect::<HashSet<_>>().len(), all.len());
        }
    }
}
