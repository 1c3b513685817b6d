//! Pagination: reading a server's list to its end, within limits.

use std::collections::HashSet;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, PaginatedRequestParams, ServerCapabilities,
};
use serde_json::Value;
use tokio::time::Instant;

use super::error::Error;
use crate::error::ServerErrorExt as _;
use crate::limits::{LIST_TIMEOUT, MAX_CURSOR, MAX_ITEMS, MAX_LIST, MAX_PAGES};
use crate::request::error::Error as RequestProblem;
use crate::request::results;
use crate::session::connection::Connection;
use crate::session::error::RequestError;

/// A method that lists items.
pub(crate) struct ListMethod {
    name: &'static str,
    /// The member of a result that contains the list.
    member: &'static str,
    /// The term for one item, and the item's member that names it.
    pub(super) what: &'static str,
    pub(super) key: &'static str,
    request: fn(Option<PaginatedRequestParams>) -> ClientRequest,
    /// Whether the server has the capability.
    pub(crate) is_offered: fn(&ServerCapabilities) -> bool,
}

macro_rules! list_methods {
    ($($method:ident: $name:literal $member:literal $what:literal $key:literal
       $request:ident $capability:ident;)*) => {$(
        pub(super) const $method: ListMethod = ListMethod {
            name: $name,
            member: $member,
            what: $what,
            key: $key,
            request: |params| {
                let mut request = $request::default();
                request.params = params;
                ClientRequest::$request(request)
            },
            is_offered: |offered| offered.$capability.is_some(),
        };
    )*};
}

// Columns: the method, the member of its result, the term for an item, the member that names an item, the request and
// the capability.
list_methods! {
    TOOLS: "tools/list" "tools" "tool" "name" ListToolsRequest tools;
    PROMPTS: "prompts/list" "prompts" "prompt" "name" ListPromptsRequest prompts;
    RESOURCES: "resources/list" "resources" "resource" "uri" ListResourcesRequest resources;
    TEMPLATES: "resources/templates/list" "resourceTemplates" "resource template" "uriTemplate"
        ListResourceTemplatesRequest resources;
}

/// The skills of a server, which declares them as an extension and not with a capability of their own.
pub(crate) const SKILLS: ListMethod = ListMethod {
    name: "skills/list",
    member: "skills",
    what: "skill",
    key: "uri",
    request: |params| {
        let request = rmcp::model::ListSkillsRequest { params, ..Default::default() };
        ClientRequest::ListSkillsRequest(request)
    },
    is_offered: ServerCapabilities::supports_skills,
};

/// A list that was read from all of its pages.
pub(crate) struct PagedList {
    pub(crate) items: Vec<Value>,
    /// How long it may be cached, if the server specifies it.
    pub(super) ttl: Option<Duration>,
    /// The reason why the list is incomplete, if it is.
    pub(crate) notice: Option<String>,
}

/// Reads pages until the last page, a repeated cursor, or a limit.
pub(crate) async fn read_all_pages(
    connection: &Connection,
    method: &ListMethod,
) -> Result<PagedList, RequestError> {
    tokio::select! {
        list = read_pages(connection, method) => list,
        () = connection.session.wait_elapsed(LIST_TIMEOUT) => {
            Err(Error::Unfinished(method.name).for_server(&connection.session.server).into())
        }
    }
}

async fn read_pages(
    connection: &Connection,
    method: &ListMethod,
) -> Result<PagedList, RequestError> {
    let server = &connection.session.server;
    let ListMethod { name, member, request, .. } = *method;
    let mut seen = HashSet::new();
    let mut list = PagedList { items: Vec::new(), ttl: None, notice: None };
    let mut cursor: Option<String> = None;
    let started = Instant::now();
    let mut bytes = 0;
    for page in 1.. {
        let at = |next| PaginatedRequestParams::default().with_cursor(Some(next));
        let result = connection.own_request(request(cursor.take().map(at)), name).await?;
        let mut result = results::into_json(result)?;
        if connection.is_stateless() {
            results::check_type(server, name, &result)?;
        }
        let Some(Value::Array(items)) = result.get_mut(member).map(Value::take) else {
            return Err(RequestProblem::OtherResult(name).for_server(server).into());
        };
        bytes += items.iter().map(genkit_schema::internal::size::json_size).sum::<usize>();
        list.items.extend(items);
        let ttl = result["ttlMs"].as_u64().map(Duration::from_millis);
        list.ttl = ttl.map(|ttl| list.ttl.unwrap_or(ttl).min(ttl));
        let Some(next) = result["nextCursor"].as_str() else { break };
        let known = list.items.len();
        let stop = if !seen.insert(next.to_owned()) {
            "a page refers back to an earlier one"
        } else if page >= MAX_PAGES
            || known >= MAX_ITEMS
            || bytes >= MAX_LIST
            || next.len() > MAX_CURSOR
        {
            "it is too long"
        } else {
            cursor = Some(next.to_owned());
            continue;
        };
        list.items.truncate(MAX_ITEMS);
        list.notice = Some(format!("{name}: {stop}; kept {} items", list.items.len()));
        break;
    }
    tracing::debug!(
        %server, method = name, items = list.items.len(), took = ?started.elapsed(), "read a list"
    );
    Ok(list)
}
