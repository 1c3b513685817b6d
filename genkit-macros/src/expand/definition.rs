//! The definition: the static data that the registry reads.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;

use crate::options::{self, OptionTarget};
use crate::parse::{ArgCompletion, FnParam, SchemaSource, Setting};
use crate::types;
use crate::validate::ValidAction;

pub(super) fn definition(action: &ValidAction) -> TokenStream {
    let ValidAction { kind, item, name, description, uri, .. } = action;
    let ident = &item.sig.ident;
    let (function_trait, definition) = (kind.function_trait(), kind.definition());
    let line = quote_spanned!(action.span()=> ::core::line!());
    let info = option_calls(action, OptionTarget::Info);
    let own = option_calls(action, OptionTarget::Definition);
    let uri = uri.as_ref().map(|uri| quote!(#uri,));
    let completers: Vec<_> = action
        .params
        .iter()
        .filter_map(FnParam::field)
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
                __genkit::StaticInfo::new(#name, #description, ::core::file!(), #line) #info
            ) #own #completers;
        }
    }
}

/// `.title("..").tags(&[..])`: the builder calls for one target.
fn option_calls(action: &ValidAction, target: OptionTarget) -> TokenStream {
    options::of(action.kind)
        .filter(|spec| spec.target == target)
        .filter_map(|spec| action.options.setting(spec.key).map(|setting| (spec.key, setting)))
        .map(|(key, setting)| {
            let method = format_ident!("{key}");
            quote!(.#method(#setting))
        })
        .collect()
}

/// The argument of a builder method.
impl ToTokens for Setting {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Text(text) => quote!(#text),
            Self::Flag(yes) => quote!(#yes),
            Self::Duration(milliseconds) => {
                let milliseconds = Literal::u64_unsuffixed(*milliseconds);
                quote!(__genkit::Duration::from_millis(#milliseconds))
            }
            Self::Size(bytes) => Literal::u64_unsuffixed(*bytes).into_token_stream(),
            Self::Texts(texts) => quote!(&[#(#texts),*]),
            Self::Json(object) => quote!(|| __genkit::serde_json::json!(#object)),
            Self::Path(path) => quote!(#path),
            Self::Schema(source) => source.to_token_stream(),
        });
    }
}

/// The schema that an option declares, as an `OutputSchema`. A type without one is reported at the type.
impl ToTokens for SchemaSource {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Type(ty) => {
                let schema =
                    quote_spanned!(types::place(ty)=> <#ty as __genkit::SchemaType>::schema);
                quote!(__genkit::OutputSchema::Type(#schema))
            }
            Self::Json(object) => {
                quote!(__genkit::OutputSchema::Written(|| __genkit::serde_json::json!(#object)))
            }
            Self::Call(call) => {
                let schema =
                    quote_spanned!(call.span()=> __genkit::SchemaValue::into_schema(#call));
                quote!(__genkit::OutputSchema::Written(|| #schema))
            }
        });
    }
}

/// The suggestions for one argument, as the expression of a `Completer`.
impl ToTokens for ArgCompletion {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Self::Function(function) => {
                let call = quote_spanned!(function.span()=> __genkit::Completes::complete);
                quote!(|request| #call(#function, request))
            }
            Self::List(list) => quote!(|request| __genkit::suggest(&request, &[#(#list),*])),
        });
    }
}
