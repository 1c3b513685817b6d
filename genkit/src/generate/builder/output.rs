//! Structured output of a run: its schema, its format, its instructions.

use super::Generate;
use crate::generate::data::{Instructions, OutputOptions};
use crate::generate::format::Format;
use crate::schema::Schema;

impl Generate {
    /// Structured output: asks for JSON that fits a schema.
    pub fn output_schema(mut self, schema: impl Into<Schema>) -> Self {
        self.output_options().json_schema = Some(schema.into());
        self
    }

    /// Output format of the answer. Default is JSON where there is a schema, else text.
    pub fn format(mut self, format: Format) -> Self {
        self.output_options().format = Some(format.as_str().to_owned());
        self
    }

    /// Output instructions: whether the prompt says what the output must look like: `true`,
    /// `false`, or a text of your own. Default is where the provider does not bind the output to
    /// the schema itself.
    pub fn output_instructions(mut self, instructions: impl Into<Instructions>) -> Self {
        self.output_options().instructions = Some(instructions.into());
        self
    }

    /// Constrained output: whether the provider is to bind it to the schema. Default is yes, where
    /// it can.
    pub fn constrained(mut self, yes: bool) -> Self {
        self.output_options().constrained = Some(yes);
        self
    }

    fn output_options(&mut self) -> &mut OutputOptions {
        self.options.output.get_or_insert_default()
    }
}
