//! Reading of a file with the variables that it may use.

use std::path::{Path, PathBuf};

use crate::bounded::read_bounded;
use crate::encoding::FileText;
use crate::error::{Error, Fault};
use crate::parse::parse_in;
use crate::server::{ServerTransport, ServersFile};

/// Reads a file with this program's environment.
///
/// Relative paths of `envFile` and `cwd` are taken from the folder of the project: the one that the file stands in,
/// or the one above if that is hidden (`.vscode`, `.cursor`). Servers of a file in a hidden folder of a project run
/// there, unless they have a `cwd`. Besides the environment there are the variables `workspaceFolder`,
/// `workspaceFolderBasename`, `userHome` and `pathSeparator`.
///
/// ```
/// let error = genkit_mcp_servers_file::read("no/such/mcp.json".as_ref()).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
/// ```
///
/// # Errors
/// The file is missing, larger than 32 MiB, no JSON, or has no servers. A single server that is written wrongly has
/// an error of its own.
pub fn read(path: &Path) -> Result<ServersFile, Error> {
    read_with(path, |name| std::env::var(name).ok())
}

/// As [`read`], with these variables in the place of the environment: a file may put each that it can read
/// into what it sends to any server.
///
/// ```
/// let only_home = |name: &str| std::env::var(name).ok().filter(|_| name == "HOME");
/// assert!(genkit_mcp_servers_file::read_with("no/such/mcp.json".as_ref(), only_home).is_err());
/// ```
///
/// # Errors
/// As [`read`].
pub fn read_with(
    path: &Path,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<ServersFile, Error> {
    let text = text(path).map_err(Error::of_file)?;
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

fn text(path: &Path) -> Result<String, Fault> {
    let shown = || path.display().to_string();
    let bytes = read_bounded(path).map_err(|source| Fault::Unreadable { path: shown(), source })?;
    let file = FileText::decode(&bytes).ok_or_else(|| Fault::FileNotText(shown()))?;
    Ok(file.text)
}

/// The folder that a file of a project is about.
fn project_folder(path: &Path) -> PathBuf {
    let folder = parent(path);
    match folder.parent() {
        Some(project) if is_hidden(&folder) => project.to_owned(),
        _ => folder,
    }
}

/// Whether it is a file for one project: programs run its servers in the project's folder.
fn is_in_project(path: &Path, folder: &Path) -> bool {
    // What lies so in the folder of a user is for all projects.
    is_hidden(&parent(path)) && std::env::home_dir().is_none_or(|home| home != folder)
}

fn parent(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.parent().unwrap_or(Path::new("/")).to_owned()
}

/// `.vscode`, `.cursor`.
fn is_hidden(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
