//! The walk over a value and its compiled schema.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::bounded_json::parse_bounded;

use super::keywords::{About, Check, Id, Leaf, Node, Types};
use super::violation::{Doubt, Place, Step, Violation, format_count, show_value};

/// The maximum number of steps of one check. Default is 100,000 steps, plus 8 for each byte of JSON.
const MAX_STEPS: usize = 100_000;

/// The number of additional steps for each byte of a value. Default is 8.
const STEPS_PER_BYTE: usize = 8;

/// The maximum number of steps of a check regardless of the size of the value. Default is 10,000,000, about one second
/// of work.
const MAX_STEPS_IN_ALL: usize = 10_000_000;

/// The maximum number of cached results. Default is 100,000.
const MAX_KNOWN: usize = 100_000;

/// The maximum depth of a value and its schemas. Default is 512; parsed JSON has at most 127 levels.
const MAX_DEPTH: usize = 512;

/// The mode in which a value is checked against a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckMode {
    /// Every keyword is checked.
    Whole,
    /// A Rust type has deserialized the value, so keywords about its shape are skipped.
    Read,
}

/// An object that lacks a member with bounds, and has unknown members that may be aliases of it.
#[derive(Clone, Debug)]
pub(super) struct Suspect {
    pub(super) node: Id,
    pub(super) path: Vec<Step>,
    pub(super) unknown: Vec<String>,
    pub(super) absent: Vec<String>,
}

pub(super) struct Walk<'b> {
    pub(super) nodes: &'b [Node],
    pub(super) found: Vec<Violation>,
    pub(super) suspects: Vec<Suspect>,
    /// Whether the check was aborted.
    pub(super) is_exhausted: bool,
    /// Whether a type has deserialized the value, which may therefore contain aliases.
    pub(super) is_read: bool,
    steps: usize,
    /// The whole value, until its size has been added to the steps.
    reserve: Option<&'b Value>,
    /// The number of enclosing checks that need only a yes-or-no result.
    quiet: usize,
    most: usize,
    /// Whether the list or object at an address matches a schema that is referenced several times. Without this cache,
    /// the work for a schema that refers to itself twice would double with each level.
    known: HashMap<(Id, usize), bool>,
}

impl<'b> Walk<'b> {
    /// Creates a walk that finds at most `most` violations of `value`.
    pub(super) fn new(nodes: &'b [Node], value: &'b Value, is_read: bool, most: usize) -> Self {
        Self {
            nodes,
            found: Vec::new(),
            suspects: Vec::new(),
            is_exhausted: false,
            is_read,
            steps: MAX_STEPS,
            reserve: Some(value),
            quiet: 0,
            most,
            known: HashMap::new(),
        }
    }

    /// Consumes this number of steps. Returns whether enough steps were left.
    pub(super) fn spend_steps(&mut self, steps: usize) -> bool {
        if self.steps < steps
            && let Some(value) = self.reserve.take()
        {
            let size = crate::json::size::json_size(value).saturating_mul(STEPS_PER_BYTE);
            self.steps += size.min(MAX_STEPS_IN_ALL);
        }
        match self.steps.checked_sub(steps) {
            Some(left) => self.steps = left,
            None => {
                self.steps = 0;
                self.is_exhausted = true;
            }
        }
        !self.is_exhausted
    }

    /// Resets the steps before violations are collected for a value that is known to be invalid.
    pub(super) fn refill_steps(&mut self) {
        self.steps = MAX_STEPS;
        self.reserve = None;
        self.is_exhausted = false;
    }

    /// Returns whether the rest of the check cannot change the result.
    pub(super) fn is_done(&self, fits: bool) -> bool {
        self.is_exhausted || (!fits && (self.quiet > 0 || self.found.len() >= self.most))
    }

    /// Checks a value and adds violations to `found`. Returns whether the value is valid.
    pub(super) fn check_node(
        &mut self,
        id: Id,
        value: &Value,
        place: &Place<'_>,
        how: CheckMode,
    ) -> bool {
        let node = &self.nodes[id];
        if how == CheckMode::Read && !node.is_bounded {
            return true;
        }
        if place.depth > MAX_DEPTH {
            self.is_exhausted = true;
        }
        if self.is_exhausted || !self.spend_steps(1) {
            return false;
        }
        // A deserialized value may be temporary, so its address must not be cached.
        let is_kept = node.is_shared && !self.is_read && (value.is_array() || value.is_object());
        let key = (id, std::ptr::from_ref(value).addr());
        if is_kept
            && let Some(fits) = self.known.get(&key)
            && (*fits || self.quiet > 0)
        {
            return *fits;
        }
        let value = match how {
            CheckMode::Whole => Cow::Borrowed(value),
            CheckMode::Read => self.as_read(node, value),
        };
        let mut fits = true;
        for check in &node.checks {
            fits &= self.run_check(id, check, &value, place, how);
            if self.is_done(fits) {
                break;
            }
        }
        if self.is_exhausted {
            return false;
        }
        if is_kept && self.known.len() < MAX_KNOWN {
            self.known.insert(key, fits);
        }
        fits
    }

    /// Returns whether the value is valid, without collecting violations.
    pub(super) fn fits_node(&mut self, id: Id, value: &Value, place: &Place<'_>) -> bool {
        let suspects = self.suspects.len();
        self.quiet += 1;
        let fits = self.check_node(id, value, &place.one_deeper(), CheckMode::Whole);
        self.quiet -= 1;
        if !fits {
            self.suspects.truncate(suspects);
        }
        fits
    }

    /// Returns the violations and suspects of one branch, separate from other branches.
    pub(super) fn check_branch(
        &mut self,
        id: Id,
        value: &Value,
        place: &Place<'_>,
        how: CheckMode,
    ) -> (Vec<Violation>, Vec<Suspect>) {
        let found = std::mem::take(&mut self.found);
        let suspects = std::mem::take(&mut self.suspects);
        self.check_node(id, value, &place.one_deeper(), how);
        let found = std::mem::replace(&mut self.found, found);
        (found, std::mem::replace(&mut self.suspects, suspects))
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet > 0
    }

    pub(super) fn add_violation(
        &mut self,
        place: &Place<'_>,
        about: About,
        text: impl FnOnce() -> String,
    ) -> bool {
        if self.quiet == 0 && self.found.len() < self.most {
            let violation =
                Violation { path: place.collect_path(), text: text(), about, doubt: Doubt::None };
            self.found.push(violation);
        }
        false
    }

    fn run_check(
        &mut self,
        id: Id,
        check: &'b Check,
        value: &Value,
        place: &Place<'_>,
        how: CheckMode,
    ) -> bool {
        match check {
            Check::Leaf(leaf) => self.check_leaf(leaf, value, place, how),
            Check::Members(members) => match value {
                Value::Object(object) => self.check_members(id, members, object, place, how),
                // A struct can also be deserialized from a list of its fields.
                Value::Array(items) if how == CheckMode::Read => {
                    let fields = members.named.iter().zip(items).enumerate();
                    fields.fold(true, |fits, (index, ((_, id), item))| {
                        self.check_node(*id, item, &place.index(index), how) && fits
                    })
                }
                _ => true,
            },
            Check::MemberNames(id) => {
                let mut fits = true;
                for name in value.as_object().into_iter().flat_map(Map::keys) {
                    let key = Value::from(name.as_str());
                    fits &= self.check_node(*id, &key, &place.child_key(name), how);
                    if self.is_done(fits) {
                        break;
                    }
                }
                fits
            }
            Check::Dependent(all) => {
                self.spend_steps(all.len())
                    && all.iter().fold(true, |fits, (name, id)| {
                        let applies = value.is_object() && value.get(name).is_some();
                        (!applies || self.check_node(*id, value, &place.one_deeper(), how)) && fits
                    })
            }
            Check::Items { first, rest } => {
                let Value::Array(items) = value else { return true };
                let mut fits = true;
                for (index, item) in items.iter().enumerate() {
                    let Some(id) = first.get(index).or(rest.as_ref()) else { break };
                    fits &= self.check_node(*id, item, &place.index(index), how);
                    if self.is_done(fits) {
                        break;
                    }
                }
                fits
            }
            Check::Contains { item, least, most } => {
                let Value::Array(items) = value else { return true };
                let mut wanted = 0_u64;
                for (index, value) in items.iter().enumerate() {
                    wanted += u64::from(self.fits_node(*item, value, &place.index(index)));
                    let is_enough = most.is_none() && wanted >= *least;
                    if is_enough || self.is_exhausted {
                        break;
                    }
                }
                let bound = match most {
                    _ if wanted < *least => Some(("at least", *least)),
                    Some(most) if wanted > *most => Some(("at most", *most)),
                    _ => return true,
                };
                self.add_violation(place, About::Bound, || {
                    let (must, bound) = bound.unwrap_or_default();
                    let own = format_count(wanted, "item matches", "items match");
                    format!("{own} `contains`, but there must be {must} {bound}")
                })
            }
            Check::All(ids) => {
                let mut fits = true;
                for id in ids {
                    fits &= self.check_node(*id, value, &place.one_deeper(), how);
                    if self.is_done(fits) {
                        break;
                    }
                }
                fits
            }
            Check::Any { branches, only_one } => {
                self.check_any(branches, *only_one, value, place, how)
            }
            Check::Not(id) => {
                !self.fits_node(*id, value, place)
                    || self.add_violation(place, About::Bound, || {
                        format!("{} is not allowed here", show_value(value))
                    })
            }
            Check::If { condition, then, otherwise } => {
                let next = if self.fits_node(*condition, value, place) { then } else { otherwise };
                next.is_none_or(|id| self.check_node(id, value, &place.one_deeper(), how))
            }
            Check::LeftOver { schema, is_about_items } => {
                self.check_unevaluated(id, *schema, *is_about_items, value, place, how)
            }
        }
    }

    fn check_leaf(
        &mut self,
        leaf: &Leaf,
        value: &Value,
        place: &Place<'_>,
        how: CheckMode,
    ) -> bool {
        if how == CheckMode::Read && leaf.is_shape() {
            return true;
        }
        if !self.spend_steps(leaf.check_cost(value)) {
            return false;
        }
        if leaf.is_met(value) {
            return true;
        }
        let mut doubt = Doubt::None;
        if let Leaf::Listed(listed) = leaf {
            let same = std::mem::discriminant(value);
            if how == CheckMode::Read
                && !listed.values.iter().any(|it| std::mem::discriminant(it) == same)
            {
                return true; // the type accepts more than its schema shows
            }
            if value.is_string() {
                doubt = Doubt::Alias;
            }
        }
        let before = self.found.len();
        self.add_violation(place, leaf.violation_subject(), || leaf.describe_violation(value));
        if let Some(violation) = self.found.get_mut(before) {
            violation.doubt = doubt;
        }
        false
    }

    /// Returns the value as a type may have deserialized it. If the schema does not allow strings, a string that
    /// contains JSON of an allowed type, such as `"5"`, is replaced by that value.
    fn as_read<'v>(&mut self, node: &Node, value: &'v Value) -> Cow<'v, Value> {
        let is_text = |types: &Types| !types.has_type("string");
        if let (Value::String(text), Some(types)) =
            (value, node.types.as_ref().filter(|it| is_text(it)))
            && self.spend_steps(text.len() / 4)
            && let Ok(inner) = parse_bounded(text.as_bytes())
            && types.allows_value(&inner)
        {
            return Cow::Owned(inner);
        }
        Cow::Borrowed(value)
    }
}
