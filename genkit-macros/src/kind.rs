//! The macros, and the words that differ between them.

use proc_macro2::Span;
use syn::Ident;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
    Flow,
    Retriever,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::Tool, Self::Prompt, Self::Resource, Self::Flow, Self::Retriever];

    /// Returns the name of the macro, which is also the kind of its function, such as `tool`.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Flow => "flow",
            Self::Retriever => "retriever",
        }
    }

    /// Returns the attribute for messages, such as `#[tool]`.
    pub(crate) fn attribute(self) -> String {
        format!("`#[{}]`", self.noun())
    }

    /// Returns the attribute as a user would write it above a function, for help messages.
    pub(crate) fn usage(self) -> &'static str {
        match self {
            Self::Resource => "#[resource(\"scheme://path/{variable}\")]",
            Self::Tool => "#[tool]",
            Self::Prompt => "#[prompt]",
            Self::Flow => "#[flow]",
            Self::Retriever => "#[retriever]",
        }
    }

    /// Returns the purpose of the description, for the error about a missing one.
    pub(crate) fn description_purpose(self) -> &'static str {
        match self {
            Self::Tool => "a model chooses tools by their descriptions",
            Self::Prompt => "people choose prompts by their descriptions",
            Self::Resource => "models and people choose resources by their descriptions",
            Self::Flow => "people find flows by their descriptions",
            Self::Retriever => "a model chooses where to search by the descriptions",
        }
    }

    /// Returns the trait that the function's type implements, such as `ToolFn`.
    pub(crate) fn function_trait(self) -> Ident {
        self.prefixed_ident("", "Fn")
    }

    /// Returns the type of the definition, such as `StaticTool`. A retriever is based on a flow.
    pub(crate) fn definition_type(self) -> Ident {
        let kind = if self == Self::Retriever { Self::Flow } else { self };
        kind.prefixed_ident("Static", "")
    }

    fn prefixed_ident(self, prefix: &str, suffix: &str) -> Ident {
        let stem = match self {
            Self::Tool => "Tool",
            Self::Prompt => "Prompt",
            Self::Resource => "Resource",
            Self::Flow => "Flow",
            Self::Retriever => "Retriever",
        };
        Ident::new(&format!("{prefix}{stem}{suffix}"), Span::call_site())
    }
}
