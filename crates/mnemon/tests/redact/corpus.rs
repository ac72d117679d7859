//! A corpus that the rules were not made with: what people write down, half of
//! it look-alikes. How much is found and how much is taken by mistake is printed.

use mnemon::Config;
use mnemon::redact::Redactor;
use serde::Deserialize;

const LINES: &str = include_str!("corpus.jsonl");

/// A text, and the parts of it that must not be kept.
#[derive(Deserialize)]
struct Case {
    text: String,
    secrets: Vec<String>,
    personal: Vec<String>,
}

/// What came of looking for one class of parts.
#[derive(Default)]
struct Score {
    wanted: usize,
    found: usize,
    missed: Vec<String>,
}

impl Score {
    fn look(&mut self, parts: &[String], text: &str, kept: &str) {
        for part in parts {
            self.wanted += 1;
            if kept.contains(part.as_str()) {
                self.missed.push(format!("{part} in {text}"));
            } else {
                self.found += 1;
            }
        }
    }

    fn recall(&self) -> f64 {
        ratio(self.found, self.wanted)
    }
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are to be seen")]
fn most_is_found_and_little_is_taken_by_mistake() {
    let cases: Vec<Case> = LINES
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let redactor = Redactor::of_everything(&Config::default().privacy);
    let (mut secrets, mut personal) = (Score::default(), Score::default());
    let (mut taken, mut by_mistake) = (0, Vec::new());
    for case in &cases {
        let kept = redactor.redact(&case.text).text;
        secrets.look(&case.secrets, &case.text, &kept);
        personal.look(&case.personal, &case.text, &kept);
        let placeholders = |text: &str| text.matches("[REDACTED:").count();
        let replaced = placeholders(&kept) - placeholders(&case.text);
        taken += replaced;
        let meant = case.secrets.len() + case.personal.len();
        if replaced > meant {
            by_mistake.push((replaced - meant, format!("{}\n  → {kept}", case.text)));
        }
    }
    let mistakes: usize = by_mistake.iter().map(|(count, _)| count).sum();
    let precision = ratio(taken - mistakes, taken);
    let look_alikes = cases
        .iter()
        .filter(|case| case.secrets.is_empty() && case.personal.is_empty());
    let look_alikes = look_alikes.count();
    println!(
        "{} texts, {look_alikes} of them look-alikes\n\
         secrets: {} of {} found, recall {:.3}\n\
         personal data: {} of {} found, recall {:.3}\n\
         taken: {taken}, by mistake {mistakes}, precision {precision:.3}",
        cases.len(),
        secrets.found,
        secrets.wanted,
        secrets.recall(),
        personal.found,
        personal.wanted,
        personal.recall(),
    );
    for missed in secrets.missed.iter().chain(&personal.missed) {
        println!("missed: {missed}");
    }
    for (_, mistake) in &by_mistake {
        println!("mistake: {mistake}");
    }
    assert!(cases.len() >= 300 && 2 * look_alikes >= cases.len());
    assert!(secrets.recall() >= 0.98);
    assert!(personal.recall() >= 0.95);
    assert!(precision >= 0.95);
}
