//! Checks of the members of an object.

use serde_json::{Map, Value};

use super::keywords::{About, AdditionalMembers, Id, Members};
use super::pattern::Pattern;
use super::violation::Place;
use super::walk::{CheckMode, Suspect, Walk};

/// The maximum number of allowed names that a message lists. Default is 20.
const MAX_NAMED: usize = 20;

impl Walk<'_> {
    pub(super) fn check_members(
        &mut self,
        id: Id,
        members: &Members,
        object: &Map<String, Value>,
        place: &Place<'_>,
        how: CheckMode,
    ) -> bool {
        let mut fits = true;
        let mut absent = Vec::new();
        let is_small = !self.is_read && object.len() < members.named.len();
        if !self.spend_steps(if is_small { object.len() } else { members.named.len() }) {
            return false;
        }
        if is_small {
            for (name, value) in object {
                let Some(at) = members.index.get(name) else { continue };
                fits &= self.check_node(members.named[*at].1, value, &place.child_key(name), how);
                if self.is_done(fits) {
                    return false;
                }
            }
        }
        for (name, id) in members.named.iter().filter(|_| !is_small) {
            match object.get(name) {
                Some(value) => fits &= self.check_node(*id, value, &place.child_key(name), how),
                None if self.is_read && self.nodes[*id].is_bounded => absent.push(name),
                None => {}
            }
            if self.is_done(fits) {
                return false;
            }
        }
        let needs_others = match members.rest {
            AdditionalMembers::Anything => false,
            AdditionalMembers::Nothing => how == CheckMode::Whole,
            AdditionalMembers::Schema(id) => how == CheckMode::Whole || self.nodes[id].is_bounded,
        };
        if needs_others || !members.patterns.is_empty() {
            for (name, value) in object {
                fits &= self.other_member(members, name, value, &place.child_key(name), how);
                if self.is_done(fits) {
                    return false;
                }
            }
        }
        if !absent.is_empty() {
            let mut unknown: Vec<String> = Vec::new();
            for name in object.keys() {
                if !self.is_known_member(members, name) {
                    unknown.push(name.clone());
                }
            }
            if !unknown.is_empty() && self.spend_steps(32 + 8 * unknown.len()) {
                let absent = absent.into_iter().cloned().collect();
                self.suspects.push(Suspect {
                    node: id,
                    path: place.collect_path(),
                    unknown,
                    absent,
                });
            }
        }
        fits
    }

    fn other_member(
        &mut self,
        members: &Members,
        name: &str,
        value: &Value,
        place: &Place<'_>,
        how: CheckMode,
    ) -> bool {
        let mut is_known = members.index.contains_key(name);
        let mut fits = true;
        for (pattern, id) in &members.patterns {
            if self.matches_name(pattern, name) {
                is_known = true;
                fits &= self.check_node(*id, value, place, how);
            }
            if self.is_done(fits) {
                return false;
            }
        }
        match members.rest {
            _ if is_known => fits,
            AdditionalMembers::Schema(id) => self.check_node(id, value, place, how) && fits,
            AdditionalMembers::Nothing if how == CheckMode::Whole => {
                self.add_violation(place, About::Parts, || {
                    let known = members.named.iter().take(MAX_NAMED);
                    let known: Vec<_> = known.map(|(name, _)| format!("`{name}`")).collect();
                    match known.is_empty() {
                        true => {
                            "additional properties are not allowed; remove this property".to_owned()
                        }
                        false => {
                            let known = known.join(", ");
                            format!("additional properties are not allowed, only {known}")
                        }
                    }
                })
            }
            _ => fits,
        }
    }

    /// Returns whether a name has its own schema.
    pub(super) fn is_known_member(&mut self, members: &Members, name: &str) -> bool {
        members.index.contains_key(name)
            || members.patterns.iter().any(|(pattern, _)| self.matches_name(pattern, name))
    }

    /// Returns whether a name matches a pattern, within the remaining steps.
    fn matches_name(&mut self, pattern: &Pattern, name: &str) -> bool {
        if !self.spend_steps(pattern.match_cost(name)) {
            return false;
        }
        pattern.is_match(name).unwrap_or_else(|| {
            self.is_exhausted = true;
            false
        })
    }
}
