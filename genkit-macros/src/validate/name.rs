//! The name and the description that callers see.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::LitStr;
use syn::ext::IdentExt as _;

use crate::error::Errors;
use crate::kind::Kind;
use crate::parse::{self, Item, Options};
use crate::types;

/// The maximum length of a name that every provider accepts, in characters.
const MAX_NAME: usize = 64;

/// The maximum length of a resource name, in characters. MCP sets no limit, and resources are not called by name.
const MAX_RESOURCE_NAME: usize = 256;

pub(super) fn validate_name(
    kind: Kind,
    item: &Item,
    options: &Options,
    errors: &mut Errors,
) -> LitStr {
    let ident = item.sig.ident.unraw().to_string();
    if types::is_primitive(&ident) {
        errors.add_at(
            &item.sig.ident,
            format_args!(
                "the type generated for the function would shadow the primitive type `{ident}` in this module"
            ),
            format_args!("rename the function, and write `#[{}(name = \"{ident}\")]`", kind.noun()),
        );
    }
    let (name, renamed) = match options.text("name") {
        Some(literal) => (literal.clone(), true),
        None => (LitStr::new(&ident, item.sig.ident.span()), false),
    };
    let value = name.value();
    let is_resource = matches!(kind, Kind::Resource);
    let longest = if is_resource { MAX_RESOURCE_NAME } else { MAX_NAME };
    let is_odd = |c: &char| match is_resource {
        true => c.is_control(),
        false => !c.is_ascii_alphanumeric() && !"_-".contains(*c),
    };
    let length = value.chars().count();
    let (what, help) = if length > longest {
        (
            format!("the name `{value}` has {length} characters; the maximum is {longest}"),
            "shorten it",
        )
    } else if let Some(odd) = value.chars().find(is_odd) {
        if is_resource {
            let what = format!("a resource name must be a single line, but it contains {odd:?}");
            errors.add_at(&name, what, "remove it; `description` may have several lines");
            return name;
        }
        (
            format!(
                "the name `{value}` contains `{odd}`; only ASCII letters, digits, `_` and `-` are allowed"
            ),
            "use only these characters",
        )
    } else {
        return name;
    };
    let place: &dyn ToTokens = if renamed { &name } else { &item.sig.ident };
    if renamed {
        errors.add_at(place, what, format_args!("{help}; to set a display name, use `title`"));
    } else {
        errors.add_at(
            place,
            what,
            format_args!("set another name: `#[{}(name = \"..\")]`", kind.noun()),
        );
    }
    name
}

pub(super) fn validate_description(
    kind: Kind,
    item: &Item,
    options: &Options,
    errors: &mut Errors,
) -> TokenStream {
    let found = match options.text("description") {
        Some(text) => Some(text.to_token_stream()),
        None => parse::doc_description(&item.attrs),
    };
    found.unwrap_or_else(|| {
        let ident = &item.sig.ident;
        errors.add_at(
            ident,
            format_args!("`{ident}` has no description: {}", kind.description_purpose()),
            "write a doc comment above it: `/// What it does, and when to use it.`",
        );
        quote_spanned!(ident.span()=> "")
    })
}
