//! The list of skills in the system message.

use genkit_core::OfferedSkill;
use genkit_core::internal::visible;
use genkit_schema::internal::truncate::excerpt;

/// The maximum number of skills that are listed. Default is 100; the model finds the others with a query.
const MAX_LISTED: usize = 100;

/// The maximum size of the list in the system message, in bytes. Default is 8 KiB.
const MAX_TEXT: usize = 8 * 1024;

/// The maximum length of a description in the list, in characters. Default is 400.
const MAX_SHOWN: usize = 400;

/// Returns the part of the system message that lists the skills.
pub(super) fn format_skills(skills: &[OfferedSkill]) -> String {
    let mut text = "# Skills\nA skill is instructions for a kind of task. When a task fits one, call `use_skill` with \
                    its name before anything else, and follow what it says as far as it serves the user.\n"
        .to_owned();
    let mut shown = 0;
    for skill in skills.iter().take(MAX_LISTED) {
        let line = format!("{}\n", format_skill(skill));
        // Reserves space for the note about skills that are not listed.
        if text.len() + line.len() > MAX_TEXT - 200 {
            break;
        }
        text.push_str(&line);
        shown += 1;
    }
    match skills.len() - shown {
        0 if skills.is_empty() => text.push_str("(No skills are available.)\n"),
        0 => {}
        more => text.push_str(&format!(
            "({more} more are not listed here; find them with `use_skill` and a `query`.)\n"
        )),
    }
    text
}

/// Returns the line of a skill in the list, such as `- shop/refunds (of the MCP server shop): Pays money back.`
pub(super) fn format_skill(skill: &OfferedSkill) -> String {
    let description = excerpt(&visible::escape_line(skill.description()), MAX_SHOWN);
    let from = match skill.server() {
        Some(server) => format!(" (of the MCP server `{}`)", visible::escape_line(server)),
        None => String::new(),
    };
    format!("- {}{from}: {description}", skill.name())
}
