//! The names of the signature's types in the expansion.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, ReturnType, Type};

use crate::kind::Kind;
use crate::parse::FnParam;
use crate::types;
use crate::validate::ValidAction;

/// The prefix of an alias, followed by the index of the parameter.
const ALIAS: &str = "__Param";

/// The names of the signature's types in the expansion.
///
/// A type with arguments is named only once, by an alias whose name has the span of the function. If a type inside it
/// is misspelled, both errors of the compiler are identical, so it prints only one of them.
pub(super) struct TypeNames {
    pub(super) params: Vec<TokenStream>,
}

impl TypeNames {
    pub(super) fn for_action(action: &ValidAction) -> Self {
        let params = action.params.iter().enumerate().map(|(i, param)| {
            if Self::is_short(param) {
                param.ty().to_token_stream()
            } else {
                Ident::new(&format!("{ALIAS}{i}"), action.span()).into_token_stream()
            }
        });
        Self { params: params.collect() }
    }

    fn is_short(param: &FnParam) -> bool {
        match param {
            FnParam::Injected(ty) | FnParam::Extension(ty) => types::is_word(ty),
            FnParam::Field(_) | FnParam::Input(_) => types::is_plain(param.ty()),
        }
    }

    pub(super) fn expand_aliases(&self, action: &ValidAction) -> TokenStream {
        let output = match &action.item.sig.output {
            ReturnType::Type(_, ty) if has_schema(action) && !is_written(ty) => {
                let name = output_type(action);
                Some(quote!(type #name = #ty;))
            }
            _ => None,
        };
        action
            .params
            .iter()
            .zip(&self.params)
            .filter(|(param, _)| !Self::is_short(param))
            .map(|(param, name)| {
                let ty = param.ty();
                quote!(type #name = #ty;)
            })
            .chain(output)
            .collect()
    }
}

/// Returns whether callers see a schema of the result.
pub(super) fn has_schema(action: &ValidAction) -> bool {
    matches!(action.kind, Kind::Tool | Kind::Flow | Kind::Retriever)
}

/// Returns whether the expansion repeats the type of the result verbatim.
fn is_written(ty: &Type) -> bool {
    types::is_word(ty) || types::is_plain(ty) || types::is_borrowing(ty)
}

/// Returns the name of the result's type, for kinds whose callers see its schema.
pub(super) fn output_type(action: &ValidAction) -> TokenStream {
    match &action.item.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) if is_written(ty) => ty.to_token_stream(),
        ReturnType::Type(..) => Ident::new("__Output", action.span()).into_token_stream(),
    }
}

/// Returns the name of a type, with the span for errors about the type.
pub(super) fn with_span(name: &TokenStream, ty: &Type) -> TokenStream {
    let is_alias = |ident: &Ident| ident.to_string().starts_with(ALIAS);
    match syn::parse2::<Ident>(name.clone()).ok().filter(is_alias) {
        Some(alias) => Ident::new(&alias.to_string(), types::type_span(ty)).into_token_stream(),
        None => name.clone(),
    }
}

/// Returns the name of the function that returns the `ArgumentType` of a type with arguments. An error about a missing
/// trait then shows the whole type.
fn argument_function(name: &TokenStream, action: &ValidAction) -> Ident {
    Ident::new(&format!("{name}_type"), action.span())
}

/// Generates the `ArgumentType` of a parameter taken by value.
pub(super) fn argument_type(name: &TokenStream, ty: &Type, action: &ValidAction) -> TokenStream {
    if types::is_plain(ty) || types::is_word(ty) {
        let name = with_span(name, ty);
        return quote_spanned!(types::type_span(ty)=> <#name as __genkit::Argument>::TYPE);
    }
    let function = argument_function(name, action);
    quote!(#function())
}

/// Generates the functions that [`argument_type`] calls.
pub(super) fn argument_functions(action: &ValidAction, names: &TypeNames) -> TokenStream {
    let owned = action.params.iter().zip(&names.params).filter(|(param, _)| match param {
        FnParam::Injected(_) | FnParam::Extension(_) => false,
        FnParam::Field(_) | FnParam::Input(_) => {
            !types::is_plain(param.ty()) && !types::is_word(param.ty())
        }
    });
    owned
        .map(|(param, name)| {
            let (ty, function) = (param.ty(), argument_function(name, action));
            let value = quote_spanned!(types::type_span(ty)=> <#ty as __genkit::Argument>::TYPE);
            quote! {
                #[allow(non_snake_case)]
                const fn #function() -> &'static __genkit::ArgumentType { #value }
            }
        })
        .collect()
}
