//! Unevaluated members and items, which no other keyword has evaluated.

use serde_json::Value;

use super::keywords::{AdditionalMembers, Check, Id};
use super::violation::Place;
use super::walk::{CheckMode, Walk};

impl Walk<'_> {
    /// Checks against `schema` the members (or items) of `value` that no other keyword of the schema `id` evaluates.
    pub(super) fn check_unevaluated(
        &mut self,
        id: Id,
        schema: Id,
        is_about_items: bool,
        value: &Value,
        place: &Place<'_>,
        how: CheckMode,
    ) -> bool {
        let count = match value {
            Value::Object(members) if !is_about_items => members.len(),
            Value::Array(items) if is_about_items => items.len(),
            _ => return true,
        };
        let mut seen = vec![false; count];
        self.mark_evaluated(id, value, place, &mut seen, true);
        let mut fits = true;
        match value {
            Value::Object(members) => {
                let left = members.iter().zip(seen).filter(|(_, seen)| !seen);
                for ((name, member), _) in left {
                    fits &= self.check_node(schema, member, &place.child_key(name), how);
                    if self.is_done(fits) {
                        break;
                    }
                }
            }
            Value::Array(items) => {
                let left = items.iter().enumerate().zip(seen).filter(|(_, seen)| !seen);
                for ((index, item), _) in left {
                    fits &= self.check_node(schema, item, &place.index(index), how);
                    if self.is_done(fits) {
                        break;
                    }
                }
            }
            _ => {}
        }
        fits
    }

    /// Marks the members that the keywords of the schema `id` evaluate. `is_asking` is set for the schema that has the
    /// `unevaluated` keyword being checked.
    fn mark_evaluated(
        &mut self,
        id: Id,
        value: &Value,
        place: &Place<'_>,
        seen: &mut [bool],
        is_asking: bool,
    ) {
        if !self.spend_steps(1 + seen.len()) {
            return;
        }
        let nodes = self.nodes;
        for check in &nodes[id].checks {
            match check {
                Check::Members(members) => {
                    let Value::Object(object) = value else { continue };
                    for (seen, name) in seen.iter_mut().zip(object.keys()) {
                        let is_rest = members.sees_rest
                            || !matches!(members.rest, AdditionalMembers::Anything);
                        *seen |= is_rest || self.is_known_member(members, name);
                    }
                }
                Check::Items { first, rest } if value.is_array() => {
                    let count = if rest.is_some() { seen.len() } else { first.len() };
                    seen.iter_mut().take(count).for_each(|seen| *seen = true);
                }
                Check::Contains { item, .. } => {
                    let Value::Array(items) = value else { continue };
                    for (index, value) in items.iter().enumerate() {
                        if !seen[index] && self.fits_node(*item, value, &place.index(index)) {
                            seen[index] = true;
                        }
                    }
                }
                Check::All(ids) => {
                    ids.iter().for_each(|id| self.mark_evaluated(*id, value, place, seen, false))
                }
                Check::Any { branches, .. } => {
                    for branch in branches {
                        if self.fits_node(*branch, value, place) {
                            self.mark_evaluated(*branch, value, place, seen, false);
                        }
                    }
                }
                Check::If { condition, then, otherwise } => {
                    let next = if self.fits_node(*condition, value, place) {
                        self.mark_evaluated(*condition, value, place, seen, false);
                        then
                    } else {
                        otherwise
                    };
                    if let Some(next) = next {
                        self.mark_evaluated(*next, value, place, seen, false);
                    }
                }
                Check::Dependent(all) => {
                    for (name, id) in all {
                        if value.get(name).is_some() {
                            self.mark_evaluated(*id, value, place, seen, false);
                        }
                    }
                }
                // An inner schema's `unevaluated` keyword has evaluated all remaining members.
                Check::LeftOver { is_about_items, .. }
                    if !is_asking && *is_about_items == value.is_array() =>
                {
                    seen.fill(true);
                }
                _ => {}
            }
        }
    }
}
