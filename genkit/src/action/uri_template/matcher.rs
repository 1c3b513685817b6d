//! From a URI to values.

use serde_json::{Map, Value};

use super::{
    MAX_URI_BYTES, encoding,
    model::{Expression, Kind, Operator, Variable},
    program::{Builder, Class, Program},
    structure::{Piece, Query, Structure, pair},
};

/// A template made ready to match.
#[derive(Clone)]
pub(super) struct Matcher {
    head: Program,
    /// The variables of the head, in its order.
    variables: Vec<(String, Kind)>,
    query: Option<QueryMatcher>,
    fragment: Option<String>,
}

#[derive(Clone)]
struct QueryMatcher {
    fixed: Vec<(String, String)>,
    /// Keys with their variables.
    variables: Vec<(String, Variable)>,
}

impl Matcher {
    pub(super) fn new(structure: Structure<'_>) -> Self {
        let Structure { head, query, fragment } = structure;
        let has_parameters = |piece: &Piece<'_>| match piece {
            Piece::Text(_) => false,
            Piece::Expression(expression) => expression.operator == Operator::Parameter,
        };
        let has_parameters = head.iter().any(has_parameters);
        let mut program = Builder::default();
        let mut variables = Vec::new();
        for piece in head {
            match piece {
                Piece::Text(text) => program.text(text),
                Piece::Expression(expression) => {
                    add_expression(expression, has_parameters, &mut program);
                    let names = expression.variables.iter().map(|variable| variable.name.clone());
                    variables.extend(names.zip(expression.kinds()));
                }
            }
        }
        Self {
            head: program.finish(),
            variables,
            query: query.map(QueryMatcher::new),
            fragment: fragment.map(|variable| variable.name.clone()),
        }
    }

    pub(super) fn matches(&self, uri: &str) -> Option<Map<String, Value>> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let uri = encoding::normalize(uri)?;
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let mut values = Map::new();
        let mut head = uri.as_str();
        if self.query.is_some() || self.fragment.is_some() {
            let (rest, fragment) = split(head, '#');
            head = rest;
            match (&self.fragment, fragment) {
                (Some(_), None | Some("")) | (None, None) => {}
                (Some(name), Some(text)) => {
                    values.insert(name.clone(), encoding::decode(text)?.into());
                }
                (None, Some(_)) => return None,
            }
        }
        if let Some(query) = &self.query {
            let (rest, pairs) = split(head, '?');
            head = rest;
            query.read(pairs.unwrap_or_default(), &mut values)?;
        }
        for ((name, kind), text) in self.variables.iter().zip(self.head.run(head)?) {
            // A list of parameters of which there are none.
            let is_missing = |text: &str| text.is_empty() && kind.explode;
            if let Some(text) = text.filter(|text| !is_missing(text)) {
                values.insert(name.clone(), read(text, name, *kind)?);
            }
        }
        Some(values)
    }
}

fn split(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// Adds what an expression before the query stands for.
fn add_expression(expression: &Expression, has_parameters: bool, program: &mut Builder) {
    let Expression { operator, variables, .. } = expression;
    let several = variables.len() > 1;
    for (index, variable) in variables.iter().enumerate() {
        let class =
            Class { except: excluded(*operator, variable.explode, several, has_parameters) };
        match operator {
            Operator::Parameter => add_parameter(variable, class, program),
            Operator::Path | Operator::Label => program.optional(|program| {
                program.text(operator.first());
                program.variable(|program| program.some(class));
            }),
            _ => {
                if index > 0 {
                    program.text(operator.separator());
                }
                program.variable(|program| program.some(class));
            }
        }
    }
}

/// `;name=value`, or `;name` for an empty one.
fn add_parameter(variable: &Variable, class: Class, program: &mut Builder) {
    let name = format!(";{}", encoding::normalize(&variable.name).unwrap_or_default());
    let value = |program: &mut Builder| {
        program.optional(|program| {
            program.text("=");
            program.any(class);
        });
    };
    if variable.explode {
        program.variable(|program| {
            program.repeated(|program| {
                program.text(name);
                value(program);
            });
        });
    } else {
        program.optional(|program| {
            program.text(name);
            program.variable(value);
        });
    }
}

/// What a value cannot have unless it is encoded.
fn excluded(
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

/// Reads what the head has for a variable.
fn read(text: &str, name: &str, kind: Kind) -> Option<Value> {
    let Kind { operator, explode } = kind;
    let value = |text: &str| {
        let value = encoding::decode(text)?;
        let is_safe = !is_traversal(&value) && (kind.is_wide() || !value.contains('/'));
        is_safe.then_some(Value::String(value))
    };
    match operator {
        Operator::Parameter if explode => {
            let name = encoding::normalize(name)?;
            let items = text.split(';').skip(1).map(|item| {
                let item = item.strip_prefix(name.as_str())?;
                value(item.strip_prefix('=').unwrap_or(item))
            });
            items.collect::<Option<Vec<_>>>().map(Value::Array)
        }
        Operator::Parameter => value(text.strip_prefix('=').unwrap_or(text)),
        _ if explode => {
            let items = text.split(operator.separator());
            items
                .map(|item| if item.is_empty() { None } else { value(item) })
                .collect::<Option<_>>()
                .map(Value::Array)
        }
        _ => value(text),
    }
}

/// Whether a path would leave the folder it is joined to, on any system.
fn is_traversal(value: &str) -> bool {
    value.contains('\0') || value.split(['/', '\\']).any(|segment| segment == "..")
}

impl QueryMatcher {
    fn new(query: Query<'_>) -> Self {
        let key = |variable: &Variable| {
            encoding::decode(&variable.name).unwrap_or_else(|| variable.name.clone())
        };
        let variables =
            query.variables.into_iter().map(|variable| (key(variable), variable.clone()));
        Self { fixed: query.fixed, variables: variables.collect() }
    }

    /// Reads the pairs of a query, passing over keys that are not known.
    fn read(&self, pairs: &str, values: &mut Map<String, Value>) -> Option<()> {
        let mut missing: Vec<_> = self.fixed.iter().collect();
        for text in pairs.split('&').filter(|text| !text.is_empty()) {
            let (key, value) = pair(text)?;
            if let Some(fixed) =
                missing.iter().position(|(name, wanted)| *name == key && *wanted == value)
            {
                missing.swap_remove(fixed);
                continue;
            }
            let Some((_, variable)) = self.variables.iter().find(|(name, _)| *name == key) else {
                continue;
            };
            let Variable { name, explode, .. } = variable;
            match values.get_mut(name) {
                None => {
                    let value = Value::from(value);
                    values.insert(name.clone(), if *explode { vec![value].into() } else { value });
                }
                Some(Value::Array(items)) => items.push(value.into()),
                Some(_) => return None,
            }
        }
        missing.is_empty().then_some(())
    }
}
