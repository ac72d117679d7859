//! Looking through texts for what must not be kept.

use mnemon::Config;
use mnemon::redact::Redactor;

use crate::Result;
use crate::benches::Bench;
use crate::corpus::natural::Natural;
use crate::measure::{float, median, time};
use crate::place::Place;
use crate::report::{Figure, Goal};

pub(super) const BENCH: Bench = Bench {
    name: "redact",
    question: "how fast are texts looked through for secrets and personal data?",
    run,
};

/// Some of what people paste among their sentences.
const PASTED: [&str; 4] = [
    "export API_URL=https://example.com/v1?page=2&sort=asc",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b (HEAD -> main, origin/main)",
    "at com.example.ledger.PaymentService.settle(PaymentService.java:128)",
    "{\"id\": 8812, \"status\": \"open\", \"amount\": 1250.75, \"to\": \"team@example.com\"}",
];

fn run(place: &Place) -> Result<Vec<Figure>> {
    let natural = Natural::of(10_000);
    let texts: Vec<String> = (0..10_000)
        .map(|position| {
            let told = natural.told(position).text;
            format!("{told}\n{}\n", PASTED[position % PASTED.len()])
        })
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let privacy = Config::default().privacy;
    let mut figures = Vec::new();
    for (name, redactor) in [
        ("redact secrets", Redactor::new(&privacy)),
        ("redact everything", Redactor::of_everything(&privacy)),
    ] {
        let mut rates = Vec::new();
        for _ in 0..place.rounds() {
            let (duration, _) = time(|| {
                let kept = texts.iter().map(|text| redactor.redact(text).text.len());
                Ok(kept.sum::<usize>())
            })?;
            rates.push(float(bytes as u64) / duration.as_secs_f64() / 1e6);
        }
        figures.push(Figure::new(name, median(&mut rates), "MB/s").goal(Goal::AtLeast(50.0)));
    }
    Ok(figures)
}
