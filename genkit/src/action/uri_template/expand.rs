//! From values to a URI: RFC 6570, section 3.

use serde_json::{Map, Value};

use super::{
    encoding,
    model::{Expression, Operator, Part, Variable},
};

/// Replaces each expression.
pub(super) fn expand(parts: &[Part], values: &Map<String, Value>) -> String {
    let mut uri = String::new();
    for part in parts {
        match part {
            Part::Literal { text, .. } => uri.push_str(text),
            Part::Expression(expression) => add_expression(expression, values, &mut uri),
        }
    }
    uri
}

fn add_expression(expression: &Expression, values: &Map<String, Value>, uri: &mut String) {
    let operator = expression.operator;
    let mut before = operator.first();
    for variable in &expression.variables {
        let Some(texts) = values.get(&variable.name).and_then(texts) else {
            continue;
        };
        if variable.explode {
            for text in &texts {
                uri.push_str(before);
                before = operator.separator();
                add_value(operator, variable, std::slice::from_ref(text), uri);
            }
        } else {
            uri.push_str(before);
            before = operator.separator();
            add_value(operator, variable, &texts, uri);
        }
    }
}

/// Adds one value, with its name where the operator wants it. Several texts are joined by commas.
fn add_value(operator: Operator, variable: &Variable, texts: &[String], uri: &mut String) {
    if operator.is_named() {
        uri.push_str(&variable.name);
        let is_empty = matches!(texts, [only] if only.is_empty());
        if is_empty && operator == Operator::Parameter {
            return;
        }
        uri.push('=');
    }
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            uri.push(',');
        }
        encoding::encode(text, operator.keeps_reserved(), uri);
    }
}

/// The texts of a value, if it has any.
fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = match value {
        Value::Array(items) => items.iter().filter_map(text).collect(),
        scalar => vec![text(scalar)?],
    };
    (!texts.is_empty()).then_some(texts)
}

fn text(scalar: &Value) -> Option<String> {
    match scalar {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(scalar.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
