//! The parser for the grammar of RFC 6570, section 2.

use crate::encoding;
use crate::error::{Kind, UriTemplateError};
use crate::limits::{MAX_TEMPLATE_BYTES, MAX_VARIABLES};
use crate::model::{Expression, Operator, TemplatePart, VarSpec};

/// Splits a template into its parts.
pub(crate) fn parse_template(template: &str) -> Result<Vec<TemplatePart>, UriTemplateError> {
    if template.len() > MAX_TEMPLATE_BYTES {
        return Err(Kind::TooLong { bytes: template.len() }.at_offset(MAX_TEMPLATE_BYTES));
    }
    if template.is_empty() {
        return Err(Kind::Empty.at_offset(0));
    }
    let mut parts = Vec::new();
    let mut names = Vec::new();
    let mut at = 0;
    while at < template.len() {
        let rest = &template[at..];
        let Some(inner) = rest.strip_prefix('{') else {
            let end = rest.find('{').unwrap_or(rest.len());
            parts
                .push(TemplatePart::Literal { text: parse_literal(&rest[..end], at)?, offset: at });
            at += end;
            continue;
        };
        let end = closing_brace(inner, at)?;
        let expression = parse_expression(&inner[..end], at)?;
        for variable in &expression.variables {
            add_name(variable, &mut names)?;
        }
        parts.push(TemplatePart::Expression(expression));
        at += end + 2;
    }
    Ok(parts)
}

fn closing_brace(inner: &str, at: usize) -> Result<usize, UriTemplateError> {
    match inner.find(['{', '}']) {
        Some(end) if inner[end..].starts_with('}') => Ok(end),
        Some(nested) => Err(Kind::NestedBrace.at_offset(at + 1 + nested)),
        None => Err(Kind::UnclosedBrace.at_offset(at)),
    }
}

/// Normalizes text outside braces.
fn parse_literal(text: &str, at: usize) -> Result<String, UriTemplateError> {
    for (index, byte) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii()) {
        let kind = match byte {
            b'}' => Kind::UnopenedBrace,
            b'%' if encoding::decode_triplet(&text.as_bytes()[index..]).is_none() => {
                Kind::BarePercent
            }
            b'%' => continue,
            byte if encoding::is_unreserved(byte) || encoding::is_reserved(byte) => continue,
            byte => Kind::Character(byte),
        };
        return Err(kind.at_offset(at + index));
    }
    // Every `%` was checked above.
    Ok(encoding::normalize_uri(text).unwrap_or_default().into_owned())
}

fn parse_expression(inner: &str, at: usize) -> Result<Expression, UriTemplateError> {
    let start = at + 1;
    let Some(&symbol) = inner.as_bytes().first() else {
        return Err(Kind::UnknownVariable.at_offset(at));
    };
    if b"=,!@|".contains(&symbol) {
        return Err(Kind::ReservedOperator(symbol).at_offset(start));
    }
    let operator = Operator::from_symbol(symbol);
    let mut offset = start + usize::from(operator.is_some());
    let mut variables = Vec::new();
    for spec in inner[offset - start..].split(',') {
        variables.push(parse_variable(spec, offset)?);
        offset += spec.len() + 1;
    }
    Ok(Expression { operator: operator.unwrap_or(Operator::Simple), variables, offset: at })
}

fn parse_variable(spec: &str, offset: usize) -> Result<VarSpec, UriTemplateError> {
    if let Some(colon) = spec.find(':') {
        let (name, prefix) = spec.split_at(colon);
        let kind = Kind::Prefix { name: name.to_owned(), prefix: prefix.to_owned() };
        return Err(kind.at_offset(offset + colon));
    }
    let (name, explode) = spec.strip_suffix('*').map_or((spec, false), |name| (name, true));
    if name.is_empty() {
        return Err(Kind::MissingName.at_offset(offset));
    }
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let position = name.len() - rest.len();
        let is_inner_dot = c == '.' && position > 0 && rest.len() > 1 && !rest.starts_with("..");
        let taken = match c {
            '%' if encoding::decode_triplet(rest.as_bytes()).is_some() => 3,
            c if c.is_ascii_alphanumeric() || c == '_' || is_inner_dot => 1,
            c => return Err(Kind::CharacterInName(c).at_offset(offset + position)),
        };
        rest = &rest[taken..];
    }
    Ok(VarSpec { name: name.to_owned(), explode, offset })
}

fn add_name(variable: &VarSpec, names: &mut Vec<String>) -> Result<(), UriTemplateError> {
    let VarSpec { name, offset, .. } = variable;
    if names.contains(name) {
        return Err(Kind::RepeatedVariable(name.clone()).at_offset(*offset));
    }
    if names.len() == MAX_VARIABLES {
        return Err(Kind::TooManyVariables(name.clone()).at_offset(*offset));
    }
    names.push(name.clone());
    Ok(())
}
