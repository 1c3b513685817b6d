//! The members of a JSON object that make it a JSON-RPC message.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::outline::Id;

/// The members that determine the kind of a message. Each can have any type.
#[derive(Deserialize)]
pub struct Envelope<'a> {
    #[serde(borrow, default)]
    pub jsonrpc: Member<'a>,
    #[serde(default, deserialize_with = "present")]
    pub id: Id,
    #[serde(borrow, default)]
    pub method: Member<'a>,
    #[serde(borrow, default)]
    pub result: Member<'a>,
    #[serde(borrow, default)]
    pub error: Member<'a>,
}

impl Envelope<'_> {
    fn is_answer(&self) -> bool {
        !matches!((&self.result, &self.error), (Member::Absent, Member::Absent))
    }

    /// Returns the problem with these members, if the object is not a valid message.
    pub fn find_problem(&self) -> Option<&'static str> {
        if !self.jsonrpc.is("2.0") {
            return Some(r#"`jsonrpc` must be "2.0""#);
        }
        match (&self.method, &self.id) {
            (Member::Null | Member::Other, _) => Some("`method` must be a string"),
            (_, Id::Unusable) => Some("`id` must be a string or an integer"),
            (Member::Absent, _) if !self.is_answer() => Some("`method` is missing"),
            (Member::Text(_), _) if self.is_answer() => {
                Some("a request must have neither `result` nor `error`")
            }
            _ => None,
        }
    }
}

/// A member whose value matters only if it is a string.
#[derive(Default)]
pub enum Member<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Null,
    Other,
}

impl Member<'_> {
    fn is(&self, text: &str) -> bool {
        matches!(self, Self::Text(own) if own == text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Member<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MemberVisitor)
    }
}

struct MemberVisitor;

impl<'de> de::Visitor<'de> for MemberVisitor {
    type Value = Member<'de>;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("any JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Member::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Member::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Member::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Member::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Member::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Member::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Member::Null)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        de::IgnoredAny.visit_seq(seq).map(|_| Member::Other)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        de::IgnoredAny.visit_map(map).map(|_| Member::Other)
    }
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
    Value::deserialize(deserializer).map(Id::from_value)
}
