//! What a function without mistakes becomes, beside itself.
//!
//! The expansion is small on purpose: data and calls into `genkit::__private`, where the logic
//! is compiled once and can be read. `tests/expansions` shows one for each kind.

mod call;
mod input;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt as _;

use crate::options::Sets;
use crate::params::Param;
use crate::types;
use crate::validate::Action;

pub(crate) fn expand(action: &Action) -> TokenStream {
    let (vis, ident, crate_path) = (&action.item.vis, &action.item.sig.ident, &action.crate_path);
    let about = format!("The definition of the {} `{}`.", action.kind.noun(), ident.unraw());
    let conditions: Vec<_> = action.item.conditions().collect();
    // The function may be deprecated for people and still be there for callers.
    let deprecated = action.item.attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
    let allow = deprecated.then(|| quote!(#[allow(deprecated)]));
    let names = Names::of(action);
    let types = names.aliases(action);
    let input = input::input(action, &names);
    let checks = input::checks(action);
    let function = call::function(action, &names);
    let definition = definition(action);
    let (variant, function_trait) = (action.kind.variant(), action.kind.function_trait());
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[doc = #about]
        #[allow(non_camel_case_types)]
        #vis struct #ident {}
        #(#conditions)*
        #allow
        const _: () = {
            use #crate_path::__private as __genkit;
            use __genkit::scope::*;
            #types
            #input
            #checks
            #function
            #definition
            __genkit::submit!(#variant, #ident, #function_trait);
        };
    }
}

/// What each type of the signature is called in the expansion.
///
/// A type with arguments is named once, by an alias whose own name is at the function's: for a
/// misspelt type inside it the compiler then says the same twice, which it prints once.
struct Names {
    params: Vec<TokenStream>,
}

impl Names {
    fn of(action: &Action) -> Self {
        let params = action.params.iter().enumerate().map(|(i, param)| {
            if Self::is_short(param) {
                param.ty().to_token_stream()
            } else {
                Ident::new(&format!("__Param{i}"), action.span()).into_token_stream()
            }
        });
        Self { params: params.collect() }
    }

    fn is_short(param: &Param) -> bool {
        match param {
            Param::Lent(ty) => types::is_word(ty),
            Param::Field(_) | Param::Whole(_) => types::is_plain(param.ty()),
        }
    }

    fn aliases(&self, action: &Action) -> TokenStream {
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

/// The static data that the registry reads.
fn definition(action: &Action) -> TokenStream {
    let Action { kind, item, options, name, description, uri, .. } = action;
    let ident = &item.sig.ident;
    let (function_trait, definition) = (kind.function_trait(), kind.definition());
    let line = quote_spanned!(action.span()=> ::core::line!());
    let described = options.calls(*kind, Sets::Described);
    let own = options.calls(*kind, Sets::Definition);
    let uri = uri.as_ref().map(|uri| quote!(#uri,));
    let completers: Vec<_> = action
        .params
        .iter()
        .filter_map(Param::field)
        .filter_map(|field| {
            let (key, complete) = (&field.key, field.complete.as_ref()?);
            Some(quote!((#key, #complete)))
        })
        .collect();
    let completers = (!completers.is_empty()).then(|| quote!(.completers(&[#(#completers),*])));
    quote! {
        impl __genkit::#function_trait for #ident {
            const DEFINITION: &'static __genkit::#definition = &__genkit::#definition::new::<Self>(
                #uri
                __genkit::Described::new(#name, #description, ::core::file!(), #line) #described
            ) #own #completers;
        }
    }
}
