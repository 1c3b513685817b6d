//! The program's own flags, which are parsed by `clap` and written to configuration entries that
//! start the program.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};

use super::error::Error as E;
use crate::McpServer;
use genkit_core::Result;

/// Configures the server from the parsed arguments.
type Apply<'a> = Box<dyn FnOnce(McpServer, &ArgMatches) -> Result<McpServer> + Send + 'a>;

/// The program's own arguments.
pub(super) struct OwnArgs<'a> {
    augment: fn(Command) -> Command,
    apply: Apply<'a>,
}

impl<'a> OwnArgs<'a> {
    pub(super) fn new<A: Args>(
        apply: impl FnOnce(McpServer, A) -> Result<McpServer> + Send + 'a,
    ) -> Self {
        let apply = |server, matches: &ArgMatches| match A::from_arg_matches(matches) {
            Ok(args) => apply(server, args),
            Err(wrong) => wrong.exit(),
        };
        Self { augment: A::augment_args, apply: Box::new(apply) }
    }

    pub(super) fn add_args(&self, command: Command) -> Command {
        (self.augment)(command)
    }

    pub(super) fn apply_args(self, server: McpServer, matches: &ArgMatches) -> Result<McpServer> {
        (self.apply)(server, matches)
    }

    /// Returns the arguments in a form that has the same meaning in any folder.
    pub(super) fn to_arguments(&self, matches: &ArgMatches) -> Result<Vec<String>> {
        let command = self.add_args(Command::new("own"));
        let (mut told, mut positional) = (Vec::new(), Vec::new());
        for arg in command.get_arguments() {
            let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
            let source = matches.value_source(arg.get_id().as_str());
            match source {
                Some(ValueSource::CommandLine) => {}
                // A relative default depends on the folder that the program is started in.
                Some(ValueSource::DefaultValue) if is_path => {}
                _ => continue,
            }
            if arg.is_positional() {
                positional.extend(read_occurrences(matches, arg, is_path)?.into_iter().flatten());
                continue;
            }
            let Some(flag) = flag_name(arg) else { continue };
            match arg.get_action() {
                ArgAction::SetTrue | ArgAction::SetFalse => told.push(flag),
                ArgAction::Count => {
                    let count = matches.get_count(arg.get_id().as_str());
                    told.extend((0..count).map(|_| flag.clone()));
                }
                _ => {
                    for values in read_occurrences(matches, arg, is_path)? {
                        match &values[..] {
                            [value] if value.starts_with('-') && flag.starts_with("--") => {
                                told.push(format!("{flag}={value}"));
                            }
                            _ => {
                                told.push(flag.clone());
                                told.extend(values);
                            }
                        }
                    }
                }
            }
        }
        if !positional.is_empty() {
            // Prevents positional arguments from being parsed as flags or their values.
            told.push("--".to_owned());
            told.extend(positional);
        }
        Ok(told)
    }
}

fn flag_name(arg: &Arg) -> Option<String> {
    let long = arg.get_long().map(|long| format!("--{long}"));
    long.or_else(|| arg.get_short().map(|short| format!("-{short}")))
}

fn read_occurrences(matches: &ArgMatches, arg: &Arg, is_path: bool) -> Result<Vec<Vec<String>>> {
    let given = matches.get_raw_occurrences(arg.get_id().as_str());
    let given = given.into_iter().flatten();
    given.map(|values| values.map(|value| to_argument(value, is_path)).collect()).collect()
}

fn to_argument(value: &OsStr, is_path: bool) -> Result<String> {
    let value: OsString = match Path::new(value) {
        path if is_path && value != "-" => absolute_path(path)?.into_os_string(),
        _ => value.to_owned(),
    };
    Ok(value.into_string().map_err(|_| E::NotText)?)
}

fn absolute_path(path: &Path) -> Result<PathBuf> {
    Ok(std::path::absolute(path).map_err(|source| E::CurrentDirUnknown { source })?)
}
