//! Literals in expressions.

use syn::{Expr, Lit, LitStr};

/// Returns the literal of an expression, looking through the invisible groups of `macro_rules!`.
pub(crate) fn as_literal(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Group(group) => as_literal(&group.expr),
        _ => None,
    }
}

/// Returns the string literal of an expression.
pub(crate) fn string_literal(expr: &Expr) -> Option<LitStr> {
    match as_literal(expr) {
        Some(Lit::Str(text)) => Some(text.clone()),
        _ => None,
    }
}
