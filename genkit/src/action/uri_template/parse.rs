//! The grammar of RFC 6570, section 2. It needs nothing but the standard library.

use super::{
    encoding,
    error::UriTemplateError,
    model::{Expression, Operator, Part, Variable},
};

/// The longest template, in bytes. Default is 2 KiB.
pub(super) const MAX_TEMPLATE_BYTES: usize = 2 * 1024;

/// How many variables a template may have. Default is 16.
///
/// Time and memory of a match are at most in proportion to this times the longest URI.
pub(super) const MAX_VARIABLES: usize = 16;

/// Splits a template into its parts.
pub(super) fn parse(template: &str) -> Result<Vec<Part>, UriTemplateError> {
    if template.len() > MAX_TEMPLATE_BYTES {
        let what = format!("a template of {} bytes", template.len());
        let remedy = format!("use at most {MAX_TEMPLATE_BYTES} bytes");
        return Err(UriTemplateError::new(MAX_TEMPLATE_BYTES, what, "it is too long", remedy));
    }
    if template.is_empty() {
        return Err(UriTemplateError::new(
            0,
            "an empty template",
            "it names no resource",
            "write a URI such as `note://{id}`",
        ));
    }
    let mut parts = Vec::new();
    let mut names = Vec::new();
    let mut at = 0;
    while at < template.len() {
        let rest = &template[at..];
        let Some(inner) = rest.strip_prefix('{') else {
            let end = rest.find('{').unwrap_or(rest.len());
            parts.push(Part::Literal { text: literal(&rest[..end], at)?, offset: at });
            at += end;
            continue;
        };
        let end = closing_brace(inner, at)?;
        let expression = expression(&inner[..end], at)?;
        for variable in &expression.variables {
            add_name(variable, &mut names)?;
        }
        parts.push(Part::Expression(expression));
        at += end + 2;
    }
    Ok(parts)
}

fn closing_brace(inner: &str, at: usize) -> Result<usize, UriTemplateError> {
    match inner.find(['{', '}']) {
        Some(end) if inner[end..].starts_with('}') => Ok(end),
        Some(nested) => {
            let why = "an expression cannot be inside another";
            Err(UriTemplateError::new(
                at + 1 + nested,
                "a `{`",
                why,
                "close the one before it with `}`",
            ))
        }
        None => Err(UriTemplateError::new(
            at,
            "a `{`",
            "nothing closes it",
            "add a `}`, or write `%7B` for the character itself",
        )),
    }
}

/// Normalises text outside of braces.
fn literal(text: &str, at: usize) -> Result<String, UriTemplateError> {
    for (index, c) in text.char_indices() {
        let offset = at + index;
        let byte = u8::try_from(c).ok().filter(u8::is_ascii);
        match byte {
            Some(b'}') => {
                let remedy = "remove it, or write `%7D` for the character itself";
                return Err(UriTemplateError::new(offset, "a `}`", "no `{` is before it", remedy));
            }
            Some(b'%') if encoding::triplet(&text.as_bytes()[index..]).is_none() => {
                let why = "two hexadecimal digits must follow it";
                return Err(UriTemplateError::new(
                    offset,
                    "a `%`",
                    why,
                    "write `%25` for the character itself",
                ));
            }
            Some(byte)
                if byte != b'%'
                    && !encoding::is_unreserved(byte)
                    && !encoding::is_reserved(byte) =>
            {
                let remedy = format!("write `%{byte:02X}` for it");
                return Err(UriTemplateError::new(
                    offset,
                    format!("the character {c:?}"),
                    "a URI cannot have it",
                    remedy,
                ));
            }
            _ => {}
        }
    }
    // Each `%` was looked at.
    Ok(encoding::normalize(text).unwrap_or_default())
}

fn expression(inner: &str, at: usize) -> Result<Expression, UriTemplateError> {
    let start = at + 1;
    let Some(&symbol) = inner.as_bytes().first() else {
        return Err(UriTemplateError::new(
            at,
            "`{}`",
            "it has no variable",
            "write a name into it, such as `{id}`",
        ));
    };
    if b"=,!@|".contains(&symbol) {
        let what = format!("the operator `{}`", char::from(symbol));
        let why = "RFC 6570 keeps it for later";
        return Err(UriTemplateError::new(start, what, why, "use one of `+ # . / ; ? &` or none"));
    }
    let operator = Operator::read(symbol);
    let mut offset = start + usize::from(operator.is_some());
    let mut variables = Vec::new();
    for spec in inner[offset - start..].split(',') {
        variables.push(variable(spec, offset)?);
        offset += spec.len() + 1;
    }
    Ok(Expression { operator: operator.unwrap_or(Operator::Simple), variables, offset: at })
}

fn variable(spec: &str, offset: usize) -> Result<Variable, UriTemplateError> {
    if let Some(prefix) = spec.find(':') {
        let what = format!("the prefix `{}`", &spec[prefix..]);
        let why = "a value that was cut short cannot be read back from a URI";
        return Err(UriTemplateError::new(
            offset + prefix,
            what,
            why,
            format!("write `{{{}}}`", &spec[..prefix]),
        ));
    }
    let (name, explode) = spec.strip_suffix('*').map_or((spec, false), |name| (name, true));
    if name.is_empty() {
        return Err(UriTemplateError::new(
            offset,
            "a variable",
            "it has no name",
            "write a name, or remove the comma or `*`",
        ));
    }
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let position = name.len() - rest.len();
        let is_inner_dot = c == '.' && position > 0 && rest.len() > 1 && !rest.starts_with("..");
        let taken = match c {
            '%' if encoding::triplet(rest.as_bytes()).is_some() => 3,
            c if c.is_ascii_alphanumeric() || c == '_' || is_inner_dot => 1,
            c => {
                let what = format!("the character {c:?} in a name");
                let why = "a name has ASCII letters, digits and `_`";
                return Err(UriTemplateError::new(
                    offset + position,
                    what,
                    why,
                    "choose another name",
                ));
            }
        };
        rest = &rest[taken..];
    }
    Ok(Variable { name: name.to_owned(), explode, offset })
}

fn add_name(variable: &Variable, names: &mut Vec<String>) -> Result<(), UriTemplateError> {
    let Variable { name, offset, .. } = variable;
    if names.contains(name) {
        let why = "it is there twice, and a URI could give it two values";
        return Err(UriTemplateError::new(
            *offset,
            format!("the variable `{name}`"),
            why,
            "use two names",
        ));
    }
    if names.len() == MAX_VARIABLES {
        let remedy = format!("use at most {MAX_VARIABLES}");
        return Err(UriTemplateError::new(
            *offset,
            format!("the variable `{name}`"),
            "there are too many",
            remedy,
        ));
    }
    names.push(name.clone());
    Ok(())
}
