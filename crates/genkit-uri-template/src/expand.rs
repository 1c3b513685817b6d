//! Expansion of values to a URI: RFC 6570, section 3.

use crate::encoding;
use crate::model::{Expression, Operator, TemplatePart, VarSpec};
use crate::value::UriValue;

/// Replaces each expression with its values.
pub(crate) fn expand_parts(
    parts: &[TemplatePart],
    values: &[(impl AsRef<str>, UriValue)],
) -> String {
    let mut uri = String::new();
    for part in parts {
        match part {
            TemplatePart::Literal { text, .. } => uri.push_str(text),
            TemplatePart::Expression(expression) => add_expression(expression, values, &mut uri),
        }
    }
    uri
}

fn add_expression(
    expression: &Expression,
    values: &[(impl AsRef<str>, UriValue)],
    uri: &mut String,
) {
    let operator = expression.operator;
    let mut before = operator.leading_text();
    for variable in &expression.variables {
        let value = values.iter().find(|(name, _)| name.as_ref() == variable.name);
        let texts = value.map_or(&[][..], |(_, value)| value.texts());
        // The strings of an exploded list are added separately. Any other value is added as a whole.
        let size = if variable.explode { 1 } else { texts.len().max(1) };
        for texts in texts.chunks(size) {
            uri.push_str(before);
            before = operator.separator();
            add_value(operator, variable, texts, uri);
        }
    }
}

/// Appends one value, with its name if the operator requires it. Several strings are joined by commas.
fn add_value(operator: Operator, variable: &VarSpec, texts: &[String], uri: &mut String) {
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
        encoding::append_encoded(text, operator.keeps_reserved(), uri);
    }
}
