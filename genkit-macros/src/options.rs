//! The options of the four macros as data: parsing, messages and the tables in the
//! documentation come from one list.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{LitStr, Path};

use crate::closest::{closest, listed};
use crate::entries;
use crate::error::Errors;
use crate::kind::Kind;
use crate::values::{self, Form, Setting};
use crate::{flow, prompt, resource, tool};

/// One option.
pub(crate) struct Spec {
    pub(crate) key: &'static str,
    pub(crate) form: Form,
    pub(crate) sets: Sets,
    /// How it is written, for messages and documentation.
    pub(crate) example: &'static str,
    /// What it does, for documentation.
    #[cfg_attr(not(test), expect(dead_code, reason = "the documentation is checked against it"))]
    pub(crate) about: &'static str,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sets {
    /// A method of `Described`.
    Described,
    /// A method of the kind's definition.
    Definition,
    /// The macro uses it itself.
    Nothing,
}

/// The options that every macro has.
pub(crate) const SHARED: &[Spec] = &[
    Spec {
        key: "name",
        form: Form::Text,
        sets: Sets::Nothing,
        example: "name = \"get-weather\"",
        about: "The name that callers use; the function's own name without it. 1 to 64 of \
                `A-Z a-z 0-9 _ -`.",
    },
    Spec {
        key: "title",
        form: Form::Text,
        sets: Sets::Described,
        example: "title = \"Weather\"",
        about: "A name for people.",
    },
    Spec {
        key: "description",
        form: Form::Text,
        sets: Sets::Nothing,
        example: "description = \"Gets the weather in a city.\"",
        about: "Replaces the doc comment as the description that callers read.",
    },
    Spec {
        key: "tags",
        form: Form::Texts,
        sets: Sets::Described,
        example: "tags(\"weather\", \"public\")",
        about: "Words that filters select by.",
    },
    Spec {
        key: "metadata",
        form: Form::Json,
        sets: Sets::Described,
        example: "metadata = { \"owner\": \"ops\" }",
        about: "A JSON object for programs; MCP sends it as `_meta`.",
    },
    Spec {
        key: "crate",
        form: Form::Path,
        sets: Sets::Nothing,
        example: "crate = \"my_crate::genkit\"",
        about: "Where `genkit` is, for macros that write macros. A renamed dependency is found \
                without it.",
    },
];

/// Of every macro whose definition a client can show.
pub(crate) const ICONS: Spec = Spec {
    key: "icons",
    form: Form::Urls,
    sets: Sets::Described,
    example: "icons(\"https://example.com/sun.png\")",
    about: "Pictures that clients show.",
};

/// The options of `kind`: its own after the shared ones.
pub(crate) fn of(kind: Kind) -> impl Iterator<Item = &'static Spec> {
    let own = match kind {
        Kind::Tool => tool::OPTIONS,
        Kind::Prompt => prompt::OPTIONS,
        Kind::Resource => resource::OPTIONS,
        Kind::Flow => flow::OPTIONS,
    };
    SHARED.iter().chain(own)
}

/// The options of one attribute.
#[derive(Default)]
pub(crate) struct Options {
    settings: BTreeMap<&'static str, Setting>,
}

impl Options {
    pub(crate) fn parse(kind: Kind, tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for entry in entries::parse(tokens, errors) {
            let name = entry.name();
            let Some(spec) = of(kind).find(|spec| spec.key == name) else {
                unknown(kind, &entry.key, &name, errors);
                continue;
            };
            if seen.contains(&name) {
                errors.at(&entry.key, format_args!("`{name}` is given twice"), "keep one of them");
                continue;
            }
            seen.push(name);
            if let Some(setting) =
                values::read(spec.form, &entry.key, &entry.value, spec.example, errors)
            {
                if kind == Kind::Tool {
                    tool::check(&options, spec.key, &setting, &entry.key, errors);
                }
                options.settings.insert(spec.key, setting);
            }
        }
        options
    }

    pub(crate) fn text(&self, key: &str) -> Option<&LitStr> {
        match self.settings.get(key) {
            Some(Setting::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_on(&self, key: &str) -> bool {
        matches!(self.settings.get(key), Some(Setting::Flag(true)))
    }

    pub(crate) fn crate_path(&self) -> Option<&Path> {
        match self.settings.get("crate") {
            Some(Setting::Path(path)) => Some(path),
            _ => None,
        }
    }

    /// `.title("..").tags(&[..])`: the builder calls for one target.
    pub(crate) fn calls(&self, kind: Kind, target: Sets) -> TokenStream {
        of(kind)
            .filter(|spec| spec.sets == target)
            .filter_map(|spec| self.settings.get(spec.key).map(|setting| (spec.key, setting)))
            .map(|(key, setting)| {
                let method = format_ident!("{key}");
                quote!(.#method(#setting))
            })
            .collect()
    }
}

fn unknown(kind: Kind, key: &syn::Ident, name: &str, errors: &mut Errors) {
    let keys: Vec<&str> = of(kind).map(|spec| spec.key).collect();
    let legal = format!("{} takes {}", kind.attribute(), listed(keys.iter().copied()));
    let elsewhere: Vec<String> = Kind::ALL
        .into_iter()
        .filter(|other| of(*other).any(|spec| spec.key == name))
        .map(|kind| format!("#[{}]", kind.noun()))
        .collect();
    let parameter = crate::input::OPTIONS.iter().find(|spec| spec.key == name);
    if let Some(spec) = parameter {
        let what = format!("`{name}` belongs to one parameter, not to the whole function");
        errors.at(key, what, format_args!("write `{}` before the parameter", spec.example));
    } else if !elsewhere.is_empty() {
        let what = format!(
            "{} has no option `{name}`: it belongs to {}",
            kind.attribute(),
            listed(elsewhere.iter().map(String::as_str)),
        );
        errors.at(key, what, format_args!("take it out; {legal}"));
    } else {
        let what = format!("{} has no option `{name}`", kind.attribute());
        match closest(name, keys) {
            Some(near) => errors.at(key, what, format_args!("did you mean `{near}`? {legal}")),
            None => errors.at(key, what, legal),
        }
    }
}
