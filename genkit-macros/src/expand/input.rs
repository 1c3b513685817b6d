//! The input: parameters taken by value as data, or as a struct with derives if an attribute needs a derive; default
//! values; and checks of the types.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;

use super::type_names::{self, TypeNames};
use super::{defaults, fields};
use crate::parse::{FnParam, InputField, SerdeDefault};
use crate::types;
use crate::validate::ValidAction;

/// The decoding of a call's arguments.
pub(super) enum ArgumentDecoding {
    /// Each argument on its own, or all of them as one type that the user names.
    ByType,
    /// All arguments as a hidden struct.
    Derived,
}

impl ArgumentDecoding {
    pub(super) fn for_action(action: &ValidAction) -> Self {
        let fields: Vec<_> = action.params.iter().filter_map(FnParam::field).collect();
        let is_data = |field: &&InputField| match &field.data {
            Some(data) => match data.default {
                Some(SerdeDefault::OfType) => types::is_plain(&field.ty),
                _ => true,
            },
            None => false,
        };
        let mut names = BTreeSet::new();
        let all = fields.iter().flat_map(|field| {
            std::iter::once(&field.key).chain(field.aliases.iter().filter(|it| **it != field.key))
        });
        let differ = all.map(String::as_str).all(|name| names.insert(name));
        if differ && fields.iter().all(is_data) { Self::ByType } else { Self::Derived }
    }
}

/// The parameters that a function takes by value, for its definition.
pub(super) enum Input {
    /// One expression per field.
    Fields(Vec<TokenStream>),
    /// An expression for the type of the whole input.
    Whole(TokenStream),
}

impl Input {
    pub(super) fn for_action(
        action: &ValidAction,
        names: &TypeNames,
        reading: &ArgumentDecoding,
    ) -> Self {
        if matches!(reading, ArgumentDecoding::Derived) {
            return Self::Whole(quote!(__genkit::TypedInput::<__Input>::new().ty()));
        }
        let mut fields = Vec::new();
        for (param, name) in action.params.iter().zip(&names.params) {
            match param {
                FnParam::Injected(_) | FnParam::Extension(_) => {}
                FnParam::Field(field) => {
                    let ty = type_names::argument_type(name, &field.ty, action);
                    fields.extend(
                        field.data.as_ref().map(|data| fields::expand_field(field, data, &ty)),
                    );
                }
                FnParam::Input(ty) => {
                    return Self::Whole(type_names::argument_type(name, ty, action));
                }
            }
        }
        Self::Fields(fields)
    }
}

/// Generates the functions of default values, and the hidden struct if one is needed.
pub(super) fn expand_items(
    action: &ValidAction,
    names: &TypeNames,
    reading: &ArgumentDecoding,
) -> TokenStream {
    let fields: Vec<_> = action
        .params
        .iter()
        .zip(&names.params)
        .filter_map(|(param, name)| param.field().map(|field| (field, name)))
        .collect();
    let defaults = fields.iter().filter_map(|(field, ty)| {
        let derived = matches!(reading, ArgumentDecoding::Derived);
        defaults::expand_default_fn(field, ty, derived)
    });
    match reading {
        ArgumentDecoding::ByType => {
            let types = type_names::argument_functions(action, names);
            quote!(#types #(#defaults)*)
        }
        ArgumentDecoding::Derived => {
            let (derived, checks) = (expand_derived(action, &fields), expand_checks(action));
            quote!(#derived #(#defaults)* #checks)
        }
    }
}

/// Generates the struct with derives.
fn expand_derived(action: &ValidAction, fields: &[(&InputField, &TokenStream)]) -> TokenStream {
    // `expand_checks` reports a type that lacks a trait. To avoid a second error, the derives get explicit bounds,
    // which the compiler does not check at the struct: serde's bounds name a lifetime, and those of schemars are under
    // `for`. schemars reads bounds only if the struct has a parameter, hence the constant.
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
    let members = fields.iter().map(|(field, ty)| {
        let InputField { name, attrs, .. } = field;
        let default = field.default.as_ref().map(|_| {
            let function = defaults::default_fn_name(field).to_string();
            quote!(#[serde(default = #function)])
        });
        quote!(#(#attrs)* #default #name: #ty)
    });
    quote! {
        #[derive(__genkit::serde::Deserialize, __genkit::schemars::JsonSchema)]
        #[serde(crate = "__genkit::serde", #bounds_de #strict expecting = #expecting)]
        #[schemars(#bounds_schema crate = "__genkit::schemars")]
        struct __Input #parameter { #(#members,)* }
    }
}

/// Returns whether the derives need traits of the field's type that are not known to be implemented.
fn needs_traits(field: &InputField) -> bool {
    !field.custom && !field.skip && !types::is_plain(&field.ty)
}

/// Asserts for each field of a derived struct that its type can be an argument.
fn expand_checks(action: &ValidAction) -> TokenStream {
    let checks: Vec<TokenStream> = action
        .params
        .iter()
        .filter_map(FnParam::field)
        .filter(|field| needs_traits(field))
        .map(|field| {
            let ty = &field.ty;
            quote_spanned!(types::type_span(ty)=> let _ = <#ty as __genkit::Argument>::TYPE;)
        })
        .collect();
    if checks.is_empty() {
        return TokenStream::new();
    }
    let name = Ident::new("__check", action.span());
    quote!(fn #name() { #(#checks)* })
}
