//! The runtime file, which contains the address of a listening program for the CLI.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::Error as E;
use crate::identity::{GENKIT_VERSION, SPEC_VERSION, program_name};
use genkit_core::internal::time::format_iso8601;

/// The maximum number of other programs' files that are checked. Default is 256.
const MAX_STALE: usize = 256;

/// The maximum size of another program's file, in bytes. Default is 64 KiB.
const MAX_FILE: u64 = 64 * 1024;

/// The time limit for connecting to another program on this machine. Default is 200 milliseconds.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(200);

/// The time limit for all of these checks. Default is 2 seconds.
const CLEAN_TIMEOUT: Duration = Duration::from_secs(2);

/// The contents of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuntimeInfo {
    id: String,
    pid: u32,
    #[serde(default)]
    name: String,
    reflection_server_url: String,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    genkit_version: String,
    #[serde(default)]
    reflection_api_spec_version: u32,
}

/// The file of this program; deleted on drop.
#[derive(Debug)]
pub(super) struct RuntimeFile(PathBuf);

impl RuntimeFile {
    /// Writes the file under `root`. The server must already listen on `address`: the CLI checks it once, and deletes
    /// the file if the server does not respond.
    pub(super) fn write(root: &Path, id: &str, address: SocketAddr) -> Result<Self, E> {
        let folder = root.join(".genkit");
        let runtimes = folder.join("runtimes");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let pid = std::process::id();
        let info = RuntimeInfo {
            id: id.to_owned(),
            pid,
            name: program_name(),
            reflection_server_url: format!("http://{address}"),
            timestamp: format_iso8601(u64::try_from(now.as_millis()).unwrap_or(u64::MAX)),
            genkit_version: GENKIT_VERSION.to_owned(),
            reflection_api_spec_version: SPEC_VERSION,
        };
        let name = format!("{pid}-{}-{}.json", address.port(), now.as_millis());
        let path = runtimes.join(&name);
        let written = || -> std::io::Result<()> {
            check_no_link(&folder)?;
            check_no_link(&runtimes)?;
            fs::create_dir_all(&runtimes)?;
            remove_stale_files(&runtimes, address);
            // Write the file outside the folder and rename it, because the CLI immediately reads new files in the
            // folder.
            let unfinished = folder.join(format!("runtime-{name}"));
            // `create_new` does not follow a symbolic link at this path.
            let mut file = OpenOptions::new().write(true).create_new(true).open(&unfinished)?;
            let text = serde_json::to_vec_pretty(&info)?;
            let finished = file.write_all(&text).and_then(|()| fs::rename(&unfinished, &path));
            finished.inspect_err(|_| {
                let _ = fs::remove_file(&unfinished);
            })
        };
        written().map_err(|source| E::RuntimeFile { path: path.display().to_string(), source })?;
        Ok(Self(path))
    }
}

impl Drop for RuntimeFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0)
            // The CLI removes the file if it considers the program terminated.
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, path = %self.0.display(), "cannot delete a runtime file; delete it manually");
        }
    }
}

/// Rejects a folder that is a symbolic link. In another user's project, the link could point anywhere, and files there
/// would be deleted.
fn check_no_link(folder: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(kind) if kind.is_symlink() => {
            let text =
                format!("`{}` is a symbolic link; replace it with a folder", folder.display());
            Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, text))
        }
        _ => Ok(()),
    }
}

/// Deletes files that terminated programs of this library left behind.
fn remove_stale_files(runtimes: &Path, own: SocketAddr) {
    let Ok(files) = fs::read_dir(runtimes) else { return };
    let begun = Instant::now();
    for file in files.flatten().take(MAX_STALE) {
        if begun.elapsed() > CLEAN_TIMEOUT {
            return;
        }
        let Some(info) = read(&file.path()) else { continue };
        if info.genkit_version.starts_with("rust/") && has_terminated(&info, own) {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// Reads a file of the folder. Other users can create files there, so symbolic links, pipes and devices are not opened.
fn read(path: &Path) -> Option<RuntimeInfo> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let text = genkit_files::read_regular_file(path, MAX_FILE).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Returns whether the program of a file has terminated: either no program listens on its address, or this process now
/// has its address or its process id, which can be reused in containers. Only loopback addresses are checked.
fn has_terminated(info: &RuntimeInfo, own: SocketAddr) -> bool {
    let address = info.reflection_server_url.strip_prefix("http://").map(str::parse::<SocketAddr>);
    let Some(Ok(address)) = address else { return false };
    if !address.ip().is_loopback() {
        return false;
    }
    let is_own = info.pid == std::process::id() || address == own;
    is_own || TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).is_err()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use serde_json::{Value, json};

    use super::*;
    use crate::http::create_test_folder;

    #[test]
    fn file_is_there_while_the_program_is() {
        let root = create_test_folder("file");
        let address: SocketAddr = "127.0.0.1:3100".parse().unwrap();
        let file = RuntimeFile::write(&root, "7-3100", address).unwrap();
        let names: Vec<_> = fs::read_dir(root.join(".genkit")).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "no unfinished file remains: {names:?}");
        let name = file.0.file_name().unwrap().to_string_lossy().into_owned();
        let pid = std::process::id();
        assert!(name.starts_with(&format!("{pid}-3100-")) && name.ends_with(".json"), "{name}");
        let info: Value = serde_json::from_slice(&fs::read(&file.0).unwrap()).unwrap();
        let expected = json!({
            "id": "7-3100", "pid": pid, "name": program_name(),
            "reflectionServerUrl": "http://127.0.0.1:3100", "timestamp": info["timestamp"],
            "genkitVersion": GENKIT_VERSION, "reflectionApiSpecVersion": 1,
        });
        assert_eq!(info, expected);
        drop(file);
        assert_eq!(fs::read_dir(root.join(".genkit/runtimes")).unwrap().count(), 0);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn runtime_files_of_dead_processes_are_removed() {
        let root = create_test_folder("stale");
        let runtimes = root.join(".genkit/runtimes");
        fs::create_dir_all(&runtimes).unwrap();
        let alive = TcpListener::bind("127.0.0.1:0").unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let other = std::process::id() + 1;
        let put = |name: &str, pid: u32, address: SocketAddr, version: &str| {
            let info = json!({
                "id": name, "pid": pid, "reflectionServerUrl": format!("http://{address}"),
                "timestamp": "2026-11-20T23:04:26.360Z", "genkitVersion": version,
            });
            fs::write(runtimes.join(name), info.to_string()).unwrap();
        };
        put("dead.json", other, free, "rust/0.0.1");
        put("reborn.json", std::process::id(), alive.local_addr().unwrap(), "rust/0.0.1");
        let own = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let _listens = TcpListener::bind(own).unwrap();
        put("predecessor.json", other, own, "rust/0.0.1");
        put("alive.json", other, alive.local_addr().unwrap(), "rust/0.0.1");
        put("node.json", other, free, "nodejs/1.42.0");
        fs::write(runtimes.join("strange.json"), "{").unwrap();
        let file = RuntimeFile::write(&root, "x", own).unwrap();
        let mut left: Vec<_> =
            fs::read_dir(&runtimes).unwrap().flatten().map(|f| f.path()).collect();
        left.retain(|path| *path != file.0);
        left.sort();
        let names = ["alive.json", "node.json", "strange.json"];
        assert_eq!(left, names.map(|name| runtimes.join(name)));
        drop(file);
        fs::remove_dir_all(root).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn nothing_strange_is_read_asked_or_taken_away() {
        let root = create_test_folder("strange");
        let runtimes = root.join(".genkit/runtimes");
        fs::create_dir_all(&runtimes).unwrap();
        let foreign = json!({
            "id": "x", "pid": std::process::id(), "reflectionServerUrl": "http://192.0.2.1:9",
            "genkitVersion": "rust/0.0.1",
        });
        fs::write(runtimes.join("foreign.json"), foreign.to_string()).unwrap();
        let outside = root.join("outside.json");
        let dead = foreign.to_string().replace("192.0.2.1", "127.0.0.1");
        fs::write(&outside, &dead).unwrap();
        std::os::unix::fs::symlink(&outside, runtimes.join("link.json")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", runtimes.join("zero.json")).unwrap();
        let padded = dead.clone() + &" ".repeat(MAX_FILE as usize);
        fs::write(runtimes.join("long.json"), padded).unwrap();
        let made = std::process::Command::new("mkfifo").arg(runtimes.join("fifo.json")).status();
        assert!(made.unwrap().success());
        fs::write(runtimes.join("dead.json"), dead).unwrap();
        remove_stale_files(&runtimes, "127.0.0.1:1".parse().unwrap());
        let mut left: Vec<_> =
            fs::read_dir(&runtimes).unwrap().flatten().map(|file| file.file_name()).collect();
        left.sort();
        assert_eq!(left, ["fifo.json", "foreign.json", "link.json", "long.json", "zero.json"]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn folder_that_cannot_be_written_is_an_error_that_names_the_file() {
        let root = create_test_folder("readonly");
        fs::write(root.join(".genkit"), "a file in the way").unwrap();
        let error = RuntimeFile::write(&root, "x", "127.0.0.1:1".parse().unwrap()).unwrap_err();
        assert!(error.to_string().contains("runtimes"), "{error}");
        fs::remove_dir_all(root).unwrap();
    }
}
