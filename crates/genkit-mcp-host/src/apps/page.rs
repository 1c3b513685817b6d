//! Pages of MCP Apps, and the tool calls that they can make.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use super::rights::AppRights;
use super::{SCHEME, is_for_pages};
use crate::catalog::NamedAction;
use crate::client::McpClient;
use crate::error::ServerErrorExt as _;
use crate::mcp_host::McpHost;
use crate::request::methods;
use genkit_core::internal::action::APP_MIME_TYPE;
use genkit_core::internal::visible::{self, Logged};
use genkit_core::{Context, GenerateResponse, Part, Result, Tool, ToolRequest, ToolResponse};
use genkit_schema::internal::truncate::excerpt;

/// The maximum size of a page, in bytes.
const MAX_PAGE: usize = 4 * 1024 * 1024;

/// The maximum length of a URI in an error, in characters.
const MAX_SHOWN_URI: usize = 200;

/// The maximum number of pages read for one response.
const MAX_PAGES: usize = 32;

/// The page of an MCP App: the HTML interface for a tool call of a response.
///
/// The page is untrusted. Show it in a sandboxed frame with a different origin, under the [content security
/// policy](AppRights::content_security_policy) of its rights. Pass the tool [call](Self::tool_request) and its
/// [result](Self::tool_response) to the page, and forward the calls that the page makes with
/// [`McpHost::call_app_tool`].
#[derive(Clone)]
#[non_exhaustive]
pub struct McpApp {
    client: McpClient,
    request: ToolRequest,
    response: ToolResponse,
    uri: String,
    html: String,
    rights: AppRights,
}

impl McpApp {
    /// Returns the key of the server that the page belongs to.
    pub fn server(&self) -> &str {
        self.client.key()
    }

    /// Returns the URI of the page at its server, `ui://..`.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the page, an HTML document.
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Returns the rights that the page requests.
    pub fn rights(&self) -> &AppRights {
        &self.rights
    }

    /// Returns the tool call that the page belongs to.
    pub fn tool_request(&self) -> &ToolRequest {
        &self.request
    }

    /// Returns the result of the tool call.
    pub fn tool_response(&self) -> &ToolResponse {
        &self.response
    }

    /// Reads the page of a call, if its tool has one.
    async fn read(
        host: &McpHost,
        request: &ToolRequest,
        response: &ToolResponse,
    ) -> Result<Option<Self>> {
        let Some((key, own)) = request.name.split_once('/') else { return Ok(None) };
        let Ok(client) = host.client(key) else { return Ok(None) };
        let tools = client.catalog.all_items::<Tool>().await?;
        let Some(meta) = find_meta(&tools, own) else { return Ok(None) };
        let Some(uri) = page_uri(meta) else { return Ok(None) };
        if !uri.starts_with(SCHEME) {
            let (tool, uri) = (own.to_owned(), escape_uri(uri));
            return Err(Error::Scheme { tool, uri }.for_server(key));
        }
        let contents = client.read_resource(uri).await?;
        let page = contents.into_iter().find(|piece| piece.mime_type() == Some(APP_MIME_TYPE));
        let Some(page) = page else {
            return Err(Error::InvalidPage { uri: escape_uri(uri) }.for_server(key));
        };
        let Some(html) = page
            .as_text()
            .map(str::to_owned)
            .or_else(|| String::from_utf8(page.as_bytes().to_vec()).ok())
        else {
            return Err(Error::InvalidPage { uri: escape_uri(uri) }.for_server(key));
        };
        if html.len() > MAX_PAGE {
            let (uri, bytes) = (escape_uri(uri), html.len());
            return Err(Error::TooLarge { uri, bytes, max: MAX_PAGE }.for_server(key));
        }
        let rights = AppRights::read(page.meta().get("ui").unwrap_or(&Value::Null));
        Ok(Some(Self {
            uri: uri.to_owned(),
            client,
            request: request.clone(),
            response: response.clone(),
            html,
            rights,
        }))
    }
}

/// Shortens and escapes a URI from a server for an error.
fn escape_uri(uri: &str) -> String {
    visible::escape_line(&excerpt(uri, MAX_SHOWN_URI)).into_owned()
}

/// Returns the page URI in the `_meta` of a tool. Also reads the format of older servers.
fn page_uri(meta: &Value) -> Option<&str> {
    meta.pointer("/ui/resourceUri").or_else(|| meta.get("ui/resourceUri"))?.as_str()
}

/// Returns the `_meta` of the tool that has this name at the server.
fn find_meta<'a>(tools: &'a [NamedAction<Tool>], own: &str) -> Option<&'a Value> {
    let tool = tools.iter().find(|tool| tool.bare.name() == own)?;
    tool.bare.metadata().get("mcp")?.get("_meta")
}

impl McpHost {
    /// Returns the pages of MCP Apps that belong to the tool calls of a response, in the order of the calls. Returns an
    /// empty list unless the host has [`apps(true)`](crate::McpHostBuilder::apps).
    ///
    /// ```standalone_crate
    /// use genkit::mcp::host::{McpHost, ServerConfig};
    /// use genkit::message::ToolRequest;
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{resource, tool};
    /// use serde_json::json;
    ///
    /// /// The page of the cart.
    /// #[resource("ui://shop/cart", app(connect("https://api.example.com")))]
    /// async fn cart() -> &'static str { "<!doctype html><title>Cart</title>" }
    ///
    /// /// Shows the cart.
    /// #[tool(ui = cart)]
    /// async fn show_cart() -> String { "2 apples".into() }
    ///
    /// /// Removes an item. Only the page calls it.
    /// #[tool(visibility("app"))]
    /// async fn remove(item: u32) -> String { format!("removed {item}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let server = ServerConfig::in_process(genkit::serve_mcp);
    /// let host = McpHost::builder().server("shop", server).apps(true).build()?;
    /// let model = ScriptedModel::new([
    ///     ModelResponse::from_tool_requests([ToolRequest::new("shop/show_cart", json!({}))]),
    ///     ModelResponse::from_text("Here is your cart."),
    /// ]);
    /// let response = genkit::generate("My cart?").model(model).tools(host.tools()).await?;
    /// let page = &host.apps(&response).await?[0];
    /// assert!(page.html().contains("<title>Cart</title>"));
    /// assert_eq!(page.rights().connect, ["https://api.example.com"]);
    /// // The page asks the program to call a tool:
    /// let result = host.call_app_tool(page, "remove", json!({"item": 7})).await?;
    /// assert_eq!(result["content"][0]["text"], "removed 7");
    /// # host.close().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the first error if no page can be used. Otherwise, a page that cannot be read, is too large or is not
    /// HTML is omitted with a warning.
    pub async fn apps(&self, response: &GenerateResponse) -> Result<Vec<McpApp>> {
        if !self.0.settings.apps {
            return Ok(Vec::new());
        }
        let messages = response.messages();
        let parts = || messages.iter().flat_map(|message| &message.content);
        let requests: Vec<&ToolRequest> = parts().filter_map(Part::as_tool_request).collect();
        let (mut pages, mut first_error) = (Vec::new(), None);
        for result in parts().filter_map(Part::as_tool_response) {
            let request = requests.iter().find(|request| {
                request.name == result.name && (result.id.is_none() || request.id == result.id)
            });
            let Some(request) = request else { continue };
            match McpApp::read(self, request, result).await {
                Ok(page) => pages.extend(page),
                Err(error) => {
                    let (tool, why) = (Logged::name(&request.name), error.chain());
                    tracing::warn!(%tool, error = %Logged::text(&why), "omitted the page of a tool");
                    first_error.get_or_insert(error);
                }
            }
            if pages.len() >= MAX_PAGES {
                break;
            }
        }
        match first_error.filter(|_| pages.is_empty()) {
            Some(error) => Err(error),
            None => Ok(pages),
        }
    }

    /// Calls a tool of the page's server on behalf of the page. `name` is the server's own name for the tool, whose
    /// visibility must include `app`. Returns the result as MCP JSON, which the page expects, even if the tool failed
    /// (`isError`).
    ///
    /// # Errors
    /// Returns an error if the server has no such tool for its pages, if the tool needs the user's approval, if the
    /// arguments are not an object, or if the server is unreachable.
    pub async fn call_app_tool(
        &self,
        app: &McpApp,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<Value> {
        let server = &app.client.catalog.server;
        let tools = app.client.catalog.all_items::<Tool>().await?;
        let is_listed = tools.iter().any(|tool| tool.bare.name() == name);
        if !is_listed || !find_meta(&tools, name).is_none_or(is_for_pages) {
            return Err(Error::ToolHiddenFromPages(name.to_owned()).for_server(&server.key));
        }
        if server.config.controls.needs_approval_for(name) {
            return Err(Error::NeedsApproval(name.to_owned()).for_server(&server.key));
        }
        let arguments = methods::to_json("tool", name, arguments)?;
        methods::call_tool_raw(server, &Context::detached(), name, arguments).await
    }
}

impl fmt::Debug for McpApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpApp")
            .field("server", &self.server())
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}
