//! Matching of URIs.

use std::borrow::Cow;

use crate::encoding;
use crate::limits::MAX_URI_BYTES;
use crate::model::{Expression, Operator, VarSpec};
use crate::program::{Builder, ByteClass, Program};
use crate::structure::{HeadPart, QueryPart, Structure, decode_pair};
use crate::value::UriValue;

/// A template, prepared for matching.
#[derive(Clone)]
pub(crate) struct Matcher {
    head: Program,
    /// The variables of the head, in order.
    variables: Vec<HeadVariable>,
    query: Option<QueryMatcher>,
    fragment: Option<String>,
}

/// A variable before the query.
#[derive(Clone)]
struct HeadVariable {
    name: String,
    operator: Operator,
    explode: bool,
}

#[derive(Clone)]
struct QueryMatcher {
    fixed: Vec<(String, String)>,
    /// The variables by their decoded keys.
    variables: Vec<(String, VarSpec)>,
}

impl Matcher {
    pub(crate) fn new(structure: Structure<'_>) -> Self {
        let Structure { head, query, fragment } = structure;
        let has_parameters = |part: &HeadPart<'_>| match part {
            HeadPart::Text(_) => false,
            HeadPart::Expression(expression) => expression.operator == Operator::Parameter,
        };
        let has_parameters = head.iter().any(has_parameters);
        let mut program = Builder::default();
        let mut variables = Vec::new();
        for part in head {
            match part {
                HeadPart::Text(text) => program.add_text(text),
                HeadPart::Expression(expression) => {
                    add_expression(expression, has_parameters, &mut program);
                    variables.extend(expression.variables.iter().map(|variable| HeadVariable {
                        name: variable.name.clone(),
                        operator: expression.operator,
                        explode: variable.explode,
                    }));
                }
            }
        }
        Self {
            head: program.build(),
            variables,
            query: query.map(QueryMatcher::new),
            fragment: fragment.map(|variable| variable.name.clone()),
        }
    }

    /// Matches a normalized URI, taking at most the given number of steps.
    pub(crate) fn match_normal(
        &self,
        uri: &str,
        steps: &mut usize,
    ) -> Option<Vec<(&str, UriValue)>> {
        if !uri.starts_with(self.head.literal_prefix()) {
            return None;
        }
        let mut values = Vec::new();
        let mut head = uri;
        if self.query.is_some() || self.fragment.is_some() {
            let (rest, fragment) = split_at_mark(head, '#');
            head = rest;
            match (&self.fragment, fragment) {
                (Some(_), None | Some("")) | (None, None) => {}
                (Some(name), Some(text)) => {
                    values.push((name.as_str(), encoding::decode_percent(text)?.into()));
                }
                (None, Some(_)) => return None,
            }
        }
        if let Some(query) = &self.query {
            let (rest, pairs) = split_at_mark(head, '?');
            head = rest;
            query.read_values(pairs.unwrap_or_default(), &mut values, steps)?;
        }
        for (variable, text) in self.variables.iter().zip(self.head.match_text(head, steps)?) {
            // A list of parameters without items counts as missing.
            let is_missing = |text: &str| text.is_empty() && variable.explode;
            if let Some(text) = text.filter(|text| !is_missing(text)) {
                values.push((&variable.name, variable.read_value(text)?));
            }
        }
        Some(values)
    }
}

/// Normalizes a URI for matching. Returns `None` if it is invalid, or too long as received or normalized.
pub(crate) fn normalize_for_match(uri: &str) -> Option<Cow<'_, str>> {
    if uri.len() > MAX_URI_BYTES {
        return None;
    }
    encoding::normalize_uri(uri).filter(|uri| uri.len() <= MAX_URI_BYTES)
}

fn split_at_mark(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// Adds an expression before the query.
fn add_expression(expression: &Expression, has_parameters: bool, program: &mut Builder) {
    let Expression { operator, variables, .. } = expression;
    let several = variables.len() > 1;
    for (index, variable) in variables.iter().enumerate() {
        let except = excluded_bytes(*operator, variable.explode, several, has_parameters);
        let class = ByteClass { except };
        match operator {
            Operator::Parameter => add_parameter(variable, class, program),
            Operator::Path | Operator::Label => program.add_optional(|program| {
                program.add_text(operator.leading_text());
                program.capture_variable(|program| program.add_some(class));
            }),
            _ => {
                if index > 0 {
                    program.add_text(operator.separator());
                }
                program.capture_variable(|program| program.add_some(class));
            }
        }
    }
}

/// Adds `;name=value`, or `;name` for an empty value.
fn add_parameter(variable: &VarSpec, class: ByteClass, program: &mut Builder) {
    let name = format!(";{}", encoding::normalize_uri(&variable.name).unwrap_or_default());
    let value = |program: &mut Builder| {
        program.add_optional(|program| {
            program.add_text("=");
            program.add_any(class);
        });
    };
    if variable.explode {
        program.capture_variable(|program| {
            program.add_repeated(|program| {
                program.add_text(name);
                value(program);
            });
        });
    } else {
        program.add_optional(|program| {
            program.add_text(name);
            program.capture_variable(value);
        });
    }
}

/// Returns the bytes that a value can contain only in encoded form.
fn excluded_bytes(
    operator: Operator,
    explode: bool,
    several: bool,
    has_parameters: bool,
) -> &'static [u8] {
    match operator {
        Operator::Reserved => b"",
        Operator::Path if explode && has_parameters => b"?#;",
        Operator::Path if explode => b"?#",
        Operator::Parameter => b"/?#;",
        Operator::Simple if several && !explode && has_parameters => b"/?#;,",
        Operator::Simple if several && !explode => b"/?#,",
        _ if has_parameters => b"/?#;",
        _ => b"/?#",
    }
}

impl HeadVariable {
    /// Reads the value of the variable from its text in the head.
    fn read_value(&self, text: &str) -> Option<UriValue> {
        match (self.operator, self.explode) {
            (Operator::Parameter, true) => {
                let name = encoding::normalize_uri(&self.name)?;
                let items = text.split(';').skip(1).map(|item| {
                    let item = item.strip_prefix(&*name)?;
                    self.decode_value(item.strip_prefix('=').unwrap_or(item))
                });
                items.collect::<Option<_>>().map(UriValue::List)
            }
            (Operator::Parameter, false) => {
                self.decode_value(text.strip_prefix('=').unwrap_or(text)).map(UriValue::Text)
            }
            (operator, true) => {
                let items = text.split(operator.separator());
                let items =
                    items.map(|item| if item.is_empty() { None } else { self.decode_value(item) });
                items.collect::<Option<_>>().map(UriValue::List)
            }
            (_, false) => self.decode_value(text).map(UriValue::Text),
        }
    }

    fn decode_value(&self, text: &str) -> Option<String> {
        let value = encoding::decode_percent(text)?;
        let is_wide = self.operator.is_wide(self.explode);
        let leaves = is_traversal(&value) || is_absolute(&value);
        (!leaves && (is_wide || !value.contains('/'))).then_some(value)
    }
}

/// Returns whether a path replaces the folder that it is joined to, on any system: `/etc`, `\\host\share`, `C:`.
fn is_absolute(value: &str) -> bool {
    match value.as_bytes() {
        [b'/' | b'\\', ..] => true,
        [drive, b':', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Returns whether a path would leave the folder that it is joined to, on any system.
fn is_traversal(value: &str) -> bool {
    value.contains('\0') || value.split(['/', '\\']).any(|segment| segment == "..")
}

impl QueryMatcher {
    fn new(query: QueryPart<'_>) -> Self {
        let key = |variable: &VarSpec| {
            encoding::decode_percent(&variable.name).unwrap_or_else(|| variable.name.clone())
        };
        let variables =
            query.variables.into_iter().map(|variable| (key(variable), variable.clone()));
        Self { fixed: query.fixed, variables: variables.collect() }
    }

    /// Reads the pairs of a query. Unknown keys are ignored.
    fn read_values<'t>(
        &'t self,
        pairs: &str,
        values: &mut Vec<(&'t str, UriValue)>,
        steps: &mut usize,
    ) -> Option<()> {
        let mut missing: Vec<_> = self.fixed.iter().collect();
        for text in pairs.split('&').filter(|text| !text.is_empty()) {
            *steps = steps.saturating_sub(text.len() + missing.len() + self.variables.len());
            if *steps == 0 {
                return None;
            }
            let (key, value) = decode_pair(text)?;
            if let Some(fixed) =
                missing.iter().position(|(name, wanted)| *name == key && *wanted == value)
            {
                missing.swap_remove(fixed);
                continue;
            }
            let Some((_, VarSpec { name, explode, .. })) =
                self.variables.iter().find(|(name, _)| *name == key)
            else {
                continue;
            };
            match values.iter_mut().find(|(known, _)| known == name) {
                None if *explode => values.push((name, vec![value].into())),
                None => values.push((name, value.into())),
                Some((_, UriValue::List(values))) => values.push(value),
                Some((_, UriValue::Text(_))) => return None,
            }
        }
        missing.is_empty().then_some(())
    }
}
