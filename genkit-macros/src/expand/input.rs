//! The input: the struct that is made of the parameters, defaults, and checks of the types.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Ident, Lit};

use super::type_names::TypeNames;
use crate::literal::literal;
use crate::parse::{ArgDefault, FnParam, InputField};
use crate::types;
use crate::validate::ValidAction;

/// The struct of everything that the caller gives, where there is such a thing.
pub(super) fn input(action: &ValidAction, names: &TypeNames) -> TokenStream {
    let fields: Vec<_> = action
        .params
        .iter()
        .zip(&names.params)
        .filter_map(|(param, name)| param.field().map(|field| (field, name)))
        .collect();
    if fields.is_empty() {
        return TokenStream::new();
    }
    // A type that lacks a trait is reported once, by `checks`. The derives believe in the
    // bounds because they name a lifetime (serde) or are under `for` (schemars, which looks
    // at bounds only where there is a parameter: hence the constant).
    let believed: BTreeSet<String> = fields
        .iter()
        .filter(|(field, _)| needs_traits(field))
        .map(|(_, name)| name.to_string())
        .collect();
    let (mut bounds_de, mut bounds_schema, mut parameter) = (None, None, None);
    if !believed.is_empty() {
        let bounds = |before: &str, bound: &str| {
            let bounds = believed.iter().map(|name| format!("{before}{name}: __genkit::{bound}"));
            bounds.collect::<Vec<_>>().join(", ")
        };
        let de = bounds("", "serde::Deserialize<'de>");
        let schema = bounds("for<'a> ", "schemars::JsonSchema");
        bounds_de = Some(quote!(bound(deserialize = #de),));
        bounds_schema = Some(quote!(bound = #schema,));
        parameter = Some(quote!(<const BELIEVED: bool = true>));
    }
    let strict =
        (!fields.iter().any(|(field, _)| field.flatten)).then(|| quote!(deny_unknown_fields,));
    let expecting = format!(
        "an object with the arguments of the {} `{}`",
        action.kind.noun(),
        action.name.value()
    );
    let defaults = fields.iter().filter_map(|(field, ty)| default(field, ty));
    let members = fields.iter().map(|(field, ty)| {
        let InputField { name, attrs, .. } = field;
        let default = field.default.as_ref().map(|_| {
            let function = default_name(field).to_string();
            quote!(#[serde(default = #function)])
        });
        quote!(#(#attrs)* #default #name: #ty)
    });
    quote! {
        #[derive(__genkit::serde::Deserialize, __genkit::schemars::JsonSchema)]
        #[serde(crate = "__genkit::serde", #bounds_de #strict expecting = #expecting)]
        #[schemars(#bounds_schema crate = "__genkit::schemars")]
        struct __Input #parameter { #(#members,)* }
        #(#defaults)*
    }
}

/// Whether the derives need traits of the field's type that the compiler does not know of.
fn needs_traits(field: &InputField) -> bool {
    !field.custom && !field.skip && !types::is_plain(&field.ty)
}

fn default_name(field: &InputField) -> Ident {
    format_ident!("__default_{}", field.name.unraw(), span = Span::call_site())
}

fn default(field: &InputField, ty: &TokenStream) -> Option<TokenStream> {
    let name = default_name(field);
    let value = match field.default.as_ref()? {
        ArgDefault::OfType(span) => quote_spanned!(*span=> __genkit::OwnDefault::value()),
        ArgDefault::Value(value) => match literal(value) {
            Some(Lit::Str(text)) => {
                let span = text.span();
                quote_spanned!(span=> __genkit::TextDefault::value(#text))
            }
            _ => value.to_token_stream(),
        },
    };
    Some(quote!(fn #name() -> #ty { #value }))
}

/// Asserts on each type itself that it can be an argument.
pub(super) fn checks(action: &ValidAction) -> TokenStream {
    let checks: Vec<TokenStream> = action
        .params
        .iter()
        .filter(|param| match param {
            FnParam::Field(field) => needs_traits(field),
            FnParam::Input(ty) => !types::is_plain(ty),
            FnParam::Injected(_) | FnParam::Extension(_) => false,
        })
        .map(|param| {
            let ty = param.ty();
            quote_spanned!(types::place(ty)=> <#ty as __genkit::Argument>::check();)
        })
        .collect();
    if checks.is_empty() {
        return TokenStream::new();
    }
    let name = Ident::new("__check", action.span());
    quote!(fn #name() { #(#checks)* })
}
