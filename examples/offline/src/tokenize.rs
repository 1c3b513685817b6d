//! Stems of words, stop words, and splitting of identifiers into words.

/// The maximum length of a name or a description, in characters. The remainder is ignored.
const MAX_READ: usize = 2000;

/// Stop words, which do not indicate the subject of a message.
pub(crate) const STOP: &str = "a about again all also am an and any are as at be but by can could current do does for \
    from had has have hello here hi how i if in into is it its just kindly know let like ll m may me my near \
    need no not now of ok on one or our out over please re s she should so some tell than thank thanks that the \
    their them then there these they this those to today tomorrow tonight too up us use used using want was \
    ve we were what when where which who whose why will with would yes you your";

/// Verbs that are common at the start of tool names.
pub(crate) const GENERIC: &str = "call check create do fetch find get give list look lookup make query read \
    return run set show tell";

/// Endings and their replacement in a stem; the first match applies.
const ENDINGS: &str = "ies:y ied:y sses:ss xes:x zes:z ches:ch shes:sh ss:ss us:us is:is s:";

/// Synonyms, as stems.
const SAME: &str = "plus:add sum:add minus:subtract search:find";

/// Returns whether `word` is in a whitespace-separated list.
pub(crate) fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// Returns the stem of a lower-case word for comparison: `cities` and `city`, `adds` and `add`.
pub(crate) fn stem(word: &str) -> String {
    let cut = |ending: &str| {
        let (ending, instead) = ending.split_once(':')?;
        let rest = word.strip_suffix(ending)?;
        (rest.len() + instead.len() > 2).then(|| format!("{rest}{instead}"))
    };
    let stem = ENDINGS.split(' ').find_map(cut).unwrap_or_else(|| word.to_owned());
    let verb = stem.strip_suffix("ing").or_else(|| stem.strip_suffix("ed"));
    let verb = verb.filter(|verb| verb.len() > 2 && verb.contains(['a', 'e', 'i', 'o', 'u']));
    let stem = verb.unwrap_or(&stem);
    // `titled` and `title` have the same stem, and so do `planning` and `plan`.
    let short =
        ["e", "nn", "pp", "tt", "gg"].iter().find(|end| stem.len() > 4 && stem.ends_with(**end));
    let stem = &stem[..stem.len() - usize::from(short.is_some())];
    let same = SAME.split(' ').find_map(|pair| pair.strip_prefix(stem)?.strip_prefix(':'));
    same.unwrap_or(stem).to_owned()
}

/// Splits text or an identifier such as `get_weather` or `getWeather` into lower-case words.
pub(crate) fn split(text: &str) -> Vec<String> {
    let (mut spaced, mut before) = (String::new(), ' ');
    for c in text.chars().take(MAX_READ) {
        if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
            spaced.push(' ');
        }
        spaced.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
        before = c;
    }
    spaced.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the stems of the words from [`split`].
pub(crate) fn stems(text: &str) -> Vec<String> {
    split(text).iter().map(|word| stem(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_has_one_stem() {
        for (a, b) in [
            ("cities", "city"),
            ("adds", "add"),
            ("added", "add"),
            ("boxes", "box"),
            ("titled", "title"),
            ("planning", "plan"),
            ("times", "time"),
            ("notes", "note"),
            ("searches", "find"),
            ("sums", "plus"),
            ("calling", "calls"),
            ("multiplied", "multiply"),
            ("straßen", "straßen"),
        ] {
            assert_eq!(stem(a), stem(b));
        }
        for word in ["this", "bus", "glass", "is", "as", "ing", "sing", "bed", ""] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn stop_words_are_recognized() {
        assert!(is_in(STOP, "the") && !is_in(STOP, "rome") && !is_in(STOP, ""));
        assert!(is_in(GENERIC, "get") && !is_in(GENERIC, "add"));
    }

    #[test]
    fn names_in_code_are_words() {
        for (name, words) in [
            ("get_weather", "get weather"),
            ("getWeather", "get weather"),
            ("a/bC", "a b c"),
            ("notes/list", "notes list"),
            ("__x__", "x"),
            ("", ""),
            ("día2", "día2"),
        ] {
            assert_eq!(split(name).join(" "), words);
        }
    }
}
