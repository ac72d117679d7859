//! Working memory: values by name, in scopes within scopes.
//!
//! Who asks in a scope sees what lies in it and in the scopes around it; the
//! innermost of a name counts. Leaving a scope takes along all that lies within.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scope::{Key, Scope};
use crate::memory::{Importance, Tag};
use crate::time::Time;

/// An agent's values, by scope and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Working {
    scopes: BTreeMap<Scope, BTreeMap<Key, Entry>>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What it is.
    pub value: Value,
    /// How much it matters; what matters enough outlives its maximum age.
    #[serde(default)]
    pub importance: Importance,
    /// Labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// Pinned ones never get too old.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// How many tokens it has.
    #[serde(default)]
    pub tokens: usize,
    /// When its name was first used here.
    pub created_at: Time,
    /// When it was last set.
    pub updated_at: Time,
}

impl Working {
    /// Puts a value there; gives what was there before.
    pub fn set(&mut self, scope: &Scope, key: &Key, mut entry: Entry) -> Option<Entry> {
        let values = self.scopes.entry(scope.clone()).or_default();
        if let Some(before) = values.get(key) {
            entry.created_at = before.created_at;
        }
        values.insert(key.clone(), entry)
    }

    /// The innermost value of that name that is seen from a scope, and where it lies.
    pub fn get(&self, scope: &Scope, key: &Key) -> Option<(Scope, &Entry)> {
        scope.outward().find_map(|around| {
            let entry = self.scopes.get(&around)?.get(key)?;
            Some((around, entry))
        })
    }

    /// All that is seen from a scope, by name: where it lies, and what it is.
    pub fn seen_from(&self, scope: &Scope) -> BTreeMap<&Key, (Scope, &Entry)> {
        let mut seen = BTreeMap::new();
        for around in scope.outward() {
            for (key, entry) in self.scopes.get(&around).into_iter().flatten() {
                seen.entry(key).or_insert((around.clone(), entry));
            }
        }
        seen
    }

    /// Everything, scope by scope.
    pub fn all(&self) -> impl Iterator<Item = (&Scope, &Key, &Entry)> {
        self.scopes
            .iter()
            .flat_map(|(scope, values)| values.iter().map(move |(key, entry)| (scope, key, entry)))
    }

    /// The scopes that hold anything.
    pub fn scopes(&self) -> impl Iterator<Item = &Scope> {
        self.scopes.keys()
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.scopes.values().map(BTreeMap::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty()
    }

    /// Takes away the value of that name in just that scope.
    pub fn remove(&mut self, scope: &Scope, key: &Key) -> Option<Entry> {
        let removed = self.scopes.get_mut(scope)?.remove(key);
        self.drop_empty();
        removed
    }

    /// Takes away all that lies in a scope and within it; how many that were.
    pub fn clear(&mut self, scope: &Scope) -> usize {
        self.retain(|own, _, _| !own.is_within(scope))
    }

    /// Takes away what does not fit; how many that were.
    pub fn retain(&mut self, mut fits: impl FnMut(&Scope, &Key, &Entry) -> bool) -> usize {
        let before = self.len();
        for (scope, values) in &mut self.scopes {
            values.retain(|key, entry| fits(scope, key, entry));
        }
        self.drop_empty();
        before - self.len()
    }

    fn drop_empty(&mut self) {
        self.scopes.retain(|_, values| !values.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(value: &str, second: i64) -> Entry {
        let at = Time::nearest_to_micros(second * 1_000_000);
        Entry {
            value: json!(value),
            importance: Importance::default(),
            tags: Vec::new(),
            pinned: false,
            tokens: 1,
            created_at: at,
            updated_at: at,
        }
    }

    fn filled() -> Working {
        let mut working = Working::default();
        for (scope, key, value) in [
            ("", "goal", "ship"),
            ("", "tone", "plain"),
            ("review", "goal", "review"),
            ("review/one", "file", "a.rs"),
            ("reviews", "goal", "other"),
        ] {
            let set = working.set(
                &scope.parse().unwrap(),
                &key.parse().unwrap(),
                entry(value, 1),
            );
            assert_eq!(set, None);
        }
        working
    }

    fn seen(working: &Working, scope: &str) -> Vec<String> {
        let seen = working.seen_from(&scope.parse().unwrap());
        seen.iter()
            .map(|(key, (scope, entry))| format!("{scope}:{key}={}", entry.value))
            .collect()
    }

    #[test]
    fn the_innermost_value_of_a_name_counts() {
        let working = filled();
        assert_eq!(
            seen(&working, "review/one/two"),
            [
                r#"review/one:file="a.rs""#,
                r#"review:goal="review""#,
                r#":tone="plain""#
            ]
        );
        assert_eq!(seen(&working, ""), [r#":goal="ship""#, r#":tone="plain""#]);
        let goal = "goal".parse().unwrap();
        let (scope, found) = working.get(&"review/one".parse().unwrap(), &goal).unwrap();
        assert_eq!((scope.as_str(), &found.value), ("review", &json!("review")));
        assert_eq!(
            working.get(&Scope::outermost(), &"file".parse().unwrap()),
            None
        );
    }

    #[test]
    fn leaving_a_scope_takes_along_what_lies_within() {
        let mut working = filled();
        assert_eq!(working.clear(&"review".parse().unwrap()), 2);
        let left: Vec<&str> = working.scopes().map(Scope::as_str).collect();
        assert_eq!(left, ["", "reviews"]);
        assert_eq!(working.clear(&Scope::outermost()), 3);
        assert!(working.is_empty());
    }

    #[test]
    fn setting_again_keeps_when_the_name_was_first_used() {
        let mut working = filled();
        let (scope, key) = (Scope::outermost(), "goal".parse().unwrap());
        let before = working.set(&scope, &key, entry("rest", 9));
        assert_eq!(before, Some(entry("ship", 1)));
        let (_, now) = working.get(&scope, &key).unwrap();
        assert_eq!(now.created_at, entry("", 1).created_at);
        assert_eq!(now.updated_at, entry("", 9).updated_at);
        assert_eq!(working.remove(&scope, &key).unwrap().value, json!("rest"));
        assert_eq!(working.remove(&scope, &key), None);
    }
}
