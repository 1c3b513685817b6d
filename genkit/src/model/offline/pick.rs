//! Which words of a message are an argument.

use std::ops::Range;

use serde_json::Value;

use super::fill::Filler;
use super::guess::split;
use super::label::{LIST_ENDS, Label, until};
use super::names::Name;
use super::property::{self, form_of, prepositions};
use super::shape::Shape;
use super::{names, text, words};

/// Words that may stand before what is asked for.
const POLITE: &[&str] =
    &["please", "can", "could", "you", "would", "kindly", "i", "want", "to", "need", "now", "and"];

/// Words between a verb and its matter.
const LEAD: &[&str] = &[
    "that",
    "to",
    "for",
    "about",
    "of",
    "which",
    "says",
    "saying",
    "with",
    "text",
    "called",
    "named",
    "me",
    "my",
    "us",
    "the",
    "a",
    "an",
    "this",
    "following",
];

/// How many words a name without capitals has at the most.
const MAX_WORDS: usize = 4;

/// How many prepositions are tried.
const MAX_TRIES: usize = 64;

impl Filler<'_> {
    /// A text for a property; `outermost` is its name if it is one of the outermost object.
    pub(super) fn text(
        &mut self,
        shape: &Shape,
        label: &Label,
        outermost: Option<&str>,
    ) -> Option<Value> {
        if let Some(form) = form_of(shape, label) {
            let range = self.formed(form)?;
            return self.take_text(shape, range).map(Value::String);
        }
        let outcome = self.is_form && property::is_outcome(label);
        let prose = outcome || property::is_prose(label);
        if prose && !self.facts.text.is_empty() {
            return Some(self.facts.text.as_str().into());
        }
        if outcome {
            return None;
        }
        if let Some(quote) = self.text.quotes.iter().find(|quote| self.is_free(quote)) {
            return self.take_text(shape, quote.clone()).map(Value::String);
        }
        if prose {
            let phrase = self.phrase()?;
            return self.sized(shape, phrase).map(|text| text.into());
        }
        if let Some(at) = self.name(label) {
            if let Some(property) = outermost {
                self.name = Some((property.to_owned(), at));
            }
            return self.take_text(shape, self.text.names[at].range.clone()).map(Value::String);
        }
        let found = self.lower_name(label).or_else(|| self.after_verb());
        if let Some(range) = found {
            return self.take_text(shape, range).map(Value::String);
        }
        (!self.facts.text.is_empty()).then(|| self.facts.text.as_str().into())
    }

    /// The first piece of a form that no other property took.
    pub(super) fn formed(&self, form: &str) -> Option<Range<usize>> {
        let fits = |piece: &&Range<usize>| {
            self.is_free(piece) && text::has_form(&self.text.source[(*piece).clone()], form)
        };
        self.text.pieces.iter().find(fits).cloned()
    }

    /// The text at a place, if the schema lets it be as long as it is.
    pub(super) fn take_text(&mut self, shape: &Shape, range: Range<usize>) -> Option<String> {
        let text = self.sized(shape, range.clone())?.to_owned();
        self.take(range);
        Some(text)
    }

    fn sized(&self, shape: &Shape, range: Range<usize>) -> Option<&str> {
        let text = self.text.source.get(range)?.trim();
        let length = text.chars().count();
        let fits = length >= shape.count("minLength").unwrap_or(1).max(1)
            && shape.count("maxLength").is_none_or(|most| length <= most);
        fits.then_some(text)
    }

    /// The matter of a message: behind a colon, else behind the tool's words, else all of it.
    fn phrase(&self) -> Option<Range<usize>> {
        let source = self.text.source;
        let cluster = self.cluster.clone();
        let from = cluster.clone().map_or(0, |words| self.text.words[words.start].at);
        let colon = |(at, _): &(usize, &str)| {
            source[at + 1..].starts_with(char::is_whitespace) && !source[at + 1..].trim().is_empty()
        };
        if let Some((at, _)) =
            source[from..].match_indices(':').map(|(at, c)| (from + at, c)).find(colon)
        {
            return trimmed(source, at + 1);
        }
        let Some(cluster) = cluster else { return trimmed(source, 0) };
        let mut next = cluster.end;
        let is_lead = |at: usize| {
            self.text.words.get(at).is_some_and(|word| LEAD.contains(&word.lower.as_str()))
        };
        while is_lead(next) {
            next += 1;
        }
        trimmed(source, self.text.words.get(next)?.at)
    }

    /// The proper name for a property: one behind a preposition, else any.
    fn name(&self, label: &Label) -> Option<usize> {
        let names = &self.text.names;
        let is_tools = |range: &Range<usize>| {
            let text = self.text.source.get(range.clone()).unwrap_or("");
            words::split_name(text).iter().all(|word| self.tool.contains(&words::stem(word)))
        };
        let split = names.partition_point(|name| name.range.start < self.anchor);
        let first = |fits: &dyn Fn(Option<&str>) -> bool| {
            (split..names.len()).chain(0..split).find(|at| {
                let Name { range, after, .. } = &names[*at];
                fits(after.as_deref()) && self.is_free(range) && !is_tools(range)
            })
        };
        let wanted = prepositions(label);
        first(&|after| after.is_some_and(|after| wanted.contains(&after)))
            .or_else(|| first(&|after| after.is_some()))
            .or_else(|| first(&|_| true))
    }

    /// What stands behind a preposition without capitals: `weather in paris`.
    fn lower_name(&self, label: &Label) -> Option<Range<usize>> {
        let (anchor, wanted) = (self.anchor, prepositions(label));
        let place = ["in", "near", "for", "about", "from", "at", "of"];
        let all = &self.text.words;
        let found = |from: usize, to: usize, prepositions: &[&str]| {
            let at = (from..to).filter(|at| prepositions.contains(&all[*at].lower.as_str()));
            at.take(MAX_TRIES).find_map(|at| self.run_of_words(at + 1))
        };
        let from = self.text.word_from(anchor);
        found(0, all.len(), wanted)
            .or_else(|| found(from, all.len(), &place))
            .or_else(|| found(0, from, &place))
    }

    /// What stands behind a command that begins with the tool's word: `greet bob`.
    fn after_verb(&self) -> Option<Range<usize>> {
        let all = &self.text.words;
        let first = all.iter().position(|word| !POLITE.contains(&word.lower.as_str()))?;
        let cluster = self.cluster.clone().filter(|cluster| cluster.start == first)?;
        self.run_of_words(cluster.end)
    }

    /// Some words in a row that say something, from an index on.
    fn run_of_words(&self, mut from: usize) -> Option<Range<usize>> {
        let all = &self.text.words;
        while all
            .get(from)
            .is_some_and(|word| matches!(word.lower.as_str(), "the" | "a" | "an" | "my" | "me"))
        {
            from += 1;
        }
        let says = |at: usize| {
            let word = &all[at];
            let near = at == from || matches!(self.text.gap(at - 1), " " | "-");
            near && !words::is_stop(&word.lower)
                && !words::is_time(&word.lower)
                && !names::is_preposition(&word.lower)
                && !self.tool.contains(&word.stem)
                && self.is_free(&(word.at..word.end()))
        };
        let count = (from..all.len()).take(MAX_WORDS).take_while(|at| says(*at)).count();
        let last = all.get(from + count.checked_sub(1)?)?;
        // `in 5 days` is no name.
        let counted = count > 1 && all[from].text.starts_with(|c: char| c.is_ascii_digit());
        (!counted).then(|| all[from].at..last.end())
    }

    /// The texts of a list: quotes, names that belong together, or what commas part.
    pub(super) fn texts(&mut self, label: &Label, form: Option<&str>) -> Vec<Value> {
        let source = self.text.source;
        let ranges: Vec<Range<usize>> = if let Some(form) = form {
            let fits = |piece: &&Range<usize>| text::has_form(&source[(*piece).clone()], form);
            self.text.pieces.iter().filter(fits).cloned().collect()
        } else {
            self.text.quotes.clone()
        };
        let mut free: Vec<_> = ranges.into_iter().filter(|range| self.is_free(range)).collect();
        if free.is_empty() && form.is_none() {
            if let Some(first) = self.name(label) {
                free = self.joined(first).map(|name| name.range.clone()).collect();
            } else if let Some(phrase) = self.listed().or_else(|| self.after_verb()) {
                self.take(phrase.clone());
                return split(&source[phrase]).map(|item| item.into()).collect();
            }
        }
        for range in &free {
            self.take(range.clone());
        }
        free.into_iter().map(|range| source[range].into()).collect()
    }

    /// Words that commas or `and` part, behind the tool's words or a preposition; else one behind
    /// a preposition.
    fn listed(&self) -> Option<Range<usize>> {
        let source = self.text.source;
        let begins = ["with", "of", "for", "about", "from", "on"];
        let words = self.text.words.iter().enumerate();
        let behind = words.filter(|(_, word)| begins.contains(&word.lower.as_str()));
        let behind: Vec<_> =
            behind.map(|(at, word)| (at + 1, word.end())).take(MAX_TRIES).collect();
        let lists = behind.iter().filter_map(|(_, end)| until(source, *end, LIST_ENDS));
        let is_list = |range: &Range<usize>| {
            self.is_free(range) && split(&source[range.clone()]).nth(1).is_some()
        };
        self.phrase()
            .into_iter()
            .chain(lists)
            .find(is_list)
            .or_else(|| behind.iter().find_map(|(next, _)| self.run_of_words(*next)))
    }

    /// A name and those that belong to it.
    pub(super) fn joined(&self, first: usize) -> impl Iterator<Item = &Name> {
        let rest = self.text.names.get(first + 1..).unwrap_or_default();
        let rest = rest.iter().take_while(|name| name.joined && self.is_free(&name.range));
        self.text.names.get(first).into_iter().chain(rest)
    }
}

/// From `at` to the end, without the punctuation around it.
fn trimmed(source: &str, at: usize) -> Option<Range<usize>> {
    let rest = source.get(at..)?;
    let text = rest.trim_end_matches(|c: char| c.is_whitespace() || ".!?".contains(c));
    let blank = text.len() - text.trim_start().len();
    (blank < text.len()).then(|| at + blank..at + text.len())
}
