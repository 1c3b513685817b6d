//! Literals in expressions.

use syn::{Expr, Lit, LitStr};

/// Returns the literal of an expression, looking through the invisible groups of `macro_rules!`.
pub(crate) fn literal(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// Returns the string literal of an expression.
pub(crate) fn text(expr: &Expr) -> Option<LitStr> {
    match literal(expr) {
        Some(Lit::Str(text)) => Some(text.clone()),
        _ => None,
    }
}
