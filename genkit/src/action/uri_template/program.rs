//! Matching from left to right in bounded time.
//!
//! A small program is run by backtracking that enters no state twice: a state is a step and a position, so that time
//! and memory are at most their product, whatever the URI. (RE2 calls this a bit-state search.)

use super::encoding;

/// What a place in a URI may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// Bytes that it may not be.
    pub except: &'static [u8],
}

/// A step of a program.
#[derive(Clone, Debug)]
enum Step {
    /// Takes this text.
    Text(String),
    /// Takes one byte or one encoded one.
    One(Class),
    /// Goes on at the first, and if that fails at the second.
    Split(usize, usize),
    Jump(usize),
    /// Remembers the position as the start or the end of a variable.
    Mark(usize),
    End,
}

/// What is matched from left to right.
#[derive(Clone, Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    marks: usize,
}

/// Builds a program.
#[derive(Default)]
pub(super) struct Builder {
    steps: Vec<Step>,
    variables: usize,
}

impl Builder {
    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.steps.push(Step::Text(text.into()));
    }

    /// As much as possible, but at least one.
    pub(super) fn some(&mut self, class: Class) {
        let start = self.steps.len();
        self.steps.push(Step::One(class));
        self.steps.push(Step::Split(start, start + 2));
    }

    /// As much as possible, or nothing.
    pub(super) fn any(&mut self, class: Class) {
        self.repeated(|inner| inner.steps.push(Step::One(class)));
    }

    /// What `inner` adds, if it is there.
    pub(super) fn optional(&mut self, inner: impl FnOnce(&mut Self)) {
        let split = self.steps.len();
        self.steps.push(Step::Jump(split + 1));
        inner(self);
        self.steps[split] = Step::Split(split + 1, self.steps.len());
    }

    /// What `inner` adds, as often as it is there. It must take something.
    pub(super) fn repeated(&mut self, inner: impl FnOnce(&mut Self)) {
        let split = self.steps.len();
        self.optional(|builder| {
            inner(builder);
            builder.steps.push(Step::Jump(split));
        });
    }

    /// The next variable: what `inner` takes.
    pub(super) fn variable(&mut self, inner: impl FnOnce(&mut Self)) {
        let mark = 2 * self.variables;
        self.variables += 1;
        self.steps.push(Step::Mark(mark));
        inner(self);
        self.steps.push(Step::Mark(mark + 1));
    }

    pub(super) fn finish(mut self) -> Program {
        self.steps.push(Step::End);
        Program { steps: self.steps, marks: 2 * self.variables }
    }
}

/// What is left to try.
enum Task {
    Visit {
        step: usize,
        at: usize,
    },
    /// Undoes a mark that led nowhere.
    Restore {
        mark: usize,
        at: Option<usize>,
    },
}

impl Program {
    /// The texts of the variables in their order, if the whole of `text` matches.
    ///
    /// `text` must be normalised.
    pub(super) fn run<'t>(&self, text: &'t str) -> Option<Vec<Option<&'t str>>> {
        let bytes = text.as_bytes();
        let width = bytes.len() + 1;
        let mut seen = vec![0_u64; (self.steps.len() * width).div_ceil(64)];
        let mut marks = vec![None; self.marks];
        let mut tasks = vec![Task::Visit { step: 0, at: 0 }];
        while let Some(task) = tasks.pop() {
            let (mut step, mut at) = match task {
                Task::Visit { step, at } => (step, at),
                Task::Restore { mark, at } => {
                    marks[mark] = at;
                    continue;
                }
            };
            loop {
                let state = step * width + at;
                let bit = 1 << (state % 64);
                if seen[state / 64] & bit != 0 {
                    break;
                }
                seen[state / 64] |= bit;
                match &self.steps[step] {
                    Step::Text(expected) if bytes[at..].starts_with(expected.as_bytes()) => {
                        at += expected.len();
                        step += 1;
                    }
                    Step::One(class) if class.takes(&bytes[at..]) > 0 => {
                        at += class.takes(&bytes[at..]);
                        step += 1;
                    }
                    Step::Text(_) | Step::One(_) => break,
                    Step::Jump(to) => step = *to,
                    Step::Split(first, second) => {
                        tasks.push(Task::Visit { step: *second, at });
                        step = *first;
                    }
                    Step::Mark(mark) => {
                        tasks.push(Task::Restore { mark: *mark, at: marks[*mark] });
                        marks[*mark] = Some(at);
                        step += 1;
                    }
                    Step::End if at == bytes.len() => return Some(captures(text, &marks)),
                    Step::End => break,
                }
            }
        }
        None
    }
}

fn captures<'t>(text: &'t str, marks: &[Option<usize>]) -> Vec<Option<&'t str>> {
    let capture = |pair: &[Option<usize>]| match pair {
        [Some(start), Some(end)] => text.get(*start..*end),
        _ => None,
    };
    marks.chunks_exact(2).map(capture).collect()
}

impl Class {
    /// How many bytes it takes: none, one, or the three of an encoded one, which are never torn apart.
    fn takes(self, bytes: &[u8]) -> usize {
        match bytes.first() {
            Some(b'%') if encoding::triplet(bytes).is_some() => 3,
            Some(byte) if !self.except.contains(byte) => 1,
            _ => 0,
        }
    }
}
