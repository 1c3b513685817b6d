//! A list of actions, sorted by name. It compiles to less code than a `BTreeMap` per kind, which would add 7 KB to every
//! program.

pub(super) struct NamedActions<A>(Vec<(String, A)>);

impl<A> Default for NamedActions<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<A> NamedActions<A> {
    /// Adds `action` unless `name` is taken. If it is taken, returns the action that already has the name.
    pub(super) fn insert_action(&mut self, name: &str, action: A) -> Option<&A> {
        match self.find_index(name) {
            Ok(taken) => Some(&self.0[taken].1),
            Err(place) => {
                self.0.insert(place, (name.to_owned(), action));
                None
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&A> {
        self.find_index(name).ok().map(|place| &self.0[place].1)
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<A> {
        let place = self.find_index(name).ok()?;
        Some(self.0.remove(place).1)
    }

    /// Iterates over the actions, sorted by name.
    pub(super) fn values(&self) -> impl Iterator<Item = &A> {
        self.0.iter().map(|(_, action)| action)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find_index(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_taken_once_until_it_is_removed_and_names_are_sorted() {
        let mut named = NamedActions::default();
        assert!(named.is_empty());
        for (name, number) in [("m", 1), ("z", 2), ("a", 3), ("b", 4)] {
            assert_eq!(named.insert_action(name, number), None);
        }
        assert_eq!(named.insert_action("z", 5), Some(&2));
        assert_eq!(named.values().copied().collect::<Vec<_>>(), [3, 4, 1, 2]);
        assert_eq!((named.get("b"), named.get("c"), named.len()), (Some(&4), None, 4));
        assert_eq!((named.remove("b"), named.remove("b")), (Some(4), None));
        assert_eq!(named.insert_action("b", 6), None);
        assert_eq!(named.values().copied().collect::<Vec<_>>(), [3, 6, 1, 2]);
    }
}
