//! Rendering: from a template and data to messages.

mod block;
mod data;
mod equal;
mod helper;
mod json;
mod number;
mod output;
mod partial;
mod path;
mod scope;
mod value;
mod write;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::environment::Environment;
use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::limits::BYTES_PER_STEP;
use crate::message::{Data, Rendered, RenderedMessage};
use crate::metadata::Metadata;
use crate::prompt::PromptFile;
use crate::template::{Node, Program, Template};
use output::Output;
use scope::{DataFrame, Depth, Kind, RenderInput, Scope};
use value::Val;

impl Environment {
    /// Renders a prompt. Only `input.default` of `options` is used, for the variables that `data.input` does not
    /// contain. The prompt's own defaults are not used: see [`Data::with_defaults`].
    ///
    /// # Errors
    /// Returns the errors of [`metadata`](Self::metadata), and an error for an unknown helper, partial or role, for
    /// media without a URL, or if a limit is exceeded.
    pub fn render(
        &self,
        prompt: &PromptFile,
        data: &Data,
        options: &Metadata,
    ) -> Result<Rendered, Error> {
        let metadata = self.expanded_metadata(prompt)?.without_input().clone();
        self.check_helpers(prompt.compiled_template())?;
        let messages = render_messages(self, prompt, data, options, &metadata)?;
        Ok(Rendered { messages, metadata })
    }
}

/// Renders the messages of a prompt.
fn render_messages(
    environment: &Environment,
    prompt: &PromptFile,
    data: &Data,
    options: &Metadata,
    metadata: &Metadata,
) -> Result<Vec<RenderedMessage>, Error> {
    let merged = with_defaults(data, options);
    let root = RenderInput {
        input: merged.as_ref().unwrap_or(&data.input),
        data,
        prompt: metadata,
        metadata: OnceCell::new(),
    };
    let template = prompt.compiled_template();
    let depth = Depth { this: Val::Map(root.input), parent: None };
    let frame = DataFrame { kind: Kind::Root(&root), parent: None };
    let context =
        Scope { template, depth: Some(&depth), params: None, frame: &frame, inlines: None };
    let mut renderer = Renderer {
        environment,
        messages: &data.messages,
        output: Output::new(environment.limits()),
        resolved: HashMap::new(),
        steps: 0,
        nesting: 0,
        partials: 0,
    };
    renderer.render_program(&template.program, context)?;
    let messages = renderer.output.into_messages(&data.messages);
    messages.map_err(|fault| Error::new(fault).in_file(template.file_name()))
}

/// Merges the variables with the defaults of the options. Returns `None` if the defaults add nothing.
fn with_defaults(data: &Data, options: &Metadata) -> Option<Map<String, Value>> {
    let defaults = options.input_default()?;
    if defaults.keys().all(|key| data.input.contains_key(key)) {
        return None;
    }
    let mut merged = defaults.clone();
    merged.extend(data.input.iter().map(|(key, value)| (key.clone(), value.clone())));
    Some(merged)
}

struct Renderer<'r> {
    environment: &'r Environment,
    messages: &'r [Value],
    output: Output,
    /// The results of the resolver, which is called once for each name.
    resolved: HashMap<Box<str>, Option<Arc<Template>>>,
    steps: usize,
    /// The number of programs that are being rendered.
    nesting: usize,
    /// The number of partials that are being rendered.
    partials: usize,
}

impl Renderer<'_> {
    fn render_program<'s>(
        &mut self,
        program: &'s Program,
        context: Scope<'s>,
    ) -> Result<(), Error> {
        self.nesting += 1;
        let limit = self.environment.limits().depth;
        if self.nesting > limit {
            return Err(Error::new(ErrorKind::TooDeep(limit)).in_file(context.template.file_name()));
        }
        let result = match program.has_inlines {
            true => self.with_inlines(program, context),
            false => self.render_nodes(program, context),
        };
        self.nesting -= 1;
        result
    }

    fn render_nodes<'s>(&mut self, program: &'s Program, context: Scope<'s>) -> Result<(), Error> {
        for node in &program.nodes {
            match node {
                Node::Text(text) => {
                    let text = &context.template.source()[text.value.clone()];
                    self.output.push_text(text).map_err(|fault| file_error(fault, &context))?;
                }
                Node::Value(call, _) => self.value_tag(call, context)?,
                Node::Block(block) => self.render_block(block, context)?,
                Node::Partial(partial) => self.render_partial(partial, context)?,
                // Inline partials were collected when their program started.
                Node::Inline(_) | Node::Comment(_) => {}
            }
            self.count_step(&context)?;
        }
        Ok(())
    }

    fn count_step(&mut self, context: &Scope<'_>) -> Result<(), Error> {
        self.steps += 1;
        self.within_steps(context)
    }

    /// Charges one step for every [`BYTES_PER_STEP`] bytes that are copied, compared or counted.
    fn charge_bytes(&mut self, bytes: usize, context: &Scope<'_>) -> Result<(), Error> {
        self.steps = self.steps.saturating_add(bytes / BYTES_PER_STEP);
        self.within_steps(context)
    }

    fn within_steps(&self, context: &Scope<'_>) -> Result<(), Error> {
        let limit = self.environment.limits().steps;
        match self.steps > limit {
            true => Err(file_error(ErrorKind::Steps(limit), context)),
            false => Ok(()),
        }
    }
}

/// Creates an error about the file as a whole.
fn file_error(fault: ErrorKind, context: &Scope<'_>) -> Error {
    Error::new(fault).in_file(context.template.file_name())
}
