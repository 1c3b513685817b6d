//! The structure of a template: the parts before, in and after the query. Checks that values can be read back from a
//! URI.

use crate::encoding;
use crate::error::{Kind, UriTemplateError};
use crate::model::{Expression, Operator, TemplatePart, VarSpec};

/// The structure of a template that can be matched.
pub(crate) struct Structure<'a> {
    /// The part that is matched from left to right.
    pub(crate) head: Vec<HeadPart<'a>>,
    pub(crate) query: Option<QueryPart<'a>>,
    pub(crate) fragment: Option<&'a VarSpec>,
}

/// A part of the head.
#[derive(Clone, Copy)]
pub(crate) enum HeadPart<'a> {
    Text(&'a str),
    Expression(&'a Expression),
}

/// A query, whose keys are matched in any order.
#[derive(Default)]
pub(crate) struct QueryPart<'a> {
    /// Required keys and values, decoded.
    pub(crate) fixed: Vec<(String, String)>,
    pub(crate) variables: Vec<&'a VarSpec>,
}

impl<'a> Structure<'a> {
    /// Splits a template, and rejects it if values could not be read back from a URI.
    pub(crate) fn from_parts(parts: &'a [TemplatePart]) -> Result<Self, UriTemplateError> {
        let mut structure = Structure { head: Vec::new(), query: None, fragment: None };
        for part in parts {
            match part {
                TemplatePart::Literal { offset, .. }
                | TemplatePart::Expression(Expression { offset, .. })
                    if structure.fragment.is_some() =>
                {
                    return Err(Kind::AfterFragment(part.to_string()).at_offset(*offset));
                }
                TemplatePart::Literal { text, offset } if structure.query.is_some() => {
                    return Err(Kind::TextAfterQuery(text.clone()).at_offset(*offset));
                }
                TemplatePart::Literal { text, .. } => structure.head.push(HeadPart::Text(text)),
                TemplatePart::Expression(expression) => structure.add(expression)?,
            }
        }
        Ok(structure)
    }

    fn add(&mut self, expression: &'a Expression) -> Result<(), UriTemplateError> {
        check_alone(expression)?;
        let Expression { operator, variables, offset } = expression;
        match operator {
            Operator::Fragment if self.has_text('#') => {
                Err(Kind::FragmentHasBegun.at_offset(*offset))
            }
            Operator::Fragment => {
                self.fragment = variables.first();
                Ok(())
            }
            Operator::Query | Operator::Continuation => self.add_query(expression),
            _ if self.query.is_some() => {
                Err(Kind::ExpressionAfterQuery(expression.to_string()).at_offset(*offset))
            }
            _ => {
                if let Some(HeadPart::Expression(before)) = self.head.last() {
                    check_neighbours(before, expression)?;
                }
                self.head.push(HeadPart::Expression(expression));
                Ok(())
            }
        }
    }

    fn add_query(&mut self, expression: &'a Expression) -> Result<(), UriTemplateError> {
        let Expression { operator, variables, offset } = expression;
        let mut query = match (self.query.take(), operator) {
            (Some(_), Operator::Query) => {
                return Err(Kind::SecondQuery(expression.to_string()).at_offset(*offset));
            }
            (Some(query), _) => query,
            (None, _) if self.has_text('#') => {
                return Err(Kind::FragmentHasBegun.at_offset(*offset));
            }
            (None, Operator::Continuation) => self.take_fixed_query(*offset)?,
            (None, _) if self.has_text('?') => return Err(Kind::QueryHasBegun.at_offset(*offset)),
            (None, _) => QueryPart::default(),
        };
        query.variables.extend(variables);
        self.query = Some(query);
        Ok(())
    }

    /// Moves `?fixed=1` from the end of the head to the query.
    fn take_fixed_query(&mut self, offset: usize) -> Result<QueryPart<'a>, UriTemplateError> {
        let Some(HeadPart::Text(text)) = self.head.last_mut() else {
            return Err(Kind::ContinuationWithoutQuery.at_offset(offset));
        };
        let Some((head, pairs)) = text.split_once('?') else {
            return Err(Kind::ContinuationWithoutQuery.at_offset(offset));
        };
        *text = head;
        let fixed = pairs.split('&').filter(|pair| !pair.is_empty()).map(decode_pair);
        let fixed =
            fixed.collect::<Option<_>>().ok_or_else(|| Kind::QueryIsNotText.at_offset(offset))?;
        Ok(QueryPart { fixed, variables: Vec::new() })
    }

    /// Returns whether literal text before an expression starts the query or the fragment.
    fn has_text(&self, mark: char) -> bool {
        self.head.iter().any(|part| matches!(part, HeadPart::Text(text) if text.contains(mark)))
    }
}

/// Decodes a key and a value of a query. A key without a value has an empty value.
pub(crate) fn decode_pair(pair: &str) -> Option<(String, String)> {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    Some((encoding::decode_percent(key)?, encoding::decode_percent(value)?))
}

/// Rejects several values that could not be distinguished in a URI.
fn check_alone(expression: &Expression) -> Result<(), UriTemplateError> {
    let Expression { operator, variables, .. } = expression;
    let list = variables.iter().position(|variable| variable.explode);
    match operator {
        Operator::Reserved | Operator::Fragment | Operator::Label => {
            if let Some(VarSpec { name, offset, .. }) = list.and_then(|list| variables.get(list)) {
                return Err(Kind::OpenList(name.clone()).at_offset(*offset));
            }
            if let Some(VarSpec { name, offset, .. }) = variables.get(1) {
                return Err(Kind::OpenSecondVariable(name.clone()).at_offset(*offset));
            }
        }
        Operator::Simple | Operator::Path => {
            if let Some(VarSpec { name, offset, .. }) =
                list.and_then(|list| variables.get(list + 1))
            {
                return Err(Kind::VariableAfterList(name.clone()).at_offset(*offset));
            }
        }
        Operator::Parameter | Operator::Query | Operator::Continuation => {}
    }
    Ok(())
}

/// Rejects adjacent expressions if the first can contain the start of the second.
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
    let kind = Kind::Neighbours { before: before.to_string(), after: after.to_string() };
    Err(kind.at_offset(after.offset))
}
