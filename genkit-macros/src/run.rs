//! From the tokens of an attribute and its item to the tokens that replace them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use crate::error::{self, Errors};
use crate::item::Item;
use crate::kind::Kind;
use crate::options::Options;
use crate::{crate_path, debug, expand, fallback, resource, validate};

/// [`run`], with a panic of ours as an error that asks for a report.
pub(crate) fn guarded(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let original = item.clone();
    catch_unwind(AssertUnwindSafe(|| run(kind, options, item))).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .map(|said| (*said).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let error = error::internal(&said);
        quote!(#error #original)
    })
}

pub(crate) fn run(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(parsed) = Item::parse(kind, item.clone(), &mut errors) else {
        let errors = errors.finish::<()>(None).err();
        return quote!(#errors #item);
    };
    let (uri, options) = match kind {
        Kind::Resource => resource::split(options, &mut errors),
        _ => (None, options),
    };
    let options = Options::parse(kind, options, &mut errors);
    let crate_path = options.crate_path().cloned().unwrap_or_else(crate_path::find);
    let action = validate::validate(kind, &parsed, &options, uri, crate_path.clone(), &mut errors);
    let expansion = match errors.finish(Some(action)) {
        Ok(action) => {
            let generated = expand::expand(&action);
            quote!(#parsed #generated)
        }
        Err(errors) => fallback::expand(kind, &parsed, &crate_path, &errors),
    };
    debug::show(&parsed.sig.ident, &expansion);
    expansion.into_token_stream()
}
