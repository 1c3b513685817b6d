//! Asks the user open questions in the terminal.

use std::io::{BufRead, Write};

use genkit::{Answer, Error, ErrorKind, Interrupt, Result};
use serde_json::{Map, Value};

/// A user at a terminal.
pub(crate) struct Person<R, W> {
    pub(crate) input: R,
    pub(crate) output: W,
    /// Whether to echo the input. A terminal echoes input itself.
    pub(crate) echo: bool,
}

impl<R: BufRead, W: Write> Person<R, W> {
    /// Prints text.
    pub(crate) fn tell(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.output, "{text}")?)
    }

    /// Reads a trimmed line. Returns `None` at the end of the input.
    pub(crate) fn line(&mut self, prompt: &str) -> Result<Option<String>> {
        write!(self.output, "{prompt} ")?;
        self.output.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            writeln!(self.output)?;
            return Ok(None);
        }
        let line = line.trim();
        if self.echo {
            writeln!(self.output, "{line}")?;
        }
        Ok(Some(line.to_owned()))
    }

    fn reply(&mut self, prompt: &str) -> Result<String> {
        let nobody = || Error::new(ErrorKind::Cancelled, "no answer; the question remains open");
        self.line(prompt)?.ok_or_else(nobody)
    }

    /// Asks until the user gives a valid answer.
    pub(crate) fn answer(&mut self, question: &Interrupt) -> Result<Answer> {
        self.tell(&format!("\n? {}", question.message().unwrap_or("The agent has a question.")))?;
        match question.schema() {
            Some(schema) => self.fill(question, schema),
            None if question.is_approval() => self.approve(question),
            // The tool that called `ctx.interrupt` checks the typed text itself.
            None => Ok(question.restart(self.reply("  >")?)),
        }
    }

    /// Asks for approval: yes, no, or edited arguments.
    fn approve(&mut self, question: &Interrupt) -> Result<Answer> {
        loop {
            match self.reply("  y (yes), n (no), e (edit):")?.to_lowercase().as_str() {
                "y" | "yes" => return Ok(question.approve()),
                "n" | "no" => return Ok(question.decline_with(self.reply("  why not?")?)),
                "e" | "edit" => {
                    let edited = self.edit(&question.tool_request().input)?;
                    return Ok(question.approve_with(edited));
                }
                _ => {}
            }
        }
    }

    /// Asks for each argument again; an empty line keeps the old value.
    fn edit(&mut self, input: &Value) -> Result<Value> {
        let mut edited = Map::new();
        for (name, old) in input.as_object().into_iter().flatten() {
            let typed = self.reply(&format!("  {name} [{old}]:"))?;
            let new = match old {
                _ if typed.is_empty() => old.clone(),
                Value::String(_) => typed.into(),
                // Text that is not JSON is sent as a string; the tool reports what it expects.
                _ => serde_json::from_str(&typed).unwrap_or(Value::String(typed)),
            };
            edited.insert(name.clone(), new);
        }
        Ok(edited.into())
    }

    /// Asks for the fields of a form; an empty line declines.
    fn fill(&mut self, question: &Interrupt, schema: &Value) -> Result<Answer> {
        let mut form = Map::new();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let about = field["description"].as_str().map(|said| said.trim_end_matches('.'));
            let about = about.map(|said| format!(" ({said})"));
            let typed = self.reply(&format!("  {name}{}:", about.unwrap_or_default()))?;
            if typed.is_empty() {
                return Ok(question.decline());
            }
            let value = match field["type"].as_str() {
                Some("string") => typed.into(),
                _ => serde_json::from_str(&typed).unwrap_or(Value::String(typed)),
            };
            form.insert(name.clone(), value);
        }
        Ok(question.accept(form))
    }
}
