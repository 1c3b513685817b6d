//! Reads and validates sealing keys. Error messages never contain a key.

use std::fmt;
use std::path::PathBuf;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::error::Error as E;
use genkit_core::internal::seal::MIN_KEY;

/// The maximum number of sealing keys. All of them are tried for a state that cannot be opened. Default is 16.
const MAX_KEYS: usize = 16;

/// The maximum size of a file or variable with sealing keys, in bytes. Default is 64 KiB.
const MAX_TEXT: u64 = 64 * 1024;

/// The format of keys and the command that generates them, for error messages.
const HOW: &str = "write one key per line, in hex or base64, newest first; \
                   `openssl rand -hex 32` generates a key";

/// The source of sealing keys.
#[derive(Clone)]
pub(crate) enum KeySource {
    /// The key itself.
    Bytes(Vec<u8>),
    /// The environment variable that holds the keys as text.
    Variable(String),
    /// The file that holds the keys as text.
    File(PathBuf),
}

/// Reads the keys of all sources, in order.
pub(crate) fn read_keys(sources: &[KeySource]) -> Result<Vec<Vec<u8>>, E> {
    let mut keys = Vec::<Vec<u8>>::new();
    for source in sources {
        let found = match source {
            KeySource::Bytes(key) => {
                vec![check_key(key.clone()).map_err(|why| key_error(source, why))?]
            }
            KeySource::Variable(_) | KeySource::File(_) => read_listed_keys(source)?,
        };
        for (place, key) in (1..).zip(found) {
            if keys.contains(&key) {
                return Err(key_error(source, format!("key number {place} is a duplicate")));
            }
            keys.push(key);
        }
    }
    if keys.len() > MAX_KEYS {
        return Err(E::SealingKeys(format!(
            "{} sealing keys exceed the limit of {MAX_KEYS}; remove the keys that sealed nothing in the last hour",
            keys.len()
        )));
    }
    Ok(keys)
}

fn read_listed_keys(source: &KeySource) -> Result<Vec<Vec<u8>>, E> {
    let text = read_text(source).map_err(|why| key_error(source, why))?;
    let mut keys = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let written = text.split_once('#').map_or(text, |(written, _)| written);
        for word in written.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            let key = decode_key(word).and_then(check_key);
            keys.push(key.map_err(|why| key_error(source, format!("line {line}: {why}")))?);
        }
    }
    if keys.is_empty() {
        return Err(key_error(source, format!("no key found; {HOW}")));
    }
    Ok(keys)
}

fn read_text(source: &KeySource) -> Result<String, String> {
    match source {
        KeySource::Variable(name) => match std::env::var(name) {
            Ok(text) if text.len() as u64 > MAX_TEXT => Err(too_large()),
            Ok(text) => Ok(text),
            Err(std::env::VarError::NotPresent) => Err(format!("the variable is not set; {HOW}")),
            Err(std::env::VarError::NotUnicode(_)) => {
                Err(format!("the text is not valid UTF-8; {HOW}"))
            }
        },
        KeySource::File(path) => {
            let read = genkit_files::read_regular_file(path, MAX_TEXT);
            let bytes = read.map_err(|error| match error {
                genkit_files::Error::TooLarge(_) => too_large(),
                error => format!("cannot read the file: {error}"),
            })?;
            String::from_utf8(bytes).map_err(|_| format!("the text is not valid UTF-8; {HOW}"))
        }
        KeySource::Bytes(_) => Ok(String::new()),
    }
}

fn too_large() -> String {
    format!("the text has more than {MAX_TEXT} bytes; {HOW}")
}

fn decode_key(word: &str) -> Result<Vec<u8>, String> {
    if word.len().is_multiple_of(2) && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let digits = |at: usize| u8::from_str_radix(&word[at..at + 2], 16).ok();
        return Ok((0..word.len()).step_by(2).filter_map(digits).collect());
    }
    let lenient =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let alphabet = if word.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    let decoded = GeneralPurpose::new(&alphabet, lenient).decode(word);
    decoded.map_err(|_| format!("the key is neither hex nor base64; {HOW}"))
}

fn check_key(key: Vec<u8>) -> Result<Vec<u8>, String> {
    if key.len() < MIN_KEY {
        return Err(format!(
            "the key is only {} bytes long; use at least {MIN_KEY} random bytes (`openssl rand -hex {MIN_KEY}`)",
            key.len()
        ));
    }
    if key.iter().all(|byte| *byte == key[0]) && key[0] == 0 {
        return Err(format!(
            "the key is all zeros; generate one with `openssl rand -hex {MIN_KEY}`"
        ));
    }
    Ok(key)
}

fn key_error(source: &KeySource, why: impl fmt::Display) -> E {
    let from = match source {
        KeySource::Bytes(_) => "`.sealing_key(..)`".to_owned(),
        KeySource::Variable(name) => format!("sealing keys of the environment variable `{name}`"),
        KeySource::File(path) => format!("sealing keys of the file `{}`", path.display()),
    };
    E::SealingKeys(format!("{from}: {why}"))
}

/// Omits the keys.
impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(_) => f.write_str("Bytes(..)"),
            Self::Variable(name) => f.debug_tuple("Variable").field(name).finish(),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff";

    fn parse(text: &[u8]) -> Result<Vec<Vec<u8>>, E> {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("genkit-keys-{}-{}", std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).expect("a file");
        let read = read_keys(&[KeySource::File(path.clone())]);
        std::fs::remove_file(path).expect("the file is there");
        read
    }

    fn error_text(read: Result<Vec<Vec<u8>>, E>) -> String {
        read.expect_err("invalid keys").to_string()
    }

    #[test]
    fn keys_are_read_in_their_order_in_hex_and_both_base64s() {
        let text = format!(
            "# the keys of the fleet\n\n{HEX} # of November\r\n\
             +/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=\n\
             __v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s,{}\n",
            "AB".repeat(40)
        );
        let keys = parse(text.as_bytes()).expect("valid keys");
        let lengths: Vec<_> = keys.iter().map(|key| (key.len(), key[0])).collect();
        assert_eq!(lengths, [(32, 0), (32, 0xfb), (32, 0xff), (40, 0xab)]);
        assert_eq!(keys[0][31], 0xff);
    }

    #[test]
    fn invalid_key_is_reported_with_its_line_and_without_its_value() {
        let short = error_text(parse(format!("{HEX}\n{}\n", &HEX[..62]).as_bytes()));
        assert!(short.contains("line 2: the key is only 31 bytes long; use"), "{short}");
        let strange = error_text(parse(format!("{HEX}\n\nsecret!{HEX}\n").as_bytes()));
        assert!(strange.contains("line 3: the key is neither hex nor base64"), "{strange}");
        let twice = error_text(parse(format!("{HEX}\n{}\n", HEX.to_uppercase()).as_bytes()));
        assert!(twice.contains("key number 2 is a duplicate"), "{twice}");
        let zeros = error_text(parse("00".repeat(32).as_bytes()));
        assert!(zeros.contains("all zeros"), "{zeros}");
        for text in [&short, &strange, &twice, &zeros] {
            assert!(text.contains("genkit-keys-") && !text.contains(&HEX[..8]), "{text}");
            assert!(!text.contains("secret"), "{text}");
        }
        for none in [&b""[..], b"# nothing\n \n"] {
            let none = error_text(parse(none));
            assert!(none.contains("no key found") && none.contains("openssl rand"), "{none}");
        }
        assert!(error_text(parse(&[0xff; 40])).contains("is not valid UTF-8"));
        assert!(error_text(parse(&vec![b'a'; 64 * 1024 + 1])).contains("more than 65536 bytes"));
        let many: String =
            (0..17).map(|number| format!("{}{number:02}\n", "a1".repeat(32))).collect();
        assert!(
            error_text(parse(many.as_bytes())).contains("17 sealing keys exceed the limit of 16")
        );
    }

    #[test]
    fn missing_key_source_is_named() {
        let variable = error_text(read_keys(&[KeySource::Variable("GENKIT_TEST_NO_KEYS".into())]));
        assert!(variable.contains("`GENKIT_TEST_NO_KEYS`: the variable is not set"), "{variable}");
        let file = error_text(read_keys(&[KeySource::File("no/such/keys".into())]));
        assert!(file.contains("`no/such/keys`: cannot read the file"), "{file}");
        let folder = error_text(read_keys(&[KeySource::File(std::env::temp_dir())]));
        assert!(folder.contains("not a regular file"), "{folder}");
        let bytes = error_text(read_keys(&[KeySource::Bytes(vec![1; 31])]));
        assert!(bytes.contains("`.sealing_key(..)`: the key is only 31 bytes long"), "{bytes}");
        let again = [KeySource::Bytes(vec![1; 32]), KeySource::Bytes(vec![1; 32])];
        assert!(error_text(read_keys(&again)).contains("is a duplicate"));
    }

    #[test]
    fn no_key_is_shown() {
        let shown = format!("{:?}", KeySource::Bytes(b"secret".repeat(9)));
        assert_eq!(shown, "Bytes(..)");
    }
}
