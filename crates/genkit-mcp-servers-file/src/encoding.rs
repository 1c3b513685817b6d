//! Encodings of files: a file is written in the encoding that it was read in.

/// The encoding of a text file. UTF-16 requires a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8 { mark: bool },
    Utf16Le,
    Utf16Be,
}

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const LE_MARK: &[u8] = b"\xff\xfe";
const BE_MARK: &[u8] = b"\xfe\xff";

/// The text of a file without its byte order mark, and the encoding to write it back in.
pub(crate) struct FileText {
    pub(crate) text: String,
    encoding: Encoding,
}

impl FileText {
    /// Decodes bytes; returns `None` if they are not text.
    pub(crate) fn decode_bytes(bytes: &[u8]) -> Option<Self> {
        let (text, encoding) = if let Some(rest) = bytes.strip_prefix(LE_MARK) {
            (decode_utf16(rest, u16::from_le_bytes)?, Encoding::Utf16Le)
        } else if let Some(rest) = bytes.strip_prefix(BE_MARK) {
            (decode_utf16(rest, u16::from_be_bytes)?, Encoding::Utf16Be)
        } else {
            let rest = bytes.strip_prefix(UTF8_MARK);
            let text = String::from_utf8(rest.unwrap_or(bytes).to_vec()).ok()?;
            (text, Encoding::Utf8 { mark: rest.is_some() })
        };
        Some(Self { text, encoding })
    }

    /// Encodes another text in the same encoding.
    pub(crate) fn encode_text(&self, text: &str) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf8 { mark: false } => text.as_bytes().to_vec(),
            Encoding::Utf8 { mark: true } => [UTF8_MARK, text.as_bytes()].concat(),
            Encoding::Utf16Le => {
                let units = text.encode_utf16().flat_map(u16::to_le_bytes);
                LE_MARK.iter().copied().chain(units).collect()
            }
            Encoding::Utf16Be => {
                let units = text.encode_utf16().flat_map(u16::to_be_bytes);
                BE_MARK.iter().copied().chain(units).collect()
            }
        }
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).collect::<Result<_, _>>().ok()
}
