//! Expansion: the code that is generated in addition to the function.
//!
//! The expansion is small on purpose. It consists of data and of calls into `genkit::__private`, where the logic is
//! compiled once and is easy to read. `tests/expansions` has an example of each kind.

mod call;
mod debug;
mod defaults;
mod definition;
mod fallback;
mod fields;
mod input;
mod type_names;

pub(crate) use debug::print_expansion;
pub(crate) use fallback::{expand_fallback, expand_unparsed};

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Ident, Path};

use crate::kind::Kind;
use crate::types;
use crate::validate::ValidAction;
use input::{ArgumentDecoding, Input};
use type_names::TypeNames;

pub(crate) fn expand_action(action: &ValidAction) -> TokenStream {
    let (vis, ident, crate_path) = (&action.item.vis, &action.item.sig.ident, &action.crate_path);
    let about = format!("The definition of the {} `{}`.", action.kind.noun(), ident.unraw());
    let conditions: Vec<_> = action.item.cfg_attributes().collect();
    // A deprecated function must still be callable for clients.
    let deprecated = action.item.attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
    let allow = deprecated.then(|| quote!(#[allow(deprecated)]));
    let has_unit = action.params.iter().any(|param| types::is_unit(param.ty()));
    let allow_unit = has_unit.then(|| quote!(#[allow(clippy::unit_arg)]));
    let names = TypeNames::for_action(action);
    let types = names.expand_aliases(action);
    let reading = ArgumentDecoding::for_action(action);
    let items = input::expand_items(action, &names, &reading);
    let input = Input::for_action(action, &names, &reading);
    let scope = call::needs_scope(action, &reading).then(|| {
        quote!(
            use __genkit::scope::*;
        )
    });
    let function = call::expand_function(action, &names, &reading, &input);
    let definition = definition::expand_definition(action, &function);
    let linked = expand_linkage(action.kind, ident, crate_path);
    let checks = call::expand_retriever_checks(action);
    // A declared tool has no function, so its type gets the user's documentation.
    let attributes = match action.is_declared() {
        true => action.item.own_attributes(),
        false => quote!(#(#conditions)* #[doc(hidden)] #[doc = #about]),
    };
    quote! {
        #attributes
        #[allow(non_camel_case_types)]
        #vis struct #ident {}
        #(#conditions)*
        #allow
        #allow_unit
        const _: () = {
            use #crate_path::__private as __genkit;
            #scope
            #types
            #items
            #definition
            #checks
            #linked
            __genkit::submit!(#ident);
        };
    }
}

/// Implements the trait that mixed lists of actions and the linker use to find the function.
fn expand_linkage(kind: Kind, ident: &Ident, crate_path: &Path) -> TokenStream {
    let noun = Ident::new(kind.noun(), Span::call_site());
    let linked = match kind {
        // Its crate is behind a feature.
        Kind::Retriever => quote!(#crate_path::retrieval::internal::linked),
        _ => quote!(__genkit::Linked::#noun),
    };
    quote! {
        impl __genkit::AnnotatedFn for #ident {
            const LINKED: __genkit::Linked = #linked::<Self>();
        }
    }
}
