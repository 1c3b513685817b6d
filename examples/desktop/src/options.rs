//! The options of the command line.

use std::path::PathBuf;

use genkit::{Error, Result};

pub(crate) const USAGE: &str =
    "usage: desktop [--config] [CONFIG] [--model NAME] [--list | --demo]";

/// The mode of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Help,
    List,
    Demo,
    Chat,
}

/// The options of the command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Wanted {
    /// The path of the configuration. If it is `None`, the user is asked about the `mcp.json` of the current folder.
    pub(crate) config: Option<PathBuf>,
    pub(crate) model: Option<String>,
    pub(crate) what: Mode,
}

impl Wanted {
    pub(crate) fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let wrong = |said: String| Error::invalid_argument(format!("{said}\n{USAGE}"));
        let (mut config, mut model, mut what) = (None, None, Mode::Chat);
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "-h" | "--help" => what = Mode::Help,
                "--list" => what = Mode::List,
                "--demo" => what = Mode::Demo,
                "--config" if config.is_none() => {
                    let named = arguments.next();
                    let named = named.ok_or_else(|| wrong("--config needs a path".to_owned()))?;
                    config = Some(PathBuf::from(named));
                }
                "--model" => {
                    let named = arguments.next();
                    model = Some(named.ok_or_else(|| wrong("--model needs a value".to_owned()))?);
                }
                flag if flag.starts_with('-') => {
                    return Err(wrong(format!("unknown option {flag}")));
                }
                _ if config.is_some() => {
                    return Err(wrong("expected one configuration".to_owned()));
                }
                _ => config = Some(PathBuf::from(argument)),
            }
        }
        Ok(Self { config, model, what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Wanted> {
        Wanted::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn field_line_describes_the_expected_value() {
        let chat = Wanted { config: None, model: None, what: Mode::Chat };
        assert_eq!(read("").unwrap(), chat);
        let config = Some("a.json".into());
        let list = Wanted { config, model: Some("m".into()), what: Mode::List };
        assert_eq!(read("--config a.json --model m --list").unwrap(), list);
        assert_eq!(read("--model m a.json --list").unwrap(), list);
        for (line, said) in [
            ("--lst", "unknown option --lst"),
            ("--model", "--model needs a value"),
            ("a b", "expected one configuration"),
            ("--config", "--config needs a path"),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains("usage: "), "{error}");
        }
    }
}
