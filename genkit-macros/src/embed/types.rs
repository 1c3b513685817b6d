//! Rust code for shapes and definitions.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use serde_json::Value;

use super::docs;
use super::names::{self, UniqueNames};
use super::shape::{Definition, Field, Kind, PROGRAM_TYPE, Shape};

/// Generates types. Generated names have the span `span`; types of the program are named by `given`.
pub(super) struct Writer<'a> {
    pub(super) span: Span,
    pub(super) given: &'a dyn Fn(&str) -> TokenStream,
    /// All definitions that `Named` can refer to.
    pub(super) definitions: &'a [Definition],
}

impl Writer<'_> {
    pub(super) fn write_shape(&self, shape: &Shape) -> TokenStream {
        let named = |name: &str| names::make_ident(name, self.span);
        match shape {
            Shape::Text => quote!(::std::string::String),
            Shape::Integer => quote!(i64),
            Shape::Number => quote!(f64),
            Shape::Boolean => quote!(bool),
            Shape::Null => quote!(()),
            Shape::Any => quote!(__genkit::Value),
            Shape::Nullable(of) => {
                let of = self.write_shape(of);
                quote!(__genkit::Option<#of>)
            }
            Shape::List(of) => {
                let of = self.write_unboxed(of);
                quote!(__genkit::Vec<#of>)
            }
            Shape::Map(of) if **of == Shape::Any => {
                quote!(__genkit::serde_json::Map<::std::string::String, __genkit::Value>)
            }
            Shape::Map(of) => {
                let of = self.write_unboxed(of);
                quote!(::std::collections::BTreeMap<::std::string::String, #of>)
            }
            Shape::Named(name) => named(name).into_token_stream(),
            Shape::Recursive(name) => {
                let name = named(name);
                quote!(::std::boxed::Box<#name>)
            }
            Shape::ProgramType(name) => (self.given)(name),
        }
    }

    /// Generates a type without a `Box`, for the items of a list or a map, which already stores them behind a pointer.
    fn write_unboxed(&self, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Recursive(name) => self.write_shape(&Shape::Named(name.clone())),
            other => self.write_shape(other),
        }
    }

    pub(super) fn write_definition(&self, definition: &Definition) -> TokenStream {
        let name = names::make_ident(&definition.name, self.span);
        let about = docs::doc_attributes(definition.about.as_deref());
        let schema = self.write_schema(definition);
        let written = match &definition.kind {
            Kind::Enum(texts) => self.write_enum(&name, texts),
            Kind::Struct(fields, others) => {
                self.write_struct(&name, definition, fields, others.as_ref())
            }
        };
        quote!(#about #written #schema)
    }

    fn write_enum(&self, name: &syn::Ident, texts: &[String]) -> TokenStream {
        let mut taken = UniqueNames::default();
        let variants = texts.iter().map(|text| {
            let variant = match names::to_pascal_case(text) {
                word if word.is_empty() => "Other".to_owned(),
                word if word.starts_with(char::is_numeric) => format!("V{word}"),
                word => word,
            };
            let variant = names::make_ident(&taken.claim_name(&variant, ""), self.span);
            let about = docs::doc_attributes(Some(&format!("`{text}`")));
            quote!(#about #[serde(rename = #text)] #variant)
        });
        quote! {
            #[derive(
                ::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug,
                ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash,
                __genkit::serde::Serialize, __genkit::serde::Deserialize
            )]
            #[serde(crate = "__genkit::serde")]
            pub enum #name { #(#variants,)* }
        }
    }

    fn write_struct(
        &self,
        name: &syn::Ident,
        definition: &Definition,
        fields: &[Field],
        others: Option<&Shape>,
    ) -> TokenStream {
        let mut taken = UniqueNames::default();
        let names: Vec<syn::Ident> = fields
            .iter()
            .map(|field| {
                names::make_ident(
                    &taken.claim_name(&names::to_snake_case(&field.key), "_"),
                    self.span,
                )
            })
            .collect();
        let members: Vec<TokenStream> =
            fields.iter().zip(&names).map(|(field, name)| self.write_field(field, name)).collect();
        let rest = others.map(|of| {
            let name = names::make_ident(&taken.claim_name("others", "_"), self.span);
            (name, self.write_shape(&Shape::Map(Box::new(of.clone()))))
        });
        let flattened = rest.as_ref().map(|(name, of)| {
            quote! {
                #[doc = " The values of all other keys."]
                #[serde(flatten)]
                pub #name: #of,
            }
        });
        let required: Vec<(&Field, &syn::Ident)> =
            fields.iter().zip(&names).filter(|(field, _)| !field.optional).collect();
        let has_default = required.is_empty().then(|| quote!(::core::default::Default,));
        let comparable =
            (!self.contains_program_type(definition)).then(|| quote!(::core::cmp::PartialEq,));
        let new = (!required.is_empty()).then(|| {
            let optional = fields.iter().zip(&names).filter(|(field, _)| field.optional);
            let left_out = optional.map(|(_, name)| name).chain(rest.iter().map(|(name, _)| name));
            self.write_constructor(name, &required, left_out)
        });
        quote! {
            #[derive(
                ::core::clone::Clone, ::core::fmt::Debug, #comparable #has_default
                __genkit::serde::Serialize, __genkit::serde::Deserialize
            )]
            #[serde(crate = "__genkit::serde")]
            pub struct #name { #(#members,)* #flattened }
            #new
        }
    }

    fn write_field(&self, field: &Field, name: &syn::Ident) -> TokenStream {
        let about = match &field.about {
            Some(about) => docs::doc_attributes(Some(about)),
            None => docs::doc_attributes(Some(&format!("`{}`", field.key))),
        };
        let spelled = name.to_string();
        let key = &field.key;
        let rename = (spelled.strip_prefix("r#").unwrap_or(&spelled) != key)
            .then(|| quote!(#[serde(rename = #key)]));
        let shape =
            if field.optional { field.shape.clone().into_optional() } else { field.shape.clone() };
        let left_out = field.optional.then(|| match shape {
            Shape::Nullable(_) => {
                quote!(#[serde(default, skip_serializing_if = "__genkit::Option::is_none")])
            }
            // `null` and an absent key are equivalent.
            _ => quote!(#[serde(default, skip_serializing_if = "__genkit::Value::is_null")]),
        });
        let of = self.write_shape(&shape);
        quote!(#about #rename #left_out pub #name: #of)
    }

    /// Generates a constructor such as `Trip::new(city)`. If the schema gains a required field, the compiler reports
    /// every call that lacks it.
    fn write_constructor<'b>(
        &self,
        name: &syn::Ident,
        required: &[(&Field, &syn::Ident)],
        left_out: impl Iterator<Item = &'b syn::Ident>,
    ) -> TokenStream {
        let about = " Creates a value from the required fields; the others are omitted.";
        let parameters = required.iter().map(|(field, name)| match &field.shape {
            Shape::Text => quote!(#name: impl ::core::convert::Into<::std::string::String>),
            other => {
                let of = self.write_shape(other);
                quote!(#name: #of)
            }
        });
        let values = required.iter().map(|(field, name)| match &field.shape {
            Shape::Text => quote!(#name: ::core::convert::Into::into(#name)),
            _ => quote!(#name),
        });
        quote! {
            impl #name {
                #[doc = #about]
                #[must_use]
                #[allow(clippy::too_many_arguments, reason = "one per required field")]
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values,)* #(#left_out: ::core::default::Default::default(),)* }
                }
            }
        }
    }

    /// Generates an impl of `JsonSchema` with the schema from the file, for flows and tools that take the type.
    fn write_schema(&self, definition: &Definition) -> Option<TokenStream> {
        let text = definition.schema.to_string();
        // The definitions that the schema refers to are not part of its text.
        if text.contains("\"$ref\"") {
            return None;
        }
        let mut given = Vec::new();
        collect_program_types(&definition.schema, &mut given);
        let given = given.into_iter().map(|name| {
            let of = (self.given)(name);
            quote!((#name, <#of as __genkit::SchemaType>::inlined_schema))
        });
        let (ident, name) = (names::make_ident(&definition.name, self.span), &definition.name);
        Some(quote! {
            impl __genkit::schemars::JsonSchema for #ident {
                fn schema_name() -> ::std::borrow::Cow<'static, str> {
                    ::std::borrow::Cow::Borrowed(#name)
                }
                fn json_schema(_: &mut __genkit::schemars::SchemaGenerator) -> __genkit::schemars::Schema {
                    __genkit::written_schema(#text, &[#(#given),*])
                }
            }
        })
    }

    fn contains_program_type(&self, definition: &Definition) -> bool {
        let mut seen = Vec::new();
        self.refers_to_program_type(definition, &mut seen)
    }

    fn refers_to_program_type<'b>(
        &'b self,
        definition: &'b Definition,
        seen: &mut Vec<&'b str>,
    ) -> bool {
        if seen.contains(&definition.name.as_str()) {
            return false;
        }
        seen.push(&definition.name);
        let Kind::Struct(fields, others) = &definition.kind else { return false };
        fields.iter().map(|field| &field.shape).chain(others).any(|shape| match shape.inner() {
            Shape::ProgramType(_) => true,
            Shape::Named(name) | Shape::Recursive(name) => self
                .definitions
                .iter()
                .find(|definition| definition.name == *name)
                .is_some_and(|definition| self.refers_to_program_type(definition, seen)),
            _ => false,
        })
    }
}

/// Collects the types of the program that a schema names.
fn collect_program_types<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
    match schema {
        Value::Object(map) => match map.get(PROGRAM_TYPE).and_then(Value::as_str) {
            Some(name) if found.contains(&name) => {}
            Some(name) => found.push(name),
            None => map.values().for_each(|value| collect_program_types(value, found)),
        },
        Value::Array(list) => list.iter().for_each(|value| collect_program_types(value, found)),
        _ => {}
    }
}

/// Generates an alias such as `pub type TripOutput = Vec<TripOutputItem>;`.
pub(super) fn write_alias(name: &str, of: &TokenStream, about: &str, span: Span) -> TokenStream {
    let name = format_ident!("{name}", span = span);
    quote!(#[doc = #about] pub type #name = #of;)
}
