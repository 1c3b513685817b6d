//! The URI template, which precedes the options of `#[resource]`.

use proc_macro2::{Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Lit, LitStr};

use crate::error::Errors;
use crate::kind::Kind;

/// Splits the template from the front of the options.
pub(crate) fn split_uri(
    options: TokenStream,
    errors: &mut Errors,
) -> (Option<LitStr>, TokenStream) {
    let usage = Kind::Resource.usage();
    if options.is_empty() {
        let what = "`#[resource]` has no URI: clients read a resource by its URI";
        errors.add_at_span(Span::call_site(), what, format_args!("write `{usage}`"));
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
            errors.add_at(text, "the URI template must come first", help);
        }
        Some(other) => {
            let what = "the URI template must be a string";
            errors.add_at(other, what, format_args!("write `{usage}`"));
        }
        None => {
            let what = "the URI template is missing: it must come first, as a string";
            errors.add_at(&parts[0], what, format_args!("write `{usage}`"));
            // Report `uri = ".."` with this error instead of as an unknown option.
            parts.retain(|part| !part.to_string().starts_with("uri"));
        }
    }
    let mut rest = TokenStream::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        part.to_tokens(&mut rest);
        rest.extend([TokenTree::Punct(Punct::new(',', Spacing::Alone))]);
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
