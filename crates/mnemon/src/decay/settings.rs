//! What can be set about decay: for all, by kind, by session.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::memory::{ByKind, Kind};

/// Which curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Half of it goes in a time that depends on the kind.
    #[default]
    HalfLife,
    /// Fades without access, rises with it, and is held up where something is open.
    Priority,
    /// Half-lives, raised by accesses and importance.
    Boosted,
}

impl Model {
    /// The names, as the settings write them.
    pub const WORDS: &[&str] = &["half_life", "priority", "boosted"];
}

/// The settings that hold for a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Which curve.
    pub model: Model,
    /// Whether anything fades at all.
    pub enabled: bool,
    /// Nothing fades below this, under `half_life` and `boosted`.
    pub min_factor: f64,
    /// Half-lives in hours; 0 is never under `half_life` and 1440 under `boosted`.
    pub half_life_hours: ByKind<f64>,
    /// What a day without access takes, under `priority`.
    pub rate_per_day: ByKind<f64>,
}

impl Settings {
    /// Half-lives of the source; kinds that it lacks have that of the nearest one.
    pub const HALF_LIFE_HOURS: ByKind<f64> = ByKind {
        conversation: 168.0,
        decision: 720.0,
        finding: 336.0,
        preference: 0.0,
        learning: 720.0,
        fact: 720.0,
        event: 168.0,
        procedure: 0.0,
        state: 168.0,
        artifact: 336.0,
    };

    /// Rates of the source, for the `priority` model.
    pub const RATE_PER_DAY: ByKind<f64> = ByKind {
        conversation: 0.05,
        decision: 0.03,
        finding: 0.04,
        preference: 0.02,
        learning: 0.03,
        fact: 0.03,
        event: 0.05,
        procedure: 0.02,
        state: 0.06,
        artifact: 0.04,
    };

    /// These settings with what a session says of its own: `enabled`, `model`,
    /// `half_life_hours` and `rate_per_day` (a number for all kinds that fade, or
    /// an object by kind), and `min_decay_factor` or `min_factor`.
    pub fn with_session(&self, own: &Map<String, Value>) -> Result<Self> {
        let mut settings = self.clone();
        for (name, value) in own {
            match name.as_str() {
                "enabled" => {
                    settings.enabled = value.as_bool().ok_or_else(|| wrong(name, value))?;
                }
                "model" => {
                    settings.model = Model::deserialize(value).map_err(|_| wrong(name, value))?;
                }
                "min_factor" | "min_decay_factor" => {
                    settings.min_factor = number(name, value, 1.0)?;
                }
                "half_life_hours" => by_kind(&mut settings.half_life_hours, name, value, 1e6)?,
                "rate_per_day" => by_kind(&mut settings.rate_per_day, name, value, 10.0)?,
                _ => return Err(wrong(name, value)),
            }
        }
        Ok(settings)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            model: Model::default(),
            enabled: true,
            min_factor: 0.1,
            half_life_hours: Self::HALF_LIFE_HOURS,
            rate_per_day: Self::RATE_PER_DAY,
        }
    }
}

fn by_kind(numbers: &mut ByKind<f64>, name: &str, value: &Value, most: f64) -> Result<()> {
    if let Value::Object(members) = value {
        for (kind, value) in members {
            let kind: Kind = kind.parse()?;
            *numbers.of_mut(kind) = number(name, value, most)?;
        }
        return Ok(());
    }
    let number = number(name, value, most)?;
    for kind in Kind::ALL {
        // What never fades does not begin to because a session fades faster.
        let own = numbers.of_mut(kind);
        if *own > 0.0 {
            *own = number;
        }
    }
    Ok(())
}

fn number(name: &str, value: &Value, most: f64) -> Result<f64> {
    value
        .as_f64()
        .filter(|number| (0.0..=most).contains(number))
        .ok_or_else(|| wrong(name, value))
}

fn wrong(name: &str, value: &Value) -> Error {
    let rule = "an object with enabled, model, half_life_hours, rate_per_day and \
                min_decay_factor, each with a possible value";
    Error::rule("decay", rule, &format!("{name} = {value}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(own: Value) -> Result<Settings> {
        match own {
            Value::Object(own) => Settings::default().with_session(&own),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_session_can_fade_in_its_own_way() {
        // The example of the source.
        let own = with(json!({"enabled": true, "half_life_hours": 336, "min_decay_factor": 0.2}));
        let own = own.unwrap();
        assert!((own.half_life_hours.conversation - 336.0).abs() < 1e-12);
        assert!((own.half_life_hours.artifact - 336.0).abs() < 1e-12);
        assert!(own.half_life_hours.preference.abs() < 1e-12);
        assert!((own.min_factor - 0.2).abs() < 1e-12);
        let own = with(json!({"model": "boosted", "half_life_hours": {"preference": 24}})).unwrap();
        assert_eq!(own.model, Model::Boosted);
        assert!((own.half_life_hours.preference - 24.0).abs() < 1e-12);
        assert!((own.half_life_hours.decision - 720.0).abs() < 1e-12);
        assert!(!with(json!({"enabled": false})).unwrap().enabled);
        assert_eq!(with(json!({})).unwrap(), Settings::default());
    }

    #[test]
    fn what_is_not_possible_is_refused() {
        for bad in [
            json!({"enabled": "yes"}),
            json!({"model": "linear"}),
            json!({"half_life_hours": -1}),
            json!({"half_life_hours": "long"}),
            json!({"half_life_hours": {"thought": 1}}),
            json!({"min_factor": 1.5}),
            json!({"halflife": 1}),
        ] {
            let error = with(bad.clone()).unwrap_err();
            assert_eq!(error.code().as_str(), "E_SCHEMA_INVALID", "{bad}");
        }
    }
}
