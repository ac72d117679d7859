//! Which rule gave a number, in words.

use std::fmt;

use super::Class;

/// The rule that decided how much is left of a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The settings switch decay off.
    Off,
    /// It is pinned.
    Pinned,
    /// Its kind does not fade.
    Never,
    /// It sums up what was before it, and stays as it is.
    Summary,
    /// The curve of a half-life.
    HalfLife {
        /// In so many hours half of it goes.
        half_life_hours: f64,
    },
    /// The curve of a half-life, raised.
    Boosted {
        /// In so many hours half of it goes.
        half_life_hours: f64,
        /// How much accesses and importance raise it.
        boost: f64,
    },
    /// It fades no further.
    Floor {
        /// This much stays.
        at: f64,
    },
    /// The curve of a rate for each day.
    Rate {
        /// What a day without access takes.
        rate_per_day: f64,
        /// What accesses add.
        boost: f64,
    },
    /// Something that is open or weighs much is held up.
    Held {
        /// What it is.
        class: Class,
        /// This much stays.
        at: f64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("decay is switched off"),
            Self::Pinned => f.write_str("pinned, so time takes nothing"),
            Self::Never => f.write_str("its kind does not fade"),
            Self::Summary => f.write_str("summaries don't fade"),
            Self::HalfLife { half_life_hours } => {
                write!(f, "half of it goes in {half_life_hours} h")
            }
            Self::Boosted {
                half_life_hours,
                boost,
            } => write!(
                f,
                "half of it goes in {half_life_hours} h, × {boost:.2} for accesses and importance"
            ),
            Self::Floor { at } => write!(f, "it fades no further than {at}"),
            Self::Rate {
                rate_per_day,
                boost,
            } => write!(
                f,
                "a day without access takes {:.1} %, a day of age 1 %; accesses add {boost:.3}",
                rate_per_day * 100.0
            ),
            Self::Held { class, at } => write!(f, "{} keep {at}", plural(*class)),
        }
    }
}

fn plural(class: Class) -> &'static str {
    match class {
        Class::Ordinary => "others",
        Class::OpenDecision => "open decisions",
        Class::HighImpactDecision => "decisions with high impact",
        Class::CriticalFinding | Class::CriticalResolvedFinding => "critical findings",
        Class::ResolvedFinding => "resolved findings",
        Class::ExplicitPreference => "explicit preferences",
        Class::InferredPreference => "inferred preferences",
        Class::Summary => "summaries",
    }
}
