//! The names that the types of the signature have in the expansion.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Ident;

use crate::parse::FnParam;
use crate::types;
use crate::validate::ValidAction;

/// What each type of the signature is called in the expansion.
///
/// A type with arguments is named once, by an alias whose own name is at the function's: for a
/// misspelt type inside it the compiler then says the same twice, which it prints once.
pub(super) struct TypeNames {
    pub(super) params: Vec<TokenStream>,
}

impl TypeNames {
    pub(super) fn of(action: &ValidAction) -> Self {
        let params = action.params.iter().enumerate().map(|(i, param)| {
            if Self::is_short(param) {
                param.ty().to_token_stream()
            } else {
                Ident::new(&format!("__Param{i}"), action.span()).into_token_stream()
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

    pub(super) fn aliases(&self, action: &ValidAction) -> TokenStream {
        action
            .params
            .iter()
            .zip(&self.params)
            .filter(|(param, _)| !Self::is_short(param))
            .map(|(param, name)| {
                let ty = param.ty();
                quote!(type #name = #ty;)
            })
            .collect()
    }
}
