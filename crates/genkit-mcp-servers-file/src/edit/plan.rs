//! Editing a file: a preview, a backup, and an atomic replacement.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{ClientApp, NewServer, add_server};
use crate::error::{Error, ErrorReason};
use crate::read::read_bounded;

/// How many backups of a file may exist next to it. Default is 1,000.
const MAX_COPIES: u32 = 1000;

/// A planned addition of a server to a client's file. Nothing is written until [`write`](Self::write) is called.
///
/// ```
/// use genkit_mcp_servers_file::{ClientApp, EditPlan, NewServer};
///
/// let folder = std::env::temp_dir().join(format!("genkit-plan-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let (file, server) = (folder.join("mcp.json"), NewServer::new("notes", "/opt/notes"));
///
/// let written = EditPlan::new(&file, ClientApp::Cursor, &server)?.write()?;
/// assert!(written.changed && written.copy.is_none()); // there was no file to copy
/// let again = EditPlan::new(&file, ClientApp::Cursor, &server)?;
/// assert!(!again.changes());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EditPlan {
    /// The file to write, or the target if the path is a symbolic link.
    path: PathBuf,
    before: Option<(Vec<u8>, Metadata)>,
    after: Vec<u8>,
}

/// The result of an edit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EditOutcome {
    /// The file itself, or the target of a symbolic link.
    pub path: PathBuf,
    /// The backup of the previous content, if the file existed.
    pub copy: Option<PathBuf>,
    /// True if the file was written; `false` if the server was already configured.
    pub changed: bool,
}

impl EditPlan {
    /// Reads a file and computes its content with the server added.
    ///
    /// # Errors
    /// Returns the errors of [`add_server`], and an error if the folder is missing because the client was never
    /// started, or if the file is read-only, larger than 32 MiB, not a regular file, or a broken symbolic link.
    pub fn new(path: &Path, app: ClientApp, server: &NewServer) -> Result<Self, Error> {
        let shown = path.display().to_string();
        let unreadable =
            |source| Error::of_file(ErrorReason::Unreadable { path: shown.clone(), source });
        let (path, before) = match fs::canonicalize(path) {
            Ok(path) => {
                let metadata = fs::metadata(&path).map_err(unreadable)?;
                if !metadata.is_file() {
                    return Err(Error::of_file(ErrorReason::NotAFile(shown)));
                }
                if metadata.permissions().readonly() {
                    return Err(Error::of_file(ErrorReason::ReadOnly(shown)));
                }
                let bytes = read_bounded(&path).map_err(unreadable)?;
                (path, Some((bytes, metadata)))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unreadable(error)),
            Err(_) if path.is_symlink() => {
                return Err(Error::of_file(ErrorReason::LinkToNothing(shown)));
            }
            Err(_) => {
                let path = std::path::absolute(path).map_err(unreadable)?;
                let folder = path.parent().unwrap_or(Path::new("/"));
                if !folder.is_dir() {
                    let folder = folder.display().to_string();
                    return Err(Error::of_file(ErrorReason::FolderNotFound {
                        folder,
                        app: app.to_string(),
                    }));
                }
                (path, None)
            }
        };
        let known = before.as_ref().map_or(&[][..], |(bytes, _)| bytes);
        let after = add_server(known, &shown, app, server)?;
        Ok(Self { path, before, after })
    }

    /// Returns the file that will be written, or the target of a symbolic link.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the content of the file would change.
    pub fn changes(&self) -> bool {
        self.before.as_ref().is_none_or(|(bytes, _)| *bytes != self.after)
    }

    /// Copies the file to `NAME.1.bak` (or the next free number) in the same folder, and atomically replaces the file
    /// with a file that has the new content and the same permissions.
    ///
    /// # Errors
    /// Returns an error if the file was changed since it was read, or if a file cannot be written. The original file is
    /// then unchanged.
    pub fn write(self) -> Result<EditOutcome, Error> {
        if !self.changes() {
            return Ok(EditOutcome { path: self.path, copy: None, changed: false });
        }
        let unwritable = |path: &Path, source| {
            Error::of_file(ErrorReason::Unwritable { path: path.display().to_string(), source })
        };
        let copy = match &self.before {
            Some((bytes, metadata)) => Some(
                back_up(&self.path, bytes, metadata)
                    .map_err(|(path, error)| unwritable(&path, error))?,
            ),
            None => None,
        };
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let new = self.path.with_file_name(name);
        let metadata = self.before.as_ref().map(|(_, metadata)| metadata);
        let placed =
            write_new(&new, &self.after, metadata).map_err(|error| unwritable(&new, error));
        let placed = placed.and_then(|()| {
            if !self.is_unchanged() {
                return Err(Error::of_file(ErrorReason::ChangedMeanwhile(
                    self.path.display().to_string(),
                )));
            }
            fs::rename(&new, &self.path).map_err(|error| unwritable(&self.path, error))
        });
        if let Err(error) = placed {
            // Do not leave the temporary file behind.
            let _ = fs::remove_file(&new);
            return Err(error);
        }
        Ok(EditOutcome { path: self.path, copy, changed: true })
    }

    /// Returns whether the file is unchanged since it was read; clients write their files while they run.
    fn is_unchanged(&self) -> bool {
        match &self.before {
            Some((bytes, _)) => read_bounded(&self.path).is_ok_and(|now| now == *bytes),
            None => !self.path.exists(),
        }
    }
}

impl std::fmt::Debug for EditPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Configuration files may contain secrets.
        f.debug_struct("EditPlan").field("path", &self.path).finish_non_exhaustive()
    }
}

fn back_up(
    path: &Path,
    bytes: &[u8],
    metadata: &Metadata,
) -> Result<PathBuf, (PathBuf, io::Error)> {
    for number in 1..=MAX_COPIES {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{number}.bak"));
        let copy = path.with_file_name(name);
        match write_new(&copy, bytes, Some(metadata)) {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err((copy, error)),
        }
    }
    Err((
        path.to_owned(),
        io::Error::other(format!("there are {MAX_COPIES} backups next to it; remove some")),
    ))
}

/// Creates a file, with the permissions of `like`, or else accessible only by the user.
fn write_new(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file: File = options.open(path)?;
    let written = file.write_all(bytes).and_then(|()| {
        if let Some(like) = like {
            file.set_permissions(like.permissions())?;
        }
        file.sync_all()
    });
    written.inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}
