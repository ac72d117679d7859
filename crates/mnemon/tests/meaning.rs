//! How well the built-in model knows what texts mean.
//!
//! `meaning/pairs.txt` has questions (`?`), the memory that answers each (`=`)
//! without a content word in common, and four texts (`-`) that mislead, most by
//! repeating a word of the question in another sense. `meaning/teacher.txt`
//! has the ranks that the model's teacher, all-MiniLM-L6-v2, gives the answers.
//! The levels asserted here are what was measured when the table was made: a
//! table that falls below them is worse. They are no goal that was reached:
//! a sum of words is misled by a word in common far more than its teacher is.

use std::collections::BTreeSet;

use mnemon::embed::{BuiltIn, Embedder, Vector};
use mnemon::recall::Question;

fn vectors(texts: &[&str]) -> Vec<Vector> {
    let found = BuiltIn::new()
        .embed(texts)
        .expect("the built-in model never fails");
    found
        .into_iter()
        .map(|vector| vector.expect("English is known"))
        .collect()
}

fn shown(a: &str, b: &str) -> f32 {
    let [a, b] = &vectors(&[a, b])[..] else {
        unreachable!("two texts have two vectors")
    };
    BuiltIn::new().similarity(a.cosine(b))
}

#[test]
fn a_question_about_the_theme_finds_the_preference_for_dark_mode() {
    let question = "What theme does the user prefer?";
    let similarity = shown(question, "The user prefers dark mode");
    assert!(similarity > 0.7, "{similarity}");
    for unrelated in [
        "The deployment runs on Kubernetes",
        "The cat slept on the sofa",
        "We had pasta for lunch",
        "The billing service times out",
        "Her flight to Oslo leaves at nine",
        "The user lives in Berlin",
    ] {
        let similarity = shown(question, unrelated);
        assert!(similarity < 0.6, "{unrelated}: {similarity}");
    }
}

/// The stems of the words that say something.
fn stems(text: &str) -> BTreeSet<String> {
    let read = Question::parse(text).expect("no text is empty");
    read.words().map(|(_, stem)| stem.to_owned()).collect()
}

#[test]
fn answers_have_no_word_of_the_question_and_texts_of_a_topic_none_of_both() {
    let sets = [
        (include_str!("meaning/pairs.txt"), false),
        (include_str!("meaning/topics.txt"), true),
    ];
    for (set, others_too) in sets {
        for block in set.trim_end().split("\n\n") {
            let words: Vec<_> = block.lines().map(|line| stems(&line[2..])).collect();
            assert!(words[0].is_disjoint(&words[1]), "{block}");
            let (asked, others) = (&words[0] | &words[1], &words[2..]);
            assert!(
                !others_too || others.iter().all(|other| other.is_disjoint(&asked)),
                "{block}"
            );
        }
    }
}

/// A question and its memories, the right one first.
struct Group {
    question: Vector,
    memories: Vec<Vector>,
}

fn groups() -> Vec<Group> {
    let read = |block: &str| {
        let texts: Vec<&str> = block.lines().map(|line| &line[2..]).collect();
        let marks: String = block.lines().map(|line| &line[..2]).collect();
        assert_eq!(marks, "? = - - - - ", "{block}");
        let mut memories = vectors(&texts);
        Group {
            question: memories.remove(0),
            memories,
        }
    };
    include_str!("meaning/pairs.txt")
        .split("\n\n")
        .map(read)
        .collect()
}

/// The place of the right memory among the candidates, the first being 1; one
/// that is as near counts as before it.
fn rank<'a>(group: &Group, candidates: impl Iterator<Item = &'a Vector>) -> usize {
    let right = group.question.cosine(&group.memories[0]);
    candidates
        .filter(|candidate| group.question.cosine(candidate) >= right)
        .count()
}

fn top_3<'a>(ranks: impl IntoIterator<Item = &'a usize>) -> (usize, usize) {
    ranks.into_iter().fold((0, 0), |(good, all), &rank| {
        (good + usize::from(rank <= 3), all + 1)
    })
}

#[test]
fn answers_without_a_common_word_are_found_as_often_as_was_measured() {
    let groups = groups();
    let teacher: Vec<usize> = include_str!("meaning/teacher.txt")
        .lines()
        .map(|line| line.split('\t').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(teacher.len(), groups.len());

    let answers = || groups.iter().map(|group| &group.memories[0]);
    let all = || groups.iter().flat_map(|group| &group.memories);
    let in_group: Vec<usize> = groups
        .iter()
        .map(|group| rank(group, group.memories.iter()))
        .collect();
    let in_all: Vec<usize> = groups.iter().map(|group| rank(group, all())).collect();
    let in_answers: Vec<usize> = groups.iter().map(|group| rank(group, answers())).collect();
    let right_for_teacher = in_group
        .iter()
        .zip(&teacher)
        .filter(|&(_, &teacher)| teacher <= 3);

    let measured = [
        ("in its group", top_3(&in_group), 43),
        (
            "in its group, where the teacher is right",
            top_3(right_for_teacher.map(|(rank, _)| rank)),
            39,
        ),
        ("among all texts", top_3(&in_all), 18),
        ("among all answers", top_3(&in_answers), 75),
    ];
    let report: Vec<String> = measured
        .iter()
        .map(|(place, (good, all), _)| format!("top 3 {place}: {good} of {all}"))
        .collect();
    for (place, (good, _), level) in measured {
        assert!(
            good >= level,
            "{place}: {good} is below {level}\n{}",
            report.join("\n")
        );
    }
    #[expect(
        clippy::print_stdout,
        reason = "the figures, for who asks with --nocapture"
    )]
    {
        println!("{}", report.join("\n"));
    }
}
