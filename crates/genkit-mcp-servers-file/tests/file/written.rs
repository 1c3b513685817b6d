//! Tests of files on disk: the backup, links, permissions, and the state after a failed write.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use genkit_mcp_servers_file::{ClientApp, EditPlan, NewServer};

const BEFORE: &str = "{\n  \"mcpServers\": {} // none\n}\n";

fn notes() -> NewServer {
    NewServer::new("notes", "/opt/notes")
}

/// A folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("genkit-written-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(fs::canonicalize(path).unwrap())
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn plan(path: &Path) -> Result<EditPlan, genkit_mcp_servers_file::Error> {
    EditPlan::new(path, ClientApp::Cursor, &notes())
}

#[test]
fn copy_is_made_first_and_none_is_overwritten() {
    let folder = Folder::new("copy");
    let path = folder.file("mcp.json", BEFORE);
    folder.file("mcp.json.1.bak", "older");
    let planned = plan(&path).unwrap();
    assert!(planned.changes());
    assert_eq!(fs::read_to_string(&path).unwrap(), BEFORE, "a plan writes nothing");
    let written = planned.write().unwrap();
    assert_eq!(written.path, path);
    assert_eq!(written.copy.as_deref(), Some(&*folder.0.join("mcp.json.2.bak")));
    assert_eq!(fs::read_to_string(folder.0.join("mcp.json.2.bak")).unwrap(), BEFORE);
    assert_eq!(fs::read_to_string(folder.0.join("mcp.json.1.bak")).unwrap(), "older");
    assert!(fs::read_to_string(&path).unwrap().contains("/opt/notes"));
    // The server is already configured, so nothing is written.
    let again = plan(&path).unwrap().write().unwrap();
    assert!(!again.changed && again.copy.is_none());
    assert_eq!(folder.names(), ["mcp.json", "mcp.json.1.bak", "mcp.json.2.bak"]);
}

#[test]
fn concurrently_changed_file_is_not_overwritten() {
    let folder = Folder::new("meanwhile");
    let path = folder.file("mcp.json", BEFORE);
    let planned = plan(&path).unwrap();
    fs::write(&path, "{\"new\": 1}").unwrap();
    let error = planned.write().unwrap_err();
    assert!(error.to_string().contains("was modified by another program"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"new\": 1}");
    let new = folder.0.join("other.json");
    let planned = plan(&new).unwrap();
    fs::write(&new, "{}").unwrap();
    assert!(planned.write().is_err());
    assert_eq!(fs::read_to_string(&new).unwrap(), "{}");
    assert_eq!(folder.names(), ["mcp.json", "mcp.json.1.bak", "other.json"]);
}

#[test]
fn broken_file_is_kept_and_missing_file_is_created() {
    let folder = Folder::new("broken");
    let path = folder.file("mcp.json", "{\"mcpServers\": ");
    let error = plan(&path).unwrap_err();
    assert!(error.to_string().contains("mcp.json: line 1"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"mcpServers\": ");
    // The file does not exist yet, but its folder does.
    let new = folder.0.join("new.json");
    let written = plan(&new).unwrap().write().unwrap();
    assert!(written.changed && written.copy.is_none());
    let error = plan(&folder.0.join("not/there.json")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("start Cursor once"), "{error}");
    let error = plan(&folder.0).unwrap_err();
    assert!(error.to_string().ends_with("is not a file"), "{error}");
    assert_eq!(folder.names(), ["mcp.json", "new.json"]);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_read_only_files() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = Folder::new("unix");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::create_dir(folder.0.join("dotfiles")).unwrap();
    let real = folder.file("dotfiles/mcp.json", BEFORE);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.0.join("mcp.json");
    symlink("dotfiles/mcp.json", &link).unwrap();
    let written = plan(&link).unwrap().write().unwrap();
    assert_eq!(written.path, real);
    assert!(link.is_symlink(), "the link stays one");
    assert!(fs::read_to_string(&link).unwrap().contains("/opt/notes"));
    assert_eq!((mode(&real), mode(&written.copy.unwrap())), (0o640, 0o640));

    fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
    let error = plan(&link).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("is read-only"), "{error}");

    let nothing = folder.0.join("nothing.json");
    symlink("gone.json", &nothing).unwrap();
    let error = plan(&nothing).unwrap_err();
    assert!(error.to_string().contains("a symbolic link to a file that does not exist"), "{error}");
    // A new file may contain secrets.
    let new = folder.0.join("new.json");
    plan(&new).unwrap().write().unwrap();
    assert_eq!(mode(&new), 0o600);
}
