//! The fallback, which a function with mistakes becomes: the errors, the function itself, and stubs for what
//! the macro would have added, so that no error follows from another.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::kind::Kind;
use crate::parse::Item;

pub(crate) fn fallback(
    kind: Kind,
    item: &Item,
    crate_path: &Path,
    errors: &TokenStream,
) -> TokenStream {
    if item.sig.receiver().is_some() || !item.has_body() {
        // Inside an `impl` or a trait a type would be one more error.
        return quote!(#errors #item);
    }
    let (vis, ident) = (&item.vis, &item.sig.ident);
    let (function_trait, definition, output, variant) =
        (kind.function_trait(), kind.definition(), kind.output(), kind.variant());
    let conditions: Vec<_> = item.conditions().collect();
    let uri = (kind == Kind::Resource).then(|| quote!("",));
    // A second macro of ours is taken off the function, but its import was meant to be used.
    let others: Vec<_> = item
        .attrs
        .iter()
        .filter(|a| Item::another(a).is_some())
        .map(syn::Attribute::path)
        .collect();
    let others = (!others.is_empty()).then(|| quote!(const _: () = { #(use #others as _;)* };));
    quote! {
        #errors
        #item
        #others
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #ident {}
        #(#conditions)*
        const _: () = {
            use #crate_path::__private as __genkit;
            impl __genkit::ActionFn for #ident {
                type Output = __genkit::#output;
                fn call(
                    _: &__genkit::Context,
                    _: __genkit::Arguments,
                ) -> __genkit::BoxFuture<'_, __genkit::Result<__genkit::#output>> {
                    ::core::unreachable!()
                }
                fn input_schema() -> __genkit::Value {
                    ::core::unreachable!()
                }
            }
            impl __genkit::#function_trait for #ident {
                const DEFINITION: &'static __genkit::#definition =
                    &__genkit::#definition::new::<Self>(#uri __genkit::StaticInfo::new("", "", "", 0));
            }
            impl __genkit::AnnotatedFn for #ident {
                const LINKED: __genkit::Linked =
                    __genkit::Linked::#variant(<Self as __genkit::#function_trait>::DEFINITION);
            }
        };
    }
}
