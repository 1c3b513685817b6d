//! What `#[resource]` has of its own: the URI template, and that it fits the arguments.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Lit, LitStr};

use crate::closest::closest;
use crate::error::Errors;
use crate::kind::Kind;
use crate::options::{ICONS, Sets, Spec};
use crate::params::Param;
use crate::uri;
use crate::values::Form;

pub(crate) const OPTIONS: &[Spec] = &[
    ICONS,
    Spec {
        key: "mime_type",
        form: Form::MimeType,
        sets: Sets::Definition,
        example: "mime_type = \"text/markdown\"",
        about: "The media type of the content, where it is always the same.",
    },
];

/// Takes the template from the front of the options.
pub(crate) fn split(options: TokenStream, errors: &mut Errors) -> (Option<LitStr>, TokenStream) {
    let usage = Kind::Resource.usage();
    if options.is_empty() {
        let what = "`#[resource]` has no URI: clients read a resource by its address";
        errors.at_span(Span::call_site(), what, format_args!("write `{usage}`"));
        return (None, options);
    }
    let mut parts = vec![TokenStream::new()];
    for tree in options {
        match (&tree, parts.last_mut()) {
            (TokenTree::Punct(comma), _) if comma.as_char() == ',' => {
                parts.push(TokenStream::new())
            }
            (_, Some(part)) => part.extend([tree]),
            (_, None) => {}
        }
    }
    let found = parts.iter().position(|part| literal(part).is_some());
    let (template, place) = match found {
        Some(found) => (literal(&parts.remove(found)), found),
        None => (None, 0),
    };
    match &template {
        Some(Lit::Str(_)) if place == 0 => {}
        Some(Lit::Str(text)) => {
            let help = format!("write `#[resource({}, ..)]`", text.token());
            errors.at(text, "the URI template comes first", help);
        }
        Some(other) => {
            let what = "the URI template is a string";
            errors.at(other, what, format_args!("write `{usage}`"));
        }
        None => {
            let what = "the URI template is missing: it comes first, as a string of its own";
            errors.at(&parts[0], what, format_args!("write `{usage}`"));
            // `uri = ".."` is this mistake, not an unknown option.
            parts.retain(|part| !part.to_string().starts_with("uri"));
        }
    }
    let mut rest = TokenStream::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        part.to_tokens(&mut rest);
        rest.extend([TokenTree::Punct(proc_macro2::Punct::new(',', proc_macro2::Spacing::Alone))]);
    }
    let template = template.and_then(|literal| match literal {
        Lit::Str(text) => Some(text),
        _ => None,
    });
    (template, rest)
}

fn literal(part: &TokenStream) -> Option<Lit> {
    syn::parse2(part.clone()).ok()
}

/// Every variable fills an argument, and every argument is filled by a variable.
pub(crate) fn check(template: &LitStr, params: &[Param], errors: &mut Errors) {
    let text = template.value();
    let variables = match uri::parse(&text) {
        Ok(variables) => variables,
        Err(problems) => {
            for problem in problems {
                errors.at(template, problem.what, problem.help);
            }
            return;
        }
    };
    let fields = || params.iter().filter_map(Param::field).filter(|field| !field.skip);
    if params.iter().any(|param| matches!(param, Param::Whole(..)))
        || fields().any(|field| field.flatten)
    {
        // The names are those of a type's fields, which no macro sees.
        return;
    }
    let unfilled: Vec<_> =
        fields().filter(|field| !variables.iter().any(|v| field.answers_to(&v.name))).collect();
    let unused: Vec<_> =
        variables.iter().filter(|v| !fields().any(|field| field.answers_to(&v.name))).collect();
    let mut explained = Vec::new();
    for variable in &unused {
        let near = closest(&variable.name, unfilled.iter().map(|field| field.key.as_str())).or(
            match (unused.as_slice(), unfilled.as_slice()) {
                ([_], [only]) => Some(only.key.as_str()),
                _ => None,
            },
        );
        let what = format!(
            "the variable `{}` has no argument{}",
            variable.name,
            uri::marked(&text, &variable.place)
        );
        match near {
            Some(near) => {
                explained.push(near);
                errors.at(template, what, format_args!("did you mean the argument `{near}`?"));
            }
            None => errors.at(
                template,
                what,
                format_args!(
                    "add the argument `{}: String`, or take the variable out",
                    variable.name
                ),
            ),
        }
    }
    for field in unfilled.iter().filter(|field| !explained.contains(&field.key.as_str())) {
        errors.at(
            &field.name,
            format_args!(
                "the argument `{}` is not in the template `{text}`: nothing can fill it",
                field.key
            ),
            format_args!(
                "add `{{{}}}` to the template, or take it by reference if it is state",
                field.key
            ),
        );
    }
}
