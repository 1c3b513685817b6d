//! Selections of the tools, prompts and resources of a host's servers.

use std::future::IntoFuture;
use std::sync::Arc;

use futures_util::future::join_all;

use super::Listable;
use super::host_state::HostState;
use crate::status::ServerState;
use genkit_core::BoxFuture;
use genkit_core::Result;
use genkit_core::internal::glob;
use genkit_core::{IntoResources, IntoTools, ResourceRef, ResourceSource, ToolRef, ToolSource};
use genkit_core::{Prompt, Resource, Tool};

/// A filter for the names of a host's items.
#[derive(Clone, Debug)]
pub(super) struct NameFilter {
    host: Arc<HostState>,
    only: Vec<String>,
    except: Vec<String>,
}

impl NameFilter {
    pub(super) fn for_all_servers(host: &Arc<HostState>) -> Self {
        Self { host: Arc::clone(host), only: Vec::new(), except: Vec::new() }
    }

    /// Returns whether any item of the server with this key can be selected.
    fn can_match(&self, key: &str) -> bool {
        let prefix = format!("{key}/");
        let fits = |pattern: &String| {
            let fixed = pattern.split('*').next().unwrap_or_default();
            prefix.starts_with(fixed) || fixed.starts_with(&prefix)
        };
        self.only.is_empty() || self.only.iter().any(fits)
    }

    /// Returns the selected items that a model may use.
    async fn list_for_models<T: Listable>(&self) -> Vec<T> {
        let mut items = self.list_items::<T>().await;
        items.retain(T::is_for_models);
        items
    }

    /// Returns the selected items, including those that only the app of their server may use.
    pub(super) async fn list_items<T: Listable>(&self) -> Vec<T> {
        let catalogs = self.host.catalogs();
        // Skip disabled servers without a warning.
        let wanted = catalogs.iter().filter(|catalog| {
            self.can_match(&catalog.server.key) && catalog.server.state() != ServerState::Disabled
        });
        let lists = join_all(wanted.map(|catalog| catalog.list_or_warn::<T>())).await;
        let items = lists.iter().flatten().flat_map(|list| list.iter()).map(|listed| &listed.full);
        let chosen =
            items.filter(|item| glob::is_chosen(&self.only, &self.except, item.item_name()));
        chosen.cloned().collect()
    }
}

macro_rules! selection {
    ($(#[$docs:meta])* $name:ident, $item:ident) => {
        $(#[$docs])*
        #[derive(Clone, Debug)]
        #[must_use = "a selection does nothing until it is awaited or passed to a request"]
        pub struct $name(NameFilter);

        impl $name {
            pub(crate) fn new(host: &Arc<HostState>) -> Self {
                Self(NameFilter::for_all_servers(host))
            }

            /// Selects only these names, or patterns with `*`, such as `"fs/read_*"` or `"docs/*"`.
            pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.0.only.extend(names.into_iter().map(Into::into));
                self
            }

            /// Excludes these names, or patterns with `*`.
            pub fn except(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.0.except.extend(names.into_iter().map(Into::into));
                self
            }

            /// Lists the current items. Awaiting the selection does the same; this `async fn` is for `tokio::spawn`,
            /// `block_on` and `join!`.
            ///
            /// # Errors
            /// Currently never returns an error: unreachable servers are omitted, with a warning
            /// in the log.
            pub async fn list(&self) -> Result<Vec<$item>> {
                Ok(self.0.list_for_models().await)
            }
        }

        impl IntoFuture for $name {
            type Output = Result<Vec<$item>>;
            type IntoFuture = BoxFuture<'static, Self::Output>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(async move { self.list().await })
            }
        }
    };
}

selection!(
    /// The tools of a host's servers: all of them, or only those that match a filter.
    ///
    /// Unreachable servers are omitted, with a warning in the log.
    ///
    /// ```
    /// use genkit::mcp::McpHost;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let host = McpHost::builder().build()?;
    /// let reading = host.tools().only(["fs/read_*", "docs/*"]).except(["docs/delete"]);
    /// assert_eq!(reading.await?.len(), 0); // a host without servers
    /// # Ok(())
    /// # }
    /// ```
    McpTools,
    Tool
);

selection!(
    /// The prompts of a host's servers: all of them, or only those that match a filter.
    ///
    /// ```
    /// use genkit::mcp::McpHost;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let host = McpHost::builder().build()?;
    /// for prompt in host.prompts().only(["git/*"]).await? {
    ///     println!("{}: {}", prompt.name(), prompt.description());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    McpPrompts,
    Prompt
);

selection!(
    /// The resources of a host's servers: all of them, or only those that match a filter.
    ///
    /// ```
    /// use genkit::mcp::McpHost;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let host = McpHost::builder().build()?;
    /// for resource in host.resources().only(["docs/*"]).await? {
    ///     println!("{}: {}", resource.name(), resource.uri());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    McpResources,
    Resource
);

impl ToolSource for McpTools {
    fn tools(&self) -> BoxFuture<'_, Result<Vec<Tool>>> {
        Box::pin(async { Ok(self.0.list_for_models().await) })
    }
}

impl IntoTools for McpTools {
    fn into_tools(self) -> Vec<ToolRef> {
        vec![ToolRef::live(self)]
    }
}

impl ResourceSource for McpResources {
    fn resources(&self) -> BoxFuture<'_, Result<Vec<Resource>>> {
        Box::pin(async { Ok(self.0.list_for_models().await) })
    }
}

impl IntoResources for McpResources {
    fn into_resources(self) -> Vec<ResourceRef> {
        vec![ResourceRef::live(self)]
    }
}
