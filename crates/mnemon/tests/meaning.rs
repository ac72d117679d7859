//! How well texts are found whose words are not those of the question.
//!
//! `meaning/*.txt` have 126 questions (`?`), the memory that answers each (`=`)
//! without a content word in common, and four wrong answers (`-`): in `topics`
//! of the same or a neighbouring topic, in other words; in `pairs` misleading,
//! most by a word of the question in another sense. `*.teacher.txt` have the
//! ranks that the model's teacher, all-MiniLM-L6-v2, gives the answers.
//! The figures and the limits are in `tools/embedding/README.md`.

#[path = "meaning/sets.rs"]
mod sets;

use mnemon::embed::{BuiltIn, Embedder, Vector};
use mnemon::memory::{Draft, Kind, Space};
use mnemon::recall::{Mode, Query, Question};
use mnemon::store::{Filter, OnFull};
use mnemon::{Caller, Mnemon, Result};

use sets::Set;

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

/// How often the answer is among the first, and how often it was when this was measured.
struct Measured {
    what: &'static str,
    top: usize,
    good: usize,
    all: usize,
    level: usize,
}

impl Measured {
    fn new<'a>(
        what: &'static str,
        ranks: impl IntoIterator<Item = &'a usize>,
        top: usize,
        level: usize,
    ) -> Self {
        let ranks: Vec<_> = ranks.into_iter().collect();
        Self {
            what,
            top,
            good: ranks.iter().filter(|rank| ***rank <= top).count(),
            all: ranks.len(),
            level,
        }
    }
}

#[expect(
    clippy::print_stdout,
    reason = "the figures, for who asks with --nocapture"
)]
fn check(set: &Set, measured: &[Measured]) {
    let mut below = Vec::new();
    for Measured {
        what,
        top,
        good,
        all,
        level,
    } in measured
    {
        let line = format!("{}: top {top} {what}: {good} of {all}", set.name);
        println!("{line}");
        if good < level {
            below.push(format!("{line}, below {level}"));
        }
    }
    assert!(below.is_empty(), "{}", below.join("\n"));
}

/// The ranks of the answers by the vectors alone; the first is 1, and what is
/// as near as the answer counts as before it.
#[derive(Default)]
struct Ranks {
    group: Vec<usize>,
    all: Vec<usize>,
    answers: Vec<usize>,
}

impl Ranks {
    fn of(set: &Set) -> Self {
        let embedded = set.groups.iter().map(|group| {
            let question = vectors(&[group.question]).remove(0);
            (question, vectors(&group.memories))
        });
        let groups: Vec<(Vector, Vec<Vector>)> = embedded.collect();
        let mut ranks = Self::default();
        for (question, own) in &groups {
            let right = question.cosine(&own[0]);
            let as_near = |other: &&Vector| question.cosine(other) >= right;
            let all = groups.iter().flat_map(|(_, others)| others);
            let answers = groups.iter().map(|(_, others)| &others[0]);
            ranks.group.push(own.iter().filter(as_near).count());
            ranks.all.push(all.filter(as_near).count());
            ranks.answers.push(answers.filter(as_near).count());
        }
        ranks
    }
}

/// The ranks in the group of the answers that the teacher has among its first three.
fn where_the_teacher_is_right<'a>(
    set: &'a Set,
    in_group: &'a [usize],
) -> impl Iterator<Item = &'a usize> {
    let both = in_group.iter().zip(&set.teacher);
    both.filter(|(_, teacher)| teacher[0] <= 3)
        .map(|(rank, _)| rank)
}

/// The goal was 0.9 of what the teacher has in the top 3 of a group: 106 of 116
/// are 0.91. Of all 126 the table has 111, the teacher 116. Among all 630 texts
/// it is far behind its teacher, which has 73 in the top 3 and 93 in the top 10.
#[test]
fn among_wrong_answers_of_the_same_topic_the_table_keeps_nine_tenths_of_its_teacher() {
    let set = sets::same_topic();
    let ranks = Ranks::of(&set);
    let both = where_the_teacher_is_right(&set, &ranks.group);
    let both = Measured::new("in its group, where the teacher's is", both, 3, 106);
    assert!(both.good * 10 >= both.all * 9);
    check(
        &set,
        &[
            both,
            Measured::new("in its group", &ranks.group, 1, 70),
            Measured::new("in its group", &ranks.group, 3, 111),
            Measured::new("among all texts", &ranks.all, 3, 35),
            Measured::new("among all texts", &ranks.all, 10, 64),
            Measured::new("among all answers", &ranks.answers, 3, 75),
            Measured::new("among all answers", &ranks.answers, 10, 99),
        ],
    );
}

/// The goal is missed here: 39 of 86 are 0.45. A sum of words is misled by a
/// word in common far more than its teacher is. The levels are what was
/// measured when the table was made; one that falls below them is worse.
#[test]
fn among_misleading_words_answers_are_found_as_often_as_was_measured() {
    let set = sets::misleading_words();
    let ranks = Ranks::of(&set);
    let both = where_the_teacher_is_right(&set, &ranks.group);
    check(
        &set,
        &[
            Measured::new("in its group, where the teacher's is", both, 3, 39),
            Measured::new("in its group", &ranks.group, 1, 3),
            Measured::new("in its group", &ranks.group, 3, 43),
            Measured::new("among all texts", &ranks.all, 3, 18),
            Measured::new("among all texts", &ranks.all, 10, 50),
        ],
    );
}

/// A store with every memory of a set, each named after its group and place.
fn store(set: &Set) -> Result<(tempfile::TempDir, Mnemon)> {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let mnemon = Mnemon::open(folder.path())?;
    let mut drafts = Vec::new();
    // All of one moment, so that none is preferred for being new.
    let created_at = Some(mnemon.now());
    for (group, texts) in set.groups.iter().enumerate() {
        for (place, text) in texts.memories.iter().enumerate() {
            drafts.push(Draft {
                id: Some(name(group, place).parse()?),
                created_at,
                ..Draft::new(Kind::Fact, text.parse()?)
            });
        }
    }
    let caller = Caller::user("ada");
    mnemon.remember_all(&caller, &Space::Shared, drafts, OnFull::Refuse)?;
    Ok((folder, mnemon))
}

fn name(group: usize, place: usize) -> String {
    format!("{group}-{place}")
}

/// What the engine finds for each question, the best first.
fn recalled(set: &Set, mnemon: &Mnemon, mode: Mode, limit: usize) -> Result<Vec<Vec<String>>> {
    let ask = |group: &sets::Group| {
        let question = Question::parse(group.question)?;
        let mut query = Query::new(question, Filter::all(mnemon.now().micros()));
        query.mode = mode;
        query.min_similarity = Some(0.0);
        query.filter.limit = limit;
        let hits = mnemon.recall(&Caller::user("ada"), &query)?.hits;
        Ok(hits.iter().map(|hit| hit.memory.id.to_string()).collect())
    };
    set.groups.iter().map(ask).collect()
}

/// The ranks of the answers among all memories.
fn in_all(found: &[Vec<String>]) -> Vec<usize> {
    let rank = |(group, names): (usize, &Vec<String>)| {
        let place = names.iter().position(|found| *found == name(group, 0));
        place.map_or(usize::MAX, |place| place + 1)
    };
    found.iter().enumerate().map(rank).collect()
}

/// The ranks of the answers among the memories of their groups.
fn in_group(found: &[Vec<String>]) -> Vec<usize> {
    let rank = |(group, names): (usize, &Vec<String>)| {
        let own: Vec<String> = (0..5).map(|place| name(group, place)).collect();
        let mut names = names.iter().filter(|name| own.contains(name));
        let place = names.position(|found| *found == own[0]);
        place.map_or(usize::MAX, |place| place + 1)
    };
    found.iter().enumerate().map(rank).collect()
}

/// Words alone can't find what has no word of the question. Together with
/// meaning they put texts first that have one, so that in the top 3 meaning
/// alone is better, and in the top 10 as good.
fn check_engine(set: &Set, levels: [usize; 6]) -> Result<()> {
    let (_folder, mnemon) = store(set)?;
    let page = |mode| Ok(in_all(&recalled(set, &mnemon, mode, Query::LIMIT)?));
    let (hybrid, semantic, text) = (
        page(Mode::Hybrid)?,
        page(Mode::Semantic)?,
        page(Mode::Text)?,
    );
    let everything = 5 * set.groups.len();
    let ordered = in_group(&recalled(set, &mnemon, Mode::Hybrid, everything)?);
    let both = where_the_teacher_is_right(set, &ordered);
    assert!(text.iter().all(|rank| *rank == usize::MAX));
    check(
        set,
        &[
            Measured::new("of a hybrid recall", &hybrid, 3, levels[0]),
            Measured::new("of a hybrid recall", &hybrid, 10, levels[1]),
            Measured::new("of a recall by meaning", &semantic, 3, levels[2]),
            Measured::new("of a recall by meaning", &semantic, 10, levels[3]),
            Measured::new("in its group, hybrid", &ordered, 3, levels[4]),
            Measured::new(
                "in its group, hybrid, where the teacher's is",
                both,
                3,
                levels[5],
            ),
        ],
    );
    Ok(())
}

#[test]
fn the_engine_finds_answers_among_others_of_their_topic_as_often_as_was_measured() -> Result<()> {
    check_engine(&sets::same_topic(), [25, 65, 35, 64, 112, 106])
}

#[test]
fn the_engine_finds_answers_among_misleading_words_as_often_as_was_measured() -> Result<()> {
    check_engine(&sets::misleading_words(), [3, 50, 18, 50, 14, 13])
}
