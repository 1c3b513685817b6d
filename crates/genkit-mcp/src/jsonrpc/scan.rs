//! A single pass over the bytes of a message that finds its raw members and checks the limits.

use std::borrow::Cow;
use std::ops::Range;

use super::nesting::MAX_NESTING;
use super::values::MAX_VALUES;
use genkit_core::internal::bounded_json::{
    CONTAINER_WEIGHT, STRING_WEIGHT, changed_number_error, is_changed_number,
};

/// The members of a message, as raw JSON that is known to be valid.
#[derive(Debug, Default, PartialEq)]
pub struct Members<'a> {
    pub jsonrpc: Option<&'a str>,
    pub id: Option<&'a str>,
    pub method: Option<&'a str>,
    pub params: Option<&'a str>,
    pub result: Option<&'a str>,
    pub error: Option<&'a str>,
    /// A number in the parameters or the result that a `Value` would change.
    changed_number: Option<&'a str>,
}

/// The reason why a string is not a JSON object within the limits.
#[derive(Debug, PartialEq)]
pub enum ScanError {
    /// The text is not valid JSON; `serde_json` reports the position.
    NotJson,
    /// The nesting is deeper than [`MAX_NESTING`].
    TooDeep,
    /// There are more than [`MAX_VALUES`] values.
    TooMany,
    /// This member occurs twice.
    Duplicate(&'static str),
}

/// Splits a JSON object into its members. Only white space may surround the object.
pub fn members(text: &str) -> Result<Members<'_>, ScanError> {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0, values: 0, changed_number: None };
    let mut members = Members::default();
    cursor.skip_whitespace();
    cursor.expect_byte(b'{')?;
    cursor.count_values(CONTAINER_WEIGHT)?;
    cursor.skip_whitespace();
    if !cursor.take_byte(b'}') {
        loop {
            cursor.skip_whitespace();
            let key = cursor.string()?;
            cursor.skip_whitespace();
            cursor.expect_byte(b':')?;
            cursor.skip_whitespace();
            let value = cursor.value()?;
            let changed_number = cursor.changed_number.take().map(|found| &text[found]);
            members.set(&text[key], &text[value], changed_number)?;
            cursor.skip_whitespace();
            if !cursor.take_byte(b',') {
                cursor.expect_byte(b'}')?;
                break;
            }
        }
    }
    cursor.skip_whitespace();
    if cursor.at < text.len() { Err(ScanError::NotJson) } else { Ok(members) }
}

/// Returns the text of a raw JSON string; `None` for any other value.
pub fn parse_string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

impl<'a> Members<'a> {
    /// Checks that the parameters and the result have no number that a `Value` would change.
    pub fn check_numbers(&self) -> serde_json::Result<()> {
        self.changed_number.map_or(Ok(()), |number| Err(changed_number_error(number)))
    }

    fn set(
        &mut self,
        key: &str,
        value: &'a str,
        changed_number: Option<&'a str>,
    ) -> Result<(), ScanError> {
        let key = parse_string(key).ok_or(ScanError::NotJson)?;
        if matches!(&*key, "params" | "result") {
            self.changed_number = self.changed_number.or(changed_number);
        }
        let (slot, name) = match &*key {
            "jsonrpc" => (&mut self.jsonrpc, "jsonrpc"),
            "id" => (&mut self.id, "id"),
            "method" => (&mut self.method, "method"),
            "params" => (&mut self.params, "params"),
            "result" => (&mut self.result, "result"),
            "error" => (&mut self.error, "error"),
            _ => return Ok(()),
        };
        match slot.replace(value) {
            Some(_) => Err(ScanError::Duplicate(name)),
            None => Ok(()),
        }
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    values: usize,
    /// The position of the first number in the current member that a `Value` would round.
    changed_number: Option<Range<usize>>,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take_byte(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect_byte(&mut self, wanted: u8) -> Result<(), ScanError> {
        if self.take_byte(wanted) { Ok(()) } else { Err(ScanError::NotJson) }
    }

    fn count_values(&mut self, weight: usize) -> Result<(), ScanError> {
        self.values += weight;
        if self.values > MAX_VALUES { Err(ScanError::TooMany) } else { Ok(()) }
    }

    /// Skips one value without recursion. Each open bracket is stored as one bit.
    fn value(&mut self) -> Result<Range<usize>, ScanError> {
        let start = self.at;
        // The message itself is the first level.
        let (mut open, mut depth) = (0_u128, 1);
        loop {
            self.skip_whitespace();
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    self.count_values(CONTAINER_WEIGHT)?;
                    self.at += 1;
                    self.skip_whitespace();
                    if self.peek() == Some(bracket + 2) {
                        if depth == MAX_NESTING {
                            return Err(ScanError::TooDeep);
                        }
                        self.at += 1;
                    } else {
                        depth += 1;
                        if depth > MAX_NESTING {
                            return Err(ScanError::TooDeep);
                        }
                        open = open << 1 | u128::from(bracket == b'{');
                        if bracket == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => {
                    self.count_values(STRING_WEIGHT)?;
                    self.string()?;
                }
                _ => {
                    self.count_values(1)?;
                    self.scalar()?;
                }
            }
            // A value ended. Close all containers that end with it.
            loop {
                if depth == 1 {
                    return Ok(start..self.at);
                }
                self.skip_whitespace();
                let is_object = open & 1 == 1;
                if self.take_byte(b',') {
                    if is_object {
                        self.key()?;
                    }
                    break;
                }
                self.expect_byte(if is_object { b'}' } else { b']' })?;
                open >>= 1;
                depth -= 1;
            }
        }
    }

    /// Skips a number or a literal.
    fn scalar(&mut self) -> Result<(), ScanError> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            Some(b'n') => self.literal(b"null"),
            _ => Err(ScanError::NotJson),
        }
    }

    fn key(&mut self) -> Result<(), ScanError> {
        self.count_values(STRING_WEIGHT)?;
        self.skip_whitespace();
        self.string()?;
        self.skip_whitespace();
        self.expect_byte(b':')
    }

    /// Skips a string, including its quotes.
    fn string(&mut self) -> Result<Range<usize>, ScanError> {
        let start = self.at;
        self.expect_byte(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1F) | None => return Err(ScanError::NotJson),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), ScanError> {
        self.at += 2;
        match self.bytes.get(self.at - 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
                let first = self.hex()?;
                let second = matches!(first, 0xD800..=0xDBFF) && {
                    self.expect_byte(b'\\')?;
                    self.expect_byte(b'u')?;
                    true
                };
                // A lone surrogate is not a character and cannot be stored in a string.
                match (first, second) {
                    (0xDC00..=0xDFFF, _) => Err(ScanError::NotJson),
                    (_, true) if !matches!(self.hex()?, 0xDC00..=0xDFFF) => Err(ScanError::NotJson),
                    _ => Ok(()),
                }
            }
            _ => Err(ScanError::NotJson),
        }
    }

    fn hex(&mut self) -> Result<u32, ScanError> {
        let digits = self.bytes.get(self.at..self.at + 4).ok_or(ScanError::NotJson)?;
        self.at += 4;
        digits.iter().try_fold(0, |sum, digit| {
            let digit = char::from(*digit).to_digit(16).ok_or(ScanError::NotJson)?;
            Ok(sum * 16 + digit)
        })
    }

    fn number(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        self.take_byte(b'-');
        if !self.take_byte(b'0') {
            self.digits()?;
        }
        if self.take_byte(b'.') {
            self.digits()?;
        }
        if self.take_byte(b'e') || self.take_byte(b'E') {
            let _ = self.take_byte(b'+') || self.take_byte(b'-');
            self.digits()?;
        }
        if self.changed_number.is_none() && is_changed_number(&self.bytes[start..self.at]) {
            self.changed_number = Some(start..self.at);
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(ScanError::NotJson) } else { Ok(()) }
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), ScanError> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(ScanError::NotJson);
        }
        self.at += word.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_verbatim() {
        let text =
            r#" { "id" : 7 ,"method":"a\u002fb","params":{"x":[1,{"id":2}],"y":"}\""} , "z":[] } "#;
        let found = members(text).expect("a message");
        assert_eq!((found.id, found.method), (Some("7"), Some(r#""a\u002fb""#)));
        assert_eq!(found.params, Some(r#"{"x":[1,{"id":2}],"y":"}\""}"#));
        assert_eq!((found.jsonrpc, found.result, found.error), (None, None, None));
        assert_eq!(parse_string(found.method.expect("one")).as_deref(), Some("a/b"));
        assert_eq!(members("{}"), Ok(Members::default()));
        assert_eq!(members(r#"{"\u0069d":1}"#).expect("a message").id, Some("1"));
        assert_eq!(members(r#"{"id":1,"i\u0064":2}"#), Err(ScanError::Duplicate("id")));
    }

    /// Numbers that are out of range are still valid JSON.
    #[test]
    fn scanner_accepts_the_same_json_as_serde_json() {
        for value in [
            "0",
            "-0",
            "1.5e-3",
            "01",
            "1.",
            ".5",
            "-",
            "1e",
            "1e+",
            "+1",
            "1e5",
            "--1",
            "0x1",
            r#""""#,
            r#""\n\"\\\/\b\f\r\t""#,
            r#""\x""#,
            r#""\u12"#,
            r#""\u12g4""#,
            "\"\u{1}\"",
            r#""\ud83d\ude00""#,
            r#""\ud83d""#,
            r#""\ude00""#,
            r#""\ud83d\u0041""#,
            "\"\u{fc}\"",
            r#""\ud83dx""#,
            "[]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1,2]",
            "[[],[[]],{}]",
            "{}",
            "{,}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1 "b":2}"#,
            r#"{a:1}"#,
            r#"{"a":[}"#,
            r#"{"a":{"b":[1,{"c":null}]}}"#,
            "[}",
            "{]",
            "true",
            "tru",
            "nul",
            "falsey",
            "nan",
            "",
            " ",
            "'a'",
            "[1]]",
            "1 1",
            "\u{feff}1",
        ] {
            let text = format!(r#"{{"params":{value}}}"#);
            let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            assert_eq!(members(&text).is_ok(), is_json, "{text}");
            if is_json {
                assert_eq!(members(&text).expect("a message").params, Some(value));
            }
        }
        let long = "9".repeat(400);
        for number in ["1e400", &long, "-1e999999999999"] {
            let text = format!(r#"{{"params":{{"x":{number}}},"id":1}}"#);
            assert_eq!(members(&text).expect("JSON").id, Some("1"));
        }
    }

    #[test]
    fn integers_that_would_be_rounded_are_found() {
        for (value, is_kept) in [
            ("18446744073709551615", true),
            ("0.1", true),
            ("1e2", true),
            ("18446744073709551616", false),
        ] {
            for member in ["params", "result"] {
                let text = format!(r#"{{"{member}":{{"x":[{value}]}}}}"#);
                let found = members(&text).expect("a message").check_numbers();
                assert_eq!(found.is_ok(), is_kept, "{text}");
            }
        }
    }

    #[test]
    fn truncated_message_is_invalid() {
        let text = r#"{"jsonrpc":"2.0","id":"\u00fc","params":{"a":[1.5e3,true,null,{"b":"\\"}]}}"#;
        members(text).expect("a message");
        for end in 0..text.len() {
            assert_eq!(members(&text[..end]), Err(ScanError::NotJson), "{}", &text[..end]);
        }
    }

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        let nested = |levels: usize| {
            format!(r#"{{"params":{}{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1))
        };
        assert!(members(&nested(MAX_NESTING)).is_ok());
        assert_eq!(members(&nested(MAX_NESTING + 1)), Err(ScanError::TooDeep));
        assert_eq!(members(&nested(100_000)), Err(ScanError::TooDeep));
        let many = |values: usize| format!(r#"{{"params":[{}0]}}"#, "0,".repeat(values - 7));
        assert!(members(&many(MAX_VALUES)).is_ok());
        assert_eq!(members(&many(MAX_VALUES + 1)), Err(ScanError::TooMany));
    }
}
