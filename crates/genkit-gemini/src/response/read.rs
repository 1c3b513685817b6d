//! Deserialization of the response of `generateContent`, borrowing from its JSON text.
//!
//! `#[serde(flatten)]` would copy every field before it is read, so unknown fields are collected here.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::body::{Candidate, GenerateContentResponse, ResponseContent, ResponsePart, Text};

/// An object that is read field by field. A `null` is read as an object without fields.
trait ReadFields<'de>: Default {
    /// Reads the value of the field `key`.
    fn read_field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

struct FieldsVisitor<T>(PhantomData<T>);

impl<'de, T: ReadFields<'de>> Visitor<'de> for FieldsVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a response of `generateContent`")
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = T::default();
        while let Some(Text(key)) = map.next_key()? {
            object.read_field(&key, &mut map)?;
        }
        Ok(object)
    }
}

macro_rules! deserialize_fields {
    ($($object:ident),*) => {$(
        impl<'de> Deserialize<'de> for $object<'de> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(FieldsVisitor(PhantomData))
            }
        }
    )*};
}

deserialize_fields!(GenerateContentResponse, Candidate, ResponseContent, ResponsePart);

/// Reads a list, or `null` as an empty list.
fn read_list<'de, T: Deserialize<'de>, A: MapAccess<'de>>(map: &mut A) -> Result<Vec<T>, A::Error> {
    Ok(map.next_value::<Option<Vec<T>>>()?.unwrap_or_default())
}

impl<'de> ReadFields<'de> for GenerateContentResponse<'de> {
    fn read_field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "candidates" => self.candidates.append(&mut read_list(map)?),
            "usageMetadata" => self.usage_metadata = map.next_value()?,
            "modelVersion" => self.model_version = map.next_value()?,
            "responseId" => self.response_id = map.next_value()?,
            "createTime" => self.create_time = map.next_value()?,
            "promptFeedback" => self.prompt_feedback = map.next_value()?,
            "error" => self.error = map.next_value()?,
            _ => _ = self.rest.insert(key.to_owned(), map.next_value()?),
        }
        Ok(())
    }
}

impl<'de> ReadFields<'de> for Candidate<'de> {
    fn read_field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "content" => {
                self.content.parts.append(&mut map.next_value::<ResponseContent<'_>>()?.parts)
            }
            "index" => self.index = map.next_value()?,
            "finishReason" => self.finish_reason = map.next_value()?,
            "finishMessage" => self.finish_message = map.next_value()?,
            "safetyRatings" => self.safety_ratings = map.next_value()?,
            "groundingMetadata" => self.grounding_metadata = map.next_value()?,
            _ => _ = self.rest.insert(key.to_owned(), map.next_value()?),
        }
        Ok(())
    }
}

impl<'de> ReadFields<'de> for ResponseContent<'de> {
    fn read_field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "parts" => self.parts.append(&mut read_list(map)?),
            _ => _ = map.next_value::<serde::de::IgnoredAny>()?,
        }
        Ok(())
    }
}

impl<'de> ReadFields<'de> for ResponsePart<'de> {
    fn read_field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "text" => self.text = map.next_value()?,
            "thought" => self.thought = map.next_value()?,
            "thoughtSignature" => self.thought_signature = map.next_value()?,
            "functionCall" => self.function_call = map.next_value()?,
            "inlineData" => self.inline_data = map.next_value()?,
            "fileData" => self.file_data = map.next_value()?,
            _ => _ = self.rest.insert(key.to_owned(), map.next_value()?),
        }
        Ok(())
    }
}
