//! The sets of questions, read from their files.

use std::collections::BTreeSet;

use mnemon::recall::Question;

/// Questions with their memories, and what the teacher makes of them.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) groups: Vec<Group>,
    /// For each question the teacher's rank of the answer in its group, among
    /// all texts, and among all answers.
    pub(crate) teacher: Vec<[usize; 3]>,
}

/// A question and its memories, the right one first.
pub(crate) struct Group {
    pub(crate) question: &'static str,
    pub(crate) memories: Vec<&'static str>,
}

/// Wrong answers repeat words of the question in another sense.
pub(crate) fn misleading_words() -> Set {
    Set::read(
        "misleading words",
        include_str!("pairs.txt"),
        include_str!("pairs.teacher.txt"),
    )
}

/// Wrong answers are of the same or a neighbouring topic, in other words.
pub(crate) fn same_topic() -> Set {
    Set::read(
        "same topic",
        include_str!("topics.txt"),
        include_str!("topics.teacher.txt"),
    )
}

impl Set {
    fn read(name: &'static str, groups: &'static str, teacher: &str) -> Self {
        let set = Self {
            name,
            groups: groups.trim_end().split("\n\n").map(Group::read).collect(),
            teacher: teacher.lines().map(ranks).collect(),
        };
        assert_eq!(set.teacher.len(), set.groups.len());
        set
    }
}

impl Group {
    fn read(block: &'static str) -> Self {
        let marks: String = block.lines().map(|line| &line[..2]).collect();
        assert_eq!(marks, "? = - - - - ", "{block}");
        let mut texts = block.lines().map(|line| &line[2..]);
        Self {
            question: texts.next().expect("a question is first"),
            memories: texts.collect(),
        }
    }
}

fn ranks(line: &str) -> [usize; 3] {
    let mut fields = line
        .split('\t')
        .map(|field| field.parse().expect("a rank is a number"));
    std::array::from_fn(|_| fields.next().expect("three ranks are first"))
}

/// The stems of the words that say something.
fn stems(text: &str) -> BTreeSet<String> {
    let read = Question::parse(text).expect("no text is empty");
    read.words().map(|(_, stem)| stem.to_owned()).collect()
}

#[test]
fn no_answer_has_a_word_of_its_question() {
    for set in [misleading_words(), same_topic()] {
        for group in set.groups {
            let common = &stems(group.question) & &stems(group.memories[0]);
            assert!(common.is_empty(), "{}: {common:?}", group.question);
        }
    }
}

#[test]
fn wrong_answers_of_the_same_topic_have_no_word_of_the_question_or_the_answer() {
    for group in same_topic().groups {
        let taken = &stems(group.question) | &stems(group.memories[0]);
        for wrong in &group.memories[1..] {
            let common = &taken & &stems(wrong);
            assert!(common.is_empty(), "{}: {wrong}: {common:?}", group.question);
        }
    }
}
