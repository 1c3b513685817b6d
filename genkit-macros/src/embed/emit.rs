//! The module that a folder becomes.

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

/// What a folder holds, sub-folders as modules of their own.
#[derive(Default)]
pub(super) struct Module<'a> {
    pub(super) prompts: Vec<&'a Prompt>,
    pub(super) folders: Vec<(String, Module<'a>)>,
}

impl<'a> Module<'a> {
    pub(super) fn of(prompts: &'a [Prompt]) -> Self {
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

/// Writes modules at the place of the call.
pub(super) struct Emitter<'a> {
    pub(super) input: &'a PromptsInput,
    pub(super) span: Span,
    /// Whether there were no mistakes: only then the files are in the program.
    pub(super) sound: bool,
}

impl Emitter<'_> {
    /// The whole: the module, its files, and `all`.
    pub(super) fn root(&self, module: &Module<'_>, files: &[String]) -> TokenStream {
        let PromptsInput { library, attrs, vis, module: name, folder, .. } = self.input;
        let vis = match vis {
            Some(vis) => quote!(#vis),
            None => quote!(pub(crate)),
        };
        let name = Ident::new(&name.to_string(), self.span.located_at(name.span()));
        let about = docs::lines(Some(&format!("The prompts of the folder `{}`.", folder.value())));
        let files = self.sound.then(|| self.files(files));
        let all = if self.sound {
            quote!(__genkit::embedded_prompts(&__FILES))
        } else {
            quote!(::core::unreachable!())
        };
        let members = self.members(module, 1);
        let aliases = self.input.schemas.iter().map(|path| {
            let alias = self.alias(&schema_name(path));
            quote! {
                #[doc(hidden)]
                #[allow(non_camel_case_types, dead_code, reason = "only the module names it")]
                type #alias = #path;
            }
        });
        quote! {
            #(#aliases)*
            #(#attrs)*
            #about
            #[allow(dead_code, reason = "prompts are found by their names, too")]
            #[allow(rustdoc::all, reason = "descriptions are text of the files")]
            #[allow(clippy::derive_partial_eq_without_eq, reason = "the next field may be a number")]
            #vis mod #name {
                use #library::__private as __genkit;
                #files
                #[doc = " All prompts of the folder, for a registry of one's own."]
                #[must_use]
                pub fn all() -> __genkit::Vec<__genkit::Prompt> {
                    #all
                }
                #members
            }
        }
    }

    /// The texts. The compiler notes that it read them: a change of one rebuilds.
    fn files(&self, files: &[String]) -> TokenStream {
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
            let of = self.given(&name, 1);
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

    fn members(&self, module: &Module<'_>, depth: usize) -> TokenStream {
        let prompts = module.prompts.iter().map(|prompt| self.prompt(prompt, depth));
        let parent = quote!(super);
        let folders = module.folders.iter().map(|(folder, inner)| {
            let name = names::ident(&names::snake(folder), self.span);
            let about = docs::lines(Some(&format!("The prompts of the folder `{folder}`.")));
            let files = self.sound.then(|| {
                quote!(
                    use #parent::__FILES;
                )
            });
            let members = self.members(inner, depth + 1);
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

    fn prompt(&self, prompt: &Prompt, depth: usize) -> TokenStream {
        let given = |name: &str| self.given(name, depth);
        let writer = Writer { span: self.span, given: &given, definitions: &prompt.definitions };
        let definitions = prompt.definitions.iter().map(|it| writer.definition(it));
        let input = prompt.input.as_ref().map(|input| {
            let about = format!(" The input of the prompt `{}`.", prompt.key());
            let shared = prompt.same_input.clone().map(Shape::Named);
            self.top(&writer, &prompt.input_name(), shared.as_ref().unwrap_or(input), &about)
        });
        let output = prompt.output.as_ref().map(|output| {
            let about = format!(" The answer to the prompt `{}`.", prompt.key());
            self.top(&writer, &prompt.output_name(), output, &about)
        });
        let function = self.function(prompt);
        quote!(#(#definitions)* #input #output #function)
    }

    /// An alias where the whole is no type of its own name.
    fn top(
        &self,
        writer: &Writer<'_>,
        name: &str,
        shape: &Shape,
        about: &str,
    ) -> Option<TokenStream> {
        let is_it = matches!(shape, Shape::Named(named) if named == name);
        (!is_it).then(|| types::alias(name, &writer.shape(shape), about, self.span))
    }

    fn function(&self, prompt: &Prompt) -> TokenStream {
        let name = names::ident(&prompt.function, self.span);
        let about = docs::lines(Some(&prompt.about(&self.input.folder.value())));
        let key = prompt.key();
        let input = prompt.input.is_some().then(|| {
            let input = format_ident!("{}", prompt.input_name(), span = self.span);
            quote!(input: #input)
        });
        let body = match (self.sound, prompt.input.is_some()) {
            (false, _) => quote!(::core::unreachable!()),
            (true, true) => quote!(__genkit::embedded_prompt(&__FILES, #key).input(input)),
            (true, false) => quote!(__genkit::embedded_prompt(&__FILES, #key)),
        };
        let unused = (!self.sound).then(|| quote!(#[allow(unused_variables)]));
        quote! {
            #about
            #unused
            pub fn #name(#input) -> __genkit::Generate {
                #body
            }
        }
    }

    /// A type of the program, by the name that files give it, `depth` modules below the call.
    fn given(&self, name: &str, depth: usize) -> TokenStream {
        let alias = self.alias(name);
        let above = std::iter::repeat_n(quote!(super::), depth);
        quote!(#(#above)* #alias)
    }

    /// What it is called beside the module, where paths mean what they mean at the call.
    fn alias(&self, name: &str) -> Ident {
        format_ident!("__{}_{name}", self.input.module.unraw(), span = self.span)
    }
}

/// What a message is about: the literal of the folder.
pub(super) fn place(folder: &LitStr) -> Span {
    Span::call_site().located_at(folder.span())
}
