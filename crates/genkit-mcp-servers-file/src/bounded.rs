//! Reading of files with a size limit.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The largest file that is read. Default is 32 MiB, because `~/.claude.json` contains much more than servers.
const MAX_FILE: u64 = 32 * 1024 * 1024;

/// Reads the bytes of a file within the limit.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        let text = format!("it is larger than {MAX_FILE} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}
