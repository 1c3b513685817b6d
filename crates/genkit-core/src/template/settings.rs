//! Settings shared by templates: partials, named schemas and custom helpers.

use std::sync::Arc;

use genkit_dotprompt::{Environment, EnvironmentBuilder, Error, HelperCall};
use serde_json::Value;

use super::TemplateCall;
use crate::error::Result;
use crate::visible;

type Helper = Arc<dyn Fn(&TemplateCall<'_>) -> Result<Value> + Send + Sync>;

/// The settings that the templates of a program share.
#[derive(Clone, Default)]
pub struct Templates {
    partials: Vec<(String, String)>,
    schemas: Vec<(String, Value)>,
    helpers: Vec<(String, Helper)>,
}

impl Templates {
    pub fn partial(&mut self, name: String, source: String) {
        self.partials.push((name, source));
    }

    pub fn schema(&mut self, name: String, schema: Value) {
        self.schemas.push((name, schema));
    }

    pub fn helper<T: Into<Value>>(
        &mut self,
        name: String,
        helper: impl Fn(&TemplateCall<'_>) -> Result<T> + Send + Sync + 'static,
    ) {
        self.helpers.push((name, Arc::new(move |call| helper(call).map(Into::into))));
    }

    /// Creates the environment from these settings and those that `more` adds, or returns all errors in them.
    pub(crate) fn environment(
        &self,
        more: impl FnOnce(EnvironmentBuilder) -> Result<EnvironmentBuilder, Vec<Error>>,
    ) -> Result<Environment, Vec<String>> {
        let all = |mistakes: Vec<Error>| mistakes.iter().map(ToString::to_string).collect();
        let one = |mistake: Error| vec![mistake.to_string()];
        let mut builder = Environment::builder().log(log);
        for (name, schema) in &self.schemas {
            builder = builder.schema(name, schema.clone());
        }
        for (name, helper) in &self.helpers {
            let helper = Arc::clone(helper);
            let call = move |call: &HelperCall<'_>| {
                helper(&TemplateCall(call)).map_err(|error| error.chain())
            };
            builder = builder.helper(name, call).map_err(one)?;
        }
        for (name, source) in &self.partials {
            builder = builder.partial(name, source).map_err(one)?;
        }
        more(builder).map(EnvironmentBuilder::build).map_err(all)
    }
}

/// Logs the text of `{{log ..}}` with `tracing`.
fn log(level: &str, text: &str) {
    match level {
        "error" => tracing::error!(target: "genkit::template", "{}", visible::line(text)),
        "warn" => tracing::warn!(target: "genkit::template", "{}", visible::line(text)),
        "debug" => tracing::debug!(target: "genkit::template", "{}", visible::line(text)),
        _ => tracing::info!(target: "genkit::template", "{}", visible::line(text)),
    }
}
