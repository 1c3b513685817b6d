//! Hosts whose servers this one fronts; without the feature `mcp-host` there are none.

#[cfg(feature = "mcp-host")]
use crate::mcp::McpHost as FrontedHost;
use crate::registry::Registry;

/// The hosts of a server.
#[derive(Clone, Default)]
pub(crate) struct FrontedHosts(Vec<FrontedHost>);

/// No host can be made.
#[cfg(not(feature = "mcp-host"))]
#[derive(Clone)]
enum FrontedHost {}

#[cfg(not(feature = "mcp-host"))]
impl FrontedHost {
    async fn register_in(&self, _: &Registry) {
        match *self {}
    }
}

impl FrontedHosts {
    #[cfg(feature = "mcp-host")]
    pub(crate) fn push(&mut self, host: FrontedHost) {
        self.0.push(host);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Registers what their servers have: many clients list once what there is.
    pub(crate) async fn register_in(&self, registry: &Registry) {
        for host in &self.0 {
            host.register_in(registry).await;
        }
    }

    /// The same where nothing can be waited for: it comes when it is there.
    pub(crate) fn register_soon(&self, registry: &Registry) {
        // Without a runtime no host can have been made.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        for host in self.0.clone() {
            let registry = registry.clone();
            runtime.spawn(async move { host.register_in(&registry).await });
        }
    }
}
