//! Values: definitions of the program that are not actions.

use serde_json::{Map, Value, json};

use super::ActionsByKey;

impl ActionsByKey {
    /// Returns the values of this type, or `None` if the type does not exist.
    pub(crate) fn list_values(&self, of_type: &str) -> Option<Map<String, Value>> {
        match of_type {
            "defaultModel" => Some(self.default_model()),
            "middleware" => Some(self.list_middleware()),
            _ => None,
        }
    }

    /// Returns the middleware that requests can name.
    fn list_middleware(&self) -> Map<String, Value> {
        let instances = self.instances();
        let names = instances.iter().flat_map(|genkit| genkit.runs.named_middleware.names());
        names.map(|name| (name.to_owned(), json!({"name": name}))).collect()
    }

    fn default_model(&self) -> Map<String, Value> {
        let named = self.instances().iter().find_map(|genkit| genkit.runs.models.default_name());
        let value = named.map(|name| ("defaultModel".to_owned(), json!({"name": name})));
        value.into_iter().collect()
    }
}
