//! The four macros and the words that differ between them.

use proc_macro2::Span;
use syn::Ident;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
    Flow,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Tool, Self::Prompt, Self::Resource, Self::Flow];

    /// `tool`: the name of the macro, and what its function becomes.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Flow => "flow",
        }
    }

    /// `#[tool]`, for messages.
    pub(crate) fn attribute(self) -> String {
        format!("`#[{}]`", self.noun())
    }

    /// What the macro looks like above a function, for remedies.
    pub(crate) fn usage(self) -> &'static str {
        match self {
            Self::Resource => "#[resource(\"scheme://path/{variable}\")]",
            Self::Tool => "#[tool]",
            Self::Prompt => "#[prompt]",
            Self::Flow => "#[flow]",
        }
    }

    /// Who reads the description.
    pub(crate) fn reader(self) -> &'static str {
        match self {
            Self::Tool => "a model chooses tools by their descriptions",
            Self::Prompt => "people choose prompts by their descriptions",
            Self::Resource => "models and people choose resources by their descriptions",
            Self::Flow => "people find flows by their descriptions",
        }
    }

    /// `ToolFn`: the trait that the function's type implements.
    pub(crate) fn function_trait(self) -> Ident {
        self.ident("", "Fn")
    }

    /// `StaticTool`: the type of the definition.
    pub(crate) fn definition(self) -> Ident {
        self.ident("Static", "")
    }

    fn ident(self, prefix: &str, suffix: &str) -> Ident {
        let stem = match self {
            Self::Tool => "Tool",
            Self::Prompt => "Prompt",
            Self::Resource => "Resource",
            Self::Flow => "Flow",
        };
        Ident::new(&format!("{prefix}{stem}{suffix}"), Span::call_site())
    }
}
