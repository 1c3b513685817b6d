//! The input of an operation: one schema of its parameters and its body, and where each argument goes.

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use crate::document::{Checked, Document, shown};
use crate::operation::Operation;
use crate::schema::{Converter, Side};
use crate::style::{Style, Writing};
use crate::text::{clean, safe_name, unique_name};

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
pub(crate) enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

/// One parameter: what the model calls it, and what is sent.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) place: Place,
    /// How it is written; nothing where it is JSON as text.
    pub(crate) writing: Option<Writing>,
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyForm {
    Json,
    Form,
    Text,
}

#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) form: BodyForm,
    pub(crate) media_type: HeaderValue,
}

/// What a tool takes, and where it goes.
pub(crate) struct Input {
    pub(crate) schema: Value,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) body: Option<Body>,
    /// What is left out of it, and why.
    pub(crate) notes: Vec<String>,
    /// How large its schema is, in bytes.
    pub(crate) cost: usize,
}

/// What the program itself sends with each request: never an argument.
pub(crate) struct Given<'g> {
    pub(crate) headers: &'g reqwest::header::HeaderMap,
    pub(crate) query: &'g [(String, String)],
}

impl Given<'_> {
    fn has(&self, place: Place, name: &str) -> bool {
        match place {
            Place::Header => self.headers.contains_key(name),
            Place::Query => self.query.iter().any(|(given, _)| given == name),
            _ => false,
        }
    }
}

/// Reads parameters and body of an operation.
pub(crate) fn input(
    document: &Document,
    operation: &Operation<'_>,
    given: &Given<'_>,
) -> Checked<Input> {
    let mut build = Build {
        schemas: Converter::new(document, Side::Input),
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

/// The parameters of the path and of the operation, of which the latter count more.
fn parameters<'d>(
    document: &'d Document,
    operation: &Operation<'d>,
) -> Checked<Vec<(&'d Value, Place, &'d str)>> {
    let mut found: Vec<(&Value, Place, &str)> = Vec::new();
    for list in [operation.item.get("parameters"), operation.value.get("parameters")] {
        for parameter in list.and_then(Value::as_array).into_iter().flatten() {
            let parameter = document.resolve(parameter)?;
            let name = parameter.get("name").and_then(Value::as_str);
            let name = name.ok_or("a parameter has no `name`: correct it in the document")?;
            let place = match parameter.get("in").and_then(Value::as_str) {
                Some("path") => Place::Path,
                Some("query") => Place::Query,
                Some("header") => Place::Header,
                Some("cookie") => Place::Cookie,
                other => {
                    return Err(format!(
                        "its parameter `{}` is in `{}`, which is none of path, query, header and cookie",
                        shown(name),
                        shown(other.unwrap_or_default())
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

struct Build<'d> {
    schemas: Converter<'d>,
    properties: Map<String, Value>,
    required: Vec<String>,
    arguments: Vec<Argument>,
    notes: Vec<String>,
    has_body: bool,
}

impl<'d> Build<'d> {
    fn parameter(&mut self, parameter: &'d Value, place: Place, name: &str) -> Checked<()> {
        let is_required =
            parameter.get("required") == Some(&Value::Bool(true)) || place == Place::Path;
        if place == Place::Header {
            let is_own = OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name));
            if is_own || HeaderName::from_bytes(name.as_bytes()).is_err() {
                // The specification itself says that these three are not parameters.
                let is_ignored = ["accept", "content-type", "authorization"]
                    .iter()
                    .any(|ignored| ignored.eq_ignore_ascii_case(name));
                return self.without(
                    name,
                    is_required && !is_ignored,
                    "no model sets this header: give it with `.header(..)`",
                );
            }
        }
        let (schema, writing) = match self.written(parameter, place) {
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
            true => clean(words, MAX_WORDS),
            false => clean(&format!("`{}`. {words}", clean(name, 200)), MAX_WORDS),
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
        self.arguments.push(Argument { key, name: name.to_owned(), place, writing });
        Ok(())
    }

    /// The schema of a parameter, and how its value is written.
    fn written(
        &self,
        parameter: &'d Value,
        place: Place,
    ) -> Checked<(Option<&'d Value>, Option<Writing>)> {
        if let Some(content) = parameter.get("content").and_then(Value::as_object) {
            let json = content.iter().find(|(media_type, _)| is_json(media_type));
            let (_, media) =
                json.ok_or("it is written in a media type that is not JSON: write a tool by hand")?;
            return Ok((media.get("schema"), None));
        }
        let style = match (parameter.get("style").and_then(Value::as_str), place) {
            (None | Some("form"), Place::Query | Place::Cookie) => Style::Form,
            (None | Some("simple"), Place::Path | Place::Header) => Style::Simple,
            (Some("label"), Place::Path) => Style::Label,
            (Some("matrix"), Place::Path) => Style::Matrix,
            (Some("spaceDelimited"), Place::Query) => Style::SpaceDelimited,
            (Some("pipeDelimited"), Place::Query) => Style::PipeDelimited,
            (Some("deepObject"), Place::Query) => Style::DeepObject,
            (style, _) => {
                let style = shown(style.unwrap_or_default());
                return Err(format!(
                    "the style `{style}` is not known there: correct it in the document"
                ));
            }
        };
        let flag = |name: &str| parameter.get(name).and_then(Value::as_bool);
        let explode = flag("explode").unwrap_or(style == Style::Form);
        let allow_reserved = flag("allowReserved").unwrap_or(false) && place == Place::Query;
        Ok((parameter.get("schema"), Some(Writing { style, explode, allow_reserved })))
    }

    /// Leaves out a parameter that need not be; else the operation.
    fn without(&mut self, name: &str, is_required: bool, why: &str) -> Checked<()> {
        let why = format!("its parameter `{}`: {why}", shown(name));
        if is_required {
            return Err(why);
        }
        self.notes.push(why);
        Ok(())
    }

    /// What the model calls a parameter.
    fn key(&self, name: &str, place: Place) -> String {
        let is_taken =
            |key: &str| self.properties.contains_key(key) || (self.has_body && key == BODY);
        let safe = safe_name(name);
        if !is_taken(&safe) {
            return unique_name(&safe, is_taken);
        }
        let place = match place {
            Place::Path => "path",
            Place::Query => "query",
            Place::Header => "header",
            Place::Cookie => "cookie",
        };
        unique_name(&format!("{place}_{safe}"), is_taken)
    }

    fn body(&mut self, body: &'d Value) -> Checked<Option<Body>> {
        let is_required = body.get("required") == Some(&Value::Bool(true));
        let content = body.get("content").and_then(Value::as_object);
        let forms: [(BodyForm, fn(&str) -> bool); 3] = [
            (BodyForm::Json, is_json),
            (BodyForm::Form, |it| essence(it) == "application/x-www-form-urlencoded"),
            (BodyForm::Text, |it| essence(it) == "text/plain"),
        ];
        let found = forms.iter().find_map(|(form, fits)| {
            let (media_type, media) = content?.iter().find(|(media_type, _)| fits(media_type))?;
            Some((*form, HeaderValue::from_str(media_type).ok()?, media))
        });
        let Some((form, media_type, media)) = found else {
            let kinds: Vec<_> =
                content.into_iter().flatten().map(|(kind, _)| shown(kind)).take(5).collect();
            let why = format!(
                "its body is written in {}, and JSON, forms and plain text are: write a tool by hand",
                if kinds.is_empty() { "no media type".to_owned() } else { kinds.join(", ") }
            );
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
            schema.insert("description".to_owned(), clean(words, MAX_WORDS).into());
        }
        self.properties.insert(BODY.to_owned(), schema);
        if is_required {
            self.required.push(BODY.to_owned());
        }
        Ok(Some(Body { form, media_type }))
    }

    fn finish(mut self, body: Option<Body>) -> Checked<Input> {
        let definitions = self.schemas.definitions()?;
        let mut schema = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = self.required.into();
        }
        schema["additionalProperties"] = false.into();
        if !definitions.is_empty() {
            schema["$defs"] = definitions.into();
        }
        Ok(Input {
            schema,
            arguments: self.arguments,
            body,
            notes: self.notes,
            cost: self.schemas.cost,
        })
    }
}

/// A media type without its parameters, in small letters.
pub(crate) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}
