//! The command line.

use std::path::PathBuf;

use genkit::{Error, Result};

pub(crate) const USAGE: &str =
    "usage: desktop [--config] [CONFIG] [--model NAME] [--list | --demo]";

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum What {
    Help,
    List,
    Demo,
    Chat,
}

/// The command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Wanted {
    /// `None` where none is named: then `mcp.json` of the folder is asked for.
    pub(crate) config: Option<PathBuf>,
    pub(crate) model: Option<String>,
    pub(crate) what: What,
}

impl Wanted {
    pub(crate) fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let wrong = |said: String| Error::invalid_argument(format!("{said}\n{USAGE}"));
        let (mut config, mut model, mut what) = (None, None, What::Chat);
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "-h" | "--help" => what = What::Help,
                "--list" => what = What::List,
                "--demo" => what = What::Demo,
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
                    return Err(wrong(format!("there is no option {flag}")));
                }
                _ if config.is_some() => {
                    return Err(wrong("there are two configurations".to_owned()));
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
    fn a_line_says_what_is_wanted() {
        let chat = Wanted { config: None, model: None, what: What::Chat };
        assert_eq!(read("").unwrap(), chat);
        let config = Some("a.json".into());
        let list = Wanted { config, model: Some("m".into()), what: What::List };
        assert_eq!(read("--config a.json --model m --list").unwrap(), list);
        assert_eq!(read("--model m a.json --list").unwrap(), list);
        for (line, said) in [
            ("--lst", "there is no option --lst"),
            ("--model", "--model needs a value"),
            ("a b", "there are two configurations"),
            ("--config", "--config needs a path"),
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains("usage: "), "{error}");
        }
    }
}
