//! The input of an operation: one schema for its parameters and its body, and the position of each argument in the
//! request.
//!
//! | in the document | the tool |
//! |---|---|
//! | a pattern that cannot be validated | accepts any text, with a note |
//! | a reference without a target | accepts any value, with a note |
//! | `style`, `explode` and `encoding` of a form, `deepObject` | sends the members in that style |
//! | a media range such as `*/*` or `text/*` | sends a concrete type |
//! | a path with a fragment | sends the request without the fragment |
//! | a number or a boolean instead of a string, such as an unquoted `1.0` or `yes` in YAML | uses the value as text |
//! | an unsupported operation | is omitted, and the reason is reported; the other operations become tools |

use std::collections::HashMap;

use genkit_schema::internal::{Loss, Patterns, Repaired, repair};
use reqwest::header::HeaderName;
use serde_json::{Map, Value, json};

use crate::body::{BodyForm, RequestBody, is_json, member_encodings, select_body, unwritten};
use crate::document::{ApiDocument, Checked, escape_text};
use crate::operation::Operation;
use crate::schema::{Converter, Direction};
use crate::style::{ParameterStyle, Serialization, invalid_style};
use crate::text::{safe_name, sanitize, unique_name};

/// The maximum number of parameters of an operation. Default is 100.
const MAX_PARAMETERS: usize = 100;

/// The maximum length of a parameter's description, in characters. Default is 1,000.
const MAX_DESCRIPTION_CHARS: usize = 1000;

/// The name of the argument that becomes the body.
const BODY: &str = "body";

/// Headers that belong to the connection, the body or the credentials, and are never set by a model.
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
pub(crate) enum ParameterLocation {
    Path,
    Query,
    Header,
    Cookie,
}

/// One parameter: its name for the model, and its name in the request.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) place: ParameterLocation,
    /// The serialization of its value; `None` if it is sent as JSON text.
    pub(crate) writing: Option<Serialization>,
}

/// The input of a tool, and where its parts are sent.
pub(crate) struct ToolInput {
    pub(crate) schema: Value,
    pub(crate) arguments: Vec<Parameter>,
    pub(crate) body: Option<RequestBody>,
    /// Parts that were omitted, with reasons.
    pub(crate) notes: Vec<String>,
    /// The size of its schema, in bytes.
    pub(crate) cost: usize,
}

/// Parameters that the program sends with each request, which are never arguments.
pub(crate) struct OwnParameters<'g> {
    pub(crate) headers: &'g reqwest::header::HeaderMap,
    pub(crate) query: &'g [(String, String)],
}

impl OwnParameters<'_> {
    /// Returns whether the program sends a parameter with this name, or with a name that a server may treat as equal.
    pub(crate) fn has(&self, place: ParameterLocation, name: &str) -> bool {
        match place {
            ParameterLocation::Header => self.headers.contains_key(name),
            ParameterLocation::Query => {
                self.query.iter().any(|(given, _)| is_same_name(given, name))
            }
            ParameterLocation::Cookie => self.cookies().any(|given| is_same_name(given, name)),
            ParameterLocation::Path => false,
        }
    }

    /// Returns the names of the cookies that the program sends.
    fn cookies(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.get_all(reqwest::header::COOKIE).iter();
        let pairs = headers.filter_map(|header| header.to_str().ok()).flat_map(|it| it.split(';'));
        pairs.map(|pair| pair.split('=').next().unwrap_or_default().trim())
    }
}

/// Returns whether a server may treat two names as equal. Some servers ignore case, some read `a[b]` or `a[]` as `a`,
/// and some replace every character that is not a letter, a digit or `_`.
pub(crate) fn is_same_name(one: &str, other: &str) -> bool {
    fn plain(name: &str) -> String {
        let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
        let name = name.split(['[', '\0']).next().unwrap_or_default().trim();
        let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
        name.to_lowercase().chars().map(plain).collect()
    }
    plain(one) == plain(other)
}

/// Reads the parameters and the body of an operation.
pub(crate) fn input(
    document: &ApiDocument,
    operation: &Operation<'_>,
    given: &OwnParameters<'_>,
) -> Checked<ToolInput> {
    let mut build = Build {
        schemas: Converter::new(document, Direction::Input),
        properties: Map::new(),
        required: Vec::new(),
        arguments: Vec::new(),
        notes: Vec::new(),
        has_body: operation.value.get("requestBody").is_some(),
    };
    for (parameter, place, name) in parameters(document, operation)? {
        if !given.has(place, name) {
            build.parameter(parameter, place, name)?;
        }
    }
    let body = match operation.value.get("requestBody") {
        Some(body) => build.body(document.resolve(body)?)?,
        None => None,
    };
    build.finish(body)
}

/// Returns the parameters of the path and of the operation. The latter take precedence.
fn parameters<'d>(
    document: &'d ApiDocument,
    operation: &Operation<'d>,
) -> Checked<Vec<(&'d Value, ParameterLocation, &'d str)>> {
    let mut found: Vec<(&Value, ParameterLocation, &str)> = Vec::new();
    for list in [operation.item.get("parameters"), operation.value.get("parameters")] {
        for parameter in list.and_then(Value::as_array).into_iter().flatten() {
            let parameter = document.resolve(parameter)?;
            let name = parameter.get("name").and_then(Value::as_str);
            let name = name.ok_or("a parameter has no `name`; correct it in the document")?;
            let place = match parameter.get("in").and_then(Value::as_str) {
                Some("path") => ParameterLocation::Path,
                Some("query") => ParameterLocation::Query,
                Some("header") => ParameterLocation::Header,
                Some("cookie") => ParameterLocation::Cookie,
                other => {
                    return Err(format!(
                        "parameter `{}` has an invalid `in`: `{}`; expected `path`, `query`, `header` or `cookie`",
                        escape_text(name),
                        escape_text(other.unwrap_or_default())
                    ));
                }
            };
            found.retain(|(_, p, n)| (*p, *n) != (place, name));
            found.push((parameter, place, name));
            if found.len() > MAX_PARAMETERS {
                return Err(format!(
                    "it has more than {MAX_PARAMETERS} parameters; write a tool by hand"
                ));
            }
        }
    }
    Ok(found)
}

/// Describes a repair of a schema.
pub(crate) fn repair_note(loss: &Loss) -> String {
    let at = if loss.pointer.is_empty() { "its root" } else { &loss.pointer };
    format!(
        "its schema was repaired at {}: {}; {}",
        escape_text(at),
        sanitize(&loss.what, MAX_DESCRIPTION_CHARS),
        loss.remedy
    )
}

struct Build<'d> {
    schemas: Converter<'d>,
    properties: Map<String, Value>,
    required: Vec<String>,
    arguments: Vec<Parameter>,
    notes: Vec<String>,
    has_body: bool,
}

impl<'d> Build<'d> {
    fn parameter(
        &mut self,
        parameter: &'d Value,
        place: ParameterLocation,
        name: &str,
    ) -> Checked<()> {
        let is_required = parameter.get("required") == Some(&Value::Bool(true))
            || place == ParameterLocation::Path;
        if place == ParameterLocation::Header {
            let is_own = OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name));
            if is_own || HeaderName::from_bytes(name.as_bytes()).is_err() {
                // The specification excludes these three headers.
                let is_ignored = ["accept", "content-type", "authorization"]
                    .iter()
                    .any(|ignored| ignored.eq_ignore_ascii_case(name));
                return self.without(
                    name,
                    is_required && !is_ignored,
                    "a model must not set this header; set it with `.header(..)`",
                );
            }
        }
        let (schema, writing) = match self.parameter_schema(parameter, place) {
            Ok(written) => written,
            Err(why) => return self.without(name, is_required, &why),
        };
        let key = self.key(name, place);
        let mut schema = match schema {
            Some(schema) => self.schemas.convert(schema)?,
            None => json!({}),
        };
        let words = parameter.get("description").and_then(Value::as_str).unwrap_or_default();
        let words = match key == name {
            true => sanitize(words, MAX_DESCRIPTION_CHARS),
            false => {
                sanitize(&format!("`{}`. {words}", sanitize(name, 200)), MAX_DESCRIPTION_CHARS)
            }
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

    /// Returns the schema of a parameter, and the serialization of its value.
    fn parameter_schema(
        &self,
        parameter: &'d Value,
        place: ParameterLocation,
    ) -> Checked<(Option<&'d Value>, Option<Serialization>)> {
        if let Some(content) = parameter.get("content").and_then(Value::as_object) {
            let json = content.iter().find(|(media_type, _)| is_json(media_type));
            let (_, media) = json.ok_or("its media type is not JSON; write a tool by hand")?;
            return Ok((media.get("schema"), None));
        }
        let style = parameter.get("style").and_then(Value::as_str);
        if place == ParameterLocation::Query {
            return Ok((parameter.get("schema"), Some(Serialization::in_query(parameter)?)));
        }
        let style = match (style, place) {
            (None | Some("form"), ParameterLocation::Cookie) => ParameterStyle::Form,
            (None | Some("simple"), ParameterLocation::Path | ParameterLocation::Header) => {
                ParameterStyle::Simple
            }
            (Some("label"), ParameterLocation::Path) => ParameterStyle::Label,
            (Some("matrix"), ParameterLocation::Path) => ParameterStyle::Matrix,
            (style, _) => return Err(invalid_style(style.unwrap_or_default())),
        };
        let explode = parameter.get("explode").and_then(Value::as_bool);
        let explode = explode.unwrap_or(style == ParameterStyle::Form);
        let writing = Serialization { style, explode, allow_reserved: false };
        Ok((parameter.get("schema"), Some(writing)))
    }

    /// Omits a parameter if it is optional. Otherwise returns an error, and the operation is omitted.
    fn without(&mut self, name: &str, is_required: bool, why: &str) -> Checked<()> {
        let why = format!("its parameter `{}`: {why}", escape_text(name));
        if is_required {
            return Err(why);
        }
        self.notes.push(why);
        Ok(())
    }

    /// Returns the name of a parameter for the model.
    fn key(&self, name: &str, place: ParameterLocation) -> String {
        let is_taken =
            |key: &str| self.properties.contains_key(key) || (self.has_body && key == BODY);
        let safe = safe_name(name);
        if !is_taken(&safe) {
            return unique_name(&safe, is_taken);
        }
        let place = match place {
            ParameterLocation::Path => "path",
            ParameterLocation::Query => "query",
            ParameterLocation::Header => "header",
            ParameterLocation::Cookie => "cookie",
        };
        unique_name(&format!("{place}_{safe}"), is_taken)
    }

    fn body(&mut self, body: &'d Value) -> Checked<Option<RequestBody>> {
        let is_required = body.get("required") == Some(&Value::Bool(true));
        let content = body.get("content").and_then(Value::as_object);
        let Some((form, media_type, media)) = content.and_then(select_body) else {
            let why = unwritten(content);
            if is_required {
                return Err(why);
            }
            self.notes.push(why);
            return Ok(None);
        };
        let mut schema = match (media.get("schema"), form) {
            (Some(schema), _) => self.schemas.convert(schema)?,
            (None, BodyForm::Json) => json!({}),
            (None, BodyForm::Form) => json!({"type": "object"}),
            (None, BodyForm::Text) => json!({"type": "string"}),
        };
        let words = body.get("description").and_then(Value::as_str);
        if let (Value::Object(schema), Some(words)) = (&mut schema, words)
            && !schema.contains_key("description")
        {
            schema.insert("description".to_owned(), sanitize(words, MAX_DESCRIPTION_CHARS).into());
        }
        self.properties.insert(BODY.to_owned(), schema);
        if is_required {
            self.required.push(BODY.to_owned());
        }
        let encodings = match form {
            BodyForm::Form => member_encodings(media)?,
            BodyForm::Json | BodyForm::Text => HashMap::new(),
        };
        Ok(Some(RequestBody { form, media_type, encodings }))
    }

    fn finish(mut self, body: Option<RequestBody>) -> Checked<ToolInput> {
        let definitions = self.schemas.definitions()?;
        let mut schema = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        schema["additionalProperties"] = false.into();
        if !definitions.is_empty() {
            schema["$defs"] = definitions.into();
        }
        let Repaired { schema, losses } = repair(schema, Patterns::Supported);
        self.notes.append(&mut self.schemas.notes);
        self.notes.extend(losses.iter().map(repair_note));
        Ok(ToolInput {
            schema,
            arguments: self.arguments,
            body,
            notes: self.notes,
            cost: self.schemas.cost,
        })
    }
}
