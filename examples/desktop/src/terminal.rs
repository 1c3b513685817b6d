//! Input and output at the terminal.

use std::io::{BufRead as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use genkit::mcp::host::ElicitRequest;
use genkit::serde_json::{self, Map, Value};
use genkit::{Elicited, Error, Result};

use crate::table::escape_for_terminal;

/// The user's answer to an approval question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Consent {
    No,
    Yes,
    Always,
}

/// The user's terminal. If servers and the agent ask at the same time, the questions are asked one at a time.
#[derive(Clone)]
pub(crate) struct Terminal(Arc<Mutex<()>>);

impl Terminal {
    pub(crate) fn standard() -> Self {
        Self(Arc::default())
    }

    /// Prints a line.
    pub(crate) fn tell(&self, text: &str) -> Result<()> {
        Ok(writeln!(std::io::stdout(), "{text}")?)
    }

    /// Prints a part of a line.
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        let mut out = std::io::stdout();
        write!(out, "{text}")?;
        Ok(out.flush()?)
    }

    /// Reads a line without blocking the runtime. Returns `None` at the end of the input.
    pub(crate) async fn line(&self, prompt: String, echo: bool) -> Result<Option<String>> {
        self.clone().run_blocking(move || read(&prompt, echo)).await
    }

    /// Asks for yes, no or always. Any other answer is no.
    pub(crate) async fn consents(&self, question: String) -> Result<Consent> {
        let asked = move || read(&format!("\n? {question} [y/N]"), true);
        let said = self.clone().run_blocking(asked).await?.unwrap_or_default();
        Ok(match said.to_lowercase().as_str() {
            "y" | "yes" => Consent::Yes,
            "a" | "always" => Consent::Always,
            _ => Consent::No,
        })
    }

    /// Answers a server's question: a page to visit, or a form.
    pub(crate) async fn elicit(self, asked: ElicitRequest) -> Elicited<Value> {
        let answer = self.run_blocking(move || match &asked.url {
            Some(url) => visit(&asked, url),
            None => fill(&asked),
        });
        answer.await.unwrap_or_else(|_| Elicited::Cancelled)
    }

    /// Runs a blocking read on a separate thread.
    async fn run_blocking<T: Send + 'static>(
        self,
        read: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let reading = tokio::task::spawn_blocking(move || {
            let _turn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            read()
        });
        reading
            .await
            .unwrap_or_else(|error| Err(Error::new(genkit::ErrorKind::Internal, error.to_string())))
    }
}

fn read(prompt: &str, echo: bool) -> Result<Option<String>> {
    let mut out = std::io::stdout();
    write!(out, "{prompt} ")?;
    out.flush()?;
    let mut line = String::new();
    if std::io::stdin().lock().read_line(&mut line)? == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    let line = line.trim().to_owned();
    // A terminal echoes the input itself.
    if echo && !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        writeln!(out, "{line}")?;
    }
    Ok(Some(line))
}

/// Shows the URL, which the user opens. The program does not open it.
fn visit(asked: &ElicitRequest, url: &str) -> Result<Elicited<Value>> {
    let question = format!(
        "\n? {}: {}\n  {}\n  Done? [y/N]",
        asked.server,
        asked.message,
        escape_for_terminal(url)
    );
    Ok(match read(&question, true)?.as_deref() {
        Some("y" | "Y" | "yes") => Elicited::Accepted(Value::Null),
        Some(_) => Elicited::Declined,
        None => Elicited::Cancelled,
    })
}

/// Asks for each field. An empty line uses the default, or omits an optional field.
fn fill(asked: &ElicitRequest) -> Result<Elicited<Value>> {
    writeln!(std::io::stdout(), "\n? {}: {}  (type ! to decline)", asked.server, asked.message)?;
    let schema = asked.schema.as_ref().unwrap_or(&Value::Null);
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|known| known == name))
    };
    let mut form = Map::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        loop {
            let Some(typed) = read(&label(name, field), true)? else {
                return Ok(Elicited::Cancelled);
            };
            let value = match (typed.as_str(), field.get("default")) {
                ("!", _) => return Ok(Elicited::Declined),
                ("", Some(default)) => default.clone(),
                ("", None) if required(name) => continue,
                ("", None) => break,
                _ => value(field, typed),
            };
            form.insert(name.clone(), value);
            break;
        }
    }
    Ok(Elicited::Accepted(Value::Object(form)))
}

/// Returns the prompt for a field, such as `  city (where you live) [Oslo]:`.
fn label(name: &str, field: &Value) -> String {
    let about = field["description"].as_str().or(field["title"].as_str());
    let about = about.map(|said| format!(" ({said})")).unwrap_or_default();
    let choices = field["enum"].as_array().map(|all| {
        let all: Vec<_> = all.iter().filter_map(Value::as_str).collect();
        format!(" {}", all.join(" | "))
    });
    let default = field.get("default").map(|default| format!(" [{default}]")).unwrap_or_default();
    escape_for_terminal(&format!("  {name}{about}{}{default}:", choices.unwrap_or_default()))
        .replace('\n', " ")
}

/// Converts the input to the type of the field. The server rejects invalid values.
fn value(field: &Value, typed: String) -> Value {
    match field["type"].as_str() {
        Some("string") | None => typed.into(),
        Some("boolean") if matches!(typed.as_str(), "y" | "yes") => true.into(),
        Some("boolean") if matches!(typed.as_str(), "n" | "no") => false.into(),
        Some("array") if !typed.starts_with('[') => typed.split(',').map(str::trim).collect(),
        _ => serde_json::from_str(&typed).unwrap_or(Value::String(typed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit::serde_json::json;

    #[test]
    fn typed_text_is_converted_to_the_field_type() {
        let typed = |kind: &str, typed: &str| value(&json!({ "type": kind }), typed.to_owned());
        assert_eq!(typed("string", "7"), "7");
        assert_eq!(typed("integer", "7"), 7);
        assert_eq!(typed("boolean", "yes"), true);
        assert_eq!(typed("array", "a, b"), json!(["a", "b"]));
        assert_eq!(typed("number", "many"), "many");
    }

    #[test]
    fn label_describes_the_expected_input() {
        let field = json!({"type": "string", "description": "a pet", "enum": ["cat", "dog"], "default": "cat"});
        assert_eq!(label("pet", &field), "  pet (a pet) cat | dog [\"cat\"]:");
    }
}
