//! The summary that stands for a run of turns: who spoke, when, and the
//! sentences at the centre, quoted. It makes up nothing.

use serde_json::{Map, json};

use crate::memory::body::artifact::Artifact;
use crate::memory::{Body, Draft, Importance, Kind, Link, Memory, Relation, Tag, Text};
use crate::recall::aggregate::{Quote, quotes};
use crate::time::Time;

/// The relation of a summary to each turn that it replaced.
pub const SUMMARIZES: &str = "summarizes";

/// What its body calls it.
pub const CONVERSATION_SUMMARY: &str = "conversation_summary";

/// A summary quotes so much of the text, and no more than so many bytes.
const QUOTED_PERCENT: usize = 12;
const QUOTED_BYTES_MAX: usize = 4_000;
/// One sentence fits always.
const QUOTED_BYTES_MIN: usize = 300;

/// About how long a sentence is.
const SENTENCE_BYTES: usize = 100;

/// So many labels of the turns, those that most of them have.
const TAGS_MAX: usize = 5;

/// A summary matters as much as the most important of its turns, but more than most, and not so
/// much that it could never go: it does not fade.
const IMPORTANCE_MIN: f64 = 0.6;
const IMPORTANCE_MAX: f64 = 0.7;

/// What a line of a log has beside the texts.
const LINE_BYTES: u64 = 330;

/// Whether a memory is a summary that a compaction made.
pub fn is_summary(memory: &Memory) -> bool {
    matches!(&memory.body, Body::Artifact(artifact)
        if artifact.artifact_type.as_deref() == Some(CONVERSATION_SUMMARY))
        && memory
            .links
            .iter()
            .any(|link| link.rel.as_str() == SUMMARIZES)
}

/// The summary of turns in their order, and about how many bytes it takes; none of no turns.
pub(crate) fn summary(turns: &[&Memory]) -> Option<(Draft, u64)> {
    let (first, last) = (turns.first()?, turns.last()?);
    let period = period(first.created_at, last.created_at);
    let who = speakers(turns);
    // What deserves more care is in the archive, not in a summary that all may read.
    let quotable: Vec<&Memory> = turns
        .iter()
        .filter(|it| it.is_quotable())
        .copied()
        .collect();
    let mut text = format!("Conversation of {period}: {}", count(turns.len()));
    if !who.is_empty() {
        text.push_str(" by ");
        text.push_str(&who.join(", "));
    }
    text.push('.');
    for quote in chosen(&quotable) {
        text.push('\n');
        if let Some(author) = &quote.author {
            text.push_str(author);
            text.push_str(": ");
        }
        text.push_str(&quote.text);
    }
    let mut extra = Map::new();
    extra.insert("method".into(), json!("extractive"));
    extra.insert("participants".into(), json!(who));
    extra.insert("period_start".into(), json!(first.created_at));
    extra.insert("period_end".into(), json!(last.created_at));
    extra.insert("turns".into(), json!(turns.len()));
    let mut draft = Draft::new(Kind::Artifact, Text::try_from(text).ok()?);
    draft.body = Body::Artifact(Artifact {
        artifact_type: Some(CONVERSATION_SUMMARY.into()),
        title: Some(format!("Conversation of {period}")),
        extra,
        ..Artifact::default()
    });
    let links = turns.iter().map(|turn| Link {
        rel: Relation::known(SUMMARIZES),
        to: turn.id.clone(),
    });
    draft.links = links.collect();
    draft.tags = common_tags(turns);
    let importance = turns
        .iter()
        .map(|turn| turn.importance.get())
        .fold(IMPORTANCE_MIN, f64::max)
        .min(IMPORTANCE_MAX);
    draft.importance = Importance::try_from(importance).unwrap_or_default();
    // Questions about that time find it there.
    draft.created_at = Some(last.created_at);
    let bytes = bytes_of(&draft);
    Some((draft, bytes))
}

/// The most central sentences, in order, as many as fit.
fn chosen(turns: &[&Memory]) -> Vec<Quote> {
    let text_bytes: usize = turns.iter().map(|turn| turn.text.as_str().len()).sum();
    let most = (text_bytes * QUOTED_PERCENT / 100).clamp(QUOTED_BYTES_MIN, QUOTED_BYTES_MAX);
    let mut all = quotes(turns, None, most / SENTENCE_BYTES);
    // The order of the conversation comes back when the best are known.
    let mut by_rank: Vec<usize> = (0..all.len()).collect();
    by_rank.sort_by(|a, b| {
        let rank = all[*b].centrality.total_cmp(&all[*a].centrality);
        rank.then(a.cmp(b))
    });
    let mut left = most;
    let mut fits = vec![false; all.len()];
    for place in by_rank {
        let author = all[place].author.as_ref().map_or(0, |name| name.len() + 2);
        let bytes = all[place].text.len() + author + 1;
        if bytes <= left {
            left -= bytes;
            fits[place] = true;
        }
    }
    let mut fits = fits.into_iter();
    all.retain(|_| fits.next() == Some(true));
    all
}

/// `2026-01-03`, or `2026-01-03 to 2026-01-05`.
fn period(start: Time, end: Time) -> String {
    let day = |time: Time| time.to_string().chars().take(10).collect::<String>();
    let (start, end) = (day(start), day(end));
    if start == end {
        start
    } else {
        format!("{start} to {end}")
    }
}

/// Who spoke, in the order of their first turns.
fn speakers(turns: &[&Memory]) -> Vec<String> {
    let mut who: Vec<String> = Vec::new();
    for author in turns.iter().filter_map(|turn| turn.author.as_ref()) {
        if !who.iter().any(|known| known == author.as_str()) {
            who.push(author.to_string());
        }
    }
    who
}

fn common_tags(turns: &[&Memory]) -> Vec<Tag> {
    let mut counted: Vec<(&Tag, usize)> = Vec::new();
    for tag in turns.iter().flat_map(|turn| &turn.tags) {
        match counted.iter_mut().find(|(known, _)| *known == tag) {
            Some((_, count)) => *count += 1,
            None => counted.push((tag, 1)),
        }
    }
    // Stable: of equally common ones the first.
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let tags = counted.into_iter().take(TAGS_MAX);
    tags.map(|(tag, _)| tag.clone()).collect()
}

fn count(turns: usize) -> String {
    match turns {
        1 => "1 turn".into(),
        more => format!("{more} turns"),
    }
}

fn bytes_of(draft: &Draft) -> u64 {
    let parts = json!([
        draft.text.as_str(),
        draft.body.to_map(),
        draft.links,
        draft.tags
    ]);
    LINE_BYTES + parts.to_string().len() as u64
}

#[cfg(test)]
mod tests {
    use super::super::golden::turn;
    use super::*;

    #[test]
    fn a_summary_says_who_and_when_quotes_and_links() {
        let texts = [
            (
                "dana",
                "Hi! We store tokens in the phone's keychain for an hour.",
            ),
            ("rev", "Tokens in the keychain live for one hour? Fine."),
            (
                "dana",
                "The weather in Lisbon was lovely and warm last week.",
            ),
        ];
        let turns: Vec<Memory> = (1..)
            .zip(texts)
            .map(|(number, (by, text))| {
                let mut turn = turn(number, 300 - i64::from(number), text);
                turn.author = Some(by.parse().unwrap());
                turn.tags = vec!["auth".parse().unwrap()];
                turn
            })
            .collect();
        let (draft, bytes) = summary(&turns.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(
            draft.text.as_str(),
            "Conversation of 2026-05-20: 3 turns by dana, rev.\n\
             dana: We store tokens in the phone's keychain for an hour.\n\
             rev: Tokens in the keychain live for one hour?\n\
             dana: The weather in Lisbon was lovely and warm last week."
        );
        assert_eq!(draft.created_at, Some(turns[2].created_at));
        let linked: Vec<_> = draft.links.iter().map(|link| link.to.as_str()).collect();
        assert_eq!(linked, ["turn_1", "turn_2", "turn_3"]);
        assert_eq!(draft.tags.len(), 1);
        let body = draft.body.to_map();
        assert_eq!(body["turns"], 3);
        assert_eq!(body["period_start"], turns[0].created_at.to_string());
        let at = "2026-06-01T00:00:00Z".parse().unwrap();
        let id = "art_1".parse().unwrap();
        let memory = draft.into_memory(id, "session/s".parse().unwrap(), None, at);
        assert!(is_summary(&memory));
        assert!((700..1_200).contains(&bytes), "{bytes}");
    }

    #[test]
    fn sensitive_turns_are_counted_and_not_quoted() {
        let mut secret = turn(1, 300, "The launch code of the rocket is seven");
        secret.sensitive = true;
        let (draft, _) = summary(&[&secret]).unwrap();
        assert_eq!(draft.text.as_str(), "Conversation of 2026-05-20: 1 turn.");
        assert_eq!(draft.links.len(), 1);
        assert!(summary(&[]).is_none());
    }

    #[test]
    fn a_summary_is_much_shorter_than_what_it_stands_for() {
        let turns: Vec<Memory> = (1..=100)
            .map(|number| {
                let text = format!(
                    "Point {number} was about the parser of module {} and the way that it \
                     reads numbers. We looked at it for a while and tried the case of {} \
                     digits. Nothing came of it, so we went on with the next one after lunch.",
                    number % 7,
                    number * 3
                );
                turn(number, 300, &text)
            })
            .collect();
        let said: usize = turns.iter().map(|turn| turn.text.as_str().len()).sum();
        let (draft, _) = summary(&turns.iter().collect::<Vec<_>>()).unwrap();
        let own = draft.text.as_str().len();
        assert!(own > 1_000 && own * 100 <= said * 14, "{own} of {said}");
    }
}
