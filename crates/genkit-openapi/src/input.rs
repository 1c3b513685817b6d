//! The input of an operation: one schema of its parameters and its body, and where each argument goes.

use reqwest::header::HeaderName;
use serde_json::{Map, Value, json};

use crate::body::{BodyForm, RequestBody, is_json, unsupported_body, written_body};
use crate::document::{ApiDocument, Checked, quote_text};
use crate::operation::Operation;
use crate::schema::{Converter, Side};
use crate::style::{ParameterEncoding, ParameterStyle};
use crate::text::{clean_text, safe_name, unique_name};

/// How many parameters an operation may have. Default is 100.
const MAX_PARAMETERS: usize = 100;

/// How long the words on a parameter may be, in characters. Default is 1,000.
const MAX_WORDS: usize = 1000;

/// The name of the argument that is the body.
const BODY: &str = "body";

/// Headers that belong to the connection, the body or the credentials, never to a model.
const OWN_HEADERS: [&str; 14] = [
    "accept",
    "content-type",
    "authorization",
    "proxy-authorization",
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "cookie",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "forwarded",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterPlace {
    Path,
    Query,
    Header,
    Cookie,
}

/// One parameter: what the model calls it, and what is sent.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) place: ParameterPlace,
    /// How it is written; nothing where it is JSON as text.
    pub(crate) writing: Option<ParameterEncoding>,
}

/// What a tool takes, and where it goes.
pub(crate) struct ToolInput {
    pub(crate) schema: Value,
    pub(crate) arguments: Vec<Parameter>,
    pub(crate) body: Option<RequestBody>,
    /// What is left out of it, and why.
    pub(crate) notes: Vec<String>,
    /// How large its schema is, in bytes.
    pub(crate) cost: usize,
}

/// What the program itself sends with each request: never an argument.
pub(crate) struct OwnParameters<'g> {
    pub(crate) headers: &'g reqwest::header::HeaderMap,
    pub(crate) query: &'g [(String, String)],
}

impl OwnParameters<'_> {
    fn has_parameter(&self, place: ParameterPlace, name: &str) -> bool {
        match place {
            ParameterPlace::Header => self.headers.contains_key(name),
            ParameterPlace::Query => self.query.iter().any(|(given, _)| given == name),
            _ => false,
        }
    }
}

/// Reads parameters and body of an operation.
pub(crate) fn build_input(
    document: &ApiDocument,
    operation: &Operation<'_>,
    given: &OwnParameters<'_>,
) -> Checked<ToolInput> {
    let mut build = InputBuilder {
        schemas: Converter::new(document, Side::Input),
        properties: Map::new(),
        required: Vec::new(),
        arguments: Vec::new(),
        notes: Vec::new(),
        has_body: operation.value.get("requestBody").is_some(),
    };
    for (parameter, place, name) in list_parameters(document, operation)? {
        if !given.has_parameter(place, name) {
            build.add_parameter(parameter, place, name)?;
        }
    }
    let body = match operation.value.get("requestBody") {
        Some(body) => build.add_body(document.resolve_value(body)?)?,
        None => None,
    };
    build.into_input(body)
}

/// The parameters of the path and of the operation, of which the latter count more.
fn list_parameters<'d>(
    document: &'d ApiDocument,
    operation: &Operation<'d>,
) -> Checked<Vec<(&'d Value, ParameterPlace, &'d str)>> {
    let mut found: Vec<(&Value, ParameterPlace, &str)> = Vec::new();
    for list in [operation.item.get("parameters"), operation.value.get("parameters")] {
        for parameter in list.and_then(Value::as_array).into_iter().flatten() {
            let parameter = document.resolve_value(parameter)?;
            let name = parameter.get("name").and_then(Value::as_str);
            let name = name.ok_or("a parameter has no `name`: correct it in the document")?;
            let place = match parameter.get("in").and_then(Value::as_str) {
                Some("path") => ParameterPlace::Path,
                Some("query") => ParameterPlace::Query,
                Some("header") => ParameterPlace::Header,
                Some("cookie") => ParameterPlace::Cookie,
                other => {
                    return Err(format!(
                        "its parameter `{}` is in `{}`, which is none of path, query, header and cookie",
                        quote_text(name),
                        quote_text(other.unwrap_or_default())
                    ));
                }
            };
            found.retain(|(_, p, n)| (*p, *n) != (place, name));
            found.push((parameter, place, name));
            if found.len() > MAX_PARAMETERS {
                return Err(format!(
                    "it has over {MAX_PARAMETERS} parameters: write a tool by hand"
                ));
            }
        }
    }
    Ok(found)
}

struct InputBuilder<'d> {
    schemas: Converter<'d>,
    properties: Map<String, Value>,
    required: Vec<String>,
    arguments: Vec<Parameter>,
    notes: Vec<String>,
    has_body: bool,
}

impl<'d> InputBuilder<'d> {
    fn add_parameter(
        &mut self,
        parameter: &'d Value,
        place: ParameterPlace,
        name: &str,
    ) -> Checked<()> {
        let is_required =
            parameter.get("required") == Some(&Value::Bool(true)) || place == ParameterPlace::Path;
        if place == ParameterPlace::Header {
            let is_own = OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name));
            if is_own || HeaderName::from_bytes(name.as_bytes()).is_err() {
                // The specification itself says that these three are not parameters.
                let is_ignored = ["accept", "content-type", "authorization"]
                    .iter()
                    .any(|ignored| ignored.eq_ignore_ascii_case(name));
                return self.skip_parameter(
                    name,
                    is_required && !is_ignored,
                    "no model sets this header: give it with `.header(..)`",
                );
            }
        }
        let (schema, writing) = match self.schema_and_encoding(parameter, place) {
            Ok(written) => written,
            Err(why) => return self.skip_parameter(name, is_required, &why),
        };
        let key = self.argument_key(name, place);
        let mut schema = match schema {
            Some(schema) => self.schemas.convert_schema(schema)?,
            None => json!({}),
        };
        let words = parameter.get("description").and_then(Value::as_str).unwrap_or_default();
        let words = match key == name {
            true => clean_text(words, MAX_WORDS),
            false => clean_text(&format!("`{}`. {words}", clean_text(name, 200)), MAX_WORDS),
        };
        if let Value::Object(schema) = &mut schema
            && !words.is_empty()
            && (key != name || !schema.contains_key("description"))
        {
            schema.insert("description".to_owned(), words.into());
        }
        self.properties.insert(key.clone(), schema);
        if is_required {
            self.required.push(key.clone());
        }
        self.arguments.push(Parameter { key, name: name.to_owned(), place, writing });
        Ok(())
    }

    /// The schema of a parameter, and how its value is written.
    fn schema_and_encoding(
        &self,
        parameter: &'d Value,
        place: ParameterPlace,
    ) -> Checked<(Option<&'d Value>, Option<ParameterEncoding>)> {
        if let Some(content) = parameter.get("content").and_then(Value::as_object) {
            let json = content.iter().find(|(media_type, _)| is_json(media_type));
            let (_, media) =
                json.ok_or("it is written in a media type that is not JSON: write a tool by hand")?;
            return Ok((media.get("schema"), None));
        }
        let style = match (parameter.get("style").and_then(Value::as_str), place) {
            (None | Some("form"), ParameterPlace::Query | ParameterPlace::Cookie) => {
                ParameterStyle::Form
            }
            (None | Some("simple"), ParameterPlace::Path | ParameterPlace::Header) => {
                ParameterStyle::Simple
            }
            (Some("label"), ParameterPlace::Path) => ParameterStyle::Label,
            (Some("matrix"), ParameterPlace::Path) => ParameterStyle::Matrix,
            (Some("spaceDelimited"), ParameterPlace::Query) => ParameterStyle::SpaceDelimited,
            (Some("pipeDelimited"), ParameterPlace::Query) => ParameterStyle::PipeDelimited,
            (Some("deepObject"), ParameterPlace::Query) => ParameterStyle::DeepObject,
            (style, _) => {
                let style = quote_text(style.unwrap_or_default());
                return Err(format!(
                    "the style `{style}` is not known there: correct it in the document"
                ));
            }
        };
        let flag = |name: &str| parameter.get(name).and_then(Value::as_bool);
        let explode = flag("explode").unwrap_or(style == ParameterStyle::Form);
        let allow_reserved =
            flag("allowReserved").unwrap_or(false) && place == ParameterPlace::Query;
        Ok((parameter.get("schema"), Some(ParameterEncoding { style, explode, allow_reserved })))
    }

    /// Leaves out a parameter that need not be; else the operation.
    fn skip_parameter(&mut self, name: &str, is_required: bool, why: &str) -> Checked<()> {
        let why = format!("its parameter `{}`: {why}", quote_text(name));
        if is_required {
            return Err(why);
        }
        self.notes.push(why);
        Ok(())
    }

    /// What the model calls a parameter.
    fn argument_key(&self, name: &str, place: ParameterPlace) -> String {
        let is_taken =
            |key: &str| self.properties.contains_key(key) || (self.has_body && key == BODY);
        let safe = safe_name(name);
        if !is_taken(&safe) {
            return unique_name(&safe, is_taken);
        }
        let place = match place {
            ParameterPlace::Path => "path",
            ParameterPlace::Query => "query",
            ParameterPlace::Header => "header",
            ParameterPlace::Cookie => "cookie",
        };
        unique_name(&format!("{place}_{safe}"), is_taken)
    }

    fn add_body(&mut self, body: &'d Value) -> Checked<Option<RequestBody>> {
        let is_required = body.get("required") == Some(&Value::Bool(true));
        let content = body.get("content").and_then(Value::as_object);
        let Some((form, media_type, media)) = content.and_then(written_body) else {
            let why = unsupported_body(content);
            if is_required {
                return Err(why);
            }
            self.notes.push(why);
            return Ok(None);
        };
        let mut schema = match (media.get("schema"), form) {
            (Some(schema), _) => self.schemas.convert_schema(schema)?,
            (None, BodyForm::Json) => json!({}),
            (None, BodyForm::Form) => json!({"type": "object"}),
            (None, BodyForm::Text) => json!({"type": "string"}),
        };
        let words = body.get("description").and_then(Value::as_str);
        if let (Value::Object(schema), Some(words)) = (&mut schema, words)
            && !schema.contains_key("description")
        {
            schema.insert("description".to_owned(), clean_text(words, MAX_WORDS).into());
        }
        self.properties.insert(BODY.to_owned(), schema);
        if is_required {
            self.required.push(BODY.to_owned());
        }
        Ok(Some(RequestBody { form, media_type }))
    }

    fn into_input(mut self, body: Option<RequestBody>) -> Checked<ToolInput> {
        let definitions = self.schemas.take_definitions()?;
        let mut schema = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        schema["additionalProperties"] = false.into();
        if !definitions.is_empty() {
            schema["$defs"] = definitions.into();
        }
        Ok(ToolInput {
            schema,
            arguments: self.arguments,
            body,
            notes: self.notes,
            cost: self.schemas.cost,
        })
    }
}
