//! The tools: one for each operation that was chosen and is supported.

use std::collections::HashSet;
use std::sync::Arc;

use genkit::{Context, Error, ErrorKind, Registry, Result, Tool};
use genkit_schema::internal::{Patterns, repair};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};
use serde_json::{Map, Value};

use crate::api::Api;
use crate::body::is_json;
use crate::builder::{BaseUrl, OpenApi, base_url};
use crate::choice::choose_operations;
use crate::document::{ApiDocument, Checked, escape_text};
use crate::input::input;
use crate::operation::{LeftOut, Operation, operations};
use crate::request::OperationRequest;
use crate::schema::{Converter, Direction};
use crate::text::{MAX_DESCRIPTION, safe_name, sanitize, unique_name};

/// The maximum number of tools from one document. Default is 500.
const MAX_TOOLS: usize = 500;

/// The maximum total size of the schemas of all tools, in bytes of JSON. Default is 16 MiB.
const MAX_SCHEMAS: usize = 16 * 1024 * 1024;

/// The maximum number of log messages of each kind for one document. Default is 20.
const MAX_LOGGED: usize = 20;

/// The maximum length of a reason, in characters. Default is 300.
const MAX_REASON: usize = 300;

/// The tools of an OpenAPI document, which can be added to a registry, a builder or a run.
///
/// ```
/// let spec = r#"{"openapi": "3.1.0", "paths": {"/pets": {"get": {"operationId": "listPets"}}}}"#;
/// let tools = genkit_openapi::tools_from_openapi(spec, genkit_openapi::reqwest::Client::builder())
///     .base_url("https://api.example.com")
///     .build()?;
/// assert!(tools.left_out().is_empty());
/// let registry = genkit::Registry::new().add(tools);
/// assert!(registry.tool("listPets").is_some());
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenApiTools {
    tools: Vec<Tool>,
    left_out: Vec<LeftOut>,
}

impl OpenApiTools {
    /// Returns the number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Returns whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Returns the names of the tools, in the order of the document.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(Tool::name)
    }

    /// Returns the chosen operations that did not become tools, and the parts of other operations that were omitted or
    /// repaired, with the reason and the remedy.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }
}

impl IntoIterator for OpenApiTools {
    type Item = Tool;
    type IntoIter = std::vec::IntoIter<Tool>;

    fn into_iter(self) -> Self::IntoIter {
        self.tools.into_iter()
    }
}

impl OpenApi {
    /// Builds the tools. Operations that cannot become tools are logged once, and returned by
    /// [`left_out`](OpenApiTools::left_out).
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the document is invalid or too large, if it lacks a selected operation or tag, if
    /// there would be too many tools, if the base URL is missing, or if a header is invalid. Returns
    /// `FailedPrecondition` if the HTTP client cannot be set up.
    pub fn build(self) -> Result<OpenApiTools> {
        build(self)
    }
}

fn build(mut from: OpenApi) -> Result<OpenApiTools> {
    let spec = std::mem::replace(&mut from.spec, Value::Null.into());
    let document = ApiDocument::read(spec)?;
    let base = address(&document, &from.base)?;
    let client = std::mem::take(&mut from.client);
    let (headers, limits) = (from.header_map()?, (from.timeout, from.max_response));
    let api = Arc::new(Api::new(client_for(client)?, base, headers, from.query.clone(), limits));
    let mut left_out = Vec::new();
    let all = operations(&document, &mut left_out)?;
    let chosen = choose_operations(&all, &from, &mut left_out)?;
    if chosen.len() > MAX_TOOLS {
        return Err(Error::invalid_argument(format!(
            "the document would create {} tools, but the limit is {MAX_TOOLS}; choose with `.only(..)`, `.tags(..)`, \
             `.methods(..)` or `.filter(..)`",
            chosen.len()
        )));
    }
    let mut making = ToolFactory {
        document: &document,
        from: &from,
        api: &api,
        names: HashSet::new(),
        renamed: Vec::new(),
        cost: 0,
    };
    let mut tools = Vec::with_capacity(chosen.len());
    for operation in &chosen {
        let mut left = |reason| left_out.push(LeftOut { operation: operation.label(), reason });
        match making.tool(operation) {
            Ok((tool, notes)) => {
                tools.push(tool);
                notes.into_iter().for_each(left);
            }
            Err(reason) => left(reason),
        }
    }
    log_omitted(&left_out, &making.renamed);
    Ok(OpenApiTools { tools, left_out })
}

/// Logs the operations that were omitted or renamed.
fn log_omitted(left_out: &[LeftOut], renamed: &[(String, String)]) {
    for LeftOut { operation, reason } in left_out.iter().take(MAX_LOGGED) {
        tracing::warn!(%operation, "omitted a part of an OpenAPI document: {reason}");
    }
    for (id, name) in renamed.iter().take(MAX_LOGGED) {
        tracing::warn!(operation_id = %escape_text(id), %name, "an operation was renamed as a tool: its `operationId` is not a valid name for providers, is taken or is too long");
    }
    let more = |count: usize| count.saturating_sub(MAX_LOGGED);
    if more(left_out.len()) + more(renamed.len()) > 0 {
        let (left_out, renamed) = (more(left_out.len()), more(renamed.len()));
        tracing::warn!(
            left_out,
            renamed,
            "omitted or renamed more parts of the OpenAPI document; see `OpenApiTools::left_out`"
        );
    }
}

fn address(document: &ApiDocument, base: &BaseUrl) -> Result<Url> {
    let first = || document.root().pointer("/servers/0").and_then(server);
    match base {
        BaseUrl::Given(url) => base_url(url),
        BaseUrl::OfDocument => match first() {
            Some(url) => base_url(&url),
            None => Err(Error::invalid_argument(
                "the OpenAPI document has no `servers`; set the URL of the API with `.base_url(..)`",
            )),
        },
        BaseUrl::Unset => {
            let says = first().map(|url| format!(", `{}`", escape_text(&url))).unwrap_or_default();
            Err(Error::invalid_argument(format!(
                "the URL of the API is not set; set it with `.base_url(..)`, or call `.server_of_document()` if you trust the document's server with your credentials{says}"
            )))
        }
    }
}

/// Returns the URL of a server, with the default values of its variables.
fn server(server: &Value) -> Option<String> {
    let mut url = server.get("url")?.as_str()?.to_owned();
    for (name, variable) in
        server.get("variables").and_then(Value::as_object).into_iter().flatten().take(20)
    {
        let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
        url = url.replace(&format!("{{{name}}}"), default);
    }
    Some(url)
}

fn client_for(client: ClientBuilder) -> Result<reqwest::Client> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // If another thread was first, its choice is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let client = client.redirect(Policy::none()).retry(reqwest::retry::never()).referer(false);
    client.build().map_err(|error| {
        Error::new(ErrorKind::FailedPrecondition, "cannot set up HTTP for the OpenAPI tools")
            .with_source(error)
    })
}

/// The state that is shared while the tools are created.
struct ToolFactory<'d> {
    document: &'d ApiDocument,
    from: &'d OpenApi,
    api: &'d Arc<Api>,
    names: HashSet<String>,
    /// Operations whose name as a tool differs from their id.
    renamed: Vec<(String, String)>,
    cost: usize,
}

impl ToolFactory<'_> {
    fn tool(&mut self, operation: &Operation<'_>) -> Checked<(Tool, Vec<String>)> {
        if let Some(servers) = operation.own_servers()
            && Some(servers) != self.document.root().get("servers")
        {
            return Err("it has its own server, but credentials are sent to only one server; read the document again \
                 with `.only(..)` and another `.base_url(..)`"
                .to_owned());
        }
        let given = self.api.own_parameters();
        let input = input(self.document, operation, &given)?;
        let mut notes = input.notes;
        let output = match self.from.output_schemas {
            true => self.output(operation).unwrap_or_else(|why| {
                notes.push(format!("the schema of its response: {why}"));
                None
            }),
            false => None,
        };
        self.cost += input.cost + output.as_ref().map_or(0, |(_, cost)| *cost);
        if self.cost > MAX_SCHEMAS {
            return Err(format!(
                "the schemas of all tools are larger than {MAX_SCHEMAS} bytes; choose fewer operations"
            ));
        }
        let route = OperationRequest::new(operation, input.arguments, input.body)?;
        let name = self.name(operation);
        let tool =
            self.tool_for(operation, &name, input.schema, output.map(|(schema, _)| schema), route);
        check(&tool).map_err(|why| {
            format!("its calls could not be checked: {why}; correct the schema in the document")
        })?;
        if let Some(id) = operation.id().filter(|id| format!("{}{id}", self.from.prefix) != name) {
            self.renamed.push((id.to_owned(), name.clone()));
        }
        self.names.insert(name);
        Ok((tool, notes))
    }

    fn name(&self, operation: &Operation<'_>) -> String {
        let own = match operation.id().filter(|id| !id.trim().is_empty()) {
            Some(id) => id.to_owned(),
            None => format!("{}{}", operation.method().to_lowercase(), operation.path()),
        };
        unique_name(&safe_name(&format!("{}{own}", self.from.prefix)), |name| {
            self.names.contains(name)
        })
    }

    fn tool_for(
        &self,
        operation: &Operation<'_>,
        name: &str,
        schema: Value,
        output: Option<Value>,
        route: OperationRequest,
    ) -> Tool {
        let mut builder = Tool::builder(name.to_owned(), description(operation))
            .input_schema(schema)
            .open_world(true);
        builder = match operation.method() {
            "GET" | "HEAD" => builder.read_only(true).idempotent(true),
            "PUT" => builder.read_only(false).idempotent(true),
            "DELETE" => builder.read_only(false).destructive(true).idempotent(true),
            _ => builder.read_only(false).idempotent(false),
        };
        if let Some(choose) = &self.from.needs_approval {
            builder = builder.needs_approval(choose(operation));
        }
        if let Some(schema) = output {
            builder = builder.output_schema(schema);
        }
        for tag in operation.tags().take(10) {
            builder = builder.tag(sanitize(tag, 100));
        }
        let (api, route) = (Arc::clone(self.api), Arc::new(route));
        builder.handler(move |_: Context, input: Map<String, Value>| {
            let (api, route) = (Arc::clone(&api), Arc::clone(&route));
            async move { Ok(api.call(&route, &input).await?) }
        })
    }

    /// Returns the schema of the JSON in a successful response, and its size.
    fn output(&self, operation: &Operation<'_>) -> Checked<Option<(Value, usize)>> {
        let responses = operation.value.get("responses").and_then(Value::as_object);
        let success = responses.into_iter().flatten().find(|(status, _)| status.starts_with('2'));
        let Some((_, response)) = success else { return Ok(None) };
        let response = self.document.resolve(response)?;
        let content = response.get("content").and_then(Value::as_object);
        let media = content.into_iter().flatten().find(|(media_type, _)| is_json(media_type));
        let Some(schema) = media.and_then(|(_, media)| media.get("schema")) else {
            return Ok(None);
        };
        let mut schemas = Converter::new(self.document, Direction::Output);
        let mut converted = schemas.convert(schema)?;
        let definitions = schemas.definitions()?;
        if let Value::Object(converted) = &mut converted
            && !definitions.is_empty()
        {
            converted.insert("$defs".to_owned(), definitions.into());
        }
        let converted = repair(converted, Patterns::Supported).schema;
        Ok(Some((converted, schemas.cost)))
    }
}

/// Checks that a tool's schemas can be used for validation. Otherwise the registry would reject them at startup, and
/// one operation would stop the program.
fn check(tool: &Tool) -> Checked<()> {
    Registry::new().add([tool.clone()]).check().map_err(|error| {
        let text = error.to_string();
        // The text before the cause is the source location of the tool, which is in this crate.
        let why = text.split_once("): ").map_or(text.as_str(), |(_, why)| why);
        sanitize(&why.replace('\n', "; "), MAX_REASON)
    })
}

fn description(operation: &Operation<'_>) -> String {
    let words = |key: &str| operation.value.get(key).and_then(Value::as_str).map(str::trim);
    let (summary, description) =
        (words("summary").unwrap_or_default(), words("description").unwrap_or_default());
    let text = match (summary, description) {
        ("", "") => operation.label(),
        (summary, "") => summary.to_owned(),
        ("", description) => description.to_owned(),
        (summary, description) if description.starts_with(summary) => description.to_owned(),
        (summary, description) => format!("{summary}\n\n{description}"),
    };
    sanitize(&text, MAX_DESCRIPTION)
}
