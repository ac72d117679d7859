//! A note: what whoever asked should know about how an answer came about.

use std::fmt;

use crate::tier::Tier;

/// Why an answer is not quite what the settings promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The chosen embedder has not embedded enough yet: the built-in model answered.
    NotEmbedded {
        /// The chosen one.
        embedder: String,
        /// How many memories wait for it.
        waiting: u64,
    },
    /// The chosen embedder failed: the built-in model answered.
    Failed {
        /// What went wrong.
        problem: String,
    },
    /// The chosen embedder answered, and does not know all memories yet.
    Waiting {
        /// The chosen one.
        embedder: String,
        /// How many memories wait for it.
        waiting: u64,
    },
    /// The memory that others are compared with has no vector of the chosen
    /// embedder: the built-in model answered.
    NoVector {
        /// The chosen one.
        embedder: String,
    },
    /// Meaning is not included: words alone answered.
    WordsOnly {
        /// The tier of whoever asked.
        tier: Tier,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let have = |waiting: &u64| match waiting {
            1 => "1 memory has".to_owned(),
            more => format!("{more} memories have"),
        };
        match self {
            Self::NotEmbedded { embedder, waiting } => write!(
                f,
                "the built-in model answered, because {} no vector of {embedder} yet; \
                 `mnemon embed` makes them",
                have(waiting)
            ),
            Self::Failed { problem } => {
                write!(f, "the built-in model answered, because {problem}")
            }
            Self::Waiting { embedder, waiting } => write!(
                f,
                "{} no vector of {embedder} yet, found by words alone; `mnemon embed` makes them",
                have(waiting)
            ),
            Self::NoVector { embedder } => write!(
                f,
                "the built-in model answered, because this memory has no vector of {embedder}"
            ),
            Self::WordsOnly { tier } => write!(
                f,
                "found by words alone, because the tier {tier} does not include search by meaning"
            ),
        }
    }
}
