//! What the model reads of skills before it uses one.

use genkit_core::OfferedSkill;
use genkit_core::internal::visible;
use genkit_schema::internal::truncate::excerpt;

/// How many skills are listed. Default is 100; others are found by a query.
const MAX_LISTED: usize = 100;

/// How much of the system text is the list, in bytes. Default is 8 KiB.
const MAX_TEXT: usize = 8 * 1024;

/// How much of a description is listed, in characters. Default is 400.
const MAX_SHOWN: usize = 400;

/// The part of the system text that lists them.
pub(super) fn listed(skills: &[OfferedSkill]) -> String {
    let mut text = "# Skills\nA skill is instructions for a kind of task. When a task fits one, call `use_skill` with \
                    its name before anything else, and follow what it says as far as it serves the user.\n"
        .to_owned();
    let mut shown = 0;
    for skill in skills.iter().take(MAX_LISTED) {
        let line = format!("{}\n", line(skill));
        // Room for what is said of those that are left out.
        if text.len() + line.len() > MAX_TEXT - 200 {
            break;
        }
        text.push_str(&line);
        shown += 1;
    }
    match skills.len() - shown {
        0 if skills.is_empty() => text.push_str("(There are none now.)\n"),
        0 => {}
        more => text.push_str(&format!(
            "({more} more are not listed here: find them with `use_skill` and a `query`.)\n"
        )),
    }
    text
}

/// `- shop/refunds (of the MCP server `shop`): Pays money back.`
pub(super) fn line(skill: &OfferedSkill) -> String {
    let description = excerpt(&visible::line(skill.description()), MAX_SHOWN);
    let from = match skill.server() {
        Some(server) => format!(" (of the MCP server `{}`)", visible::line(server)),
        None => String::new(),
    };
    format!("- {}{from}: {description}", skill.name())
}
