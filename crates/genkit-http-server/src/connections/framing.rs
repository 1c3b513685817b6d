//! A strict check of how requests are framed, before hyper parses them. A request that another parser could read in a
//! different way may hide a second request from a proxy (request smuggling).

/// The longest line that is checked, in bytes. hyper rejects longer heads.
const MAX_LINE: usize = 64 * 1024;

/// The byte that replaces the rest of a rejected request. It is invalid everywhere, so hyper responds with 400.
const INVALID: u8 = 0;

/// Tracks the framing of the requests on one connection.
#[derive(Debug, Default)]
pub(super) struct Framing {
    state: State,
    /// The current line, as far as it has been received.
    line: Vec<u8>,
    head: Head,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    /// In a request head.
    #[default]
    Head,
    /// In a body with this many more bytes.
    Body(u64),
    ChunkSize,
    /// In a chunk with this many more bytes, including the line end.
    Chunk(u64),
    Trailers,
    /// hyper closes the connection.
    Overlong,
    Rejected,
}

/// The properties of the current head that affect its framing.
#[derive(Debug, Default)]
struct Head {
    version: Option<Version>,
    hosts: usize,
    origins: usize,
    length: Option<u64>,
    is_chunked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Http10,
    Http11,
    /// Any other version, which hyper rejects.
    Other,
}

/// The error of an ambiguous or malformed request.
#[derive(Debug, PartialEq, Eq)]
struct AmbiguousRequest;

impl Framing {
    /// Checks bytes that were read from the connection. Overwrites all bytes after an unacceptable line, beginning with
    /// its line end, with [`INVALID`].
    pub(super) fn check(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            match &mut self.state {
                State::Body(left) | State::Chunk(left) => {
                    let skipped =
                        usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    *left -= skipped as u64;
                    at += skipped;
                    match self.state {
                        State::Body(0) => self.state = State::Head,
                        State::Chunk(0) => self.state = State::ChunkSize,
                        _ => {}
                    }
                }
                State::Overlong => return,
                State::Rejected => return bytes[at..].fill(INVALID),
                State::Head | State::ChunkSize | State::Trailers => {
                    let rest = &bytes[at..];
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    self.line.extend_from_slice(&rest[..end.map_or(rest.len(), |end| end + 1)]);
                    if self.line.len() > MAX_LINE {
                        self.state = State::Overlong;
                        return;
                    }
                    let Some(end) = end else { return };
                    at += end;
                    if self.check_line().is_err() {
                        self.state = State::Rejected;
                    } else {
                        at += 1;
                    }
                    self.line.clear();
                }
            }
        }
    }

    fn check_line(&mut self) -> Result<(), AmbiguousRequest> {
        let line = self.line.strip_suffix(b"\r\n").ok_or(AmbiguousRequest)?;
        if line.iter().any(|byte| matches!(*byte, b'\r' | INVALID)) {
            return Err(AmbiguousRequest);
        }
        match self.state {
            State::ChunkSize => match chunk_size(line).ok_or(AmbiguousRequest)? {
                0 => self.state = State::Trailers,
                size => self.state = State::Chunk(size.checked_add(2).ok_or(AmbiguousRequest)?),
            },
            State::Trailers if line.is_empty() => self.state = State::Head,
            State::Trailers => drop(parse_header(line).ok_or(AmbiguousRequest)?),
            _ if line.is_empty() && self.head.version.is_none() => {} // Before the request line.
            _ if line.is_empty() => self.state = std::mem::take(&mut self.head).body()?,
            _ if self.head.version.is_none() => self.head.version = Some(parse_version(line)),
            _ => self.head.add(line)?,
        }
        Ok(())
    }
}

impl Head {
    fn add(&mut self, line: &[u8]) -> Result<(), AmbiguousRequest> {
        let (name, value) = parse_header(line).ok_or(AmbiguousRequest)?;
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
        } else if name.eq_ignore_ascii_case(b"origin") {
            self.origins += 1;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let length = parse_length(value).filter(|_| self.length.is_none());
            self.length = Some(length.ok_or(AmbiguousRequest)?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            // Only `chunked` is decoded.
            if self.is_chunked || !value.eq_ignore_ascii_case(b"chunked") {
                return Err(AmbiguousRequest);
            }
            self.is_chunked = true;
        }
        Ok(())
    }

    /// Returns the state after this head.
    fn body(self) -> Result<State, AmbiguousRequest> {
        let is_sound = match self.version {
            Some(Version::Http11) => self.hosts == 1,
            Some(Version::Http10) => self.hosts <= 1 && !self.is_chunked,
            _ => true,
        };
        match (self.length, self.is_chunked) {
            _ if !is_sound || self.origins > 1 => Err(AmbiguousRequest),
            (Some(_), true) => Err(AmbiguousRequest),
            (None, true) => Ok(State::ChunkSize),
            (None | Some(0), false) => Ok(State::Head),
            (Some(length), false) => Ok(State::Body(length)),
        }
    }
}

fn parse_version(request_line: &[u8]) -> Version {
    match request_line.rsplit(|byte| *byte == b' ').next() {
        Some(b"HTTP/1.1") => Version::Http11,
        Some(b"HTTP/1.0") => Version::Http10,
        _ => Version::Other,
    }
}

/// Splits a header line. A space before the colon and a continued line are rejected.
fn parse_header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    (!name.is_empty() && name.iter().all(is_name)).then(|| (name, value.trim_ascii()))
}

fn parse_length(value: &[u8]) -> Option<u64> {
    if !value.iter().all(u8::is_ascii_digit) {
        return None; // `parse` accepts a sign.
    }
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Reads the size of a chunk, which may have extensions.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether requests are accepted, and checks that the result does not depend on the size of the pieces.
    fn is_accepted(requests: &str) -> bool {
        let results = [1, 2, 7, requests.len()].map(|size| {
            let (mut framing, mut bytes) = (Framing::default(), requests.as_bytes().to_vec());
            bytes.chunks_mut(size).for_each(|piece| framing.check(piece));
            let is_changed = bytes != requests.as_bytes();
            assert_eq!(is_changed, framing.state == State::Rejected, "{requests:?}");
            (!is_changed, framing.state == State::Head)
        });
        assert!(results.iter().all(|result| *result == results[0]), "{requests:?}: {results:?}");
        results[0] == (true, true)
    }

    #[test]
    fn ambiguous_framing_is_rejected() {
        for (head, accepted) in [
            ("", true),
            ("content-length: 0\r\n", true),
            ("Content-Length:\t3 \r\n", true),
            ("content-length: 3\r\ncontent-length: 3\r\n", false),
            ("content-length: 3\r\ncontent-length: 4\r\n", false),
            ("content-length: 3, 3\r\n", false),
            ("content-length: +3\r\n", false),
            ("content-length: \r\n", false),
            ("content-length: 0x3\r\n", false),
            ("content-length: 99999999999999999999\r\n", false),
            ("content-length : 3\r\n", false),
            ("transfer-encoding: chunked, identity\r\n", false),
            ("transfer-encoding: identity, chunked\r\n", false),
            ("transfer-encoding: gzip, chunked\r\n", false),
            ("transfer-encoding: identity\r\n", false),
            ("transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n", false),
            ("transfer-encoding: \u{b}chunked\r\n", false),
            ("content-length: 3\r\ntransfer-encoding: chunked\r\n", false),
            ("transfer-encoding: chunked\r\ncontent-length: 3\r\n", false),
            ("a: b\n", false),
            ("a: b\rc: d\r\n", false),
            ("a: b\r\r\n", false),
            ("a: b\r\n c\r\n", false),
            (" a: b\r\n", false),
            ("a\r\n", false),
            (": b\r\n", false),
            ("host: b\r\n", false),
            ("origin: http://a\r\n", true),
            ("origin: http://a\r\norigin: http://a\r\n", false),
        ] {
            let body = if head.contains('3') { "abc" } else { "" };
            let request = format!("POST / HTTP/1.1\r\nhost: a\r\n{head}\r\n{body}");
            assert_eq!(is_accepted(&request), accepted, "{head:?}");
        }
        for (request, accepted) in [
            ("GET / HTTP/1.1\r\n\r\n", false),
            ("GET / HTTP/1.0\r\n\r\n", true),
            ("GET / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n", false),
            ("\r\nGET / HTTP/1.0\r\n\r\n", true),
            ("GET / HTTP/1.0\n\n", false),
        ] {
            assert_eq!(is_accepted(request), accepted, "{request:?}");
        }
    }

    #[test]
    fn requests_are_followed_over_their_bodies() {
        let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n";
        let sized = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\n\n\n\r\n";
        let body = "4;x=y\r\n\na\n\n\r\nA \r\n0123456789\r\n0\r\nt: v\r\n\r\n";
        assert!(is_accepted(&format!("{sized}{chunked}{body}{sized}\r\n{chunked}0\r\n\r\n")));
        let hidden = "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n";
        assert!(!is_accepted(&format!("{sized}{chunked}{body}{hidden}")));
        for broken in ["x\r\n", "-1\r\n", "\r\n\u{1}", "4\nabcd\n", "fffffffffffffffff\r\n"] {
            assert!(!is_accepted(&format!("{chunked}{broken}")), "{broken:?}");
        }
    }

    #[test]
    fn long_line_is_left_to_hyper() {
        let (mut framing, mut bytes) = (Framing::default(), vec![b'a'; MAX_LINE + 1]);
        framing.check(&mut bytes);
        assert_eq!(framing.state, State::Overlong);
        assert!(bytes.iter().all(|byte| *byte == b'a') && framing.line.capacity() <= 4 * MAX_LINE);
    }
}
