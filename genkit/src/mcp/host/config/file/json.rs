//! JSON with comments and trailing commas (JSONC), in which no key stands twice: the second server
//! of a name would win in silence otherwise.

use jsonc_parser::ast;
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::error::Error;

/// What editors take, and no other form: what a file does with us it does elsewhere.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads the text of a file.
pub(super) fn parse(text: &str) -> Result<Value, Error> {
    let text = text.trim_start_matches('\u{feff}');
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        Error::Syntax { line, column, fault: error.kind().to_string() }
    })?;
    let whole = Range::new(text.len(), text.len());
    let root = parsed.value.ok_or_else(|| at(text, whole, "expected a value".to_owned()))?;
    value(text, root)
}

fn value(text: &str, parsed: ast::Value<'_>) -> Result<Value, Error> {
    Ok(match parsed {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::StringLit(literal) => Value::String(literal.value.into_owned()),
        ast::Value::NumberLit(literal) => serde_json::from_str(literal.value)
            .map_err(|_| at(text, literal.range, "no number".to_owned()))?,
        ast::Value::Array(array) => {
            let values = array.elements.into_iter().map(|element| value(text, element));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        ast::Value::Object(object) => {
            let mut map = Map::new();
            for property in object.properties {
                let range = property.range();
                let key = property.name.into_string();
                // Comments are written as keys, and there may be many of them.
                if map.contains_key(&key) && !key.starts_with("//") {
                    return Err(at(text, range, format!("the key `{key}` stands here twice")));
                }
                map.insert(key, value(text, property.value)?);
            }
            Value::Object(map)
        }
    })
}

fn at(text: &str, range: Range, fault: String) -> Error {
    let before = &text[..range.start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Error::Syntax { line, column, fault }
}
