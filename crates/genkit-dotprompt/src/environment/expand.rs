//! Expansion of metadata: options, schemas and tools.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Environment;
use crate::error::Error;
use crate::error_kind::{ErrorKind, Unknown};
use crate::frontmatter;
use crate::metadata::{ExpandedMetadata, Metadata};
use crate::picoschema;
use crate::prompt::PromptFile;

impl Environment {
    /// Returns the expanded metadata, which is cached in the prompt for the first environment that uses the prompt.
    /// Usually, there is only one environment.
    pub(crate) fn expanded_metadata(
        &self,
        prompt: &PromptFile,
    ) -> Result<Arc<ExpandedMetadata>, Error> {
        let cell = prompt.expanded_metadata();
        let fixed = self.environment_items().schema_resolver.is_none()
            && self.environment_items().tool_resolver.is_none();
        if let Some(kept) = cell.get().filter(|kept| fixed && kept.environment == self.0.id) {
            return Ok(kept.clone());
        }
        let whole = self.expand_metadata(prompt, &Metadata::default())?;
        let expanded = Arc::new(ExpandedMetadata::new(self.0.id, whole));
        if fixed {
            // If another thread was faster, it stored the same value.
            let _ = cell.set(expanded.clone());
        }
        Ok(expanded)
    }

    pub(super) fn expand_metadata(
        &self,
        prompt: &PromptFile,
        options: &Metadata,
    ) -> Result<Metadata, Error> {
        let mut map =
            prompt.raw().map_or_else(frontmatter::empty_metadata, frontmatter::metadata_from_keys);
        let model = options.model().or_else(|| map.get("model")?.as_str());
        let model = model.or(self.environment_items().default_model.as_deref());
        let mut config = model
            .and_then(|model| self.environment_items().model_configs.get(model))
            .cloned()
            .unwrap_or_default();
        if let Some(raw) = prompt.raw() {
            map.insert("raw".to_owned(), Value::Object(raw.clone()));
        }
        if let Some(Value::Object(own)) = map.get_mut("config") {
            let own = std::mem::take(own);
            if config.is_empty() { config = own } else { config.extend(own) }
        }
        if let Some(Value::Object(more)) = options.get("config") {
            config.extend(more.clone());
        }
        for (key, value) in options.as_map() {
            map.insert(key.clone(), value.clone());
        }
        map.insert("config".to_owned(), Value::Object(config));
        self.expand_tools(&mut map)
            .map_err(|fault| prompt.at_key(Error::new(fault), &["tools".to_owned()]))?;
        for section in ["input", "output"] {
            self.expand_schema(&mut map, section, prompt)?;
        }
        Ok(map.into())
    }

    /// Moves tools that have a definition from `tools` to `toolDefs`.
    fn expand_tools(&self, map: &mut Map<String, Value>) -> Result<(), ErrorKind> {
        let wrong = |key: &str, expected| ErrorKind::Key { key: key.to_owned(), expected };
        let tools = match map.get_mut("tools") {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::Array(tools)) => std::mem::take(tools),
            Some(_) => return Err(wrong("tools", "a list of names")),
        };
        let mut definitions = match map.get_mut("toolDefs") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(definitions)) => std::mem::take(definitions),
            Some(_) => return Err(wrong("toolDefs", "a list")),
        };
        let mut unknown = Vec::new();
        for tool in tools {
            let Value::String(name) = &tool else { return Err(wrong("tools", "a list of names")) };
            let registered = self.environment_items().tools.get(name.as_str()).cloned();
            match (registered, &self.environment_items().tool_resolver) {
                (Some(definition), _) => definitions.push(definition),
                (None, Some(resolver)) => {
                    let definition = resolver(name);
                    definitions
                        .push(definition.ok_or_else(|| ErrorKind::UnknownTool(name.clone()))?);
                }
                (None, None) => unknown.push(tool),
            }
        }
        map.insert("tools".to_owned(), Value::Array(unknown));
        map.insert("toolDefs".to_owned(), Value::Array(definitions));
        Ok(())
    }

    fn expand_schema(
        &self,
        map: &mut Map<String, Value>,
        section: &str,
        prompt: &PromptFile,
    ) -> Result<(), Error> {
        let Some(Value::Object(section_map)) = map.get_mut(section) else { return Ok(()) };
        let Some(schema) = section_map.get_mut("schema") else { return Ok(()) };
        if schema.is_null() || schema.as_str() == Some("") {
            return Ok(());
        }
        let named = |name: &str| self.named_schema(name);
        match picoschema::expand_picoschema(schema, &named) {
            Ok(expanded) => *schema = expanded,
            Err((fault, path)) => {
                let fault = self.with_names(fault);
                let mut whole = vec![section.to_owned(), "schema".to_owned()];
                whole.extend(path);
                return Err(prompt.at_key(Error::new(fault), &whole));
            }
        }
        Ok(())
    }

    fn named_schema(&self, name: &str) -> Option<Value> {
        let registered = self.environment_items().schemas.get(name).cloned();
        registered.or_else(|| self.environment_items().schema_resolver.as_ref()?(name))
    }

    /// Adds the registered schemas to the suggestions of an error.
    fn with_names(&self, fault: ErrorKind) -> ErrorKind {
        match fault {
            ErrorKind::UnknownType(Unknown { name, known }) => {
                let own = self.environment_items().schemas.keys().map(|name| &**name);
                let known = known.iter().map(String::as_str).chain(own);
                ErrorKind::UnknownType(Unknown::new(&name, known))
            }
            other => other,
        }
    }
}
