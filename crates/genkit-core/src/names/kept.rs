//! Names that clients know, and that stay what they were.

use std::collections::{HashMap, HashSet};

use super::{Numbers, is_safe, safe_name};

/// Names that were given to clients, which keep them: what somebody allowed under a name stays what it was.
#[derive(Default)]
pub struct KeptNames {
    /// By our name.
    given: HashMap<String, GivenName>,
    /// Our name, by what is sent.
    owners: HashMap<String, String>,
    numbers: Numbers,
    /// How often the names were asked for.
    round: u64,
}

struct GivenName {
    sent: String,
    /// The last round in which it was there.
    round: u64,
}

/// How many names of what is gone are kept for when it comes back. Default is 20,000.
const MAX_GONE: usize = 20_000;

/// How many new names one log entry names at the most. Default is 10.
const MAX_TOLD: usize = 10;

impl KeptNames {
    /// What each of `all` is sent as, by our name. Who has a name keeps it; `is_kept_as_it_is` says which names need
    /// not be made safe.
    pub fn give<'a>(
        &mut self,
        all: impl Iterator<Item = &'a str>,
        is_kept_as_it_is: impl Fn(&str) -> bool,
    ) -> HashMap<&'a str, String> {
        self.give_all(all.collect(), &is_kept_as_it_is)
    }

    fn give_all<'a>(
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
            if let Some(given) = self.given.get_mut(name) {
                given.round = self.round;
                continue;
            }
            let wanted = if is_safe(name) { name.to_owned() } else { safe_name(name) };
            // What is gone keeps its name from those that only become alike.
            let owner = self.owners.get(&wanted);
            if is_safe(name)
                && let Some(gone) = owner.filter(|owner| !here.contains(owner.as_str())).cloned()
            {
                self.given.remove(&gone);
                self.owners.remove(&wanted);
            }
            let owners = &self.owners;
            let is_taken =
                |sent: &str| owners.contains_key(sent) || (sent != name && here.contains(sent));
            let sent = self.numbers.free(wanted.clone(), is_taken);
            if sent != wanted {
                told.push((name, sent.clone(), self.owners.get(&wanted).cloned()));
            }
            self.owners.insert(sent.clone(), name.to_owned());
            self.given.insert(name.to_owned(), GivenName { sent, round: self.round });
        }
        self.forget(here.len());
        tell(&told);
        here.into_iter()
            .filter_map(|name| Some((name, self.given.get(name)?.sent.clone())))
            .collect()
    }

    /// Forgets those that went first, where too many are gone.
    fn forget(&mut self, here: usize) {
        let gone = self.given.len() - here;
        if gone <= MAX_GONE {
            return;
        }
        let mut rounds: Vec<(u64, String)> = self
            .given
            .iter()
            .filter(|(_, given)| given.round < self.round)
            .map(|(name, given)| (given.round, name.clone()))
            .collect();
        rounds.sort_unstable();
        for (_, name) in rounds.into_iter().take(gone - MAX_GONE / 2) {
            if let Some(given) = self.given.remove(&name) {
                self.owners.remove(&given.sent);
            }
        }
        self.numbers = Numbers::default();
    }
}

fn tell(told: &[(&str, String, Option<String>)]) {
    for (name, sent, owner) in told.iter().take(MAX_TOLD) {
        tracing::warn!(
            ?name,
            ?sent,
            ?owner,
            "two names are one once they are made safe: the first keeps it, and clients see the other with a number; \
             rename one of them, or the key of its server"
        );
    }
    if let Some(more) = told.len().checked_sub(MAX_TOLD).filter(|more| *more > 0) {
        tracing::warn!(more, "there are more names that became one");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_name_keeps_it_while_it_is_there() {
        let mut kept = KeptNames::default();
        let mut give = |all: &[&'static str]| {
            let given = kept.give(all.iter().copied(), |_| false);
            all.iter().map(|name| given[name].clone()).collect::<Vec<_>>()
        };
        assert_eq!(give(&["a__b/c"]), ["a__b__c"]);
        assert_eq!(give(&["a/b__c", "a__b/c"]), ["a__b__c_2", "a__b__c"]);
        // One of our own, which comes later, is new as well.
        assert_eq!(give(&["a/b__c", "a__b/c", "a__b__c"]), ["a__b__c_2", "a__b__c", "a__b__c_3"]);
        // What went away for a while finds its name again; the name of another stays.
        assert_eq!(give(&["a/b__c"]), ["a__b__c_2"]);
        assert_eq!(give(&["a/b__c", "a__b/c"]), ["a__b__c_2", "a__b__c"]);
    }

    #[test]
    fn a_name_that_is_gone_is_not_kept_from_the_tool_that_really_has_it() {
        let mut kept = KeptNames::default();
        let mut give = |all: &[&'static str]| {
            let given = kept.give(all.iter().copied(), |_| false);
            all.iter().map(|name| given[name].clone()).collect::<Vec<_>>()
        };
        assert_eq!(give(&["a/b"]), ["a__b"]);
        assert_eq!(give(&["a__b"]), ["a__b"]);
        assert_eq!(give(&["a/b", "a__b"]), ["a__b_2", "a__b"]);
    }

    #[test]
    fn what_is_gone_is_forgotten_in_the_end() {
        let mut kept = KeptNames::default();
        for round in 0..4 {
            let all: Vec<String> = (0..MAX_GONE).map(|n| format!("s{round}/{n}")).collect();
            kept.give(all.iter().map(String::as_str), |_| false);
        }
        assert!(kept.given.len() <= 2 * MAX_GONE, "{}", kept.given.len());
        assert_eq!(kept.given.len(), kept.owners.len());
    }

    #[test]
    fn twenty_thousand_names_that_become_one_take_one_pass() {
        let all: Vec<String> =
            (0..20_000).map(|n| format!("{n:015b}").replace('0', " ").replace('1', ".")).collect();
        let mut kept = KeptNames::default();
        for _ in 0..3 {
            let given = kept.give(all.iter().map(String::as_str), |_| false);
            assert_eq!(given.values().collect::<HashSet<_>>().len(), all.len());
        }
    }
}
