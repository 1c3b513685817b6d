//! Reading of files with a limit.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Largest file that is read. Default is 32 MiB: `~/.claude.json` holds much else.
const MAX_FILE: u64 = 32 * 1024 * 1024;

/// The bytes of a file that is no larger than it may be.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        let text = format!("it is larger than {MAX_FILE} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}
