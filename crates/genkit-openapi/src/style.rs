//! Styles: how OpenAPI serializes values in paths, queries, headers and cookies.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::document::{Checked, escape_text};

/// All characters except those that RFC 3986 calls unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// For `allowReserved`: characters that would end the value or the query are still encoded.
const RESERVED: &AsciiSet = &ENCODED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',');

/// Characters that are kept in a literal piece of a path.
const LITERAL: &AsciiSet = &ENCODED
    .remove(b'/')
    .remove(b':')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b'%');

/// The maximum nesting depth of a `deepObject`. Default is 8.
const MAX_BRACKETS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterStyle {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
}

/// How one parameter is serialized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Serialization {
    pub(crate) style: ParameterStyle,
    pub(crate) explode: bool,
    pub(crate) allow_reserved: bool,
}

impl Serialization {
    pub(crate) const FORM: Self =
        Self { style: ParameterStyle::Form, explode: true, allow_reserved: false };

    /// Reads the serialization of a member of a query or a form. The default is the style `form`.
    pub(crate) fn in_query(described: &Value) -> Checked<Self> {
        let style = match described.get("style").and_then(Value::as_str) {
            None | Some("form") => ParameterStyle::Form,
            Some("spaceDelimited") => ParameterStyle::SpaceDelimited,
            Some("pipeDelimited") => ParameterStyle::PipeDelimited,
            Some("deepObject") => ParameterStyle::DeepObject,
            Some(style) => return Err(invalid_style(style)),
        };
        let flag = |name: &str| described.get(name).and_then(Value::as_bool);
        Ok(Self {
            style,
            explode: flag("explode").unwrap_or(style == ParameterStyle::Form),
            allow_reserved: flag("allowReserved").unwrap_or(false),
        })
    }

    /// Returns whether the members of an object become separate parameters.
    pub(crate) fn spreads_members(self) -> bool {
        self.explode && self.style != ParameterStyle::DeepObject
    }

    fn encoded(self, text: &str) -> String {
        let set = if self.allow_reserved { RESERVED } else { ENCODED };
        utf8_percent_encode(text, set).to_string()
    }

    /// Returns the encoded names and values of a query, a cookie or a form. An empty list has no pairs.
    pub(crate) fn pairs(self, name: &str, value: &Value) -> Vec<(String, String)> {
        let key = encoded(name);
        let one = |value: &Value| self.encoded(&text(value));
        let comma = match self.style {
            ParameterStyle::SpaceDelimited => "%20",
            ParameterStyle::PipeDelimited => "%7C",
            _ => ",",
        };
        match value {
            Value::Array(_) | Value::Object(_) if self.style == ParameterStyle::DeepObject => {
                let mut pairs = Vec::new();
                self.brackets(name, value, 0, &mut pairs);
                pairs
            }
            Value::Array(items) if self.explode => {
                items.iter().map(|item| (key.clone(), one(item))).collect()
            }
            Value::Object(members) if self.explode => {
                members.iter().map(|(name, value)| (encoded(name), one(value))).collect()
            }
            Value::Array(items) if items.is_empty() => Vec::new(),
            Value::Array(items) => vec![(key, join(items.iter().map(one), comma))],
            Value::Object(members) => {
                let flat = members.iter().flat_map(|(name, value)| [encoded(name), one(value)]);
                vec![(key, join(flat, comma))]
            }
            value => vec![(key, one(value))],
        }
    }

    /// Adds pairs such as `filter[size][min]=1`. Each item of a list has the same name.
    fn brackets(self, name: &str, value: &Value, depth: usize, pairs: &mut Vec<(String, String)>) {
        match value {
            Value::Object(members) if depth < MAX_BRACKETS => {
                for (member, value) in members {
                    self.brackets(&format!("{name}[{member}]"), value, depth + 1, pairs);
                }
            }
            Value::Array(items) if depth < MAX_BRACKETS => {
                for item in items {
                    self.brackets(name, item, depth + 1, pairs);
                }
            }
            value => pairs.push((encoded(name), self.encoded(&text(value)))),
        }
    }

    /// Serializes and encodes a value for a path.
    pub(crate) fn in_path(self, name: &str, value: &Value) -> String {
        let one = |value: &Value| encoded(&text(value));
        let key = encoded(name);
        let (before, between) = match self.style {
            ParameterStyle::Label => (".", if self.explode { "." } else { "," }),
            ParameterStyle::Matrix => (";", if self.explode { ";" } else { "," }),
            _ => ("", ","),
        };
        let is_matrix = self.style == ParameterStyle::Matrix;
        let written = match value {
            Value::Array(items) if is_matrix && self.explode => {
                join(items.iter().map(|item| format!("{key}={}", one(item))), between)
            }
            Value::Array(items) => join(items.iter().map(one), between),
            Value::Object(members) if self.explode => {
                let pairs =
                    members.iter().map(|(name, value)| format!("{}={}", encoded(name), one(value)));
                join(pairs, between)
            }
            Value::Object(members) => {
                join(members.iter().flat_map(|(name, value)| [encoded(name), one(value)]), between)
            }
            value => one(value),
        };
        match value {
            Value::Array(_) | Value::Object(_) if is_matrix && self.explode => {
                format!(";{written}")
            }
            _ if is_matrix => format!(";{key}={written}"),
            _ => format!("{before}{written}"),
        }
    }

    /// Serializes a value for a header, without encoding it.
    pub(crate) fn in_header(self, value: &Value) -> String {
        match value {
            Value::Array(items) => join(items.iter().map(|item| text(item).into_owned()), ","),
            Value::Object(members) if self.explode => {
                join(members.iter().map(|(name, value)| format!("{name}={}", text(value))), ",")
            }
            Value::Object(members) => join(
                members.iter().flat_map(|(name, value)| [name.clone(), text(value).into_owned()]),
                ",",
            ),
            value => text(value).into_owned(),
        }
    }
}

pub(crate) fn invalid_style(style: &str) -> String {
    format!(
        "the style `{}` is not valid at this position; correct it in the document",
        escape_text(style)
    )
}

/// Converts a value to text. Values nested in another list or object become JSON, since the specification does not
/// define them.
pub(crate) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    }
}

pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// Encodes a literal piece of a path.
pub(crate) fn literal(text: &str) -> String {
    utf8_percent_encode(text, LITERAL).to_string()
}

fn join(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const STYLES: [(&str, ParameterStyle); 7] = [
        ("simple", ParameterStyle::Simple),
        ("label", ParameterStyle::Label),
        ("matrix", ParameterStyle::Matrix),
        ("form", ParameterStyle::Form),
        ("spaceDelimited", ParameterStyle::SpaceDelimited),
        ("pipeDelimited", ParameterStyle::PipeDelimited),
        ("deepObject", ParameterStyle::DeepObject),
    ];

    fn writing(style: &str, explode: bool) -> Serialization {
        let (_, style) = STYLES.into_iter().find(|(name, _)| *name == style).unwrap();
        Serialization { style, explode, allow_reserved: false }
    }

    /// The table in the section "Style Examples" of the specification.
    #[test]
    fn values_are_written_as_the_table_of_the_specification_has_them() {
        let (one, list) = (json!("blue"), json!(["blue", "black", "brown"]));
        let object = json!({"R": 100, "G": 200, "B": 150});
        for (style, explode, value, expected) in [
            ("simple", false, &one, "blue"),
            ("simple", false, &list, "blue,black,brown"),
            ("simple", false, &object, "R,100,G,200,B,150"),
            ("simple", true, &object, "R=100,G=200,B=150"),
            ("label", false, &one, ".blue"),
            ("label", false, &list, ".blue,black,brown"),
            ("label", true, &list, ".blue.black.brown"),
            ("label", false, &object, ".R,100,G,200,B,150"),
            ("label", true, &object, ".R=100.G=200.B=150"),
            ("matrix", false, &one, ";color=blue"),
            ("matrix", false, &list, ";color=blue,black,brown"),
            ("matrix", true, &list, ";color=blue;color=black;color=brown"),
            ("matrix", false, &object, ";color=R,100,G,200,B,150"),
            ("matrix", true, &object, ";R=100;G=200;B=150"),
        ] {
            assert_eq!(
                writing(style, explode).in_path("color", value),
                expected,
                "{style} {explode}"
            );
        }
        for (style, explode, value, expected) in [
            ("form", false, &one, "color=blue"),
            ("form", false, &list, "color=blue,black,brown"),
            ("form", true, &list, "color=blue&color=black&color=brown"),
            ("form", false, &object, "color=R,100,G,200,B,150"),
            ("form", true, &object, "R=100&G=200&B=150"),
            ("spaceDelimited", false, &list, "color=blue%20black%20brown"),
            ("spaceDelimited", false, &object, "color=R%20100%20G%20200%20B%20150"),
            ("pipeDelimited", false, &list, "color=blue%7Cblack%7Cbrown"),
            ("pipeDelimited", false, &object, "color=R%7C100%7CG%7C200%7CB%7C150"),
            ("deepObject", true, &object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        ] {
            let pairs = writing(style, explode).pairs("color", value);
            let query: Vec<_> =
                pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(query.join("&"), expected, "{style} {explode}");
        }
    }

    #[test]
    fn nested_deep_object_keys_include_their_parents() {
        let value = json!({"size": {"min": 1}, "kind": ["a", "b"]});
        let pairs = writing("deepObject", true).pairs("filter", &value);
        let shown: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            shown,
            ["filter%5Bsize%5D%5Bmin%5D=1", "filter%5Bkind%5D=a", "filter%5Bkind%5D=b"]
        );
    }

    #[test]
    fn values_cannot_change_other_parts_of_the_url() {
        let nasty = json!("../a?b=c&d#e\r\n%2e");
        assert_eq!(
            writing("simple", false).in_path("id", &nasty),
            "..%2Fa%3Fb%3Dc%26d%23e%0D%0A%252e"
        );
        let pairs = writing("form", true).pairs("q", &nasty);
        assert_eq!(pairs[0].1, "..%2Fa%3Fb%3Dc%26d%23e%0D%0A%252e");
        let reserved = Serialization { allow_reserved: true, ..Serialization::FORM };
        // Some servers end a member at `;`.
        let value = json!("a/b?c&d#e;f=g");
        assert_eq!(reserved.pairs("q", &value)[0].1, "a/b?c%26d%23e%3Bf%3Dg");
    }
}
