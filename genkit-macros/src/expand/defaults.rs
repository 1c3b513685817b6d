//! Default values: a function for each, which returns the type of its parameter.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Ident, Lit};

use crate::literal::as_literal;
use crate::parse::{ArgDefault, InputField, SerdeDefault};

pub(super) fn default_fn_name(field: &InputField) -> Ident {
    format_ident!("__default_{}", field.name.unraw(), span = Span::call_site())
}

/// Generates the function for a default value. With a derived struct, serde's own defaults are left to the derive.
pub(super) fn expand_default_fn(
    field: &InputField,
    ty: &TokenStream,
    derived: bool,
) -> Option<TokenStream> {
    let name = default_fn_name(field);
    let value = match &field.default {
        Some(ArgDefault::OfType(span)) => {
            quote_spanned!(*span=> __genkit::OwnDefault::value())
        }
        Some(ArgDefault::Value(value)) => match as_literal(value) {
            Some(Lit::Str(text)) => {
                let span = text.span();
                quote_spanned!(span=> __genkit::TextDefault::value(#text))
            }
            _ => value.to_token_stream(),
        },
        None if derived => return None,
        None => match field.data.as_ref()?.default.as_ref()? {
            SerdeDefault::OfType => quote!(__genkit::OwnDefault::value()),
            SerdeDefault::Function(function) => quote!(#function()),
        },
    };
    Some(quote!(fn #name() -> #ty { #value }))
}
