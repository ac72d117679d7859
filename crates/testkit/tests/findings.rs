//! Questions that once got a wrong answer.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::sync::Arc;

use mnemon::memory::{Author, Draft, Kind, Link, Memory, Space};
use mnemon::recall::{Mode, Query, Question, Recalled};
use mnemon::store::Filter;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Code, Config, Mnemon};
use tempfile::TempDir;

struct Desk {
    _folder: TempDir,
    mnemon: Mnemon,
    me: Caller,
}

impl Desk {
    /// A store whose tables are filled after every memory, or never.
    fn new(pending_max: u32) -> Self {
        let folder = TempDir::new().unwrap();
        let options = LocalOptions {
            pending_max,
            ..LocalOptions::default()
        };
        let store = Arc::new(LocalStore::create(folder.path(), options).unwrap());
        Self {
            mnemon: Mnemon::new(store, Config::default()),
            me: Caller::user("ada"),
            _folder: folder,
        }
    }

    fn keep(&self, change: impl FnOnce(&mut Draft), text: &str) -> Memory {
        let mut draft = Draft::new(Kind::Fact, text.parse().unwrap());
        change(&mut draft);
        let kept = self
            .mnemon
            .remember(&self.me, &Space::Shared, draft)
            .unwrap();
        self.mnemon.get(&self.me, kept.id.as_str(), None).unwrap()
    }

    fn query(&self, text: &str, mode: Mode) -> Query {
        let filter = Filter::all(self.mnemon.now().micros());
        Query {
            mode,
            ..Query::new(Question::parse(text).unwrap(), filter)
        }
    }

    fn ask(&self, text: &str, mode: Mode) -> Recalled {
        let query = self.query(text, mode);
        self.mnemon.recall(&self.me, &query).unwrap()
    }

    fn texts(&self, text: &str, mode: Mode) -> Vec<String> {
        let recalled = self.ask(text, mode);
        let hits = recalled.hits.iter();
        hits.map(|hit| hit.memory.text.to_string()).collect()
    }
}

fn both(check: impl Fn(Desk)) {
    check(Desk::new(1));
    check(Desk::new(1000));
}

#[test]
fn an_agent_that_is_called_by_what_it_does_is_no_answer_to_what_it_does() {
    both(|desk| {
        let by = |name: &str| {
            let author: Author = name.parse().unwrap();
            move |draft: &mut Draft| draft.author = Some(author)
        };
        for number in 0..4 {
            let text = format!("Nightly job {number} finished without errors");
            desk.keep(by("search-agent"), &text);
        }
        let wanted = "Full-text search uses BM25 and its own ranking";
        desk.keep(by("ada"), wanted);
        assert_eq!(desk.texts("search ranking", Mode::Hybrid)[0], wanted);
        desk.keep(by("security-reviewer"), "The review of last week is done");
        desk.keep(by("ada"), "Security of the login needs a second factor");
        let near = desk.ask("security", Mode::Hybrid);
        assert!(
            near.hits[0].similarity.is_some(),
            "the question has a vector"
        );
        assert!(!desk.texts("security", Mode::Semantic).is_empty());
    });
}

#[test]
fn one_character_of_a_script_without_spaces_is_found() {
    both(|desk| {
        for text in [
            "猫が好きです",
            "会議は３時に始まる",
            "version 1.2.3",
            "バリ島",
            "パリの夜",
        ] {
            desk.keep(|_| (), text);
        }
        for mode in [Mode::Text, Mode::Hybrid] {
            assert_eq!(desk.texts("猫", mode)[0], "猫が好きです");
            assert_eq!(desk.texts("3時", mode)[0], "会議は３時に始まる");
            assert_eq!(desk.texts("パリ", mode)[0], "パリの夜");
        }
        assert_eq!(desk.texts("バリ", Mode::Text), ["バリ島"]);
    });
}

#[test]
fn a_whole_sentence_without_spaces_is_found_by_what_it_shares() {
    both(|desk| {
        desk.keep(|_| (), "数据库迁移在周五完成");
        desk.keep(|_| (), "会议在下午");
        let found = desk.texts("数据库什么时候迁移", Mode::Text);
        assert_eq!(found[0], "数据库迁移在周五完成");
    });
}

#[test]
fn what_a_forgotten_memory_replaced_is_not_replaced_any_more() {
    both(|desk| {
        let old = desk.keep(|_| (), "The API limit is 100 requests");
        let link: Link = Link {
            rel: "supersedes".parse().unwrap(),
            to: old.id.clone(),
        };
        let new = desk.keep(
            |draft| draft.links = vec![link],
            "The API limit is 200 requests",
        );
        let is_replaced = || {
            let recalled = desk.ask("API limit", Mode::Hybrid);
            let hit = recalled.hits.iter().find(|hit| hit.memory.id == old.id);
            hit.unwrap()
                .why
                .iter()
                .any(|part| part.name == "superseded")
        };
        assert!(is_replaced());
        let new = [new];
        desk.mnemon.forget(&desk.me, &new, "wrong").unwrap();
        assert!(!is_replaced());
        desk.mnemon.unforget(&desk.me, &new, "right").unwrap();
        assert!(is_replaced());
    });
}

#[test]
fn excess_of_filters_is_refused_and_not_called_damage() {
    let desk = Desk::new(1);
    desk.keep(|_| (), "something");
    let tags = |count: usize| {
        let tags = (0..count).map(|number| format!("t{number}").parse().unwrap());
        tags.collect::<Vec<_>>()
    };
    for count in [Filter::TAGS_MAX, Filter::TAGS_MAX + 1, 5000] {
        let mut query = desk.query("something", Mode::Hybrid);
        query.filter.any_tags = tags(count);
        query.filter.not_tags = tags(Filter::TAGS_MAX);
        let found = desk.mnemon.recall(&desk.me, &query);
        let listed = desk.mnemon.list(&desk.me, &query.filter);
        if count <= Filter::TAGS_MAX {
            assert_eq!(
                found.unwrap().hits.len() + listed.unwrap().memories.len(),
                0
            );
        } else {
            assert_eq!(found.unwrap_err().code(), Code::InvalidQuery);
            assert_eq!(listed.unwrap_err().code(), Code::InvalidQuery);
        }
    }
}

#[test]
fn totals_count_what_is_near_and_what_is_by_whom_is_named() {
    both(|desk| {
        let priya: Author = "Priya".parse().unwrap();
        for number in 0..20 {
            let by = priya.clone();
            desk.keep(
                |draft| draft.author = Some(by),
                &format!("Access token {number} lives long"),
            );
        }
        let near = desk.ask("how long do tokens live", Mode::Semantic);
        assert_eq!(near.total, 20, "{near:?}");
        assert_eq!(desk.ask("Priya", Mode::Hybrid).total, 20);
        assert_eq!(desk.ask("Priya", Mode::Text).total, 20);
    });
}

#[test]
fn similarity_is_told_for_hits_by_words_too() {
    both(|desk| {
        desk.keep(|_| (), "The token is rotated");
        let recalled = desk.ask("token", Mode::Text);
        assert!(recalled.hits[0].similarity.is_some() && recalled.hits[0].cosine.is_some());
    });
}

#[test]
fn phrases_do_not_reach_from_the_text_into_tags() {
    both(|desk| {
        let tag = "token.rotation".parse().unwrap();
        desk.keep(|draft| draft.tags = vec![tag], "Please hit refresh");
        assert!(desk.texts("\"refresh token\"", Mode::Text).is_empty());
        assert_eq!(desk.texts("\"token rotation\"", Mode::Text).len(), 1);
    });
}

#[test]
fn wildcards_in_identifiers_and_letters_without_accents_are_found() {
    both(|desk| {
        for text in [
            "the rate-limiter is on",
            "rate of the dollar",
            "Straße in Łódź",
        ] {
            desk.keep(|_| (), text);
        }
        assert_eq!(
            desk.texts("rate-lim*", Mode::Text),
            ["the rate-limiter is on"]
        );
        assert_eq!(desk.texts("strasse lodz", Mode::Text), ["Straße in Łódź"]);
    });
}

#[test]
fn scores_are_the_sums_of_their_parts() {
    let desk = Desk::new(100);
    for number in 0..300 {
        desk.keep(
            |_| (),
            &format!("Note {number} about tokens and the {} day", number % 7),
        );
    }
    let mut query = desk.query("how long do tokens live", Mode::Hybrid);
    query.filter.limit = 1000;
    for hit in desk.mnemon.recall(&desk.me, &query).unwrap().hits {
        let weight = |says: &str| {
            let weight = says
                .rsplit_once("(× ")
                .map(|(_, rest)| rest.trim_end_matches(')'));
            weight.map_or(1.0, |weight| weight.parse::<f64>().unwrap())
        };
        let sum: f64 = hit
            .why
            .iter()
            .map(|part| part.value * weight(&part.says))
            .sum();
        assert!(
            (sum - hit.score).abs() < 1e-9,
            "{sum} {}: {:?}",
            hit.score,
            hit.why
        );
    }
}

#[test]
fn what_recall_finds_counts_as_asked_for() {
    let desk = Desk::new(1);
    let kept = desk.keep(|_| (), "The token is rotated");
    desk.ask("token", Mode::Hybrid);
    desk.ask("token", Mode::Hybrid);
    desk.mnemon.flush(&desk.me).unwrap();
    let found = desk.mnemon.get(&desk.me, kept.id.as_str(), None).unwrap();
    assert_eq!(found.state.access_count, 3, "got once, recalled twice");
}

#[test]
fn what_was_recalled_and_is_erased_since_refuses_no_write() {
    let desk = Desk::new(1);
    let kept = desk.keep(|_| (), "The token is rotated");
    desk.mnemon.erase(&desk.me, &[kept], "asked to").unwrap();
    let other = desk.keep(|_| (), "Another thing");
    desk.ask("another thing", Mode::Hybrid);
    desk.mnemon.erase(&desk.me, &[other], "asked to").unwrap();
    desk.keep(|_| (), "A third thing");
}
