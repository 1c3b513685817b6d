//! Expansion: what a function becomes, beside itself.
//!
//! The expansion is small on purpose: data and calls into `genkit::__private`, where the logic
//! is compiled once and can be read. `tests/expansions` shows one for each kind.

mod call;
mod debug;
mod definition;
mod fallback;
mod input;
mod type_names;

pub(crate) use debug::print;
pub(crate) use fallback::{fallback, unparsed};

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;

use crate::validate::ValidAction;
use type_names::TypeNames;

pub(crate) fn expand(action: &ValidAction) -> TokenStream {
    let (vis, ident, crate_path) = (&action.item.vis, &action.item.sig.ident, &action.crate_path);
    let about = format!("The definition of the {} `{}`.", action.kind.noun(), ident.unraw());
    let conditions: Vec<_> = action.item.conditions().collect();
    // The function may be deprecated for people and still be there for callers.
    let deprecated = action.item.attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
    let allow = deprecated.then(|| quote!(#[allow(deprecated)]));
    let names = TypeNames::of(action);
    let types = names.aliases(action);
    let input = input::input(action, &names);
    let checks = input::checks(action);
    let function = call::function(action, &names);
    let definition = definition::definition(action);
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
            impl __genkit::AnnotatedFn for #ident {
                const LINKED: __genkit::Linked =
                    __genkit::Linked::#variant(<Self as __genkit::#function_trait>::DEFINITION);
            }
            __genkit::submit!(#ident);
        };
    }
}
