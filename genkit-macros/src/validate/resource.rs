//! Rules for `#[resource]` only: every variable of the URI template fills an argument.

use syn::LitStr;

use super::uri;
use crate::error::Errors;
use crate::parse::{FnParam, InputField, Options};
use crate::suggest::find_nearest;

/// Checks the URI and the media type of the page of an MCP App.
pub(super) fn check_app(uri: &LitStr, options: &Options, errors: &mut Errors) {
    let text = uri.value();
    if !text.starts_with("ui://") || text.contains('{') {
        errors.add_at(
            uri,
            format_args!(
                "`{text}` is not the URI of a page; a page has a fixed URI that begins with `ui://`"
            ),
            "write it like this: `#[resource(\"ui://shop/cart\", app)]`",
        );
    }
    if let Some(kind) = options.text("mime_type") {
        let help = "remove it; a page is always `text/html;profile=mcp-app`";
        errors.add_at(kind, "`mime_type` and `app` are mutually exclusive", help);
    }
}

/// Checks that every variable fills an argument, and that every argument is filled by a variable.
pub(super) fn check_variables(uri: &LitStr, params: &[FnParam], errors: &mut Errors) {
    let text = uri.value();
    let template = match uri::parse_uri(&text) {
        Ok(template) => template,
        Err(mistakes) => {
            for mistake in mistakes {
                errors.add_at(uri, mistake.what, mistake.help);
            }
            return;
        }
    };
    let fields: Vec<_> =
        params.iter().filter_map(FnParam::field).filter(|field| !field.skip).collect();
    if params.iter().any(|param| matches!(param, FnParam::Input(..)))
        || fields.iter().any(|field| field.flatten)
    {
        // The names are the type's fields, which a macro cannot see.
        return;
    }
    let is_unfilled = |field: &InputField| !template.variables().any(|name| field.has_name(name));
    let unfilled: Vec<_> = fields.iter().filter(|field| is_unfilled(field)).collect();
    let is_unused = |name: &str| !fields.iter().any(|field| field.has_name(name));
    let unused: Vec<_> = template.variables().filter(|name| is_unused(name)).collect();
    let mut explained = Vec::new();
    for name in &unused {
        let near = find_nearest(name, unfilled.iter().map(|field| field.key.as_str()));
        let near = near.or(match (unused.as_slice(), unfilled.as_slice()) {
            ([_], [only]) => Some(only.key.as_str()),
            _ => None,
        });
        let place = template.position(name).unwrap_or_default();
        let what = format!(
            "the variable `{name}` has no matching argument{}",
            uri::mark_position(&text, &place)
        );
        match near {
            Some(near) => {
                explained.push(near);
                errors.add_at(uri, what, format_args!("did you mean the argument `{near}`?"));
            }
            None => errors.add_at(
                uri,
                what,
                format_args!("add the argument `{name}: String`, or remove the variable"),
            ),
        }
    }
    for InputField { name, key, .. } in unfilled {
        if !explained.contains(&key.as_str()) {
            errors.add_at(
                name,
                format_args!(
                    "the argument `{key}` is not in the template `{text}`: it would never have a value"
                ),
                format_args!(
                    "add `{{{key}}}` to the template, or take it by reference if it is state"
                ),
            );
        }
    }
}
