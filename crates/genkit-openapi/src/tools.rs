//! Tools: one for each operation that was chosen and that can be one.

use std::collections::HashSet;
use std::sync::Arc;

use genkit::{Context, Error, ErrorKind, Registry, Result, Tool};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};
use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::body::is_json;
use crate::builder::{BaseUrl, OpenApi, base_url};
use crate::choice::choose_operations;
use crate::document::{ApiDocument, Checked, quote_text};
use crate::input::{OwnParameters, build_input};
use crate::operation::{Operation, SkippedOperation, list_operations};
use crate::request::OperationRequest;
use crate::schema::{Converter, Side};
use crate::text::{MAX_DESCRIPTION, clean_text, safe_name, unique_name};

/// How many tools one document may become. Default is 500.
const MAX_TOOLS: usize = 500;

/// How large the schemas of all tools may be, in bytes of JSON. Default is 16 MiB.
const MAX_SCHEMAS: usize = 16 * 1024 * 1024;

/// How many things of a kind one document logs. Default is 20.
const MAX_TOLD: usize = 20;

/// How much of a reason is shown, in characters. Default is 300.
const MAX_REASON: usize = 300;

/// OpenAPI tools: those of an API, which go into a registry, a builder or a run as they are.
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
    left_out: Vec<SkippedOperation>,
}

impl OpenApiTools {
    /// Number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The names of the tools, in the order of the document.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(Tool::name)
    }

    /// The operations that were chosen and are no tools, and parameters that are no arguments; why, and what to do.
    pub fn left_out(&self) -> &[SkippedOperation] {
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
    /// Makes the tools. What no tool can be made of is left out, logged once, and in
    /// [`left_out`](OpenApiTools::left_out).
    ///
    /// # Errors
    /// `InvalidArgument`: the document cannot be read or is too large, an operation or a tag that was chosen is not in
    /// it, more tools come of it than may be, there is no address, or a header is none. `FailedPrecondition`: HTTP cannot be set up.
    pub fn build(self) -> Result<OpenApiTools> {
        build(self)
    }
}

fn build(mut from: OpenApi) -> Result<OpenApiTools> {
    let spec = std::mem::replace(&mut from.spec, Value::Null.into());
    let document = ApiDocument::read(spec)?;
    let base = api_address(&document, &from.base)?;
    let client = std::mem::take(&mut from.client);
    let api = Arc::new(Api {
        client: client_of(client)?,
        base,
        headers: from.header_map()?,
        query: from.query.clone(),
        timeout: from.timeout,
        max_response: from.max_response,
    });
    let mut left_out = Vec::new();
    let all = list_operations(&document, &mut left_out)?;
    let chosen = choose_operations(&all, &from, &mut left_out)?;
    if chosen.len() > MAX_TOOLS {
        return Err(Error::invalid_argument(format!(
            "{} operations would become tools, over {MAX_TOOLS}: choose with `.only(..)`, `.tags(..)`, `.methods(..)` or `.filter(..)`",
            chosen.len()
        )));
    }
    let mut making = ToolMaker {
        document: &document,
        from: &from,
        api: &api,
        names: HashSet::new(),
        renamed: Vec::new(),
        cost: 0,
    };
    let mut tools = Vec::with_capacity(chosen.len());
    for operation in &chosen {
        let mut left = |reason| {
            left_out.push(SkippedOperation { operation: operation.operation_label(), reason })
        };
        match making.make_tool(operation) {
            Ok((tool, notes)) => {
                tools.push(tool);
                notes.into_iter().for_each(left);
            }
            Err(reason) => left(reason),
        }
    }
    log_omissions(&left_out, &making.renamed);
    Ok(OpenApiTools { tools, left_out })
}

/// Logs what is left out and what is called otherwise.
fn log_omissions(left_out: &[SkippedOperation], renamed: &[(String, String)]) {
    for SkippedOperation { operation, reason } in left_out.iter().take(MAX_TOLD) {
        tracing::warn!(%operation, "left out of the tools of an OpenAPI document: {reason}");
    }
    for (id, name) in renamed.iter().take(MAX_TOLD) {
        tracing::warn!(operation_id = %quote_text(id), %name, "an operation has another name as a tool: its own is no name for providers, is taken or is too long");
    }
    let more = |count: usize| count.saturating_sub(MAX_TOLD);
    if more(left_out.len()) + more(renamed.len()) > 0 {
        let (left_out, renamed) = (more(left_out.len()), more(renamed.len()));
        tracing::warn!(
            left_out,
            renamed,
            "more of the OpenAPI document was left out or renamed: see `OpenApiTools::left_out`"
        );
    }
}

fn api_address(document: &ApiDocument, base: &BaseUrl) -> Result<Url> {
    let first = || document.root_value().pointer("/servers/0").and_then(server_url);
    match base {
        BaseUrl::Given(url) => base_url(url),
        BaseUrl::OfDocument => match first() {
            Some(url) => base_url(&url),
            None => Err(Error::invalid_argument(
                "the OpenAPI document has no `servers`: say where the API is with `.base_url(..)`",
            )),
        },
        BaseUrl::Unsaid => {
            let says = first()
                .map(|url| format!(" The document says `{}`.", quote_text(&url)))
                .unwrap_or_default();
            Err(Error::invalid_argument(format!(
                "say where the API is, for credentials go there: `.base_url(..)`, or `.server_of_document()`.{says}"
            )))
        }
    }
}

/// The address of a server, with the defaults of its variables.
fn server_url(server: &Value) -> Option<String> {
    let mut url = server.get("url")?.as_str()?.to_owned();
    for (name, variable) in
        server.get("variables").and_then(Value::as_object).into_iter().flatten().take(20)
    {
        let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
        url = url.replace(&format!("{{{name}}}"), default);
    }
    Some(url)
}

fn client_of(client: ClientBuilder) -> Result<reqwest::Client> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may be first: its choice is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let client = client.redirect(Policy::none()).retry(reqwest::retry::never()).referer(false);
    client.build().map_err(|error| {
        Error::new(ErrorKind::FailedPrecondition, "cannot set up HTTP for the OpenAPI tools")
            .with_source(error)
    })
}

/// What the making of all tools has in common.
struct ToolMaker<'d> {
    document: &'d ApiDocument,
    from: &'d OpenApi,
    api: &'d Arc<Api>,
    names: HashSet<String>,
    /// Operations whose id is not their name.
    renamed: Vec<(String, String)>,
    cost: usize,
}

impl ToolMaker<'_> {
    fn make_tool(&mut self, operation: &Operation<'_>) -> Checked<(Tool, Vec<String>)> {
        if let Some(servers) = operation.own_servers()
            && Some(servers) != self.document.root_value().get("servers")
        {
            return Err("it has a server of its own, and credentials go to one server: read the document once more \
                 with `.only(..)` and the other `.base_url(..)`"
                .to_owned());
        }
        let given = OwnParameters { headers: &self.api.headers, query: &self.api.query };
        let input = build_input(self.document, operation, &given)?;
        let mut notes = input.notes;
        let output = match self.from.output_schemas {
            true => self.output_schema(operation).unwrap_or_else(|why| {
                notes.push(format!("the schema of its response: {why}"));
                None
            }),
            false => None,
        };
        self.cost += input.cost + output.as_ref().map_or(0, |(_, cost)| *cost);
        if self.cost > MAX_SCHEMAS {
            return Err(format!(
                "the schemas of all tools are over {MAX_SCHEMAS} bytes: choose fewer operations"
            ));
        }
        let route = OperationRequest::new(operation, input.arguments, input.body)?;
        let name = self.tool_name(operation);
        let tool = self.assemble_tool(
            operation,
            &name,
            input.schema,
            output.map(|(schema, _)| schema),
            route,
        );
        check_tool(&tool).map_err(|why| {
            format!(
                "no call of it could be checked: {why}. Patterns with look-around need the feature `validation` of \
                 genkit; else correct the schema in the document"
            )
        })?;
        if let Some(id) = operation.id().filter(|id| format!("{}{id}", self.from.prefix) != name) {
            self.renamed.push((id.to_owned(), name.clone()));
        }
        self.names.insert(name);
        Ok((tool, notes))
    }

    fn tool_name(&self, operation: &Operation<'_>) -> String {
        let own = match operation.id().filter(|id| !id.trim().is_empty()) {
            Some(id) => id.to_owned(),
            None => format!("{}{}", operation.method().to_lowercase(), operation.path()),
        };
        unique_name(&safe_name(&format!("{}{own}", self.from.prefix)), |name| {
            self.names.contains(name)
        })
    }

    fn assemble_tool(
        &self,
        operation: &Operation<'_>,
        name: &str,
        schema: Value,
        output: Option<Value>,
        route: OperationRequest,
    ) -> Tool {
        let mut builder = Tool::builder(name.to_owned(), tool_description(operation))
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
            builder = builder.tag(clean_text(tag, 100));
        }
        let (api, route) = (Arc::clone(self.api), Arc::new(route));
        builder.handler(move |_: Context, input: Map<String, Value>| {
            let (api, route) = (Arc::clone(&api), Arc::clone(&route));
            async move { Ok(api.call(&route, &input).await?) }
        })
    }

    /// The schema of the JSON that a success has, and its size.
    fn output_schema(&self, operation: &Operation<'_>) -> Checked<Option<(Value, usize)>> {
        let responses = operation.value.get("responses").and_then(Value::as_object);
        let success = responses.into_iter().flatten().find(|(status, _)| status.starts_with('2'));
        let Some((_, response)) = success else { return Ok(None) };
        let response = self.document.resolve_value(response)?;
        let content = response.get("content").and_then(Value::as_object);
        let media = content.into_iter().flatten().find(|(media_type, _)| is_json(media_type));
        let Some(schema) = media.and_then(|(_, media)| media.get("schema")) else {
            return Ok(None);
        };
        let mut schemas = Converter::new(self.document, Side::Output);
        let mut converted = schemas.convert_schema(schema)?;
        let definitions = schemas.take_definitions()?;
        if let Value::Object(converted) = &mut converted
            && !definitions.is_empty()
        {
            converted.insert("$defs".to_owned(), definitions.into());
        }
        let alone = Tool::builder("response", "Its schema alone.")
            .input_schema(json!({"type": "object"}))
            .output_schema(converted.clone())
            .handler(|_: Context, _: Value| async { Ok(Value::Null) });
        check_tool(&alone)?;
        Ok(Some((converted, schemas.cost)))
    }
}

/// Whether its schemas can be checked, which a registry would find at start-up: then one operation would stop the program.
fn check_tool(tool: &Tool) -> Checked<()> {
    Registry::new().add([tool.clone()]).check().map_err(|error| {
        let text = error.to_string();
        // Before it stands where the tool was made, which is here.
        let why = text.split_once("): ").map_or(text.as_str(), |(_, why)| why);
        clean_text(&why.replace('\n', "; "), MAX_REASON)
    })
}

fn tool_description(operation: &Operation<'_>) -> String {
    let words = |key: &str| operation.value.get(key).and_then(Value::as_str).map(str::trim);
    let (summary, description) =
        (words("summary").unwrap_or_default(), words("description").unwrap_or_default());
    let text = match (summary, description) {
        ("", "") => operation.operation_label(),
        (summary, "") => summary.to_owned(),
        ("", description) => description.to_owned(),
        (summary, description) if description.starts_with(summary) => description.to_owned(),
        (summary, description) => format!("{summary}\n\n{description}"),
    };
    clean_text(&text, MAX_DESCRIPTION)
}
