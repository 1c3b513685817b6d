//! Access to the parts of lists, objects and enums. Each part is a path segment.

use std::cell::RefCell;
use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde_json::{Error, Value};

use super::Segment;
use super::key::Key;
use super::reader::{Watched, note};

/// The elements of a list.
pub(super) struct Items<'de, 'w> {
    pub(super) items: slice::Iter<'de, Value>,
    pub(super) read: usize,
    pub(super) way_back: &'w RefCell<Vec<Segment>>,
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some(value) = self.items.next() else { return Ok(None) };
        let index = self.read;
        self.read += 1;
        let item = Watched { value, way_back: self.way_back };
        item.part(|| Segment::Index(index), seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The members of an object.
pub(super) struct Members<'de, 'w> {
    pub(super) members: serde_json::map::Iter<'de>,
    pub(super) next: Option<(&'de String, &'de Value)>,
    pub(super) way_back: &'w RefCell<Vec<Segment>>,
}

impl<'de> MapAccess<'de> for Members<'de, '_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        self.next = self.members.next();
        let Some((key, _)) = self.next else { return Ok(None) };
        let step = || Segment::Key(key.clone());
        note(self.way_back, step, seed.deserialize(Key(key))).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let Some((key, value)) = self.next.take() else {
            return Err(Error::custom("value is missing"));
        };
        let member = Watched { value, way_back: self.way_back };
        member.part(|| Segment::Key(key.clone()), seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// An enum as an object with one member: the name and content of the variant.
pub(super) struct Variant<'de, 'w> {
    pub(super) name: &'de String,
    pub(super) inner: Watched<'de, 'w>,
}

impl<'de> EnumAccess<'de> for Variant<'de, '_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let name = StrDeserializer::<Error>::new(self.name);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> Variant<'de, '_> {
    fn read<T>(self, result: Result<T, Error>) -> Result<T, Error> {
        note(self.inner.way_back, || Segment::Key(self.name.clone()), result)
    }
}

impl<'de> VariantAccess<'de> for Variant<'de, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        let result = serde::Deserialize::deserialize(self.inner);
        self.read(result)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        let result = seed.deserialize(self.inner);
        self.read(result)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        let result = self.inner.deserialize_seq(visitor);
        self.read(result)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let result = self.inner.deserialize_map(visitor);
        self.read(result)
    }
}
