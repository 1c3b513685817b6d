//! Matching from left to right in bounded time.
//!
//! A small program is run by backtracking that never enters a state twice. A state is an instruction and a position, so
//! time and memory are bounded by the number of instructions times the length of the URI. (RE2 calls this a bit-state
//! search.)

use crate::encoding;

/// The bytes that may occur at a position in a URI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteClass {
    /// Bytes that are excluded.
    pub(crate) except: &'static [u8],
}

/// An instruction of a program.
#[derive(Clone, Debug)]
enum Instruction {
    /// Matches this text.
    Text(String),
    /// Matches one byte or one encoded byte.
    One(ByteClass),
    /// Continues at the first instruction or, if that fails, at the second.
    Split(usize, usize),
    Jump(usize),
    /// Records the position as the start or the end of a variable.
    Mark(usize),
    End,
}

/// A program that matches text from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    marks: usize,
}

/// A builder for a program.
#[derive(Default)]
pub(crate) struct Builder {
    instructions: Vec<Instruction>,
    variables: usize,
}

impl Builder {
    pub(crate) fn add_text(&mut self, text: impl Into<String>) {
        self.instructions.push(Instruction::Text(text.into()));
    }

    /// Matches as many bytes as possible, but at least one.
    pub(crate) fn add_some(&mut self, class: ByteClass) {
        let start = self.instructions.len();
        self.instructions.push(Instruction::One(class));
        self.instructions.push(Instruction::Split(start, start + 2));
    }

    /// Matches as many bytes as possible, or none.
    pub(crate) fn add_any(&mut self, class: ByteClass) {
        self.add_repeated(|inner| inner.instructions.push(Instruction::One(class)));
    }

    /// Matches `inner`, or nothing.
    pub(crate) fn add_optional(&mut self, inner: impl FnOnce(&mut Self)) {
        let split = self.instructions.len();
        self.instructions.push(Instruction::Jump(split + 1));
        inner(self);
        self.instructions[split] = Instruction::Split(split + 1, self.instructions.len());
    }

    /// Matches `inner` as many times as possible. `inner` must consume at least one byte.
    pub(crate) fn add_repeated(&mut self, inner: impl FnOnce(&mut Self)) {
        let split = self.instructions.len();
        self.add_optional(|builder| {
            inner(builder);
            builder.instructions.push(Instruction::Jump(split));
        });
    }

    /// Captures the next variable: the text that `inner` matches.
    pub(crate) fn capture_variable(&mut self, inner: impl FnOnce(&mut Self)) {
        let mark = 2 * self.variables;
        self.variables += 1;
        self.instructions.push(Instruction::Mark(mark));
        inner(self);
        self.instructions.push(Instruction::Mark(mark + 1));
    }

    pub(crate) fn build(mut self) -> Program {
        self.instructions.push(Instruction::End);
        Program { instructions: self.instructions, marks: 2 * self.variables }
    }
}

/// A pending step of the search.
enum Backtrack {
    Visit {
        instruction: usize,
        at: usize,
    },
    /// Undoes a mark of an alternative that failed.
    Restore {
        mark: usize,
        at: Option<usize>,
    },
}

impl Program {
    /// Returns the prefix of every match.
    pub(crate) fn literal_prefix(&self) -> &str {
        match self.instructions.first() {
            Some(Instruction::Text(first)) => first,
            _ => "",
        }
    }

    /// Returns the suffix of every match.
    fn last_literal(&self) -> &str {
        match &self.instructions[..] {
            // An optional part ends with a mark.
            [.., Instruction::Text(last), Instruction::End] => last,
            _ => "",
        }
    }

    /// Returns the strings of the variables in order, if the program matches the whole of `text`.
    ///
    /// `text` must be normalized. Nothing matches once no steps are left.
    pub(crate) fn match_text<'t>(
        &self,
        text: &'t str,
        steps: &mut usize,
    ) -> Option<Vec<Option<&'t str>>> {
        // Most templates can be ruled out by their first and last text, without an allocation.
        if !text.starts_with(self.literal_prefix()) || !text.ends_with(self.last_literal()) {
            return None;
        }
        let bytes = text.as_bytes();
        let width = bytes.len() + 1;
        // Charge for clearing the set of states: 64 states take one step.
        *steps = steps.saturating_sub((self.instructions.len() * width).div_ceil(64));
        let mut seen = vec![0_u64; (self.instructions.len() * width).div_ceil(64)];
        let mut marks = vec![None; self.marks];
        let mut left = vec![Backtrack::Visit { instruction: 0, at: 0 }];
        while let Some(next) = left.pop() {
            let (mut instruction, mut at) = match next {
                Backtrack::Visit { instruction, at } => (instruction, at),
                Backtrack::Restore { mark, at } => {
                    marks[mark] = at;
                    continue;
                }
            };
            loop {
                *steps = steps.checked_sub(1)?;
                let state = instruction * width + at;
                let bit = 1 << (state % 64);
                if seen[state / 64] & bit != 0 {
                    break;
                }
                seen[state / 64] |= bit;
                match &self.instructions[instruction] {
                    Instruction::Text(expected) if bytes[at..].starts_with(expected.as_bytes()) => {
                        at += expected.len();
                        instruction += 1;
                    }
                    Instruction::One(class) if class.bytes_to_consume(&bytes[at..]) > 0 => {
                        at += class.bytes_to_consume(&bytes[at..]);
                        instruction += 1;
                    }
                    Instruction::Text(_) | Instruction::One(_) => break,
                    Instruction::Jump(to) => instruction = *to,
                    Instruction::Split(first, second) => {
                        left.push(Backtrack::Visit { instruction: *second, at });
                        instruction = *first;
                    }
                    Instruction::Mark(mark) => {
                        left.push(Backtrack::Restore { mark: *mark, at: marks[*mark] });
                        marks[*mark] = Some(at);
                        instruction += 1;
                    }
                    Instruction::End if at == bytes.len() => {
                        return Some(captured_texts(text, &marks));
                    }
                    Instruction::End => break,
                }
            }
        }
        None
    }
}

fn captured_texts<'t>(text: &'t str, marks: &[Option<usize>]) -> Vec<Option<&'t str>> {
    let capture = |pair: &[Option<usize>]| match pair {
        [Some(start), Some(end)] => text.get(*start..*end),
        _ => None,
    };
    marks.chunks_exact(2).map(capture).collect()
}

impl ByteClass {
    /// Returns the number of bytes to consume: none, one, or the three of an encoded byte, which are never split.
    fn bytes_to_consume(self, bytes: &[u8]) -> usize {
        match bytes.first() {
            Some(b'%') if encoding::decode_triplet(bytes).is_some() => 3,
            Some(byte) if !self.except.contains(byte) => 1,
            _ => 0,
        }
    }
}
