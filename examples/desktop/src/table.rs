//! A table of the servers and what they offer.

use genkit::Tool;
use genkit::mcp::host::{McpHost, ServerState};

/// The maximum width of the name column, in characters. Longer names shift their description to the right.
const WIDEST: usize = 52;

/// The maximum length of a displayed description, in characters.
const SHOWN: usize = 70;

/// Returns whether a tool can be destructive, according to its server. This is a hint for the user and does not affect
/// approvals. Without annotations, MCP assumes that a tool is destructive.
pub(crate) fn may_destroy(tool: &Tool) -> bool {
    let hints = tool.annotations();
    hints.read_only != Some(true) && hints.destructive != Some(false)
}

/// Lists all servers and the items that each offers, one per line.
pub(crate) async fn table(host: &McpHost) -> String {
    let mut rows = vec![["SERVER", "STATE", "PROTOCOL", "DETAILS"].map(str::to_owned).to_vec()];
    let mut below: Vec<Vec<Vec<String>>> = vec![Vec::new()];
    let mut asks = false;
    for (status, client) in host.status().into_iter().zip(host.clients()) {
        let why = match status.state {
            ServerState::Connected => status.server_name,
            _ => status.last_error,
        };
        rows.push(vec![
            status.server,
            status.state.to_string(),
            status.protocol_version.unwrap_or_else(|| "-".to_owned()),
            line(&why.unwrap_or_default(), usize::MAX),
        ]);
        let mut items = Vec::new();
        if status.state == ServerState::Connected {
            let mut item = |kind: &str, name: &str, about: &str| {
                items.push(vec![kind.to_owned(), escape_for_terminal(name), line(about, SHOWN)]);
            };
            for tool in client.tools().await.unwrap_or_default() {
                let mark = if may_destroy(&tool) { "tool  !" } else { "tool" };
                asks |= may_destroy(&tool);
                item(mark, tool.name(), tool.description());
            }
            for prompt in client.prompts().await.unwrap_or_default() {
                item("prompt", prompt.name(), prompt.description());
            }
            for resource in client.resources().await.unwrap_or_default() {
                item("resource", resource.uri(), resource.description());
            }
            items.extend(
                status
                    .notices
                    .iter()
                    .map(|notice| vec!["notice".to_owned(), line(notice, usize::MAX)]),
            );
        }
        below.push(items);
    }
    let mut lines = Vec::new();
    let heads = columns(&rows, usize::MAX);
    for (head, items) in heads.into_iter().zip(below) {
        lines.push(head);
        lines.extend(columns(&items, WIDEST).into_iter().map(|item| format!("    {item}")));
    }
    if asks {
        lines.push("\n! possibly destructive".to_owned());
    }
    lines.join("\n")
}

/// Aligns the cells of rows in columns.
fn columns(rows: &[Vec<String>], widest: usize) -> Vec<String> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells.map(|cell| cell.chars().count()).filter(|width| *width <= widest);
        widths.max().unwrap_or_default()
    };
    let widths: Vec<usize> =
        (0..rows.iter().map(Vec::len).max().unwrap_or_default()).map(width).collect();
    let row = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(row).collect()
}

/// Returns the first line of a string, truncated and escaped.
pub(crate) fn line(text: &str, most: usize) -> String {
    let text = text.lines().next().unwrap_or_default().trim();
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", escape_for_terminal(&text[..end])),
        None => escape_for_terminal(text),
    }
}

/// Escapes untrusted text for a terminal: control characters, invisible characters and bidirectional overrides.
/// Line breaks are kept.
pub(crate) fn escape_for_terminal(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for part in text.chars() {
        let hides = match part {
            '\n' => false,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{3164}' | '\u{2800}' => true,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
            '\u{e0000}'..='\u{e0fff}' => true,
            part => part.is_control(),
        };
        match hides {
            true => safe.extend(part.escape_unicode()),
            false => safe.push(part),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_cells_are_aligned() {
        let rows =
            [["a", "long"].map(str::to_owned).to_vec(), ["bcd", "x"].map(str::to_owned).to_vec()];
        assert_eq!(columns(&rows, 9), ["a    long", "bcd  x"]);
        // A cell that is too long does not widen the column.
        assert_eq!(columns(&rows, 2), ["a  long", "bcd  x"]);
        assert_eq!(line("one two\nthree", 5), "one t…");
        assert_eq!(escape_for_terminal("a\u{1b}[2J\u{202e}b\nc"), "a\\u{1b}[2J\\u{202e}b\nc");
    }

    #[test]
    fn worst_is_assumed() {
        let tool = || Tool::builder("t", "A tool.");
        let made = |tool: genkit::action::ToolBuilder| {
            may_destroy(&tool.handler(|_, _: genkit::serde_json::Value| async { Ok("") }))
        };
        assert!(made(tool()) && made(tool().destructive(true)) && made(tool().read_only(false)));
        assert!(!made(tool().read_only(true)) && !made(tool().destructive(false)));
    }
}
