//! Cron expressions: five fields, in UTC.

use crate::error::Error as E;

/// The fields: their names and their smallest and largest values.
const FIELDS: [(&str, u64, u64); 5] =
    [("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7)];

/// The number of days after which an expression has no next time, such as `0 0 30 2 *`. A leap day recurs within 8 years.
const LOOK_AHEAD: u64 = 366 * 8;

/// A cron expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cron {
    /// The values of each field as bits.
    fields: [u64; 5],
    /// If both days are restricted, one of them must match, as in cron.
    is_either_day: bool,
}

impl Cron {
    pub(crate) fn parse(text: &str) -> Result<Self, E> {
        let wrong = |why: String| E::Cron { text: text.to_owned(), why };
        let words: Vec<&str> = text.split_whitespace().collect();
        let Ok(words) = <[&str; 5]>::try_from(words) else {
            return Err(wrong(
                "expected 5 fields: minute, hour, day, month and weekday".to_owned(),
            ));
        };
        let mut fields = [0; 5];
        for ((field, word), (name, least, most)) in fields.iter_mut().zip(words).zip(FIELDS) {
            for part in word.split(',') {
                let bits = parse_part(part, least, most);
                *field |= bits.ok_or_else(|| {
                    wrong(format!(
                        "`{part}` is not a valid {name}; write `*`, a number from {least} to {most}, a range such as \
                         `1-5` or a step such as `*/15`"
                    ))
                })?;
            }
        }
        // Sunday is 0 or 7.
        fields[4] |= fields[4] >> 7;
        let is_either_day = !words[2].starts_with('*') && !words[4].starts_with('*');
        Ok(Self { fields, is_either_day })
    }

    /// Returns the first matching minute after `ms`, both in milliseconds since 1970. `None` if there is none.
    pub(crate) fn next_after(&self, ms: u64) -> Option<u64> {
        let minute = ms / 60_000 + 1;
        let today = minute / 1440;
        for day in today..today + LOOK_AHEAD {
            if !self.has_day(day) {
                continue;
            }
            let first = if day == today { minute % 1440 } else { 0 };
            let found = (first..1440).find(|at| self.has(1, at / 60) && self.has(0, at % 60));
            if let Some(at) = found {
                return Some((day * 1440 + at) * 60_000);
            }
        }
        None
    }

    fn has(&self, field: usize, value: u64) -> bool {
        (self.fields[field] >> value) & 1 == 1
    }

    /// Returns whether the day, counted from 1970-01-01, matches.
    fn has_day(&self, day: u64) -> bool {
        let (_, month, of_month) = genkit_core::internal::time::civil_date(day);
        // 1970-01-01 was a Thursday.
        let (is_day, is_weekday) = (self.has(2, of_month), self.has(4, (day + 4) % 7));
        let is_either = self.is_either_day && (is_day || is_weekday);
        self.has(3, month) && (is_either || (is_day && is_weekday))
    }
}

/// Parses `*`, `5`, `1-5`, `*/15` or `1-30/2` into bits.
fn parse_part(part: &str, least: u64, most: u64) -> Option<u64> {
    let (range, step) = match part.split_once('/') {
        Some((range, step)) => (range, step.parse().ok().filter(|step| *step > 0)?),
        None => (part, 1),
    };
    let number = |text: &str| text.parse().ok().filter(|number| (least..=most).contains(number));
    let (first, last) = match range.split_once('-') {
        _ if range == "*" => (least, most),
        Some((first, last)) => (number(first)?, number(last)?),
        None if part.contains('/') => (number(range)?, most),
        None => (number(range)?, number(range)?),
    };
    (first <= last).then(|| (first..=last).step_by(step).fold(0, |bits, value| bits | (1 << value)))
}
