//! Words: their stems, the ones that say nothing, and names of code cut into words.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that do not tell what a message is about.
const STOP: &str = "a about again all also am an and any are as at be been but by can could current \
    currently did do does for from give had has have hello her here hey hi him his how i \
    i'm if in into is it its just kindly know let like may me might mine must my near \
    need no not of ok on one or our out over please shall she should so some such tell \
    than thank thanks that the their them then there these they this those to too up us \
    use used using want was we were what when where which who whom whose why will with \
    would yes you your";

/// Verbs that half of all tools begin with.
const GENERIC: &str = "call check create do fetch find get give list look lookup make query read return run \
    set show tell";

/// Words for a time, which are no place and nobody's name.
const TIMES: &str = "afternoon april august day december evening february friday january july june march \
    monday month morning night november now october saturday september sunday thursday \
    today tomorrow tonight tuesday wednesday week weekend year yesterday";

/// Whether a word in lower case says nothing.
pub(super) fn is_stop(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP.split(' ').collect());
    WORDS.contains(word)
}

/// Whether a word in lower case is a verb that half of all tools begin with.
pub(super) fn is_generic(word: &str) -> bool {
    GENERIC.split(' ').any(|generic| generic == word)
}

/// Whether a word in lower case is one for a time; `May` is not, since it is a name too.
pub(super) fn is_time(word: &str) -> bool {
    let is = |word: &str| TIMES.split(' ').any(|time| time == word);
    is(word) || word.strip_suffix('s').is_some_and(is)
}

/// In lower case and without what an apostrophe adds: `What's` is `what`.
pub(super) fn lower(word: &str) -> String {
    let word = word.to_lowercase().replace('’', "'");
    match word.split_once('\'') {
        Some((before, "s" | "re" | "ll" | "ve" | "d" | "")) => before.to_owned(),
        _ => word,
    }
}

/// A word without its ending, good enough to compare: `cities` and `city`, `Adds` and `add`.
///
/// The word is in lower case.
pub(super) fn stem(word: &str) -> String {
    let stemmed = cut(word);
    match stemmed.as_str() {
        // One thing, two words.
        "plu" | "plus" | "sum" => "add".to_owned(),
        "minu" | "minus" => "subtract".to_owned(),
        "search" => "find".to_owned(),
        _ => stemmed,
    }
}

fn cut(word: &str) -> String {
    if !word.is_ascii() {
        return word.to_owned();
    }
    let long = |rest: &str, letters: usize| rest.len() >= letters;
    if let Some(rest) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied"))
        && long(rest, 2)
    {
        return format!("{rest}y");
    }
    let hissing = |rest: &&str| {
        ["s", "x", "z", "ch", "sh"].iter().any(|end| rest.ends_with(end)) && long(rest, 3)
    };
    let mut rest = word;
    if let Some(singular) = word.strip_suffix("es").filter(hissing) {
        rest = singular;
    } else if let Some(singular) = word.strip_suffix('s')
        && long(singular, 3)
        && !singular.ends_with(['s', 'u', 'i'])
    {
        rest = singular;
    }
    if let Some(verb) = rest.strip_suffix("ing").or_else(|| rest.strip_suffix("ed"))
        && long(verb, 3)
        && verb.contains(['a', 'e', 'i', 'o', 'u'])
    {
        rest = verb;
        let mut ends = rest.chars().rev();
        if long(rest, 4) && ends.next() == ends.next() && !rest.ends_with(['l', 's']) {
            rest = &rest[..rest.len() - 1];
        }
    }
    // So that `titled` and `title` are one.
    rest.strip_suffix('e').filter(|short| long(short, 4)).unwrap_or(rest).to_owned()
}

/// The words of a name in code: `get_weather`, `getWeather`, `notes/list`, `HTTPServer`.
pub(super) fn split_name(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().take(MAX_NAME).collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let after = chars.get(at + 1);
        let new = c.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if (new || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// How many characters of a name are looked at.
const MAX_NAME: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_has_one_stem() {
        for (a, b) in [
            ("cities", "city"),
            ("Adds", "add"),
            ("added", "add"),
            ("boxes", "box"),
            ("titled", "title"),
            ("planning", "plan"),
            ("What's", "what"),
            ("times", "time"),
            ("notes", "note"),
            ("searches", "find"),
            ("Sums", "plus"),
            ("calling", "calls"),
            ("multiplied", "multiply"),
            ("Straßen", "straßen"),
        ] {
            assert_eq!(stem(&lower(a)), stem(&lower(b)));
        }
        for word in ["this", "bus", "glass", "is", "as", "ing", "sing", "bed"] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn some_words_say_nothing() {
        assert!(is_stop("the") && is_stop("your") && !is_stop("rome") && !is_stop(""));
        assert!(is_time("mondays") && is_time("now") && !is_time("may") && !is_time(""));
        assert!(is_generic("get") && !is_generic("add"));
    }

    #[test]
    fn names_of_code_are_words() {
        for (name, words) in [
            ("get_weather", "get weather"),
            ("getWeather", "get weather"),
            ("a/bC", "a b c"),
            ("HTTPServer", "http server"),
            ("__x__", "x"),
            ("", ""),
            ("día2", "día2"),
        ] {
            assert_eq!(split_name(name).join(" "), words);
        }
    }
}
