//! Reads files that other users or programs may have created: only regular files, of a limited size, without blocking.
//!
//! A path in a project or a configuration may refer to a pipe or a device, which may never end, or to a file of any
//! size. Every crate of genkit reads such paths with [`read_regular_file`].

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// The reason why a file was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or read.
    Io(io::Error),
    /// The path is a folder, a pipe or a device, such as a terminal.
    NotRegular,
    /// The file is larger than this many bytes.
    TooLarge(u64),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotRegular => f.write_str("it is not a regular file"),
            Self::TooLarge(limit) => write!(f, "it is larger than {limit} bytes"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => error,
            Error::NotRegular => Self::new(io::ErrorKind::InvalidInput, error),
            Error::TooLarge(_) => Self::new(io::ErrorKind::FileTooLarge, error),
        }
    }
}

/// Reads a regular file of at most `limit` bytes. Symbolic links are followed.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a regular file, or is or becomes larger than `limit`.
pub fn read_regular_file(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let file = open_without_waiting(path).map_err(Error::Io)?;
    // Query the open file, because the path may refer to another file by now.
    let metadata = file.metadata().map_err(Error::Io)?;
    if !metadata.is_file() {
        return Err(Error::NotRegular);
    }
    if metadata.len() > limit {
        return Err(Error::TooLarge(limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    let mut bounded = file.take(limit.saturating_add(1));
    bounded.read_to_end(&mut bytes).map_err(Error::Io)?;
    match bytes.len() as u64 > limit {
        true => Err(Error::TooLarge(limit)),
        false => Ok(bytes),
    }
}

/// Opens a file without blocking. Opening a pipe would otherwise block until another program opens it for writing.
fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        // A terminal that is opened must not become the controlling terminal of this process.
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
        options.custom_flags(i32::try_from(flags).unwrap_or_default());
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        let folder =
            std::env::temp_dir().join(format!("genkit-files-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn file_is_read_up_to_its_limit() {
        let folder = folder("limit");
        let file = folder.join("a");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read_regular_file(&file, 5).unwrap(), b"12345");
        assert!(matches!(read_regular_file(&file, 4), Err(Error::TooLarge(4))));
        assert!(matches!(read_regular_file(&folder.join("b"), 4), Err(Error::Io(_))));
        assert!(read_regular_file(&folder, 4).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_rejected_at_once() {
        let folder = folder("pipe");
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert!(matches!(read_regular_file(path, 10), Err(Error::NotRegular)), "{path:?}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
