//! The state that all connections of a server share, and each caller's view of the registry.

use std::sync::{Arc, Weak};

use serde_json::{Map, Value};

use super::error::Error as E;
use super::hosts::FrontedHosts;
use super::instance::ServedInstance;
use super::lists::{ListCache, Lists};
use super::permission::{Caller, Item};
use super::principal::{Principal, RequestHead};
use super::quota::{ClientKey, QuotaLimits, Quotas};
use super::session::{Notifier, Session, StateSealer, View, Visibility, read_keys};
use super::settings::ServerSettings;
use genkit_core::internal::disclosure::for_callers;
use genkit_core::internal::fair_share::hash_client;
use genkit_core::internal::registry::RegistryChange;
use genkit_core::internal::skill;
use genkit_core::{Error, Prompt, Resource, Result, Tool};

/// The state that all connections of a server share.
pub(crate) struct SharedState {
    pub(crate) genkit: ServedInstance,
    pub(crate) settings: ServerSettings,
    pub(crate) sealer: StateSealer,
    pub(crate) quotas: Quotas,
    pub(crate) notifier: Notifier,
    pub(crate) tasks: Arc<super::tasks::table::Tasks>,
    lists: ListCache,
    /// Whether clients receive errors with all their causes.
    pub(crate) exposes_errors: bool,
    /// Whether the client is the user who started the server.
    is_local: bool,
    /// The MCP hosts whose items this server exposes. They stay alive as long as the server.
    hosts: FrontedHosts,
}

impl SharedState {
    pub(crate) fn new(
        genkit: ServedInstance,
        settings: ServerSettings,
        hosts: FrontedHosts,
        is_local: bool,
    ) -> Result<Self> {
        let exposes_errors = settings.expose_errors.unwrap_or(is_local);
        Ok(Self {
            sealer: StateSealer::new(&read_keys(&settings.sealing_keys)?),
            quotas: Quotas::new(&QuotaLimits {
                places: settings.max_in_flight,
                per_second: settings.per_second,
                sessions: settings.max_sessions,
                session_questions: settings.max_questions,
            }),
            tasks: Arc::new(super::tasks::table::Tasks::of_instance(&genkit)),
            lists: ListCache::default(),
            notifier: Notifier::default(),
            genkit,
            settings,
            exposes_errors,
            is_local,
            hosts,
        })
    }

    /// Opens a session for a client identified only by its key.
    pub(crate) fn session_of(self: &Arc<Self>, key: ClientKey) -> Session {
        let client = self.quotas.client(key);
        let session = match client.open_session() {
            Some((quota, counted)) => Session::new(quota, Some(counted)),
            None => Session::new(client.open_sessionless(""), None),
        };
        session.set_visibility(self.seen_by(None));
        session
    }

    /// Returns the caller of a request.
    pub(crate) fn caller_for_head<'a>(&'a self, head: &'a RequestHead) -> Caller<'a> {
        self.caller_for(head.principal())
    }

    pub(crate) fn caller_for<'a>(&'a self, principal: Option<&'a Principal>) -> Caller<'a> {
        let principal = principal.or_else(|| self.settings.values.get());
        Caller::new(principal, self.is_local)
    }

    /// Returns whether the scopes of the item and the rules of the program grant access.
    fn permits_item(&self, caller: &Caller<'_>, item: Item<'_>) -> bool {
        self.settings.permissions.permits(caller, item)
    }

    /// Returns whether access to some items depends on the caller.
    fn has_restrictions(&self, lists: &Lists) -> bool {
        self.settings.permissions.has_rules() || lists.has_permits()
    }

    /// Returns the visibility that determines the change notifications of a subscriber.
    pub(crate) fn seen_by(self: &Arc<Self>, principal: Option<&Principal>) -> Visibility {
        // Only a local client without a principal can skip the check. For other clients, a function that requires
        // scopes may be registered later.
        let is_trusted = self.is_local && self.caller_for(principal).principal().is_none();
        if is_trusted && !self.settings.permissions.has_rules() {
            return Visibility::default();
        }
        Visibility::new(CallerView { shared: Arc::downgrade(self), principal: principal.cloned() })
    }

    /// Counts the connected upstream servers, and the enabled upstream servers.
    #[cfg_attr(not(feature = "http"), expect(unused, reason = "only health checks count"))]
    pub(crate) fn servers_behind(&self) -> (usize, usize) {
        self.hosts.count_servers()
    }

    /// Returns whether the items of all fronted hosts are registered.
    pub(crate) fn has_all_hosts(&self) -> bool {
        self.hosts.are_registered()
    }

    /// Waits until the items of all fronted hosts are registered.
    pub(crate) async fn wait_for_hosts(&self) -> &Self {
        self.hosts.registered_in(&self.genkit.registry).await;
        self
    }

    /// Converts an error from `action` to an error that clients of this server are allowed to read.
    pub(crate) fn for_client(&self, error: Error, action: &str) -> Error {
        for_callers(error, action, self.exposes_errors)
    }

    /// Returns whether calls to this server can become tasks.
    pub(crate) fn makes_tasks(&self) -> bool {
        super::tasks::table::CAN_RUN_TASKS && self.all_lists().has_tasks()
    }

    /// Returns the lists of all items, regardless of the caller.
    pub(crate) fn all_lists(&self) -> Arc<Lists> {
        let is_private = self.settings.permissions.has_rules() || self.settings.is_authenticated();
        self.lists.current_lists(&self.genkit.registry, &self.settings.filter, is_private)
    }

    /// Returns the lists of the items available to a caller.
    pub(crate) fn lists_for(&self, caller: &Caller<'_>) -> Arc<Lists> {
        let lists = self.all_lists();
        if self.has_restrictions(&lists) {
            let client = hash_client(&caller.principal().map(Principal::id));
            lists.view_for(client, |item| self.permits_item(caller, item))
        } else {
            lists
        }
    }

    pub(crate) fn find_tool(&self, name: &str, caller: &Caller<'_>) -> Result<Tool, LookupError> {
        let lists = self.all_lists();
        let found = self.genkit.registry.tool(lists.tool_name(name));
        let found = found.filter(|tool| self.settings.filter.has_tool(tool));
        self.check_permission(found, caller)
    }

    /// Returns whether a tool is listed to clients under this name.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.genkit.registry.tool(self.all_lists().tool_name(name)).is_some()
    }

    /// Returns whether a prompt is listed to clients under this name.
    pub(crate) fn has_prompt(&self, name: &str) -> bool {
        self.genkit.registry.prompt(self.all_lists().prompt_name(name)).is_some()
    }

    pub(crate) fn find_prompt(
        &self,
        name: &str,
        caller: &Caller<'_>,
    ) -> Result<Prompt, LookupError> {
        let lists = self.all_lists();
        let found = self.genkit.registry.prompt(lists.prompt_name(name));
        let found = found.filter(|prompt| self.settings.filter.has_prompt(prompt));
        self.check_permission(found, caller)
    }

    /// Returns the resource at `uri`. Resources of this program take precedence over those of upstream servers; within
    /// each group, a fixed URI takes precedence over templates, and the most specific template over others. If the
    /// match is hidden from the caller, less specific templates are not tried, since that would bypass the permission.
    pub(crate) fn find_resource(
        &self,
        uri: &str,
        caller: &Caller<'_>,
    ) -> Result<(Resource, Map<String, Value>), LookupError> {
        if uri.starts_with(skill::SCHEME)
            && let Some(found) = self.skill_file(uri, caller)
        {
            return Ok((found?, Map::new()));
        }
        let filter = |resource: &Resource| self.settings.filter.has_resource(resource);
        let found = self.genkit.registry.resource_for(uri, filter);
        let (resource, variables) = found.ok_or(LookupError::Unknown)?;
        Ok((self.check_permission(Some(resource), caller)?, variables))
    }

    /// Returns the skill file at `uri`. If skills are nested, the file of the first skill available to the caller is
    /// used.
    fn skill_file(&self, uri: &str, caller: &Caller<'_>) -> Option<Result<Resource, LookupError>> {
        let registry = &self.genkit.registry;
        let has = |skill: &skill::Skill| {
            self.settings.filter.has_skill(skill) && skill.file_at(uri).is_some()
        };
        let seen =
            registry.find_skill(|skill| has(skill) && self.permits_item(caller, skill.into()));
        match seen {
            Some(skill) => Some(Ok(skill.file_resource(skill.file_at(uri)?))),
            None => registry.find_skill(has).map(|_| Err(LookupError::Hidden)),
        }
    }

    /// Returns the maximum size of the response to a read of `uri`, in bytes. Skill files were limited when they were
    /// loaded.
    pub(crate) fn max_read(&self, uri: &str) -> usize {
        let is_file = uri.starts_with(skill::SCHEME)
            && self.genkit.registry.find_skill(|skill| skill.file_at(uri).is_some()).is_some();
        if is_file { usize::MAX } else { self.settings.max_output }
    }

    /// Returns the resource or template that is registered as `uri`.
    pub(crate) fn find_template(
        &self,
        uri: &str,
        caller: &Caller<'_>,
    ) -> Result<Resource, LookupError> {
        let found = self.genkit.registry.resource(uri);
        let found = found.filter(|resource| self.settings.filter.has_resource(resource));
        self.check_permission(found, caller)
    }

    fn check_permission<T>(&self, found: Option<T>, caller: &Caller<'_>) -> Result<T, LookupError>
    where
        for<'a> Item<'a>: From<&'a T>,
    {
        let found = found.ok_or(LookupError::Unknown)?;
        if self.permits_item(caller, Item::from(&found)) {
            Ok(found)
        } else {
            Err(LookupError::Hidden)
        }
    }
}

/// The view of a subscriber's caller. It does not keep the server alive.
struct CallerView {
    shared: Weak<SharedState>,
    principal: Option<Principal>,
}

impl View for CallerView {
    fn has_uri(&self, uri: &str) -> bool {
        self.shared.upgrade().is_some_and(|shared| {
            let caller = shared.caller_for(self.principal.as_ref());
            !shared.has_restrictions(&shared.all_lists())
                || shared.find_resource(uri, &caller).err() != Some(LookupError::Hidden)
        })
    }

    fn is_restricted(&self) -> bool {
        self.shared.upgrade().is_some_and(|shared| shared.has_restrictions(&shared.all_lists()))
    }

    fn digest(&self, list: &RegistryChange) -> Option<u64> {
        let shared = self.shared.upgrade()?;
        let lists = shared.lists_for(&shared.caller_for(self.principal.as_ref()));
        Some(lists.digest(list))
    }
}

/// The reason why an item is not available. Clients receive the same error for both variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookupError {
    Unknown,
    /// The caller has no permission.
    Hidden,
}

impl LookupError {
    /// Returns the error for the client, given the error for an `unknown` item. Only the audit log differs.
    pub(crate) fn to_error(self, unknown: E) -> E {
        match self {
            Self::Unknown => unknown,
            Self::Hidden => E::Hidden(Box::new(unknown)),
        }
    }
}
