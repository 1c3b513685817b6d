//! The state of a host, shared by all of its handles: its servers and their catalogs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Catalog;
use crate::config::{ServerConfig, check_keys};
use crate::lifecycle::link::DesiredState;
use crate::lifecycle::server::ManagedServer;
use crate::lifecycle::supervisor;
use crate::settings::HostSettings;
use genkit_core::Registry;
use genkit_core::internal::suggest;
use genkit_core::internal::sync::{read, write};
use genkit_core::{Error as PublicError, Result};

pub(crate) struct HostState {
    pub(crate) settings: Arc<HostSettings>,
    catalogs: RwLock<Vec<Arc<Catalog>>>,
    pub(crate) notices: Vec<String>,
    /// Registries that are synced, and whether their first sync is complete.
    pub(super) registries: Mutex<Vec<(Registry, watch::Receiver<bool>)>>,
    /// Cancelled when the last handle is dropped.
    pub(super) dropped: CancellationToken,
}

/// Cancels the tasks, which then close the connections and end the processes.
impl Drop for HostState {
    fn drop(&mut self) {
        self.dropped.cancel();
        for catalog in self.catalogs.get_mut().unwrap_or_else(PoisonError::into_inner) {
            catalog.server.set_desired(DesiredState::Closed);
        }
    }
}

impl HostState {
    /// Starts all servers concurrently.
    pub(crate) fn start_all(
        settings: HostSettings,
        servers: Vec<(String, ServerConfig)>,
        notices: Vec<String>,
    ) -> Result<Arc<Self>> {
        check_keys(&servers)?;
        let settings = Arc::new(settings);
        let started = servers.into_iter().map(|(key, config)| start(&key, config, &settings));
        Ok(Arc::new(Self {
            catalogs: RwLock::new(started.collect()),
            settings,
            notices,
            registries: Mutex::default(),
            dropped: CancellationToken::new(),
        }))
    }

    pub(crate) fn catalogs(&self) -> Vec<Arc<Catalog>> {
        read(&self.catalogs).clone()
    }

    pub(crate) fn catalog(&self, key: &str) -> Result<Arc<Catalog>> {
        let catalogs = self.catalogs();
        catalogs.iter().find(|catalog| &*catalog.server.key == key).cloned().ok_or_else(|| {
            let keys = catalogs.iter().map(|catalog| &*catalog.server.key);
            PublicError::not_found(suggest::unknown_name("MCP server", key, keys))
        })
    }

    /// Replaces the servers of the host.
    pub(crate) async fn update(&self, servers: Vec<(String, ServerConfig)>) -> Result<()> {
        check_keys(&servers)?;
        let ended = {
            let mut now = write(&self.catalogs);
            let mut old: BTreeMap<String, Arc<Catalog>> =
                now.drain(..).map(|catalog| (catalog.server.key.to_string(), catalog)).collect();
            for (key, config) in servers {
                let is_same = old.get(&key).is_some_and(|old| old.server.config == config);
                let same = if is_same { old.remove(&key) } else { None };
                now.push(same.unwrap_or_else(|| start(&key, config, &self.settings)));
            }
            old
        };
        join_all(ended.values().map(|catalog| catalog.server.close_connection())).await;
        Ok(())
    }
}

impl fmt::Debug for HostState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let catalogs = self.catalogs();
        let states = catalogs.iter().map(|catalog| (&catalog.server.key, catalog.server.state()));
        f.debug_map().entries(states).finish()
    }
}

fn start(key: &str, config: ServerConfig, settings: &Arc<HostSettings>) -> Arc<Catalog> {
    let server = Arc::new(ManagedServer::new(key, config, Arc::clone(settings)));
    tokio::spawn(supervisor::run_supervisor(Arc::clone(&server)));
    Arc::new(Catalog::new(server))
}
