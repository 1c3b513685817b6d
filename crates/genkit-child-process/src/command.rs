//! The command of a child: its program, arguments, environment and folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// A command for a child process.
///
/// ```
/// use genkit_child_process::ChildCommand;
///
/// let mut command = ChildCommand::new("node");
/// command.args = vec!["server.js".into()];
/// command.env.insert("API_KEY".into(), "sk-123".into());
/// // Arguments and variables may be secrets, so their values are not shown.
/// assert!(!format!("{command:?}").contains("sk-123"));
/// ```
#[derive(Clone, PartialEq)]
pub struct ChildCommand {
    /// The program: a path, or a name that is looked up in the child's `PATH`.
    pub program: OsString,
    /// The arguments.
    pub args: Vec<OsString>,
    /// The environment variables to set, in addition to the inherited ones.
    pub env: BTreeMap<OsString, OsString>,
    /// If true, the child inherits all variables of this process; otherwise, only those that programs need to run.
    pub inherit_env: bool,
    /// The working directory. Default is the working directory of this process.
    pub cwd: Option<PathBuf>,
}

impl ChildCommand {
    /// Creates a command that runs `program` without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            inherit_env: false,
            cwd: None,
        }
    }
}

impl fmt::Debug for ChildCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildCommand")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}
