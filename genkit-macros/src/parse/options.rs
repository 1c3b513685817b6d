//! The options of one attribute.

use proc_macro2::TokenStream;
use syn::{Ident, LitStr, Path};

use super::meta::{self, MetaValue};
use super::values::{self, Setting};
use super::{common_mistakes, formats};
use crate::error::Errors;
use crate::kind::Kind;
use crate::options;
use crate::suggest::{find_nearest, list_words};

/// The options of one attribute, in source order.
#[derive(Default)]
pub(crate) struct Options(Vec<(Ident, &'static str, Setting)>);

impl Options {
    pub(crate) fn parse(kind: Kind, tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut given = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for entry in meta::parse_entries(tokens, errors) {
            if let MetaValue::String(text) = entry.value {
                let key = report_bare(kind, &text, errors);
                seen.push(key.to_owned());
                given.push((entry.key, key, Setting::Text(text)));
                continue;
            }
            let name = entry.name();
            let Some(spec) = options::options_for(kind).find(|spec| spec.key == name) else {
                report_unknown(kind, &entry.key, &name, errors);
                continue;
            };
            if seen.contains(&name) {
                errors.add_at(
                    &entry.key,
                    format_args!("duplicate option `{name}`"),
                    "keep one of them",
                );
                continue;
            }
            seen.push(name);
            let setting = values::parse_value(spec, &entry, errors).or_else(|| {
                // Do not also report a missing description if an invalid description was reported.
                let is_description = spec.key == "description";
                is_description.then(|| Setting::Text(LitStr::new("", entry.key.span())))
            });
            given.extend(setting.map(|setting| (entry.key, spec.key, setting)));
        }
        Self(given)
    }

    pub(crate) fn setting(&self, key: &str) -> Option<&Setting> {
        self.0.iter().find(|(_, known, _)| *known == key).map(|(.., setting)| setting)
    }

    /// Returns the key of an option verbatim; its span is used for errors.
    pub(crate) fn key(&self, key: &str) -> Option<&Ident> {
        self.0.iter().find(|(_, known, _)| *known == key).map(|(written, ..)| written)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&LitStr> {
        match self.setting(key) {
            Some(Setting::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the names of the flags that are set.
    pub(crate) fn flags(&self) -> impl Iterator<Item = &Ident> {
        self.0
            .iter()
            .filter(|(.., setting)| matches!(setting, Setting::Flag(true)))
            .map(|(key, ..)| key)
    }

    pub(crate) fn crate_path(&self) -> Option<&Path> {
        match self.setting("crate") {
            Some(Setting::Path(path)) => Some(path),
            _ => None,
        }
    }
}

/// Reports a string without a key. Returns the key that was probably meant.
fn report_bare(kind: Kind, text: &LitStr, errors: &mut Errors) -> &'static str {
    let value = text.value();
    let is_type = kind == Kind::Resource && formats::is_mime_type(&value);
    let (key, or) = match is_type {
        true => ("mime_type", ""),
        false => ("description", ", or a doc comment above the function"),
    };
    errors.add_at(text, "unexpected string", format_args!("write `{key} = {value:?}`{or}"));
    key
}

fn report_unknown(kind: Kind, key: &Ident, name: &str, errors: &mut Errors) {
    let keys: Vec<&str> = options::options_for(kind).map(|spec| spec.key).collect();
    let legal = format!("{} takes {}", kind.attribute(), list_words(keys.iter().copied()));
    let elsewhere: Vec<String> = Kind::ALL
        .into_iter()
        .filter(|other| options::options_for(*other).any(|spec| spec.key == name))
        .map(|kind| format!("#[{}]", kind.noun()))
        .collect();
    let has_option = |option: &str| keys.contains(&option);
    if let Some(help) =
        common_mistakes::translate_option(name, has_option).filter(|_| elsewhere.is_empty())
    {
        let what = format!("{} has no option `{name}`", kind.attribute());
        return errors.add_at(key, what, help);
    }
    let parameter = options::arg::OPTIONS.iter().find(|spec| spec.key == name);
    if let Some(spec) = parameter {
        let what = format!("`{name}` is an option of a parameter, not of the function");
        errors.add_at(key, what, format_args!("write `{}` before the parameter", spec.example));
    } else if !elsewhere.is_empty() {
        let what = format!(
            "{} has no option `{name}`: it belongs to {}",
            kind.attribute(),
            list_words(elsewhere.iter().map(String::as_str)),
        );
        errors.add_at(key, what, format_args!("remove it; {legal}"));
    } else {
        let what = format!("{} has no option `{name}`", kind.attribute());
        match find_nearest(name, keys) {
            Some(near) => errors.add_at(key, what, format_args!("did you mean `{near}`? {legal}")),
            None => errors.add_at(key, what, legal),
        }
    }
}
