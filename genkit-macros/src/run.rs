//! The pipeline of all macros: parse, validate, expand.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use crate::error::{self, Errors};
use crate::kind::Kind;
use crate::parse::{self, Item, Options};
use crate::{crate_path, expand, validate};

/// Calls [`run_macro`], and turns a panic in these macros into an error that asks for a bug report.
pub(crate) fn run_guarded(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let original = item.clone();
    catch_unwind(AssertUnwindSafe(|| run_macro(kind, options, item))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let error = error::internal_error(&text.unwrap_or_default());
        quote!(#error #original)
    })
}

pub(crate) fn run_macro(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(parsed) = Item::parse(kind, item.clone(), &mut errors) else {
        let errors = errors.into_result::<()>(None).err();
        return expand::expand_unparsed(kind, item, &crate_path::library_path(), &quote!(#errors));
    };
    let (uri, options) = match kind {
        Kind::Resource => parse::split_uri(options, &mut errors),
        _ => (None, options),
    };
    let options = Options::parse(kind, options, &mut errors);
    let crate_path = options.crate_path().cloned().unwrap_or_else(crate_path::library_path);
    let action =
        validate::validate_action(kind, &parsed, &options, uri, crate_path.clone(), &mut errors);
    let expansion = match errors.into_result(Some(action)) {
        Ok(action) => {
            let generated = expand::expand_action(&action);
            // A declared tool has no function, only the type with its name.
            let function = (!action.is_declared()).then_some(&parsed);
            quote!(#function #generated)
        }
        Err(errors) => expand::expand_fallback(kind, &parsed, &crate_path, &errors),
    };
    expand::print_expansion(&parsed.sig.ident, &expansion);
    expansion.into_token_stream()
}
