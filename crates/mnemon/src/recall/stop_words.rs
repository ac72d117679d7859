//! Words that say nothing about what is looked for.
//!
//! They are indexed all the same: a question of nothing but such words is
//! answered with them, and phrases need them.

/// In the order of the alphabet, folded, not stemmed.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "aren't", "as", "at", "be", "been", "being",
    "both", "but", "by", "can", "can't", "could", "couldn't", "did", "didn't", "do", "does", "doesn't", "doing",
    "don't", "done", "down", "each", "else", "for", "from", "had", "hadn't", "has", "hasn't", "have", "haven't",
    "having", "he", "he's", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "i'd",
    "i'll", "i'm", "i've", "if", "in", "into", "is", "isn't", "it", "it's", "its", "itself", "just", "let's",
    "may", "me", "might", "mine", "more", "most", "must", "my", "myself", "no", "nor", "not", "of", "off", "on",
    "only", "onto", "or", "other", "our", "ours", "ourselves", "out", "over", "own", "same", "shall", "she",
    "she's", "should", "shouldn't", "so", "some", "such", "than", "that", "that's", "the", "their", "theirs",
    "them", "themselves", "then", "there", "there's", "these", "they", "they'd", "they'll", "they're",
    "they've", "this", "those", "to", "too", "under", "up", "us", "very", "was", "wasn't", "we", "we'd",
    "we'll", "we're", "we've", "were", "weren't", "what", "what's", "when", "where", "which", "who", "who's",
    "whom", "whose", "why", "will", "with", "without", "won't", "would", "wouldn't", "yes", "you", "you'd",
    "you'll", "you're", "you've", "your", "yours", "yourself",
];

/// Whether a folded word says nothing about what is looked for.
pub(crate) fn is_stop_word(folded: &str) -> bool {
    WORDS.binary_search(&folded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_so_that_it_can_be_searched() {
        assert!(WORDS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("isn't") && !is_stop_word("theme"));
    }
}
