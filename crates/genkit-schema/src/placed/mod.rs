//! Deserialization of JSON with errors that name the position: ``at `lines[0].amount`: invalid type: ..``

mod key;
mod parts;
mod reader;

use std::cell::RefCell;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// One segment of a path into a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    Key(String),
    Index(usize),
}

/// The path to a part of a value. Without segments, it is the whole value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place(Vec<Segment>);

impl Place {
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the enclosing segment to the path.
    pub fn inside(mut self, segment: Segment) -> Self {
        self.0.insert(0, segment);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if depth == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A part that does not match its type, with serde's message.
#[derive(Debug)]
pub struct Misfit {
    pub place: Place,
    pub message: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, message } = self;
        match place.is_whole() {
            true => f.write_str(message),
            false => write!(f, "at `{place}`: {message}"),
        }
    }
}

/// Deserializes `value` as `T`.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Misfit> {
    // Tracking the path is slower, so it is only done after an error.
    T::deserialize(value)
        .map_err(|error| Misfit { place: place_in::<T>(value), message: error.to_string() })
}

fn place_in<T: DeserializeOwned>(value: &Value) -> Place {
    let way_back = RefCell::default();
    match T::deserialize(reader::Watched { value, way_back: &way_back }) {
        Ok(_) => Place::default(),
        Err(_) => Place(way_back.into_inner().into_iter().rev().collect()),
    }
}

#[cfg(test)]
mod tests;
