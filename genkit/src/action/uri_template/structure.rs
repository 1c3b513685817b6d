//! What of a template stands before the query, in it, and after it; and whether a URI can tell its variables apart.

use super::{
    encoding,
    error::UriTemplateError,
    model::{Expression, Operator, Part, Variable},
};

/// A template that can be matched.
pub(super) struct Structure<'a> {
    /// What is matched from left to right.
    pub head: Vec<Piece<'a>>,
    pub query: Option<Query<'a>>,
    pub fragment: Option<&'a Variable>,
}

/// A piece of the head.
#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Expression(&'a Expression),
}

/// A query whose keys are matched in any order.
#[derive(Default)]
pub(super) struct Query<'a> {
    /// Keys and values that must be there, decoded.
    pub fixed: Vec<(String, String)>,
    pub variables: Vec<&'a Variable>,
}

/// Takes a template apart, and refuses what a URI could not be read back from.
pub(super) fn check(parts: &[Part]) -> Result<Structure<'_>, UriTemplateError> {
    let mut structure = Structure { head: Vec::new(), query: None, fragment: None };
    for part in parts {
        if structure.fragment.is_some() {
            let (offset, what) = name(part);
            return Err(UriTemplateError::new(
                offset,
                what,
                "it stands after the fragment, which ends a URI",
                "put it before `{#…}`",
            ));
        }
        match part {
            Part::Literal { text, offset } => {
                if structure.query.is_some() {
                    let why = "it stands after variables of the query, which may be missing";
                    let remedy = "put it before them: `?fixed=1{&…}`";
                    return Err(UriTemplateError::new(*offset, format!("`{text}`"), why, remedy));
                }
                structure.head.push(Piece::Text(text));
            }
            Part::Expression(expression) => structure.add(expression)?,
        }
    }
    Ok(structure)
}

impl<'a> Structure<'a> {
    fn add(&mut self, expression: &'a Expression) -> Result<(), UriTemplateError> {
        check_alone(expression)?;
        let Expression { operator, variables, offset } = expression;
        match operator {
            Operator::Fragment => {
                self.refuse_text('#', *offset)?;
                self.fragment = variables.first();
                Ok(())
            }
            Operator::Query | Operator::Continuation => self.add_query(expression),
            _ if self.query.is_some() => {
                let why = "it stands after variables of the query, which may be missing";
                Err(UriTemplateError::new(
                    *offset,
                    display(expression),
                    why,
                    "put it before `{?…}`, or into it",
                ))
            }
            _ => {
                if let Some(Piece::Expression(before)) = self.head.last() {
                    check_neighbours(before, expression)?;
                }
                self.head.push(Piece::Expression(expression));
                Ok(())
            }
        }
    }

    fn add_query(&mut self, expression: &'a Expression) -> Result<(), UriTemplateError> {
        let offset = expression.offset;
        if self.query.is_none() {
            self.refuse_text('#', offset)?;
            let query = match expression.operator {
                Operator::Continuation => self.take_fixed_query(offset)?,
                _ => {
                    self.refuse_text('?', offset)?;
                    Query::default()
                }
            };
            self.query = Some(query);
        } else if expression.operator == Operator::Query {
            return Err(UriTemplateError::new(
                offset,
                display(expression),
                "the query has begun before",
                "write `{&…}`",
            ));
        }
        let query = self.query.get_or_insert_default();
        query.variables.extend(&expression.variables);
        Ok(())
    }

    /// Moves `?fixed=1` from the end of the head into the query.
    fn take_fixed_query(&mut self, offset: usize) -> Result<Query<'a>, UriTemplateError> {
        let text = match self.head.last_mut() {
            Some(Piece::Text(text)) if text.contains('?') => text,
            _ => {
                let why = "a query must have begun right before it, without variables";
                return Err(UriTemplateError::new(
                    offset,
                    "`{&…}`",
                    why,
                    "write `{?…}`, with all variables of the query in it",
                ));
            }
        };
        let (head, pairs) = text.split_once('?').unwrap_or((text, ""));
        *text = head;
        let fixed =
            pairs.split('&').filter(|pair| !pair.is_empty()).map(pair).collect::<Option<_>>();
        let remedy = "write UTF-8";
        let fixed = fixed.ok_or_else(|| {
            UriTemplateError::new(offset, "the query before it", "it is not text", remedy)
        })?;
        Ok(Query { fixed, variables: Vec::new() })
    }

    /// Refuses text that would begin the query or the fragment before the expression does.
    fn refuse_text(&self, mark: char, offset: usize) -> Result<(), UriTemplateError> {
        let is_there =
            self.head.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains(mark)));
        if !is_there {
            return Ok(());
        }
        let (what, why, remedy) = match mark {
            '?' => ("`{?…}`", "there is a `?` before it", "write `{&…}`"),
            _ => (
                "this expression",
                "there is a `#` before it, and a fragment ends a URI",
                "remove the `#`",
            ),
        };
        Err(UriTemplateError::new(offset, what, why, remedy))
    }
}

/// A key and a value of a query, decoded. A key alone has the empty value.
pub(super) fn pair(pair: &str) -> Option<(String, String)> {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    Some((encoding::decode(key)?, encoding::decode(value)?))
}

/// Refuses several values where a URI would not tell them apart.
fn check_alone(expression: &Expression) -> Result<(), UriTemplateError> {
    let Expression { operator, variables, .. } = expression;
    let list = variables.iter().position(|variable| variable.explode);
    match operator {
        Operator::Reserved | Operator::Fragment | Operator::Label => {
            let why = "a URI does not tell where one value ends, as values may have its separator";
            if let Some(Variable { name, offset, .. }) = list.and_then(|list| variables.get(list)) {
                let remedy = format!("use `{{/{name}*}}` or `{{{name}*}}`");
                return Err(UriTemplateError::new(
                    *offset,
                    format!("the list `{name}*`"),
                    why,
                    remedy,
                ));
            }
            if let Some(Variable { name, offset, .. }) = variables.get(1) {
                let remedy = "use one variable in each expression, with text between";
                return Err(UriTemplateError::new(
                    *offset,
                    format!("the second variable `{name}`"),
                    why,
                    remedy,
                ));
            }
        }
        Operator::Simple | Operator::Path => {
            if let Some(Variable { name, offset, .. }) =
                list.and_then(|list| variables.get(list + 1))
            {
                let what = format!("the variable `{name}` after a list");
                let why = "a URI does not tell where the list ends";
                return Err(UriTemplateError::new(*offset, what, why, "put the list last"));
            }
        }
        Operator::Parameter | Operator::Query | Operator::Continuation => {}
    }
    Ok(())
}

/// Refuses neighbours of which the first can hold what the second begins with.
fn check_neighbours(before: &Expression, after: &Expression) -> Result<(), UriTemplateError> {
    let is_list = before.variables.iter().any(|variable| variable.explode);
    let is_clear = match after.operator {
        Operator::Path => {
            before.operator != Operator::Reserved && !(before.operator == Operator::Path && is_list)
        }
        Operator::Parameter => before.operator != Operator::Reserved,
        _ => false,
    };
    if is_clear {
        return Ok(());
    }
    let what = format!("{} right after {}", display(after), display(before));
    let why = "a URI does not tell where the first one ends";
    Err(UriTemplateError::new(after.offset, what, why, "put text between them, such as `/`"))
}

fn name(part: &Part) -> (usize, String) {
    match part {
        Part::Literal { text, offset } => (*offset, format!("`{text}`")),
        Part::Expression(expression) => (expression.offset, display(expression)),
    }
}

/// An expression as it was written.
fn display(expression: &Expression) -> String {
    let star = |explode: bool| if explode { "*" } else { "" };
    let names = expression
        .variables
        .iter()
        .map(|variable| format!("{}{}", variable.name, star(variable.explode)));
    let names: Vec<_> = names.collect();
    let symbol = match expression.operator {
        Operator::Reserved => "+",
        other => other.first(),
    };
    format!("`{{{symbol}{}}}`", names.join(","))
}
