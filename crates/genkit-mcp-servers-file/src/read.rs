//! Reading of a file, with the variables that it may use.

use std::io;
use std::path::{Path, PathBuf};

use crate::encoding::FileText;
use crate::error::{Error, ErrorReason};
use crate::parse::parse_in;
use crate::server::{ServerTransport, ServersFile};

/// The largest file that is read. Default is 32 MiB, because `~/.claude.json` contains much more than servers.
const MAX_FILE: u64 = 32 * 1024 * 1024;

/// Reads a file with this program's environment.
///
/// Relative paths of `envFile` and `cwd` are resolved against the project folder: the folder of the file, or its parent
/// if the folder is hidden (`.vscode`, `.cursor`). Servers of a file in a hidden folder of a project run in the project
/// folder, unless they have a `cwd`. In addition to the environment, the variables `workspaceFolder`,
/// `workspaceFolderBasename`, `userHome` and `pathSeparator` are defined.
///
/// ```
/// let error = genkit_mcp_servers_file::read("no/such/mcp.json".as_ref()).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
/// ```
///
/// # Errors
/// Returns an error if the file is missing, larger than 32 MiB, not JSON, or has no servers. A single invalid server
/// has its own error.
pub fn read(path: &Path) -> Result<ServersFile, Error> {
    read_with(path, |name| std::env::var(name).ok())
}

/// Reads a file like [`read`], with these variables instead of the environment. Use it to limit the variables of an
/// untrusted file, which can send every variable that it can read to any server.
///
/// ```
/// let only_home = |name: &str| std::env::var(name).ok().filter(|_| name == "HOME");
/// assert!(genkit_mcp_servers_file::read_with("no/such/mcp.json".as_ref(), only_home).is_err());
/// ```
///
/// # Errors
/// Returns the same errors as [`read`].
pub fn read_with(
    path: &Path,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<ServersFile, Error> {
    let text = read_text(path).map_err(Error::for_file)?;
    let name = path.display().to_string();
    let folder = project_folder(path);
    let variables = |name: &str| match name {
        "workspaceFolder" => Some(folder.display().to_string()),
        "workspaceFolderBasename" => Some(folder.file_name()?.to_str()?.to_owned()),
        "userHome" => std::env::home_dir()?.to_str().map(str::to_owned),
        "pathSeparator" | "/" => Some(std::path::MAIN_SEPARATOR.to_string()),
        name => environment(name),
    };
    let mut file = parse_in(&text, &name, &variables, Some(&folder))?;
    if is_in_project(path, &folder) {
        for server in &mut file.servers {
            if let Ok(ServerTransport::Stdio { cwd, .. }) = &mut server.transport {
                cwd.get_or_insert_with(|| folder.clone());
            }
        }
    }
    Ok(file)
}

fn read_text(path: &Path) -> Result<String, ErrorReason> {
    let shown = || path.display().to_string();
    let bytes =
        read_bounded(path).map_err(|source| ErrorReason::Unreadable { path: shown(), source })?;
    let file = FileText::decode_bytes(&bytes).ok_or_else(|| ErrorReason::FileNotText(shown()))?;
    Ok(file.text)
}

/// Returns the project folder of a file.
fn project_folder(path: &Path) -> PathBuf {
    let folder = parent_folder(path);
    match folder.parent() {
        Some(project) if is_hidden(&folder) => project.to_owned(),
        _ => folder,
    }
}

/// Returns whether the file belongs to one project. Its servers then run in the project folder.
fn is_in_project(path: &Path, folder: &Path) -> bool {
    // A hidden folder in the user's home folder applies to all projects.
    is_hidden(&parent_folder(path)) && std::env::home_dir().is_none_or(|home| home != folder)
}

fn parent_folder(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.parent().unwrap_or(Path::new("/")).to_owned()
}

/// Returns whether a folder is hidden, such as `.vscode` or `.cursor`.
fn is_hidden(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Reads the bytes of a file within the limit.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    Ok(genkit_files::read_regular_file(path, MAX_FILE)?)
}
