//! Pagination: lists of a server, read to their end, whatever the server does.

use std::collections::HashSet;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, PaginatedRequestParams,
};
use serde_json::Value;
use tokio::time::Instant;

use super::error::Error;
use crate::mcp::host::error::OfServer as _;
use crate::mcp::host::limits::{LIST_TIMEOUT, MAX_CURSOR, MAX_ITEMS, MAX_LIST, MAX_PAGES};
use crate::mcp::host::request::error::Error as RequestProblem;
use crate::mcp::host::request::results;
use crate::mcp::host::session::connection::Connection;
use crate::mcp::host::session::error::RequestError;

/// The methods that list something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListMethod {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl ListMethod {
    pub(super) fn names(self) -> ListNames {
        let (method, member, what, key) = match self {
            Self::Tools => ("tools/list", "tools", "tool", "name"),
            Self::Prompts => ("prompts/list", "prompts", "prompt", "name"),
            Self::Resources => ("resources/list", "resources", "resource", "uri"),
            Self::Templates => (
                "resources/templates/list",
                "resourceTemplates",
                "resource template",
                "uriTemplate",
            ),
        };
        ListNames { method, member, what, key }
    }

    fn request(self, cursor: Option<String>) -> ClientRequest {
        let params =
            cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        macro_rules! request {
            ($request:ident) => {{
                let mut request = $request::default();
                request.params = params;
                ClientRequest::$request(request)
            }};
        }
        match self {
            Self::Tools => request!(ListToolsRequest),
            Self::Prompts => request!(ListPromptsRequest),
            Self::Resources => request!(ListResourcesRequest),
            Self::Templates => request!(ListResourceTemplatesRequest),
        }
    }

    /// Whether the server has the capability.
    pub(crate) fn is_offered(self, connection: &Connection) -> bool {
        let offered = &connection.info.capabilities;
        match self {
            Self::Tools => offered.tools.is_some(),
            Self::Prompts => offered.prompts.is_some(),
            Self::Resources | Self::Templates => offered.resources.is_some(),
        }
    }
}

/// How a list and its items are named.
pub(super) struct ListNames {
    method: &'static str,
    /// The member of a result that is the list.
    member: &'static str,
    /// What one item is called, and its member that names it.
    pub(super) what: &'static str,
    pub(super) key: &'static str,
}

/// A list as it was read.
pub(super) struct PagedList {
    pub(super) items: Vec<Value>,
    /// How long it may be cached, where the server tells.
    pub(super) ttl: Option<Duration>,
    /// Why it is not whole.
    pub(super) notice: Option<String>,
}

/// Reads all pages: until the last, until one names itself as the next, or until there are too many.
pub(super) async fn all(
    connection: &Connection,
    method: ListMethod,
) -> Result<PagedList, RequestError> {
    tokio::select! {
        list = pages(connection, method) => list,
        () = connection.session.elapsed(LIST_TIMEOUT) => {
            Err(Error::Unfinished(method.names().method).of(&connection.session.server).into())
        }
    }
}

async fn pages(connection: &Connection, method: ListMethod) -> Result<PagedList, RequestError> {
    let server = &connection.session.server;
    let ListNames { method: name, member, .. } = method.names();
    let mut seen = HashSet::new();
    let mut list = PagedList { items: Vec::new(), ttl: None, notice: None };
    let mut cursor: Option<String> = None;
    let started = Instant::now();
    let mut bytes = 0;
    for page in 1.. {
        let request = method.request(cursor.take());
        let result = connection.own_request(request, name).await?;
        let mut result = results::json(result)?;
        let Some(Value::Array(items)) = result.get_mut(member).map(Value::take) else {
            return Err(RequestProblem::OtherResult(name).of(server).into());
        };
        bytes += items.iter().map(crate::size::json_size).sum::<usize>();
        list.items.extend(items);
        let ttl = result["ttlMs"].as_u64().map(Duration::from_millis);
        list.ttl = ttl.map(|ttl| list.ttl.unwrap_or(ttl).min(ttl));
        let Some(next) = result["nextCursor"].as_str() else { break };
        let known = list.items.len();
        let stop = if !seen.insert(next.to_owned()) {
            "a page names one before it as the next"
        } else if page >= MAX_PAGES
            || known >= MAX_ITEMS
            || bytes >= MAX_LIST
            || next.len() > MAX_CURSOR
        {
            "it has no end in sight"
        } else {
            cursor = Some(next.to_owned());
            continue;
        };
        list.items.truncate(MAX_ITEMS);
        list.notice = Some(format!("{name}: {stop}: {} items are kept", list.items.len()));
        break;
    }
    tracing::debug!(
        %server, method = name, items = list.items.len(), took = ?started.elapsed(), "read a list"
    );
    Ok(list)
}
