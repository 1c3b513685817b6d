//! The fallback, which a function with mistakes becomes: the errors, the function itself, and stubs for what
//! the macro would have added, so that no error follows from another.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Ident, Path, Visibility};

use crate::kind::Kind;
use crate::parse::Item;

pub(crate) fn fallback(
    kind: Kind,
    item: &Item,
    crate_path: &Path,
    errors: &TokenStream,
) -> TokenStream {
    let declared = !item.has_body() && !item.body.is_empty();
    if item.sig.receiver().is_some() || declared {
        // Inside an `impl` or a trait a type would be one more error.
        return quote!(#errors #item);
    }
    // A second macro of ours is taken off the function, but its import was meant to be used.
    let others: Vec<_> = item
        .attrs
        .iter()
        .filter(|a| Item::another(a).is_some())
        .map(syn::Attribute::path)
        .collect();
    let others = (!others.is_empty()).then(|| quote!(const _: () = { #(use #others as _;)* };));
    let conditions: Vec<_> = item.conditions().collect();
    let stub = stub(kind, &item.vis, &item.sig.ident, &conditions, crate_path);
    quote!(#errors #item #others #stub)
}

/// What a function becomes that is not one yet, while somebody writes it: what is there of it, without what an
/// attribute of ours left on its parameters, and the stub where it has a name.
pub(crate) fn unparsed(
    kind: Kind,
    tokens: TokenStream,
    crate_path: &Path,
    errors: &TokenStream,
) -> TokenStream {
    let stub =
        Item::name_of(tokens.clone()).map(|(vis, ident)| stub(kind, &vis, &ident, &[], crate_path));
    let item = Item::without_taken(tokens);
    quote!(#errors #item #stub)
}

/// The type of the function's name, which every list of actions can name.
fn stub(
    kind: Kind,
    vis: &Visibility,
    ident: &Ident,
    conditions: &[&Attribute],
    crate_path: &Path,
) -> TokenStream {
    let (function_trait, definition) = (kind.function_trait(), kind.definition());
    let linked = super::linked(kind, ident);
    let uri = (kind == Kind::Resource).then(|| quote!("",));
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #ident {}
        #(#conditions)*
        const _: () = {
            use #crate_path::__private as __genkit;
            impl __genkit::#function_trait for #ident {
                const DEFINITION: &'static __genkit::#definition = &__genkit::#definition::with(
                    #uri
                    __genkit::StaticInfo::new("", ""),
                    __genkit::Function::new(__genkit::Input::Fields(&[]), |_, _| {
                        ::core::unreachable!()
                    }),
                );
            }
            #linked
        };
    }
}
