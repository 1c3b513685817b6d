//! The fallback for a function with errors: the errors, the function itself, and stubs for the items that the macro
//! would have generated, to avoid follow-up errors.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, FnArg, Ident, Path, Signature, Visibility, parse_quote};

use crate::kind::Kind;
use crate::parse::Item;
use crate::types::is_unsized;

pub(crate) fn expand_fallback(
    kind: Kind,
    item: &Item,
    crate_path: &Path,
    errors: &TokenStream,
) -> TokenStream {
    if item.sig.receiver().is_some() {
        // Inside an `impl` or a trait, a type would cause another error.
        return quote!(#errors #item);
    }
    if !item.has_body() && !item.body.is_empty() && !item.is_declared(kind) {
        // A function with a body is valid both in a trait and outside.
        let mut function = item.clone();
        let allow = give_body(&mut function);
        return quote!(#errors #allow #function);
    }
    // A second macro of this crate is removed from the function. Keep a use of its import, to avoid a warning.
    let others: Vec<_> =
        item.attrs.iter().filter_map(|attr| Some((attr.path(), Item::macro_kind(attr)?))).collect();
    let paths = others.iter().map(|(path, _)| path);
    let uses = (!others.is_empty()).then(|| quote!(const _: () = { #(use #paths as _;)* };));
    let mut kinds = vec![kind];
    for (_, other) in &others {
        if !kinds.contains(other) {
            kinds.push(*other);
        }
    }
    let conditions: Vec<_> = item.cfg_attributes().collect();
    let stub = expand_stub(&kinds, &item.vis, &item.sig.ident, &conditions, crate_path);
    let mut function = item.clone();
    borrow_unsized(&mut function.sig);
    let allow = give_body(&mut function);
    quote!(#errors #allow #function #uses #stub)
}

/// Adds a body to a declaration, so that the compiler does not report a missing body. Returns the attribute that allows
/// unused parameters.
fn give_body(item: &mut Item) -> Option<TokenStream> {
    (!item.has_body()).then(|| {
        item.body = quote!({ ::core::unreachable!() });
        quote!(#[allow(unused_variables)])
    })
}

/// Borrows the parameters of unsized types, which have already been reported.
fn borrow_unsized(sig: &mut Signature) {
    for input in &mut sig.inputs {
        if let FnArg::Typed(param) = input
            && is_unsized(&param.ty)
        {
            let ty = &param.ty;
            param.ty = parse_quote!(&#ty);
        }
    }
}

/// Expands a function that does not parse, usually because the user is still typing: its tokens without the attributes
/// on its parameters, and the stub if the function has a name.
pub(crate) fn expand_unparsed(
    kind: Kind,
    tokens: TokenStream,
    crate_path: &Path,
    errors: &TokenStream,
) -> TokenStream {
    let stub = Item::visibility_and_name(tokens.clone())
        .map(|(vis, ident)| expand_stub(&[kind], &vis, &ident, &[], crate_path));
    let item = Item::without_param_attributes(tokens);
    quote!(#errors #item #stub)
}

/// Generates the type with the function's name, so that lists of actions can still refer to it.
fn expand_stub(
    kinds: &[Kind],
    vis: &Visibility,
    ident: &Ident,
    conditions: &[&Attribute],
    crate_path: &Path,
) -> TokenStream {
    let definitions = kinds.iter().map(|kind| {
        let (function_trait, definition) = (kind.function_trait(), kind.definition_type());
        let uri = (*kind == Kind::Resource).then(|| quote!("",));
        quote! {
            impl __genkit::#function_trait for #ident {
                const DEFINITION: &'static __genkit::#definition = &__genkit::#definition::with(
                    #uri
                    __genkit::StaticInfo::new("", ""),
                    __genkit::Function::new(__genkit::Input::Fields(&[]), |_, _| {
                        ::core::unreachable!()
                    }),
                );
            }
        }
    });
    let linked = kinds.first().map(|kind| super::expand_linkage(*kind, ident, crate_path));
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #ident {}
        #(#conditions)*
        const _: () = {
            use #crate_path::__private as __genkit;
            #(#definitions)*
            #linked
        };
    }
}
