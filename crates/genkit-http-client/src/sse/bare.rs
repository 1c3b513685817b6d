//! JSON outside of events.

/// Counts the brackets of a JSON text to find its end.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Brackets {
    /// Returns the offset after the outermost closing bracket, if it is in `bytes`.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        for (index, byte) in bytes.iter().enumerate() {
            if self.escaped {
                self.escaped = false;
                continue;
            }
            match byte {
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
