//! The page of an MCP App: the origins that it may use, and its permissions.

use syn::{Expr, ExprAssign, ExprCall, ExprPath, Lit, LitStr};

use crate::literal::{as_literal, string_literal};

/// The permissions that a page can request.
const PERMISSIONS: [&str; 4] = ["camera", "microphone", "geolocation", "clipboard-write"];

/// The methods of `AppPage` that take origins.
const ORIGINS: [&str; 4] = ["connect", "resources", "frames", "base_uris"];

/// One right of a page: a method of `AppPage` with its argument.
pub(crate) enum AppRight {
    Origins(String, Vec<LitStr>),
    Permissions(Vec<LitStr>),
    PrefersBorder(bool),
    Domain(LitStr),
}

/// Parses the rights of a page, or returns the problem with them.
pub(super) fn parse_rights(list: &[Expr]) -> Result<Vec<AppRight>, String> {
    list.iter().map(parse_right).collect()
}

fn parse_right(expr: &Expr) -> Result<AppRight, String> {
    match expr {
        Expr::Call(ExprCall { func, args, .. }) => {
            let name = app_name(func);
            let texts: Option<Vec<LitStr>> = args.iter().map(string_literal).collect();
            let texts = texts.filter(|texts| !texts.is_empty());
            let texts = texts.ok_or_else(|| format!("`{name}` takes strings in parentheses"))?;
            if ORIGINS.contains(&&*name) {
                return match texts
                    .iter()
                    .find(|text| !genkit_uri_template::is_origin(&text.value()))
                {
                    None => Ok(AppRight::Origins(name, texts)),
                    Some(text) => Err(format!(
                        "`{}` is not an origin; expected a scheme and a host, such as `https://api.example.com`",
                        text.value()
                    )),
                };
            }
            if name != "permissions" {
                return Err(unknown_right(&name));
            }
            match texts.iter().find(|text| !PERMISSIONS.contains(&&*text.value())) {
                None => Ok(AppRight::Permissions(texts)),
                Some(text) => Err(format!(
                    "`{}` is not a permission of a page; expected {}",
                    text.value(),
                    PERMISSIONS.map(|name| format!("`{name}`")).join(", ")
                )),
            }
        }
        Expr::Assign(ExprAssign { left, right, .. }) => {
            match (&*app_name(left), as_literal(right)) {
                ("prefers_border", Some(Lit::Bool(yes))) => Ok(AppRight::PrefersBorder(yes.value)),
                ("domain", Some(Lit::Str(domain))) if !domain.value().is_empty() => {
                    Ok(AppRight::Domain(domain.clone()))
                }
                (name, _) => Err(unknown_right(name)),
            }
        }
        other if app_name(other) == "prefers_border" => Ok(AppRight::PrefersBorder(true)),
        other => Err(unknown_right(&app_name(other))),
    }
}

fn app_name(expr: &Expr) -> String {
    match expr {
        Expr::Path(ExprPath { path, .. }) => {
            path.get_ident().map(ToString::to_string).unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn unknown_right(name: &str) -> String {
    format!(
        "`{name}` is not a right of a page; expected `connect(..)`, `resources(..)`, `frames(..)`, `base_uris(..)`, \
         `permissions(..)`, `prefers_border` or `domain = \"..\"`"
    )
}
