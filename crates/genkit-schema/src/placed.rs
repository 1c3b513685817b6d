//! Deserialization of JSON with errors that name the position: ``at `lines[0].amount`: invalid type: ..``

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// One segment of a path into a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    Key(String),
    Index(usize),
}

/// The path to a part of a value. A path without segments refers to the whole value.
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
pub struct Mismatch {
    pub place: Place,
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, message } = self;
        match place.is_whole() {
            true => f.write_str(message),
            false => write!(f, "at `{place}`: {message}"),
        }
    }
}

/// Deserializes `value` as `T`.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Mismatch> {
    // Tracking the path is slower, so it is only done after an error.
    T::deserialize(value)
        .map_err(|error| Mismatch { place: place_in::<T>(value), message: error.to_string() })
}

fn place_in<T: DeserializeOwned>(value: &Value) -> Place {
    use serde_path_to_error::Segment as Step;
    let Err(error) = serde_path_to_error::deserialize::<_, T>(value) else {
        return Place::default();
    };
    let steps = error.path().iter().filter_map(|step| match step {
        Step::Seq { index } => Some(Segment::Index(*index)),
        Step::Map { key } => Some(Segment::Key(key.clone())),
        Step::Enum { variant } => Some(Segment::Key(variant.clone())),
        Step::Unknown => None,
    });
    let steps: Vec<_> = steps.collect();
    let part = steps.iter().try_fold(value, |part, step| match step {
        Segment::Key(key) => part.get(key),
        Segment::Index(index) => part.get(index),
    });
    let key = part.and_then(|part| invalid_key(part, &error.inner().to_string()));
    Place(steps.into_iter().chain(key.cloned().map(Segment::Key)).collect())
}

/// Returns the key of an object that does not parse as the number or boolean that its map requires. The path of the
/// error does not contain such a key.
fn invalid_key<'a>(part: &'a Value, message: &str) -> Option<&'a String> {
    let is_text = message.starts_with("invalid type: string");
    let is_number = message.contains("expected key to be a number");
    part.as_object()?.keys().find(|key| match is_number {
        true => key.parse::<serde_json::Number>().is_err(),
        false => is_text && message.contains(&format!("{key:?}")),
    })
}

#[cfg(test)]
mod tests;
