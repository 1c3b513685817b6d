//! The call: what is injected, the values that were read, and the conversion of what comes back.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, ReturnType};

use super::input::{Input, Reading};
use super::type_names::{self, TypeNames, has_schema};
use crate::kind::Kind;
use crate::parse::{FnParam, InputField};
use crate::types;
use crate::validate::ValidAction;

/// The function for its definition: the constructor, and what that takes after the info.
pub(super) fn function(
    action: &ValidAction,
    names: &TypeNames,
    reading: &Reading,
    input: &Input,
) -> (Ident, TokenStream) {
    let call = call(action, names, reading, input);
    let gives = output_schema(action);
    let input = match input {
        Input::Fields(fields) if is_alone(action) => {
            let gives = gives.map(|gives| quote!(, #gives));
            return (format_ident!("new"), quote!(&[#(#fields),*], #call #gives));
        }
        Input::Fields(fields) => quote!(__genkit::Input::Fields(&[#(#fields),*])),
        Input::Whole(ty) => quote!(__genkit::Input::Whole(|| #ty)),
    };
    let needs = requirements(action, names);
    let gives = gives.map(|gives| quote!(.gives(#gives)));
    (format_ident!("with"), quote!(__genkit::Function::new(#input, #call) #needs #gives))
}

/// Whether nothing is injected.
fn is_alone(action: &ValidAction) -> bool {
    !action.params.iter().any(FnParam::is_injected)
}

/// Whether the expansion calls methods that it finds by what types are.
pub(super) fn needs_scope(action: &ValidAction, reading: &Reading) -> bool {
    let has_default = action.params.iter().filter_map(FnParam::field).any(InputField::has_default);
    matches!(reading, Reading::Derived)
        || has_default
        || !is_alone(action)
        || !has_plain_output(action)
        || action.options.setting("output_schema").is_some()
}

/// Whether what is returned is a value of a type that everybody has.
fn has_plain_output(action: &ValidAction) -> bool {
    matches!(&action.item.sig.output, ReturnType::Type(_, ty) if has_schema(action) && types::is_plain(ty))
}

/// Injected parameters: place, the parameter, and what its type is called.
fn injected<'a>(
    action: &'a ValidAction,
    names: &'a TypeNames,
) -> impl Iterator<Item = (usize, &'a FnParam, &'a TokenStream)> {
    let params = action.params.iter().zip(&names.params).enumerate();
    params.filter_map(|(i, (param, name))| param.is_injected().then_some((i, param, name)))
}

/// The closure that makes the future of the call.
fn call(action: &ValidAction, names: &TypeNames, reading: &Reading, input: &Input) -> TokenStream {
    let span = action.span();
    let ident = &action.item.sig.ident;
    let mut place = 0_usize..;
    let arguments = action.params.iter().enumerate().map(|(i, param)| match (param, reading) {
        (FnParam::Injected(_) | FnParam::Extension(_), _) => {
            let injected = format_ident!("__injected{i}");
            quote!(&#injected)
        }
        (FnParam::Field(field), Reading::Derived) => {
            let name = &field.name;
            quote!(__input.#name)
        }
        _ => {
            let place = proc_macro2::Literal::usize_unsuffixed(place.next().unwrap_or_default());
            quote!(__input.take(#place))
        }
    });
    let mut arguments = Group::new(Delimiter::Parenthesis, quote!(#(#arguments),*));
    // A future that is not `Send` is reported at the function's name.
    arguments.set_span(span);
    let derived = matches!(reading, Reading::Derived)
        .then(|| quote!(let __input: __Input = __input.take(0);));
    let takes = !action.params.iter().all(FnParam::is_injected);
    let given = if takes { quote!(mut __input) } else { quote!(_) };
    let finish = finish(action);
    let types: Vec<_> = injected(action, names).map(|(_, _, name)| name).collect();
    if types.is_empty() {
        let calling = quote_spanned!(span=> __genkit::calling);
        let made = quote!(#calling(#ident #arguments, #finish));
        return match (input, derived) {
            (Input::Fields(_), _) => quote!(|#given| #made),
            (_, None) => quote!(|_, #given| __genkit::Result::Ok(#made)),
            (_, Some(derived)) => quote!(|_, #given| { #derived __genkit::Result::Ok(#made) }),
        };
    }
    let borrowed = injected(action, names).map(|(i, param, name)| {
        let span = types::place(param.ty());
        let (injected, context) =
            (local(&format!("__injected{i}"), span), local("__context", span));
        let found = match param {
            FnParam::Extension(_) => quote_spanned!(span=> __genkit::extension::<#name>(#context)?),
            _ => quote_spanned!(span=> __genkit::Inject::<#name>::of().inject(#context)?),
        };
        quote_spanned!(span=> let #injected = #found;)
    });
    let mut body = Group::new(Delimiter::Brace, quote!(#ident #arguments.await));
    body.set_span(span);
    let future = quote_spanned!(span=> async move #body);
    let calling = quote_spanned!(span=> __genkit::Inject::<(#(#types,)*)>::of().calling);
    quote! {
        |__context, #given| {
            #(#borrowed)*
            #derived
            __genkit::Result::Ok(#calling(#future, #finish))
        }
    }
}

/// Required state: what is injected, for the registry to check before the first call. That it can be injected at all
/// is asserted here, at the type.
fn requirements(action: &ValidAction, names: &TypeNames) -> Option<TokenStream> {
    let checks: Vec<_> = injected(action, names)
        .map(|(_, param, name)| {
            let (ty, name) = (param.ty(), type_names::at(name, param.ty()));
            quote_spanned!(types::place(ty)=> <#name as __genkit::Injectable>::check();)
        })
        .collect();
    // A value of the request is there or not for each call.
    let is_state = |(_, param, _): &(_, &FnParam, _)| matches!(param, FnParam::Injected(_));
    let injected = injected(action, names).filter(is_state).map(|(_, _, name)| name);
    (!checks.is_empty()).then(|| {
        quote! {
            .needs(|| {
                #(#checks)*
                __genkit::vec![#(__genkit::Inject::<#injected>::of().requirement()),*]
            })
        }
    })
}

/// The result: from what the function returned to what its kind gives. A type that does not fit is reported
/// at the type: in a `Result` of two or of one, where they usually are.
fn finish(action: &ValidAction) -> TokenStream {
    let (value, error) = match &action.item.sig.output {
        ReturnType::Type(_, ty) => types::result_places(ty),
        ReturnType::Default => (action.span(), action.span()),
    };
    if has_plain_output(action) {
        return quote_spanned!(value=> __genkit::IntoOutput::into_output);
    }
    // What is around the conversions is at our place, for the lints of the user's crate.
    // Variables are hygienic, and the user's tokens may come from another macro: a variable is
    // made and used at one place.
    let returned = Ident::new("__returned", value);
    let variable = Ident::new("__error", error);
    let error = quote_spanned!(error=> __genkit::IntoError::into_error(#variable));
    let success = match action.kind {
        Kind::Tool | Kind::Flow => {
            let value =
                quote_spanned!(value=> __genkit::IntoOutput::into_output(#returned.value()));
            quote!(.and_then(|#returned| #value))
        }
        Kind::Prompt => {
            let value = quote_spanned!(value=> __genkit::IntoPrompt::into_prompt(#returned.0));
            quote!(.map(|#returned| #value))
        }
        Kind::Resource => {
            let value = quote_spanned!(value=> __genkit::IntoContents::into_contents(#returned.0));
            quote!(.map(|#returned| #value))
        }
    };
    quote!(|__value| __genkit::Returned(__value).split().map_err(|#variable| #error) #success)
}

/// The schema of the result, for kinds whose callers see one.
fn output_schema(action: &ValidAction) -> Option<TokenStream> {
    if !has_schema(action) {
        return None;
    }
    let ty = type_names::output(action);
    // Content has no value that a declared schema could describe: reported at the type.
    let described = action.options.setting("output_schema").map(|_| {
        let place = match &action.item.sig.output {
            ReturnType::Type(_, ty) => types::result_places(ty).0,
            ReturnType::Default => action.span(),
        };
        quote_spanned! {place=>
            __genkit::Describable::check(__genkit::Returns::<#ty>::new().success().described());
        }
    });
    if has_plain_output(action) && described.is_none() {
        return Some(quote!(<#ty as __genkit::IntoOutput>::schema));
    }
    let schema = quote!(__genkit::Returns::<#ty>::new().success().schema());
    Some(match described {
        Some(described) => quote!(|| { #described #schema }),
        None => quote!(|| #schema),
    })
}

/// A variable of ours shown at `span`.
fn local(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::call_site().located_at(span))
}
