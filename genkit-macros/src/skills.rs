//! `skills!("skills")`: a folder of skills, read at compile time.
//!
//! All errors in all files are reported at once. A macro cannot point into another file, so each message begins with
//! the file and the line.

use std::path::{Path, PathBuf};

use genkit_skills::{Error, FoundSkill};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Ident, LitStr, Token, Visibility};

use crate::embed_folder::{self, parse_after_library};
use crate::error::Errors;

const USAGE: &str =
    "write `skills!(\"skills\")`, or `skills!(pub mod know = \"res/skills\")` for another module";

/// Expands `[$crate] "skills"`.
pub(crate) fn expand_skills(tokens: TokenStream) -> TokenStream {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    expand_in(tokens, manifest.as_deref())
}

fn expand_in(tokens: TokenStream, manifest: Option<&Path>) -> TokenStream {
    let mut errors = Errors::default();
    let Some(input) = SkillsInput::parse(tokens, &mut errors) else {
        let errors = errors.into_result::<()>(None).err();
        return quote!(#errors);
    };
    let found = read_skills(&input, manifest, &mut errors);
    match errors.into_result(Some(())) {
        Ok(()) => input.expand_module(&found, manifest.unwrap_or(Path::new(""))),
        Err(errors) => {
            let module = input.expand_module(&[], Path::new(""));
            quote!(#errors #module)
        }
    }
}

/// The input of the macro.
struct SkillsInput {
    /// The `$crate` of the library.
    library: TokenStream,
    attrs: Vec<Attribute>,
    vis: Visibility,
    module: Ident,
    folder: LitStr,
}

impl SkillsInput {
    fn parse(tokens: TokenStream, errors: &mut Errors) -> Option<Self> {
        parse_after_library(tokens, errors, Self::parse_form)
    }

    fn parse_form(
        input: ParseStream,
        library: TokenStream,
        errors: &mut Errors,
    ) -> syn::Result<Option<Self>> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let module = match input.parse::<Option<Token![mod]>>()? {
            Some(_) => {
                let module = input.call(Ident::parse_any)?;
                input.parse::<Token![=]>()?;
                module
            }
            None => Ident::new("skills", Span::call_site()),
        };
        let Ok(folder) = input.parse::<LitStr>() else {
            errors.add_at_span(
                input.span(),
                "expected the path of a folder of skills as a string",
                USAGE,
            );
            return Ok(None);
        };
        if !input.is_empty() {
            errors.add_at_span(input.span(), "`skills!` takes no options", USAGE);
        }
        let vis = match vis {
            Visibility::Inherited => syn::parse_quote!(pub(crate)),
            vis => vis,
        };
        Ok(Some(Self { library, attrs, vis, module, folder }))
    }

    /// Generates the module, with all skills of the folder.
    fn expand_module(&self, found: &[FoundSkill], manifest: &Path) -> TokenStream {
        let Self { library, attrs, vis, module, folder } = self;
        let about = format!(" The skills of the folder `{}`.", folder.value());
        let skills = found.iter().map(|skill| expand_skill(skill, manifest));
        quote! {
            #(#attrs)*
            #[doc = #about]
            #[allow(dead_code, reason = "skills can also be looked up by name")]
            #vis mod #module {
                use #library::__private as __genkit;
                static __SKILLS: __genkit::StaticSkills =
                    __genkit::StaticSkills::new(&[#(#skills),*]);
                __genkit::submit_skills!(__SKILLS);
                #[doc = " Returns all skills of the folder, for use with a custom registry."]
                #[must_use]
                pub fn all() -> __genkit::Vec<__genkit::Skill> {
                    __genkit::embedded_skills(&__SKILLS)
                }
            }
        }
    }
}

/// Generates one skill. With `include_bytes!` the compiler tracks the files, so a change in one of them triggers a
/// rebuild.
fn expand_skill(skill: &FoundSkill, manifest: &Path) -> TokenStream {
    let files = skill.files.iter().map(|file| {
        let (path, digest) = (&file.path, &file.digest);
        let source = format!("/{}", path_inside(&file.source, manifest));
        quote! {
            (#path, #digest, ::core::include_bytes!(
                ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), #source)
            ))
        }
    });
    let (path, frontmatter) = (&skill.path, frontmatter_json(skill));
    let source = format!("{}/SKILL.md", path_inside(&skill.folder, manifest));
    quote! {
        __genkit::StaticSkill {
            source: #source, path: #path, frontmatter: #frontmatter, files: &[#(#files),*],
        }
    }
}

fn frontmatter_json(skill: &FoundSkill) -> String {
    serde_json::Value::Object(skill.frontmatter.clone()).to_string()
}

/// Returns the skills of the folder, each with its files sorted by path, or none if the folder cannot be used.
fn read_skills(
    input: &SkillsInput,
    manifest: Option<&Path>,
    errors: &mut Errors,
) -> Vec<FoundSkill> {
    let Some(path) = embed_folder::resolve_folder(&input.folder, manifest, errors) else {
        return Vec::new();
    };
    let manifest = manifest.unwrap_or(Path::new(""));
    let mut tell = |error: &Error| {
        let file = path_inside(Path::new(error.file()), manifest);
        let place = match error.line() {
            0 => file,
            line => format!("{file}:{line}"),
        };
        let message = format!("{place}: {}", error.message());
        errors.add(syn::Error::new(input.folder.span(), message));
    };
    match genkit_skills::read_skills(&path) {
        Ok(mut found) => {
            found.iter().flat_map(|skill| &skill.dangling).for_each(&mut tell);
            for skill in &mut found {
                skill.files.sort_by(|a, b| a.path.cmp(&b.path));
            }
            found
        }
        Err(mistakes) => {
            mistakes.iter().for_each(&mut tell);
            Vec::new()
        }
    }
}

/// Returns the path of a file relative to the crate, with `/` as the separator.
fn path_inside(path: &Path, manifest: &Path) -> String {
    let path = path.strip_prefix(manifest).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("genkit-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        root
    }

    fn expanded(invocation: &str, manifest: &Path) -> String {
        expand_in(format!("[::genkit] {invocation}").parse().expect("tokens"), Some(manifest))
            .to_string()
    }

    #[test]
    fn folder_becomes_a_module_with_its_digests() {
        let text = "---\nname: a\ndescription: d\n---\n[x](x.md)\n";
        let root = folder("skills-right", &[("skills/a/SKILL.md", text), ("skills/a/x.md", "x")]);
        let code = expanded("pub mod know = \"skills\"", &root);
        for part in [
            "pub mod know".to_owned(),
            genkit_skills::sha256_digest(text.as_bytes()),
            genkit_skills::sha256_digest(b"x"),
            "\"/skills/a/SKILL.md\"".to_owned(),
            "submit_skills".to_owned(),
        ] {
            assert!(code.contains(&part), "{part}: {code}");
        }
        assert!(!code.contains("compile_error"), "{code}");
        std::fs::remove_dir_all(root).expect("a folder");
    }

    #[test]
    fn every_error_has_its_file_and_line() {
        let text = "---\nname: a\ndescription: d\n---\n\n[x](x.md) [y](../y.md)\n";
        let mut files = vec![("skills/a/SKILL.md", text)];
        let root = folder("skills-links", &files);
        let code = expanded("\"skills\"", &root);
        assert!(
            code.contains("skills/a/SKILL.md:6: the link `x.md` does not lead to a file"),
            "{code}"
        );
        assert!(
            code.contains("skills/a/SKILL.md:6: the link `../y.md` leads out of the skill"),
            "{code}"
        );
        files.push(("skills/b/SKILL.md", "---\nname: c\ndescription: d\n---\n"));
        files.push(("skills/d/README.md", "no skill"));
        folder("skills-links", &files);
        let code = expanded("\"skills\"", &root);
        assert!(code.contains("skills/b/SKILL.md:2: the skill `c` is in the folder `b`"), "{code}");
        assert!(code.contains("skills/d: contains no `SKILL.md`"), "{code}");
        assert!(!code.contains("include_bytes"), "{code}");
        std::fs::remove_dir_all(root).expect("a folder");
    }

    #[test]
    fn invalid_invocation_is_a_compile_error() {
        let root = folder("skills-call", &[("skills/x", "")]);
        for (invocation, expected) in [
            ("", "expected the path of a folder"),
            ("7", "expected the path of a folder"),
            ("\"skils\"", "did you mean `skills`?"),
            ("\"../skills\"", "is not inside the crate"),
            ("\"skills\", all", "takes no options"),
        ] {
            let code = expanded(invocation, &root);
            assert!(code.contains(expected), "{invocation}: {code}");
        }
        std::fs::remove_dir_all(root).expect("a folder");
    }
}
