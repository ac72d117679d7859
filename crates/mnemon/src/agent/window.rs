//! The context window: what an agent has before its eyes, within a token budget.
//!
//! Invariant: the tokens of all items together are never above the budget.
//! What falls out is what has the lowest priority, the oldest first; what is
//! pinned stays until it is unpinned.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::memory::{Importance, MemoryId};
use crate::time::Time;

/// Items in the order in which they came, under a budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    budget_tokens: usize,
    /// How many items there ever were: names are not used again.
    #[serde(default)]
    given: u64,
    #[serde(default)]
    items: Vec<WindowItem>,
}

/// Something before an agent's eyes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowItem {
    /// Its name in this window: `w7`.
    pub id: String,
    /// What it says.
    pub text: String,
    /// How many tokens that has.
    pub tokens: usize,
    /// The lowest falls out first.
    pub priority: Importance,
    /// Pinned items stay.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The memory that it was taken from, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// When it came.
    pub added_at: Time,
}

/// What came of adding something.
#[derive(Clone, Debug, PartialEq)]
pub struct Added {
    /// The name that it was given.
    pub id: String,
    /// False if everything else mattered more, so that it fell out itself.
    pub is_kept: bool,
    /// What fell out for it, the first first.
    pub fallen_out: Vec<WindowItem>,
}

impl Window {
    /// How many tokens a window has if nobody says.
    pub const BUDGET_TOKENS: usize = 8000;

    /// An empty one.
    pub fn new(budget_tokens: usize) -> Self {
        Self {
            budget_tokens,
            given: 0,
            items: Vec::new(),
        }
    }

    /// What it may hold.
    pub fn budget_tokens(&self) -> usize {
        self.budget_tokens
    }

    /// What it holds, in the order in which it came.
    pub fn items(&self) -> &[WindowItem] {
        &self.items
    }

    /// The tokens of all items together.
    pub fn tokens(&self) -> usize {
        self.items.iter().map(|item| item.tokens).sum()
    }

    /// Adds something at the end; it gets its name here. Refused if it can't fit beside what is
    /// pinned.
    pub fn add(&mut self, item: WindowItem) -> Result<Added> {
        let pinned = self.pinned_tokens();
        if pinned + item.tokens > self.budget_tokens {
            return Err(Error::WindowFull {
                needed_tokens: item.tokens,
                pinned_tokens: pinned,
                budget_tokens: self.budget_tokens,
            });
        }
        self.given += 1;
        let id = format!("w{}", self.given);
        self.items.push(WindowItem {
            id: id.clone(),
            ..item
        });
        let fallen_out = self.make_fit();
        Ok(Added {
            is_kept: fallen_out.iter().all(|it| it.id != id),
            fallen_out: fallen_out.into_iter().filter(|it| it.id != id).collect(),
            id,
        })
    }

    /// Changes what it may hold; gives what falls out. Refused if what is pinned would not fit.
    pub fn set_budget(&mut self, budget_tokens: usize) -> Result<Vec<WindowItem>> {
        let pinned = self.pinned_tokens();
        if pinned > budget_tokens {
            return Err(Error::WindowFull {
                needed_tokens: 0,
                pinned_tokens: pinned,
                budget_tokens,
            });
        }
        self.budget_tokens = budget_tokens;
        Ok(self.make_fit())
    }

    /// Pins an item or lets it go; false if there is none of that name.
    pub fn pin(&mut self, id: &str, pinned: bool) -> bool {
        let found = self.items.iter_mut().find(|item| item.id == id);
        found.map(|item| item.pinned = pinned).is_some()
    }

    /// Takes an item away.
    pub fn remove(&mut self, id: &str) -> Option<WindowItem> {
        let place = self.items.iter().position(|item| item.id == id)?;
        Some(self.items.remove(place))
    }

    /// Takes away what does not fit; how many that were.
    pub fn retain(&mut self, fits: impl FnMut(&WindowItem) -> bool) -> usize {
        let before = self.items.len();
        self.items.retain(fits);
        before - self.items.len()
    }

    /// Refuses a window from elsewhere that holds more than it may.
    pub fn check(&self) -> Result<()> {
        let tokens = self.tokens();
        if tokens <= self.budget_tokens {
            return Ok(());
        }
        Err(Error::Rule {
            field: "window",
            rule: format!("at most {} tokens, as it says itself", self.budget_tokens),
            given: format!("{tokens} tokens"),
        })
    }

    fn pinned_tokens(&self) -> usize {
        let pinned = self.items.iter().filter(|item| item.pinned);
        pinned.map(|item| item.tokens).sum()
    }

    fn make_fit(&mut self) -> Vec<WindowItem> {
        let mut fallen_out = Vec::new();
        while self.tokens() > self.budget_tokens {
            let loose = self.items.iter().enumerate().filter(|it| !it.1.pinned);
            let lowest = loose.min_by(|(_, a), (_, b)| {
                let [a, b] = [a, b].map(|item| item.priority.get());
                a.total_cmp(&b)
            });
            let Some((place, _)) = lowest else { break };
            fallen_out.push(self.items.remove(place));
        }
        fallen_out
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::new(Self::BUDGET_TOKENS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item(tokens: usize, priority: f64, pinned: bool) -> WindowItem {
        WindowItem {
            id: String::new(),
            text: format!("{tokens} tokens"),
            tokens,
            priority: priority.try_into().unwrap(),
            pinned,
            memory: None,
            added_at: Time::nearest_to_micros(0),
        }
    }

    fn ids(items: &[WindowItem]) -> Vec<&str> {
        items.iter().map(|item| item.id.as_str()).collect()
    }

    #[test]
    fn the_lowest_priority_falls_out_and_the_oldest_of_equals() {
        let mut window = Window::new(10);
        for (priority, pinned) in [(0.9, false), (0.5, false), (0.5, false), (0.1, true)] {
            assert!(window.add(item(2, priority, pinned)).unwrap().is_kept);
        }
        let added = window.add(item(5, 0.6, false)).unwrap();
        assert_eq!((added.id.as_str(), added.is_kept), ("w5", true));
        assert_eq!(ids(&added.fallen_out), ["w2", "w3"]);
        assert_eq!(ids(window.items()), ["w1", "w4", "w5"]);
        let added = window.add(item(4, 0.2, false)).unwrap();
        assert!(!added.is_kept && added.fallen_out.is_empty());
        assert_eq!(window.tokens(), 9);
    }

    #[test]
    fn what_is_pinned_is_never_in_the_way_without_a_word() {
        let mut window = Window::new(10);
        window.add(item(7, 0.0, true)).unwrap();
        let refused = window.add(item(4, 1.0, false)).unwrap_err();
        assert!(matches!(
            refused,
            Error::WindowFull {
                needed_tokens: 4,
                pinned_tokens: 7,
                budget_tokens: 10
            }
        ));
        assert!(window.set_budget(6).is_err());
        assert!(window.pin("w1", false) && !window.pin("w9", true));
        assert_eq!(ids(&window.set_budget(6).unwrap()), ["w1"]);
    }

    proptest! {
        #[test]
        fn a_window_is_never_above_its_budget(
            steps in prop::collection::vec((0..60usize, 0..=10u8, any::<bool>(), 0..4u8), 0..60)
        ) {
            let mut window = Window::new(100);
            let mut seen = std::collections::HashSet::new();
            for (tokens, priority, pinned, what) in steps {
                match what {
                    0 => drop(window.set_budget(tokens * 3)),
                    1 => drop(window.pin(&format!("w{tokens}"), pinned)),
                    _ => {
                        let added = window.add(item(tokens, f64::from(priority) / 10.0, pinned));
                        if let Ok(added) = added {
                            prop_assert!(seen.insert(added.id));
                            prop_assert!(added.fallen_out.iter().all(|it| !it.pinned));
                        }
                    }
                }
                prop_assert!(window.tokens() <= window.budget_tokens());
            }
        }
    }
}
