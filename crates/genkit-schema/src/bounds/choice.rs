//! Choices: finds the branch of `anyOf` and `oneOf` that a value is intended for.

use serde_json::Value;

use crate::bounded_json::parse_bounded;

use super::keywords::{Check, Id, Types, ViolationSubject};
use super::violation::{Doubt, Place, Step, Violation, show_value};
use super::walk::{CheckMode, Suspect, Walk};

impl Walk<'_> {
    pub(super) fn check_any(
        &mut self,
        branches: &[Id],
        only_one: bool,
        value: &Value,
        place: &Place<'_>,
        how: CheckMode,
    ) -> bool {
        let strict = only_one && how == CheckMode::Whole;
        let mut fitting = 0;
        for branch in branches {
            if self.fits_node(*branch, value, place) {
                fitting += 1;
                if !strict {
                    return true;
                }
            }
            if self.is_exhausted || fitting > 1 {
                break;
            }
        }
        if self.is_exhausted {
            return false;
        }
        match fitting {
            1 => return true,
            0 if self.is_quiet() => return false,
            0 => {}
            _ => {
                return self.add_violation(place, ViolationSubject::Bound, || {
                    format!(
                        "{} is valid under more than one of its alternatives",
                        show_value(value)
                    )
                });
            }
        }
        // The branch with the right shape is the intended branch, so report its violations.
        let mut broken: Vec<Vec<Violation>> = Vec::new();
        for branch in branches {
            broken.push(self.check_branch(*branch, value, place, CheckMode::Whole).0);
            if self.is_exhausted {
                return false;
            }
        }
        let meant =
            broken.iter().filter(|all| all.iter().all(|it| it.about == ViolationSubject::Bound));
        if let Some(meant) = meant.min_by_key(|all| all.len()) {
            return self.report_violations(meant.clone());
        }
        match how {
            CheckMode::Read => self.check_choice_as_read(branches, value, place),
            CheckMode::Whole => {
                // A branch with a different type or tag is not the intended branch.
                let reach = place.collect_path().len() + 1;
                let is_apart = |all: &&Vec<Violation>| {
                    all.iter()
                        .any(|it| it.about == ViolationSubject::Kind && it.path.len() <= reach)
                };
                let mut close = broken.iter().filter(|all| !is_apart(all));
                match (close.next(), close.next()) {
                    (Some(one), None) => self.report_violations(one.clone()),
                    _ => self.add_violation(place, ViolationSubject::Kind, || {
                        let count = branches.len();
                        format!(
                            "{} is not valid under any of its {count} alternatives",
                            show_value(value)
                        )
                    }),
                }
            }
        }
    }

    /// Checks a choice after a type accepted a value that matches no branch, because the type accepts names that the
    /// schema does not contain. The value is invalid if every possible branch rejects it.
    fn check_choice_as_read(&mut self, branches: &[Id], value: &Value, place: &Place<'_>) -> bool {
        let mut possible: Vec<Id> = branches.to_vec();
        possible.retain(|id| self.may_be(*id, value));
        let here = place.collect_path();
        let mut passing = Vec::new();
        let mut failing: Vec<Vec<Violation>> = Vec::new();
        let mut suspects: Vec<Suspect> = Vec::new();
        for branch in &possible {
            let (found, suspected) = self.check_branch(*branch, value, place, CheckMode::Read);
            if found.is_empty() {
                passing.push(*branch)
            } else {
                failing.push(found)
            }
            suspects.extend(suspected);
        }
        for suspect in suspects.iter_mut().filter(|suspect| suspect.path == here) {
            suspect.unknown.retain(|name| !possible.iter().any(|id| self.has_name(*id, name)));
        }
        suspects.retain(|suspect| !suspect.unknown.is_empty());
        self.suspects.extend(suspects);
        let Some(mut found) = failing.into_iter().min_by_key(Vec::len) else { return true };
        if passing.is_empty() {
            return self.report_violations(found);
        }
        // A branch that passes only because it does not have this member may not be the intended branch.
        found.retain(|violation| match violation.path.get(here.len()) {
            Some(Step::Key(name)) => !passing.iter().any(|id| self.has_name(*id, name)),
            _ => false,
        });
        for violation in found.iter_mut().filter(|violation| violation.doubt == Doubt::None) {
            violation.doubt = Doubt::Unread;
        }
        found.is_empty() || self.report_violations(found)
    }

    fn report_violations(&mut self, violations: Vec<Violation>) -> bool {
        self.found.extend(violations);
        false
    }

    /// Returns whether the type of `value` is allowed in a branch.
    fn may_be(&mut self, id: Id, value: &Value) -> bool {
        let Some(types) = self.allowed_types(id) else { return true };
        if types.allows_value(value) || (value.is_array() && types.has_type("object")) {
            return true;
        }
        let Some(text) = value.as_str() else { return false };
        self.spend_steps(text.len() / 4)
            && parse_bounded(text.as_bytes()).is_ok_and(|inner| types.allows_value(&inner))
    }

    fn allowed_types(&self, id: Id) -> Option<Types> {
        let node = &self.nodes[id];
        node.types.or_else(|| {
            node.checks.iter().find_map(|check| match check {
                Check::All(ids) => ids.iter().find_map(|id| self.allowed_types(*id)),
                _ => None,
            })
        })
    }

    /// Returns whether a schema defines a member with this name.
    fn has_name(&mut self, id: Id, name: &str) -> bool {
        let nodes = self.nodes;
        self.spend_steps(1)
            && nodes[id].checks.iter().any(|check| match check {
                Check::Members(members) => self.is_known_member(members, name),
                Check::All(ids) | Check::Any { branches: ids, .. } => {
                    ids.iter().any(|id| self.has_name(*id, name))
                }
                _ => false,
            })
    }
}
