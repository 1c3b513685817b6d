//! Text of a document, prepared for models and users: without hidden characters, and limited in length.

/// The maximum length of a tool's description, in characters. Default is 1,024.
pub(crate) const MAX_DESCRIPTION: usize = 1024;

/// The maximum length of a name. Default is 64, the smallest limit of all providers.
pub(crate) const MAX_NAME: usize = 64;

/// Returns at most `limit` characters of a string, without control or invisible characters.
pub(crate) fn sanitize(text: &str, limit: usize) -> String {
    let mut letters = text.trim().chars().filter(|c| !is_hidden(*c));
    let mut clean: String = letters.by_ref().take(limit).collect();
    if letters.next().is_some() {
        clean.push('…');
    }
    clean
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Converts any text to `[A-Za-z_][A-Za-z0-9_-]*`, without adding two `_` in a row.
pub(crate) fn safe_name(text: &str) -> String {
    let mut safe = String::new();
    let mut is_gap = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
            if is_gap && !safe.is_empty() {
                safe.push('_');
            }
            is_gap = false;
            safe.push(c);
        } else {
            is_gap = true;
        }
        // The rest would be truncated anyway.
        if safe.len() > 4 * MAX_NAME {
            break;
        }
    }
    if !safe.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        safe.insert(0, '_');
    }
    safe
}

/// Returns the name, truncated if it is too long, and with a number if it is already taken.
pub(crate) fn unique_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let cut = |length: usize| &wanted[..wanted.len().min(length)];
    if wanted.len() <= MAX_NAME && !is_taken(wanted) {
        return wanted.to_owned();
    }
    let mut number = 2_usize;
    if wanted.len() > MAX_NAME && !is_taken(cut(MAX_NAME)) {
        return cut(MAX_NAME).to_owned();
    }
    loop {
        let end = format!("_{number}");
        let name = format!("{}{end}", cut(MAX_NAME - end.len()));
        if !is_taken(&name) {
            return name;
        }
        number += 1;
    }
}
