//! The names of prompts and partials, from the names of their files.

#[derive(Debug, PartialEq)]
pub(super) enum FileName {
    Prompt { name: String, variant: Option<String> },
    Partial(String),
}

/// Parses the path of a file relative to the folder, without `.prompt` and with `/` as the separator.
pub(super) fn parse_file_name(path: &str) -> FileName {
    let (folder, file) = match path.rsplit_once('/') {
        Some((folder, file)) => (Some(folder), file),
        None => (None, path),
    };
    let within = |name: &str| match folder {
        Some(folder) => format!("{folder}/{name}"),
        None => name.to_owned(),
    };
    if let Some(name) = file.strip_prefix('_') {
        return FileName::Partial(within(name));
    }
    match file.split_once('.') {
        Some((name, variant)) if !name.is_empty() && !variant.is_empty() => {
            FileName::Prompt { name: within(name), variant: Some(variant.to_owned()) }
        }
        _ => FileName::Prompt { name: within(file), variant: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_table() {
        let prompt = |name: &str, variant: Option<&str>| FileName::Prompt {
            name: name.to_owned(),
            variant: variant.map(str::to_owned),
        };
        for (path, expected) in [
            ("trip", prompt("trip", None)),
            ("trip.formal", prompt("trip", Some("formal"))),
            ("trip.formal.v2", prompt("trip", Some("formal.v2"))),
            ("mail/reply", prompt("mail/reply", None)),
            ("a.b/reply.short", prompt("a.b/reply", Some("short"))),
            ("_header", FileName::Partial("header".to_owned())),
            ("_p.v", FileName::Partial("p.v".to_owned())),
            ("mail/_footer", FileName::Partial("mail/footer".to_owned())),
        ] {
            assert_eq!(parse_file_name(path), expected, "{path}");
        }
    }
}
