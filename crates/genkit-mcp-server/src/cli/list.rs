//! `--list` and `--check`: print the items that the server offers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::client::PipeClient;
use super::print;
use super::publish;
use super::questions::Respondent;
use crate::McpServer;
use genkit_core::internal::visible;
use genkit_core::{Result, Tool};

/// The results of all lists.
pub(super) struct ServerLists {
    pub(super) tools: Vec<Value>,
    pub(super) prompts: Vec<Value>,
    resources: Vec<Value>,
    templates: Vec<Value>,
}

impl ServerLists {
    pub(super) async fn from_server(server: McpServer) -> Result<Self> {
        let mut client = PipeClient::connect(server, Respondent::None).await?;
        Ok(Self {
            tools: client.list_all("tools/list", "tools").await?,
            prompts: client.list_all("prompts/list", "prompts").await?,
            resources: client.list_all("resources/list", "resources").await?,
            templates: client.list_all("resources/templates/list", "resourceTemplates").await?,
        })
    }
}

pub(super) async fn print_lists(server: McpServer, json: bool) -> Result<()> {
    let ServerLists { tools, prompts, resources, templates } =
        ServerLists::from_server(server).await?;
    if json {
        return print::print_json(&json!({
            "tools": tools,
            "prompts": prompts,
            "resources": resources,
            "resourceTemplates": templates,
        }));
    }
    let mut text = String::new();
    write_section(&mut text, "Tools", &tools, |tool| {
        let properties = tool["inputSchema"]["properties"].as_object();
        let required = tool["inputSchema"]["required"].as_array();
        let names = properties.into_iter().flatten().map(|(name, _)| {
            let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
            if is_required { name.clone() } else { format!("{name}?") }
        });
        format!("{}({})", string_or_empty(&tool["name"]), names.collect::<Vec<_>>().join(", "))
    });
    write_section(&mut text, "Prompts", &prompts, |prompt| string_or_empty(&prompt["name"]));
    write_section(&mut text, "Resources", &resources, |resource| string_or_empty(&resource["uri"]));
    write_section(&mut text, "Resource templates", &templates, |item| {
        string_or_empty(&item["uriTemplate"])
    });
    print::print_sections(&text)
}

pub(super) async fn print_check(server: McpServer) -> Result<()> {
    let (registry, hosts) = (server.genkit.registry.clone(), server.hosts.clone());
    let unpublishable = publish::describe_missing(&server.settings);
    let ServerLists { tools, prompts, resources, templates } =
        ServerLists::from_server(server).await?;
    let losses = describe_losses(&registry.tools());
    print::print_text(&format!(
        "All checks passed: {}, {}, {}.\n{losses}{unpublishable}{}",
        format_count(tools.len(), "tool"),
        format_count(prompts.len(), "prompt"),
        format_count(resources.len() + templates.len(), "resource"),
        visible::escape_prose(&hosts.to_string()),
    ))
}

/// Returns one line for each part of a tool's schema that is changed or omitted when the tool is
/// served.
fn describe_losses(tools: &[Tool]) -> String {
    let mut text = String::new();
    for tool in tools {
        for loss in tool.schemas().degraded() {
            let line = format!("{}, schema `{}`: {}", tool.name(), loss.pointer, loss.what);
            let _ = writeln!(text, "{}; {}", visible::escape_line(&line), loss.remedy);
        }
    }
    text
}

fn format_count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Writes a heading and one line per item.
fn write_section(text: &mut String, heading: &str, items: &[Value], name: fn(&Value) -> String) {
    if items.is_empty() {
        return;
    }
    let names: Vec<String> = items.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().min(40);
    let blank = if text.is_empty() { "" } else { "\n" };
    // Writing into a `String` cannot fail.
    let _ = writeln!(text, "{blank}{heading}");
    for (item, name) in items.iter().zip(names) {
        let about = item["description"].as_str().or(item["title"].as_str()).unwrap_or_default();
        let about = about.lines().next().unwrap_or_default();
        let line = format!("  {name:width$}  {about}");
        // Names and descriptions can come from other servers.
        let _ = writeln!(text, "{}", visible::escape_line(line.trim_end()));
    }
}

fn string_or_empty(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use genkit_core::Context;

    use super::*;

    #[test]
    fn check_prints_one_line_per_repair() {
        let tool = |schema: Value| {
            let add = Tool::builder("add", "Adds.").input_schema(schema);
            add.handler(|_: Context, input: Value| async move { Ok(input) })
        };
        assert_eq!(describe_losses(&[tool(json!({"type": "object", "properties": {}}))]), "");
        let broken = json!({"type": "object", "properties": {"a": {"type": "str\ning"}}});
        assert_eq!(
            describe_losses(&[tool(broken)]),
            "add, schema `/properties/a/type`: `type` is \"str\\ning\", not a type of JSON Schema, and is \
             removed; correct it in the schema\n"
        );
    }
}
