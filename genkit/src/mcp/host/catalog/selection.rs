//! Which of the servers' tools, prompts and resources are meant.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::join_all;

use super::Offered;
use crate::action::{Prompt, Resource, Tool};
use crate::error::Result;
use crate::generate::{IntoResources, IntoTools, ResourceRef, ResourceSource, ToolRef, ToolSource};
use crate::glob;
use crate::mcp::host::lifecycle::server::Server;
use crate::mcp::host::mcp_host::McpHost;

type Listing<T> = Pin<Box<dyn Future<Output = Result<Vec<T>>> + Send>>;

macro_rules! selection {
    ($name:ident, $item:ident, $docs:literal) => {
        #[doc = $docs]
        #[derive(Clone, Debug)]
        #[must_use = "it is a description until it is awaited or given to a request"]
        pub struct $name {
            host: McpHost,
            only: Vec<String>,
            except: Vec<String>,
        }

        impl $name {
            pub(crate) fn new(host: McpHost) -> Self {
                Self { host, only: Vec::new(), except: Vec::new() }
            }

            /// Only those of these names, or patterns with `*`: `"fs/read_*"`, `"docs/*"`.
            pub fn only(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.only.extend(names.into_iter().map(Into::into));
                self
            }

            /// None of these names, or patterns with `*`.
            pub fn except(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.except.extend(names.into_iter().map(Into::into));
                self
            }

            fn wants(&self, name: &str) -> bool {
                glob::chosen(&self.only, &self.except, name)
            }

            /// Whether anything of a server can be meant.
            fn may_want(&self, server: &Server) -> bool {
                let prefix = format!("{}/", server.key);
                let fits = |pattern: &String| {
                    let fixed = pattern.split('*').next().unwrap_or_default();
                    prefix.starts_with(fixed) || fixed.starts_with(&prefix)
                };
                self.only.is_empty() || self.only.iter().any(fits)
            }

            async fn list(&self) -> Vec<$item> {
                let servers = self.host.servers();
                // Whoever disabled a server knows that nothing of it is there.
                let servers = servers.iter().filter(|s| self.may_want(s) && !s.is_disabled());
                let lists = join_all(servers.map(|server| async move {
                    server.heard::<$item>(self.host.listed(server).await)
                }));
                let all = lists.await.into_iter().flatten();
                let mut chosen = Vec::new();
                for list in all {
                    chosen.extend(list.iter().filter(|item| self.wants(item.name())).cloned());
                }
                chosen
            }
        }

        impl IntoFuture for $name {
            type Output = Result<Vec<$item>>;
            type IntoFuture = Listing<$item>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(async move { Ok(self.list().await) })
            }
        }
    };
}

selection!(
    McpTools,
    Tool,
    "The tools of a host's servers: all, or those of some names.

Servers that are not there are left out, with a word in the log.

```
use genkit::mcp::McpHost;

# #[tokio::main(flavor = \"current_thread\")]
# async fn main() -> genkit::Result<()> {
let host = McpHost::builder().build()?;
let reading = host.tools().only([\"fs/read_*\", \"docs/*\"]).except([\"docs/delete\"]);
assert_eq!(reading.await?.len(), 0); // a host without servers
# Ok(())
# }
```"
);

selection!(
    McpPrompts,
    Prompt,
    "The prompts of a host's servers: all, or those of some names.

```
use genkit::mcp::McpHost;

# #[tokio::main(flavor = \"current_thread\")]
# async fn main() -> genkit::Result<()> {
let host = McpHost::builder().build()?;
for prompt in host.prompts().only([\"git/*\"]).await? {
    println!(\"{}: {}\", prompt.name(), prompt.description());
}
# Ok(())
# }
```"
);

selection!(
    McpResources,
    Resource,
    "The resources of a host's servers: all, or those of some names.

```
use genkit::mcp::McpHost;

# #[tokio::main(flavor = \"current_thread\")]
# async fn main() -> genkit::Result<()> {
let host = McpHost::builder().build()?;
for resource in host.resources().only([\"docs/*\"]).await? {
    println!(\"{}: {}\", resource.name(), resource.uri());
}
# Ok(())
# }
```"
);

impl ToolSource for McpTools {
    fn tools(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Tool>>> + Send + '_>> {
        Box::pin(async { Ok(self.list().await) })
    }
}

impl IntoTools for McpTools {
    fn into_tools(self) -> Vec<ToolRef> {
        vec![ToolRef::live(self)]
    }
}

impl ResourceSource for McpResources {
    fn resources(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Resource>>> + Send + '_>> {
        Box::pin(async { Ok(self.list().await) })
    }
}

impl IntoResources for McpResources {
    fn into_resources(self) -> Vec<ResourceRef> {
        vec![ResourceRef::live(self)]
    }
}

impl Server {
    /// What a server listed; one that did not is left out, which is said when it is new.
    fn heard<T: Offered>(&self, listed: Result<Arc<[T]>>) -> Option<Arc<[T]>> {
        match listed {
            Ok(items) => {
                self.silence(T::KIND, None);
                Some(items)
            }
            Err(error) => {
                let error = error.chain();
                if self.silence(T::KIND, Some(&error)) {
                    let (server, what) = (&*self.key, T::KIND);
                    tracing::warn!(server, error, ?what, "what an MCP server has is left out");
                }
                None
            }
        }
    }
}
