//! Styles: how OpenAPI writes values into paths, queries, headers and cookies.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// All but what RFC 3986 calls unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// With `allowReserved`: what would end the value, or the query, is encoded still.
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
    .remove(b',')
    .remove(b';');

/// What stays in a literal piece of a path.
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

/// How deep a `deepObject` is written. Default is 8.
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

/// How one parameter is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParameterEncoding {
    pub(crate) style: ParameterStyle,
    pub(crate) explode: bool,
    pub(crate) allow_reserved: bool,
}

impl ParameterEncoding {
    pub(crate) const FORM: Self =
        Self { style: ParameterStyle::Form, explode: true, allow_reserved: false };

    fn encode_value(self, text: &str) -> String {
        let set = if self.allow_reserved { RESERVED } else { ENCODED };
        utf8_percent_encode(text, set).to_string()
    }

    /// Names and values of a query, a cookie or a form, encoded. An empty list has none.
    pub(crate) fn encode_pairs(self, name: &str, value: &Value) -> Vec<(String, String)> {
        let key = encode_text(name);
        let one = |value: &Value| self.encode_value(&value_text(value));
        let comma = match self.style {
            ParameterStyle::SpaceDelimited => "%20",
            ParameterStyle::PipeDelimited => "%7C",
            _ => ",",
        };
        match value {
            Value::Array(_) | Value::Object(_) if self.style == ParameterStyle::DeepObject => {
                let mut pairs = Vec::new();
                self.write_brackets(name, value, 0, &mut pairs);
                pairs
            }
            Value::Array(items) if self.explode => {
                items.iter().map(|item| (key.clone(), one(item))).collect()
            }
            Value::Object(members) if self.explode => {
                members.iter().map(|(name, value)| (encode_text(name), one(value))).collect()
            }
            Value::Array(items) if items.is_empty() => Vec::new(),
            Value::Array(items) => vec![(key, join_parts(items.iter().map(one), comma))],
            Value::Object(members) => {
                let flat = members.iter().flat_map(|(name, value)| [encode_text(name), one(value)]);
                vec![(key, join_parts(flat, comma))]
            }
            value => vec![(key, one(value))],
        }
    }

    /// `filter[size][min]=1`; of a list each item under the same name.
    fn write_brackets(
        self,
        name: &str,
        value: &Value,
        depth: usize,
        pairs: &mut Vec<(String, String)>,
    ) {
        match value {
            Value::Object(members) if depth < MAX_BRACKETS => {
                for (member, value) in members {
                    self.write_brackets(&format!("{name}[{member}]"), value, depth + 1, pairs);
                }
            }
            Value::Array(items) if depth < MAX_BRACKETS => {
                for item in items {
                    self.write_brackets(name, item, depth + 1, pairs);
                }
            }
            value => pairs.push((encode_text(name), self.encode_value(&value_text(value)))),
        }
    }

    /// A value in a path, encoded.
    pub(crate) fn in_path(self, name: &str, value: &Value) -> String {
        let one = |value: &Value| encode_text(&value_text(value));
        let key = encode_text(name);
        let (before, between) = match self.style {
            ParameterStyle::Label => (".", if self.explode { "." } else { "," }),
            ParameterStyle::Matrix => (";", if self.explode { ";" } else { "," }),
            _ => ("", ","),
        };
        let is_matrix = self.style == ParameterStyle::Matrix;
        let written = match value {
            Value::Array(items) if is_matrix && self.explode => {
                join_parts(items.iter().map(|item| format!("{key}={}", one(item))), between)
            }
            Value::Array(items) => join_parts(items.iter().map(one), between),
            Value::Object(members) if self.explode => {
                let pairs = members
                    .iter()
                    .map(|(name, value)| format!("{}={}", encode_text(name), one(value)));
                join_parts(pairs, between)
            }
            Value::Object(members) => join_parts(
                members.iter().flat_map(|(name, value)| [encode_text(name), one(value)]),
                between,
            ),
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

    /// A value of a header, which is not encoded.
    pub(crate) fn in_header(self, value: &Value) -> String {
        match value {
            Value::Array(items) => {
                join_parts(items.iter().map(|item| value_text(item).into_owned()), ",")
            }
            Value::Object(members) if self.explode => join_parts(
                members.iter().map(|(name, value)| format!("{name}={}", value_text(value))),
                ",",
            ),
            Value::Object(members) => join_parts(
                members
                    .iter()
                    .flat_map(|(name, value)| [name.clone(), value_text(value).into_owned()]),
                ",",
            ),
            value => value_text(value).into_owned(),
        }
    }
}

/// A value as text; one inside of another list or object, of which the specification says nothing, as JSON.
pub(crate) fn value_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    }
}

pub(crate) fn encode_text(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// A piece of a path as the document has it.
pub(crate) fn encode_literal(text: &str) -> String {
    utf8_percent_encode(text, LITERAL).to_string()
}

fn join_parts(parts: impl Iterator<Item = String>, between: &str) -> String {
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

    fn writing(style: &str, explode: bool) -> ParameterEncoding {
        let (_, style) = STYLES.into_iter().find(|(name, _)| *name == style).unwrap();
        ParameterEncoding { style, explode, allow_reserved: false }
    }

    /// The table of the specification's section "Style Examples".
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
            let pairs = writing(style, explode).encode_pairs("color", value);
            let query: Vec<_> =
                pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(query.join("&"), expected, "{style} {explode}");
        }
    }

    #[test]
    fn what_is_inside_of_a_deep_object_keeps_its_parents() {
        let value = json!({"size": {"min": 1}, "kind": ["a", "b"]});
        let pairs = writing("deepObject", true).encode_pairs("filter", &value);
        let shown: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            shown,
            ["filter%5Bsize%5D%5Bmin%5D=1", "filter%5Bkind%5D=a", "filter%5Bkind%5D=b"]
        );
    }

    #[test]
    fn no_value_leaves_its_place() {
        let nasty = json!("../a?b=c&d#e\r\n%2e");
        assert_eq!(
            writing("simple", false).in_path("id", &nasty),
            "..%2Fa%3Fb%3Dc%26d%23e%0D%0A%252e"
        );
        let pairs = writing("form", true).encode_pairs("q", &nasty);
        assert_eq!(pairs[0].1, "..%2Fa%3Fb%3Dc%26d%23e%0D%0A%252e");
        let reserved = ParameterEncoding { allow_reserved: true, ..ParameterEncoding::FORM };
        assert_eq!(reserved.encode_pairs("q", &json!("a/b?c&d#e"))[0].1, "a/b?c%26d%23e");
    }
}
