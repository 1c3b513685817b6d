//! JSON pointers (RFC 6901), to the extent that schemas need them.

/// Returns the pointer of a member of the value at `at`.
pub fn child(at: &str, key: &str) -> String {
    let mut pointer = String::with_capacity(at.len() + key.len() + 1);
    pointer.push_str(at);
    pointer.push('/');
    for c in key.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
    pointer
}

/// Returns the pointer of an element of the value at `at`.
pub fn element(at: &str, index: usize) -> String {
    format!("{at}/{index}")
}

/// Returns the last name in a pointer, unescaped.
pub fn name(pointer: &str) -> Option<String> {
    let (_, last) = pointer.rsplit_once('/')?;
    Some(last.replace("~1", "/").replace("~0", "~"))
}

/// Returns the percent-decoded pointer in a `$ref` to the same document.
pub fn from_reference(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
