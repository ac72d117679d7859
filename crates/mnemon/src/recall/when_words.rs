//! Words that say when something was or will be.

/// In the order of the alphabet, folded, not stemmed.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "ago", "april", "august", "autumn", "december", "february", "friday", "january", "july", "june", "last",
    "march", "monday", "month", "months", "next", "november", "october", "recently", "saturday", "september",
    "since", "spring", "summer", "sunday", "thursday", "today", "tomorrow", "tonight", "tuesday", "wednesday",
    "week", "weekend", "weeks", "winter", "year", "years", "yesterday",
];

/// Whether a folded word says when something was or will be.
pub(super) fn says_when(folded: &str) -> bool {
    WORDS.binary_search(&folded).is_ok() || year(folded).is_some()
}

/// 1900 to 2099.
pub(super) fn year(word: &str) -> Option<i16> {
    let digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let year: i16 = word.parse().ok().filter(|_| digits)?;
    (1900..2100).contains(&year).then_some(year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_when_by_days_months_years_and_spans() {
        assert!(WORDS.is_sorted());
        for word in ["june", "weeks", "ago", "friday", "1999", "2099"] {
            assert!(says_when(word), "{word}");
        }
        for word in ["nice", "3023", "may", "19990", "1899", "2100", "+199"] {
            assert!(!says_when(word), "{word}");
        }
    }
}
