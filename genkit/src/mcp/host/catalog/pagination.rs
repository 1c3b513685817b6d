//! Lists of a server, read to their end, whatever the server does.

use std::collections::HashSet;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, PaginatedRequestParams,
};
use serde_json::Value;
use tokio::time::Instant;

use crate::error::{Error, ErrorKind};
use crate::mcp::host::limits::{LIST, MAX_CURSOR, MAX_ITEMS, MAX_LIST, MAX_PAGES};
use crate::mcp::host::request::results;
use crate::mcp::host::session::connection::Connection;
use crate::mcp::host::session::error::Fault;

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl Listed {
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
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

    /// Whether the server says that it has such things at all.
    pub(crate) fn is_offered(self, connection: &Connection) -> bool {
        let offered = &connection.info.capabilities;
        match self {
            Self::Tools => offered.tools.is_some(),
            Self::Prompts => offered.prompts.is_some(),
            Self::Resources | Self::Templates => offered.resources.is_some(),
        }
    }
}

/// A list as it was read.
pub(crate) struct Fetched {
    pub(crate) items: Vec<Value>,
    /// How long it may be kept, where the server says so.
    pub(crate) ttl: Option<Duration>,
    /// Why it is not whole.
    pub(crate) notice: Option<String>,
}

/// Reads all pages: until the last, until one names itself as the next, or until there are too many.
pub(crate) async fn all(
    connection: &Connection,
    listed: Listed,
) -> std::result::Result<Fetched, Fault> {
    let reading = pages(connection, listed);
    let server = &connection.inbox.server;
    tokio::select! {
        fetched = reading => fetched,
        () = connection.inbox.elapsed(LIST) => {
            let method = listed.method();
            let said = format!("the MCP server `{server}` did not finish `{method}` within {LIST:?}");
            Err(Error::new(ErrorKind::DeadlineExceeded, said).into())
        }
    }
}

async fn pages(connection: &Connection, listed: Listed) -> std::result::Result<Fetched, Fault> {
    let method = listed.method();
    let mut seen = HashSet::new();
    let mut fetched = Fetched { items: Vec::new(), ttl: None, notice: None };
    let mut cursor: Option<String> = None;
    let started = Instant::now();
    let mut bytes = 0;
    for page in 1.. {
        let request = listed.request(cursor.take());
        let result = connection.ask_alone(request, method).await?;
        let mut result = results::json(result)?;
        let Some(Value::Array(items)) = result.get_mut(listed.key()).map(Value::take) else {
            return Err(results::useless(&connection.inbox.server, method).into());
        };
        bytes += items.iter().map(crate::size::json_size).sum::<usize>();
        fetched.items.extend(items);
        let ttl = result["ttlMs"].as_u64().map(Duration::from_millis);
        fetched.ttl = ttl.map(|ttl| fetched.ttl.unwrap_or(ttl).min(ttl));
        let Some(next) = result["nextCursor"].as_str() else { break };
        let known = fetched.items.len();
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
        fetched.items.truncate(MAX_ITEMS);
        fetched.notice = Some(format!("{method}: {stop}: {} items are kept", fetched.items.len()));
        break;
    }
    tracing::debug!(
        server = %connection.inbox.server, method, items = fetched.items.len(),
        took = ?started.elapsed(), "read a list"
    );
    Ok(fetched)
}
