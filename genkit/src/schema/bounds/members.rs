//! The members of an object, beside the schemas of them.

use serde_json::{Map, Value};

use super::keywords::{About, Id, Members, Rest};
use super::violation::Place;
use super::walk::{How, Suspect, Walk};

impl Walk<'_> {
    pub(super) fn members(
        &mut self,
        id: Id,
        members: &Members,
        object: &Map<String, Value>,
        place: &Place<'_>,
        how: How,
    ) -> bool {
        let mut fits = true;
        let mut absent = Vec::new();
        for (name, id) in &members.named {
            match object.get(name) {
                Some(value) => fits &= self.node(*id, value, &place.key(name), how),
                None if self.is_read && self.nodes[*id].is_bounded => absent.push(name),
                None => {}
            }
            if !fits && (self.is_quiet() || self.is_exhausted) {
                return false;
            }
        }
        let needs_others = match members.rest {
            Rest::Anything => false,
            Rest::Nothing => how == How::Whole,
            Rest::Schema(id) => how == How::Whole || self.nodes[id].is_bounded,
        };
        if needs_others || !members.patterns.is_empty() {
            for (name, value) in object {
                fits &= self.other_member(members, name, value, &place.key(name), how);
                if !fits && (self.is_quiet() || self.is_exhausted) {
                    return false;
                }
            }
        }
        if !absent.is_empty() {
            let unknown: Vec<String> =
                object.keys().filter(|name| !members.knows(name)).cloned().collect();
            if !unknown.is_empty() {
                let absent = absent.into_iter().cloned().collect();
                self.suspects.push(Suspect { node: id, path: place.path(), unknown, absent });
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
        how: How,
    ) -> bool {
        let mut is_known = members.index.contains_key(name);
        let mut fits = true;
        for (regex, id) in &members.patterns {
            if regex.is_match(name) {
                is_known = true;
                fits &= self.node(*id, value, place, how);
            }
        }
        match members.rest {
            _ if is_known => fits,
            Rest::Schema(id) => self.node(id, value, place, how) && fits,
            Rest::Nothing if how == How::Whole => self.fail(place, About::Parts, || {
                let known: Vec<_> =
                    members.named.iter().map(|(name, _)| format!("`{name}`")).collect();
                match known.is_empty() {
                    true => "additional properties are not allowed: leave it out".to_owned(),
                    false => {
                        let known = known.join(", ");
                        format!("additional properties are not allowed, only {known}")
                    }
                }
            }),
            _ => fits,
        }
    }
}
