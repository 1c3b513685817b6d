//! The retries of a tool.

use proc_macro2::Ident;
use syn::{Expr, ExprAssign, ExprPath, Lit};

use super::formats;
use crate::literal::as_literal;

/// One value of `retry(..)`: a method of `ToolRetry` with its argument.
pub(crate) enum RetrySetting {
    Number(Ident, u32),
    /// Milliseconds.
    Duration(Ident, u64),
}

/// Parses the values, or returns the problem with them.
pub(super) fn parse_retry(list: &[Expr]) -> Result<Vec<RetrySetting>, String> {
    let mut settings: Vec<RetrySetting> = Vec::new();
    for expr in list {
        let setting = parse_setting(expr)?;
        if settings.iter().any(|earlier| earlier.method() == setting.method()) {
            return Err(format!("duplicate option `{}`", setting.method()));
        }
        settings.push(setting);
    }
    Ok(settings)
}

impl RetrySetting {
    fn method(&self) -> &Ident {
        match self {
            Self::Number(method, _) | Self::Duration(method, _) => method,
        }
    }
}

fn parse_setting(expr: &Expr) -> Result<RetrySetting, String> {
    let (target, value) = match expr {
        Expr::Assign(ExprAssign { left, right, .. }) => (&**left, Some(&**right)),
        other => (other, None),
    };
    let method = match target {
        Expr::Path(ExprPath { path, .. }) => path.get_ident().cloned(),
        _ => None,
    };
    let unknown = || {
        "`retry` takes `max_retries`, `initial_delay`, `backoff` and `max_delay`, each with a value"
            .to_owned()
    };
    let (Some(method), Some(value)) = (method, value) else { return Err(unknown()) };
    match &*method.to_string() {
        "max_retries" | "backoff" => {
            let number = match as_literal(value) {
                Some(Lit::Int(number)) if number.suffix().is_empty() => number.base10_parse().ok(),
                _ => None,
            };
            let number = number.filter(|number| *number > 0);
            let number =
                number.ok_or_else(|| format!("`{method}` takes a whole number above 0"))?;
            Ok(RetrySetting::Number(method, number))
        }
        "initial_delay" | "max_delay" => {
            let time = match as_literal(value) {
                Some(Lit::Str(text)) => formats::parse_milliseconds(&text.value()),
                _ => None,
            };
            let time = time.ok_or_else(|| {
                format!(
                    "`{method}` takes a whole number above 0 with `ms`, `s`, `m` or `h`, in quotes"
                )
            })?;
            Ok(RetrySetting::Duration(method, time))
        }
        _ => Err(unknown()),
    }
}
