//! `.env` files with one variable per line. `dotenvy` is not suitable, because it expands `$NAME` and rejects spaces in
//! unquoted values; the programs that write these files do neither.

/// Returns the variables, or the number of the first invalid line.
///
/// Supports `NAME=value`, `export NAME=value`, quoted values, and comments. Values in double quotes may contain `\n`,
/// `\r`, `\t`, `\"` and `\\`; variables are not expanded.
pub(crate) fn parse_lines(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut variables = Vec::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').ok_or(number + 1)?;
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(number + 1);
        }
        let value = value.trim();
        let value = match value.chars().next() {
            Some('\'') => unquote_literal(&value[1..]).ok_or(number + 1)?,
            Some('"') => unescape_quoted(&value[1..]).ok_or(number + 1)?,
            _ => value.split(" #").next().unwrap_or_default().trim_end().to_owned(),
        };
        variables.push((name.to_owned(), value));
    }
    Ok(variables)
}

fn unquote_literal(quoted: &str) -> Option<String> {
    quoted.split_once('\'').map(|(value, _)| value.to_owned())
}

fn unescape_quoted(quoted: &str) -> Option<String> {
    let mut value = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            '\\' => value.push(match characters.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            }),
            other => value.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse_lines;

    #[test]
    fn files_of_variables_are_read() {
        let text = "\u{feff}# c\n\nA=1\n export B = two words # c \nC='#$x'\nD=\"a\\n\\\"b\\\"\" # c\nE=\nF=a#b\r\n";
        let found = parse_lines(text).unwrap();
        let expected = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "#$x"),
            ("D", "a\n\"b\""),
            ("E", ""),
            ("F", "a#b"),
        ];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        for (text, line) in [("A", 1), ("\n=x", 2), ("A B=c", 1), ("A='x", 1), ("A=\"x", 1)] {
            assert_eq!(parse_lines(text), Err(line), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_reader(text: String) {
            let _ = parse_lines(&text);
        }
    }
}
