//! A single-pass JSON cursor that borrows strings and skips unread values.
//!
//! It accepts the same texts as `serde_json`. A `null` is always read as an absent value.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Error as _, IgnoredAny};
use serde_json::Value;

/// The reason why a text could not be read: the error of `serde_json` for a value in it, if there
/// is one.
pub(super) struct NotRead(Option<serde_json::Error>);

pub(super) type Read<T> = Result<T, NotRead>;

/// A position in a JSON text.
pub(super) struct JsonCursor<'a> {
    text: &'a str,
    at: usize,
}

impl NotRead {
    /// Returns the error that `serde_json` reports for `text`, or an error with the message
    /// `expected` if `text` is valid JSON.
    pub(super) fn explain(self, text: &str, expected: &str) -> serde_json::Error {
        match serde_json::from_str::<IgnoredAny>(text) {
            Err(error) => error,
            Ok(_) => self.0.unwrap_or_else(|| serde_json::Error::custom(expected)),
        }
    }
}

impl<'a> JsonCursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Reads an object, calling `member` to read the value of each key.
    #[inline]
    pub(super) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Read<()>,
    ) -> Read<()> {
        if self.null()? {
            return Ok(());
        }
        self.expect(b'{')?;
        if self.eat(b'}')? {
            return Ok(());
        }
        loop {
            self.next()?;
            let key = self.string()?;
            self.expect(b':')?;
            member(self, &key)?;
            if self.eat(b'}')? {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads a list, calling `element` to read each of its values.
    #[inline]
    pub(super) fn list(&mut self, mut element: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        if self.null()? {
            return Ok(());
        }
        self.expect(b'[')?;
        if self.eat(b']')? {
            return Ok(());
        }
        loop {
            element(self)?;
            if self.eat(b']')? {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads a string, which is borrowed unless it contains escapes.
    pub(super) fn text(&mut self) -> Read<Option<Cow<'a, str>>> {
        if self.null()? {
            return Ok(None);
        }
        self.string().map(Some)
    }

    pub(super) fn flag(&mut self) -> Read<Option<bool>> {
        match self.next()? {
            b't' => self.word("true").map(|()| Some(true)),
            b'f' => self.word("false").map(|()| Some(false)),
            _ => self.word("null").map(|()| None),
        }
    }

    /// Reads any value as its JSON text.
    pub(super) fn raw(&mut self) -> Read<Option<&'a str>> {
        if self.null()? {
            return Ok(None);
        }
        let from = self.at;
        self.pass()?;
        Ok(Some(&self.text[from..self.at]))
    }

    /// Like [`raw`](Self::raw), but faster if the value is `last` again, the JSON text that was
    /// read before.
    #[inline]
    pub(super) fn raw_like(&mut self, last: Option<&str>) -> Read<Option<&'a str>> {
        self.next()?;
        let rest = &self.text.as_bytes()[self.at..];
        // Only strings, objects and lists are self-delimiting.
        let last = last.filter(|last| last.ends_with(['"', '}', ']']));
        let Some(last) = last.filter(|last| rest.starts_with(last.as_bytes())) else {
            return self.raw();
        };
        let from = self.at;
        self.at += last.len();
        Ok(Some(&self.text[from..self.at]))
    }

    /// Reads any value, which is usually a string.
    pub(super) fn text_or_value(&mut self) -> Read<Option<Value>> {
        match self.next()? {
            b'"' => self.string().map(|text| Some(Value::String(text.into_owned()))),
            _ => self.value(),
        }
    }

    /// Reads any value with `serde`.
    pub(super) fn value<T: Deserialize<'a>>(&mut self) -> Read<Option<T>> {
        if self.null()? {
            return Ok(None);
        }
        let mut values = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter();
        let value = values.next().transpose().map_err(|error| NotRead(Some(error)))?;
        self.at += values.byte_offset();
        Ok(value)
    }

    /// Checks that only white space follows.
    pub(super) fn end(&mut self) -> Read<()> {
        match self.next() {
            Err(_) => Ok(()),
            Ok(_) => Err(NotRead(None)),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and returns the next byte.
    #[inline]
    fn next(&mut self) -> Read<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other.ok_or(NotRead(None)),
            }
        }
    }

    /// Skips `byte` if it is next.
    #[inline]
    fn eat(&mut self, byte: u8) -> Read<bool> {
        let is_it = self.next()? == byte;
        self.at += usize::from(is_it);
        Ok(is_it)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Read<()> {
        if self.eat(byte)? { Ok(()) } else { Err(NotRead(None)) }
    }

    fn word(&mut self, word: &str) -> Read<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(NotRead(None));
        }
        self.at += word.len();
        Ok(())
    }

    /// Skips `null` if it is next.
    #[inline]
    fn null(&mut self) -> Read<bool> {
        if self.next()? != b'n' {
            return Ok(false);
        }
        self.word("null").map(|()| true)
    }

    /// Reads the string that starts here.
    #[inline]
    fn string(&mut self) -> Read<Cow<'a, str>> {
        let from = self.at;
        if self.pass_string()? {
            let text = serde_json::from_str(&self.text[from..self.at]);
            return text.map(Cow::Owned).map_err(|error| NotRead(Some(error)));
        }
        Ok(Cow::Borrowed(&self.text[from + 1..self.at - 1]))
    }

    /// Skips the string that starts here. Returns whether it contains escapes.
    #[inline]
    fn pass_string(&mut self) -> Read<bool> {
        let bytes = self.text.as_bytes();
        if self.byte() != Some(b'"') {
            return Err(NotRead(None));
        }
        let mut at = self.at + 1;
        let mut has_escapes = false;
        loop {
            at += plain(&bytes[at..]);
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => (has_escapes, at) = (true, escape_end(bytes, at)?),
                _ => return Err(NotRead(None)),
            }
        }
        self.at = at + 1;
        Ok(has_escapes)
    }

    /// Skips the value that starts here.
    fn pass(&mut self) -> Read<()> {
        let mut open = OpenBrackets::default();
        loop {
            match self.next()? {
                bracket @ (b'{' | b'[') => {
                    self.at += 1;
                    let is_object = bracket == b'{';
                    if !self.eat(if is_object { b'}' } else { b']' })? {
                        open.push(is_object);
                        if is_object {
                            self.pass_key()?;
                        }
                        continue;
                    }
                }
                b'"' => _ = self.pass_string()?,
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.pass_number()?,
            }
            loop {
                let Some(is_object) = open.last() else { return Ok(()) };
                if self.eat(b',')? {
                    if is_object {
                        self.pass_key()?;
                    }
                    break;
                }
                self.expect(if is_object { b'}' } else { b']' })?;
                open.pop();
            }
        }
    }

    fn pass_key(&mut self) -> Read<()> {
        self.next()?;
        self.pass_string()?;
        self.expect(b':')
    }

    fn pass_number(&mut self) -> Read<()> {
        self.pass_one(b"-");
        if !self.pass_one(b"0") {
            self.pass_digits()?;
        }
        if self.pass_one(b".") {
            self.pass_digits()?;
        }
        if self.pass_one(b"eE") {
            self.pass_one(b"+-");
            self.pass_digits()?;
        }
        Ok(())
    }

    fn pass_digits(&mut self) -> Read<()> {
        let from = self.at;
        while self.pass_one(b"0123456789") {}
        if self.at > from { Ok(()) } else { Err(NotRead(None)) }
    }

    /// Skips one of these bytes if it is next.
    #[inline]
    fn pass_one(&mut self, bytes: &[u8]) -> bool {
        let is_one = self.byte().is_some_and(|byte| bytes.contains(&byte));
        self.at += usize::from(is_one);
        is_one
    }
}

/// The open brackets, one bit each: 1 for an object, 0 for a list.
#[derive(Default)]
struct OpenBrackets {
    depth: usize,
    last: u64,
    /// The brackets before those in `last`, 64 in each element.
    full: Vec<u64>,
}

impl OpenBrackets {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.full.push(std::mem::take(&mut self.last));
        }
        self.depth += 1;
        self.last = self.last << 1 | u64::from(is_object);
    }

    fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.last & 1 == 1)
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.last >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.last = self.full.pop().unwrap_or_default();
        }
    }
}

/// Returns the number of bytes before a quote, a backslash or a control character, checking eight
/// bytes at a time.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let eight = u64::from_le_bytes(*eight);
        // The high bit is set in the first byte that is zero or too small, and is not set in the
        // bytes before it.
        let zero = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
        let quote = zero(eight ^ (ONES * u64::from(b'"')));
        let backslash = zero(eight ^ (ONES * u64::from(b'\\')));
        let control = eight.wrapping_sub(ONES * 0x20) & !eight;
        let stops = (quote | backslash | control) & (ONES << 7);
        if stops != 0 {
            return at + stops.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    rest.map_or(bytes.len(), |rest| at + rest)
}

/// Returns the end of the escape sequence that starts at `at`.
fn escape_end(bytes: &[u8], at: usize) -> Read<usize> {
    let hex = || bytes.get(at + 2..at + 6).is_some_and(|all| all.iter().all(u8::is_ascii_hexdigit));
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') if hex() => Ok(at + 6),
        _ => Err(NotRead(None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    /// Reads a value with the methods of the cursor.
    fn read(cursor: &mut JsonCursor<'_>) -> Read<Value> {
        Ok(match cursor.next()? {
            b'{' => {
                let mut all = Map::new();
                cursor.object(|cursor, key| {
                    all.insert(key.to_owned(), read(cursor)?);
                    Ok(())
                })?;
                all.into()
            }
            b'[' => {
                let mut all = Vec::new();
                cursor.list(|cursor| {
                    all.push(read(cursor)?);
                    Ok(())
                })?;
                all.into()
            }
            b'"' => cursor.text()?.unwrap_or_default().into(),
            b't' | b'f' => cursor.flag()?.into(),
            _ => cursor.value()?.unwrap_or_default(),
        })
    }

    fn whole<'a, T>(
        text: &'a str,
        read: impl FnOnce(&mut JsonCursor<'a>) -> Read<T>,
    ) -> Result<T, String> {
        let mut cursor = JsonCursor::new(text);
        let read = read(&mut cursor).and_then(|read| cursor.end().map(|()| read));
        read.map_err(|error| error.explain(text, "not a response").to_string())
    }

    /// Reads a text in each way, and compares the result with that of `serde_json`.
    fn compare(text: &str) {
        let expected = serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
        let seen = whole(text, read);
        // Numbers that do not fit a `Value` are still valid JSON, and the position in their error
        // is relative to the number.
        if expected.as_ref().is_err_and(|error| error.contains("out of range")) {
            return assert!(seen.is_err(), "{text:?}");
        }
        let ignored = serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string());
        match &ignored {
            // The error is the one for an ignored value, which differs from the one for a value
            // that is kept.
            Err(error) => assert_eq!(seen.as_ref(), Err(error), "{text:?}"),
            Ok(_) => assert_eq!(seen, expected, "{text:?}"),
        }
        let passed = whole(text, JsonCursor::raw).map(|raw| raw.unwrap_or("null"));
        assert_eq!(passed.clone().map(drop), ignored.map(drop), "{text:?}");
        if let (Ok(value), Ok(passed)) = (expected, passed) {
            assert_eq!(serde_json::from_str::<Value>(passed).unwrap(), value, "{text:?}");
        }
    }

    #[test]
    fn it_takes_what_serde_json_takes() {
        for text in [
            r#" { "a" : [ 1 , -0.5e+3 , true , false , null ] , "" : { } , "b\u00fc" : [ ] } "#,
            r#""0123456789 \"\\\/\b\f\n\r\t \ud83d\ude00 ü😀\u007f""#,
            "0",
            "-12.25",
            "",
            " ",
            "{",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "[,]",
            "{,}",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "{1:1}",
            "[1 2]",
            "[1}",
            "{\"a\":1]",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "1e+",
            "+1",
            "tru",
            "nul",
            "nothing",
            "\"a",
            "\"a\\\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u12\"",
            "\"a\nb\"",
            "\"12345678\u{1}\"",
            "1 2",
            "[1] x",
            "\u{feff}1",
        ] {
            compare(text);
        }
    }

    #[test]
    fn half_a_character_is_an_error_of_its_text() {
        assert!(whole("\"\\ud800\"", JsonCursor::text).unwrap_err().contains("hex escape"));
    }

    #[test]
    fn brackets_are_counted_however_deep_they_are() {
        for depth in [1, 63, 64, 65, 127, 128, 129, 1000] {
            let open: String =
                (0..depth).map(|n| if n % 3 == 0 { "{\"a\":" } else { "[" }).collect();
            let close = (0..depth).rev().map(|n| if n % 3 == 0 { '}' } else { ']' });
            let text = format!("{open}1{}", close.collect::<String>());
            assert_eq!(whole(&text, JsonCursor::raw), Ok(Some(text.as_str())));
            let wrong = text.replacen(']', "}", 1);
            assert_eq!(whole(&wrong, JsonCursor::raw).is_ok(), wrong == text, "{depth}");
        }
    }

    #[test]
    fn what_comes_again_is_told_from_what_only_begins_like_it() {
        for (text, last, rest) in [
            ("\"ab\",", Some("\"ab\""), ","),
            ("{\"a\":1} ", Some("{\"a\":1}"), " "),
            ("12,", Some("1"), ","),
            ("\"ab\",", Some("\"a\""), ","),
            ("null,", Some("\"a\""), ","),
            ("\"ab\",", None, ","),
        ] {
            let mut cursor = JsonCursor::new(text);
            let read = cursor.raw_like(last).ok().unwrap();
            assert_eq!(read.unwrap_or("null"), text.strip_suffix(rest).unwrap());
            assert_eq!(&text[cursor.at..], rest);
        }
    }

    #[test]
    fn another_kind_of_value_is_told() {
        let error = whole("[1]", |cursor| cursor.object(|_, _| Ok(()))).unwrap_err();
        assert_eq!(error, "not a response");
        assert_eq!(whole("{}", JsonCursor::text).unwrap_err(), "not a response");
        assert_eq!(whole("1", JsonCursor::flag).unwrap_err(), "not a response");
        let error = whole("{\"a\": []}", JsonCursor::value::<Vec<u32>>).unwrap_err();
        assert!(error.contains("expected a sequence"), "{error}");
        assert_eq!(whole("null", JsonCursor::text), Ok(None));
        assert_eq!(whole("null", |cursor| cursor.list(|_| Ok(()))), Ok(()));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(|number: f64| json!(number)),
            "[a-z\"\\\\\u{1}-\u{20}é😀]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec(("[a-z\"é]{0,9}", inner), 0..5)
                    .prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_read_and_any_damage_is_seen_as_serde_json_sees_it(
            value in value(), pretty in any::<bool>(), at in any::<prop::sample::Index>(), byte in "[ -~]",
        ) {
            let text = match pretty {
                true => serde_json::to_string_pretty(&value).unwrap(),
                false => value.to_string(),
            };
            compare(&text);
            let at = text.char_indices().map(|(at, _)| at).nth(at.index(text.chars().count())).unwrap();
            let after = at + text[at..].chars().next().unwrap().len_utf8();
            compare(&format!("{}{byte}{}", &text[..at], &text[after..]));
            compare(&text[..at]);
        }
    }
}
