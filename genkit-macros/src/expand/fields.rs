//! Parameters taken by value as data: the fields of the input.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Lit;

use super::defaults;
use crate::literal::as_literal;
use crate::parse::{Bound, FieldData, InputField};

/// Generates `Field::new("city", <City as Argument>::TYPE)`, with calls for the field's other properties.
///
/// `ty` is the expression for its type.
pub(super) fn expand_field(field: &InputField, data: &FieldData, ty: &TokenStream) -> TokenStream {
    let key = &field.key;
    let names = field_names(field);
    let names = (!names.is_empty()).then(|| quote!(.names(&[#(#names),*])));
    let notes = expand_notes(data);
    let notes = (!notes.is_empty()).then(|| quote!(.notes(&[#(#notes),*])));
    let default = field.has_default().then(|| {
        let default = defaults::default_fn_name(field);
        quote! {
            .default(|| __genkit::Box::new(#default()), || __genkit::Shown(#default()).value())
        }
    });
    quote!(__genkit::Field::new(#key, #ty) #names #notes #default)
}

/// Returns all names of a field in the order of serde's messages. The list is empty if the field has no aliases.
fn field_names(field: &InputField) -> Vec<&str> {
    let mut names: Vec<&str> = field.aliases.iter().map(String::as_str).collect();
    if names.is_empty() {
        return names;
    }
    names.push(&field.key);
    names.sort_unstable();
    names.dedup();
    names
}

fn expand_notes(data: &FieldData) -> Vec<TokenStream> {
    let FieldData { doc, title, description, examples, bounds, format, .. } = data;
    let mut notes = Vec::new();
    notes.extend(doc.iter().map(|doc| quote!(__genkit::Note::Doc(#doc))));
    notes.extend(title.iter().map(|title| quote!(__genkit::Note::Title(#title))));
    notes.extend(description.iter().map(|text| quote!(__genkit::Note::Description(#text))));
    notes.extend(examples.iter().map(
        |example| quote!(__genkit::Note::Example(|| __genkit::serde_json::to_value(#example).ok())),
    ));
    notes.extend(bounds.iter().map(|Bound { of, keyword, value }| {
        let value = match as_literal(value) {
            Some(Lit::Str(text)) => quote!(#text),
            _ => quote!(#value),
        };
        quote! {
            __genkit::Note::Bound { of: #of, keyword: #keyword, value: || __genkit::json(#value) }
        }
    }));
    notes.extend(format.iter().map(|format| quote!(__genkit::Note::Format(#format))));
    notes
}
