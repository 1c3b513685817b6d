//! The module that is generated for a folder.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Ident, LitStr};

use super::docs;
use super::input::{PromptsInput, schema_name};
use super::names;
use super::prompt::Prompt;
use super::shape::Shape;
use super::types::{self, Writer};

/// The contents of a folder, with subfolders as nested modules.
#[derive(Default)]
pub(super) struct Module<'a> {
    pub(super) prompts: Vec<&'a Prompt>,
    pub(super) folders: Vec<(String, Module<'a>)>,
}

impl<'a> Module<'a> {
    pub(super) fn from_prompts(prompts: &'a [Prompt]) -> Self {
        let mut root = Self::default();
        for prompt in prompts {
            let mut module = &mut root;
            for folder in &prompt.folders {
                let place = match module.folders.iter().position(|(name, _)| name == folder) {
                    Some(place) => place,
                    None => {
                        module.folders.push((folder.clone(), Self::default()));
                        module.folders.len() - 1
                    }
                };
                module = &mut module.folders[place].1;
            }
            module.prompts.push(prompt);
        }
        root
    }
}

/// Generates modules with the span of the call.
pub(super) struct Emitter<'a> {
    pub(super) input: &'a PromptsInput,
    pub(super) span: Span,
    /// Whether the files have no errors. Files with errors are not embedded in the program.
    pub(super) is_valid: bool,
}

impl Emitter<'_> {
    /// Generates the root module, its files, and the function `all`.
    pub(super) fn emit_root(&self, module: &Module<'_>, files: &[String]) -> TokenStream {
        let PromptsInput { library, attrs, vis, module: name, folder, .. } = self.input;
        let vis = match vis {
            Some(vis) => quote!(#vis),
            None => quote!(pub(crate)),
        };
        let name = Ident::new(&name.to_string(), self.span.located_at(name.span()));
        let about =
            docs::doc_attributes(Some(&format!("The prompts of the folder `{}`.", folder.value())));
        let files = self.is_valid.then(|| self.emit_files(files));
        let all = if self.is_valid {
            quote!(__genkit::embedded_prompts(&__FILES))
        } else {
            quote!(::core::unreachable!())
        };
        let members = self.emit_members(module, 1);
        let aliases = self.input.schemas.iter().map(|path| {
            let alias = self.type_alias(&schema_name(path));
            quote! {
                #[doc(hidden)]
                #[allow(non_camel_case_types, dead_code, reason = "used only by the module")]
                type #alias = #path;
            }
        });
        quote! {
            #(#aliases)*
            #(#attrs)*
            #about
            #[allow(dead_code, reason = "prompts can also be looked up by name")]
            #[allow(rustdoc::all, reason = "descriptions come from the files")]
            #[allow(clippy::derive_partial_eq_without_eq, reason = "a field may be a float")]
            #vis mod #name {
                use #library::__private as __genkit;
                #files
                #[doc = " Returns all prompts of the folder, for use with a custom registry."]
                #[must_use]
                pub fn all() -> __genkit::Vec<__genkit::Prompt> {
                    #all
                }
                #members
            }
        }
    }

    /// Embeds the files. With `include_str!` the compiler tracks them, so a change in one of them triggers a rebuild.
    fn emit_files(&self, files: &[String]) -> TokenStream {
        let folder = self.input.folder.value();
        let folder = folder.trim_end_matches('/');
        let texts = files.iter().map(|file| {
            let path = format!("/{folder}/{file}");
            quote! {
                (#file, ::core::include_str!(
                    ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #path)
                ))
            }
        });
        let schemas = self.input.schemas.iter().map(|path| {
            let name = schema_name(path);
            let of = self.program_type_path(&name, 1);
            let schema =
                quote_spanned!(path.span()=> <#of as __genkit::SchemaType>::inlined_schema);
            quote!((#name, #schema))
        });
        let schemas = (schemas.len() > 0).then(|| quote!(.schemas(&[#(#schemas),*])));
        quote! {
            static __FILES: __genkit::StaticPromptFiles =
                __genkit::StaticPromptFiles::new(#folder, &[#(#texts),*]) #schemas;
            __genkit::submit_files!(__FILES);
        }
    }

    fn emit_members(&self, module: &Module<'_>, depth: usize) -> TokenStream {
        let prompts = module.prompts.iter().map(|prompt| self.emit_prompt(prompt, depth));
        let parent = quote!(super);
        let folders = module.folders.iter().map(|(folder, inner)| {
            let name = names::make_ident(&names::to_snake_case(folder), self.span);
            let about =
                docs::doc_attributes(Some(&format!("The prompts of the folder `{folder}`.")));
            let files = self.is_valid.then(|| {
                quote!(
                    use #parent::__FILES;
                )
            });
            let members = self.emit_members(inner, depth + 1);
            quote! {
                #about
                pub mod #name {
                    use #parent::__genkit;
                    #files
                    #members
                }
            }
        });
        quote!(#(#prompts)* #(#folders)*)
    }

    fn emit_prompt(&self, prompt: &Prompt, depth: usize) -> TokenStream {
        let given = |name: &str| self.program_type_path(name, depth);
        let writer = Writer { span: self.span, given: &given, definitions: &prompt.definitions };
        let definitions = prompt.definitions.iter().map(|it| writer.write_definition(it));
        let input = prompt.input.as_ref().map(|input| {
            let about = format!(" The input of the prompt `{}`.", prompt.registry_key());
            let shared = prompt.same_input.clone().map(Shape::Named);
            self.emit_alias(&writer, &prompt.input_name(), shared.as_ref().unwrap_or(input), &about)
        });
        let output = prompt.output.as_ref().map(|output| {
            let about = format!(" The output of the prompt `{}`.", prompt.registry_key());
            self.emit_alias(&writer, &prompt.output_name(), output, &about)
        });
        let function = self.emit_function(prompt);
        quote!(#(#definitions)* #input #output #function)
    }

    /// Generates an alias, unless the schema already becomes a type with that name.
    fn emit_alias(
        &self,
        writer: &Writer<'_>,
        name: &str,
        shape: &Shape,
        about: &str,
    ) -> Option<TokenStream> {
        let is_it = matches!(shape, Shape::Named(named) if named == name);
        (!is_it).then(|| types::write_alias(name, &writer.write_shape(shape), about, self.span))
    }

    fn emit_function(&self, prompt: &Prompt) -> TokenStream {
        let name = names::make_ident(&prompt.function, self.span);
        let about = docs::doc_attributes(Some(&prompt.doc_comment(&self.input.folder.value())));
        let key = prompt.registry_key();
        let input = prompt.input.is_some().then(|| {
            let input = format_ident!("{}", prompt.input_name(), span = self.span);
            quote!(input: #input)
        });
        let body = match (self.is_valid, prompt.input.is_some()) {
            (false, _) => quote!(::core::unreachable!()),
            (true, true) => quote!(__genkit::embedded_prompt(&__FILES, #key).input(input)),
            (true, false) => quote!(__genkit::embedded_prompt(&__FILES, #key)),
        };
        let unused = (!self.is_valid).then(|| quote!(#[allow(unused_variables)]));
        quote! {
            #about
            #unused
            pub fn #name(#input) -> __genkit::Generate {
                #body
            }
        }
    }

    /// Returns the path to a type of the program, given the name that files use, from a module `depth` levels below the
    /// call.
    fn program_type_path(&self, name: &str, depth: usize) -> TokenStream {
        let alias = self.type_alias(name);
        let above = std::iter::repeat_n(quote!(super::), depth);
        quote!(#(#above)* #alias)
    }

    /// Returns the alias of a type. It is defined next to the module, where paths resolve as at the call.
    fn type_alias(&self, name: &str) -> Ident {
        format_ident!("__{}_{name}", self.input.module.unraw(), span = self.span)
    }
}

/// Returns the span for messages about the folder: its literal.
pub(super) fn folder_span(folder: &LitStr) -> Span {
    Span::call_site().located_at(folder.span())
}
