//! Any JSON value, read where it stands.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::json_cursor::{JsonCursor, NotRead, Read};

/// Brackets within brackets that are read here: what nests deeper is left to `serde_json`, which has a limit.
const SHALLOW: usize = 64;

/// So many digits always fit into a `u64`.
const SAFE_DIGITS: usize = 18;

impl<'a> JsonCursor<'a> {
    /// Reads any value.
    pub(super) fn any(&mut self) -> Read<Option<Value>> {
        self.or_by_serde(|cursor| cursor.any_within(SHALLOW))
    }

    /// What `read` reads; where it cannot, what `serde` makes of the same text, and says of it.
    pub(super) fn or_by_serde<T: Deserialize<'a>>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<Option<T>> {
        if self.null()? {
            return Ok(None);
        }
        let from = self.at;
        match read(self) {
            Ok(value) => Ok(Some(value)),
            Err(_) => {
                self.at = from;
                self.value()
            }
        }
    }

    fn any_within(&mut self, depth: usize) -> Read<Value> {
        let inner = depth.checked_sub(1);
        match self.next()? {
            b'"' => self.string().map(|text| Value::String(text.into_owned())),
            b'{' => {
                let (inner, mut all) = (inner.ok_or(NotRead(None))?, Map::new());
                self.object(|cursor, key| {
                    all.insert(key.to_owned(), cursor.any_within(inner)?);
                    Ok(())
                })?;
                Ok(Value::Object(all))
            }
            b'[' => {
                let (inner, mut all) = (inner.ok_or(NotRead(None))?, Vec::new());
                self.list(|cursor| {
                    all.push(cursor.any_within(inner)?);
                    Ok(())
                })?;
                Ok(Value::Array(all))
            }
            b't' | b'f' | b'n' => self.flag().map(|flag| flag.map_or(Value::Null, Value::Bool)),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Read<Value> {
        let from = self.at;
        self.pass_number()?;
        let text = &self.text[from..self.at];
        if text.len() <= SAFE_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let digits = text.bytes().map(|byte| u64::from(byte - b'0'));
            return Ok(digits.fold(0, |number, digit| number * 10 + digit).into());
        }
        serde_json::from_str(text).map_err(|error| NotRead(Some(error)))
    }
}
