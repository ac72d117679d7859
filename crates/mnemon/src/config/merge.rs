//! Lays what the sources say over the defaults, strongest last.

use std::path::Path;

use super::Loaded;
use super::keys::{KEYS, Key};
use super::setting::{Assignment, Origin, Setting};
use super::shape::{Config, EmbeddingConfig, Provider};
use crate::error::{Error, Result};

/// The settings that hold; `found` has the weakest source first.
pub(super) fn merge(found: Vec<Assignment>) -> Result<Loaded> {
    let mut settings: Vec<Setting> = KEYS.iter().map(default).collect();
    for assignment in found {
        if let Some(setting) = settings.iter_mut().find(|s| s.key == assignment.key.name) {
            setting.value = assignment.value;
            setting.origin = assignment.origin;
        }
    }
    let config = build(&settings);
    check_together(&config, &settings)?;
    Ok(Loaded { config, settings })
}

/// The settings without any source.
pub(super) fn defaults() -> Config {
    build(&KEYS.iter().map(default).collect::<Vec<_>>())
}

fn default(key: &Key) -> Setting {
    let default = key.rule.default();
    Setting {
        key: key.name,
        value: default.clone(),
        origin: Origin::Default,
        comment: key.comment,
        default,
    }
}

/// Goes through TOML once more, so that a field is filled by its name alone.
fn build(settings: &[Setting]) -> Config {
    let lines: Vec<String> = settings
        .iter()
        .map(|setting| format!("{} = {}", setting.key, setting.value))
        .collect();
    toml::from_str(&lines.join("\n"))
        .expect("each value keeps its row's rule, and each field has a row")
}

/// Refuses values that are possible alone but not together.
fn check_together(config: &Config, settings: &[Setting]) -> Result<()> {
    let sessions = &config.sessions;
    let decaying_after_hours = u64::from(sessions.decaying_after_days) * 24;
    if decaying_after_hours < u64::from(sessions.idle_after_hours) {
        return Err(refuse_pair(
            settings,
            "sessions.idle_after_hours",
            "sessions.decaying_after_days",
            "a session is idle before it decays",
        ));
    }
    if sessions.archive_after_days < sessions.decaying_after_days {
        return Err(refuse_pair(
            settings,
            "sessions.decaying_after_days",
            "sessions.archive_after_days",
            "a session decays before it is archived",
        ));
    }
    if let Some((low, high, why)) = config.compaction.contradiction() {
        let [low, high] = [low, high].map(|name| format!("compaction.{name}"));
        return Err(refuse_pair(settings, &low, &high, why));
    }
    if config.backup.schedule.is_some() && !Path::new(&config.backup.folder).is_absolute() {
        return Err(refuse_pair(
            settings,
            "backup.folder",
            "backup.schedule",
            "back-ups need a folder that begins with /",
        ));
    }
    check_service(&config.embedding, settings)
}

/// A service that embeds needs all that reaches it.
fn check_service(embedding: &EmbeddingConfig, settings: &[Setting]) -> Result<()> {
    if embedding.provider == Provider::BuiltIn {
        return Ok(());
    }
    for (key, is_missing, why) in [
        (
            "embedding.url",
            embedding.url.is_empty(),
            "a service has an address",
        ),
        (
            "embedding.model",
            embedding.model.is_empty(),
            "a service has several models",
        ),
        (
            "embedding.dimension",
            embedding.dimension == 0,
            "vectors of another dimension can't be compared",
        ),
    ] {
        if is_missing {
            return Err(refuse_pair(settings, key, "embedding.provider", why));
        }
    }
    if is_address(&embedding.url) {
        return Ok(());
    }
    let url = named(settings, "embedding.url");
    Err(Error::Setting {
        place: url.origin.to_string(),
        key: url.key.to_owned(),
        // Without what was given: it may hold a password.
        problem: "must be an address that begins with http:// or https://, without user, \
                  password, query or fragment"
            .to_owned(),
        suggestion: "Use an address such as \"https://api.openai.com/v1\" or \
                     \"http://localhost:11434\"; a key belongs into the variable that \
                     embedding.key_env names."
            .to_owned(),
    })
}

fn is_address(url: &str) -> bool {
    let rest = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && !rest.contains(['@', '?', '#', '\\'])
            && rest.chars().all(|c| c.is_ascii_graphic())
    })
}

/// Blames the stronger of two settings, which was made knowing the other.
fn refuse_pair(settings: &[Setting], one: &str, other: &str, why: &str) -> Error {
    let (one, other) = (named(settings, one), named(settings, other));
    let (blamed, kept) = if one.origin.rank() > other.origin.rank() {
        (one, other)
    } else {
        (other, one)
    };
    Error::Setting {
        place: blamed.origin.to_string(),
        key: blamed.key.to_owned(),
        problem: format!(
            "can't be {} while {} is {} ({}): {why}",
            blamed.value, kept.key, kept.value, kept.origin
        ),
        suggestion: format!(
            "Change one of them; by default {} is {} and {} is {}.",
            blamed.key, blamed.default, kept.key, kept.default
        ),
    }
}

fn named<'a>(settings: &'a [Setting], name: &str) -> &'a Setting {
    settings
        .iter()
        .find(|setting| setting.key == name)
        .expect("every key has its setting")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &[(&str, &str, u8)]) -> Result<(u32, u32), String> {
        let found = given
            .iter()
            .map(|(name, value, rank)| Assignment {
                key: Key::find(name).unwrap(),
                value: (*value).to_owned(),
                origin: match rank {
                    1 => Origin::UserFile {
                        path: "/u".into(),
                        line: 4,
                    },
                    2 => Origin::RootFile {
                        path: "/r".into(),
                        line: 2,
                    },
                    _ => Origin::Environment {
                        name: "MNEMON_X".to_owned(),
                    },
                },
            })
            .collect();
        merge(found)
            .map(|loaded| {
                let sessions = loaded.config.sessions;
                (sessions.idle_after_hours, sessions.decaying_after_days)
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_session_never_decays_before_it_is_idle_nor_after_it_is_archived() {
        const IDLE: &str = "sessions.idle_after_hours";
        const DECAYING: &str = "sessions.decaying_after_days";
        let cases: [(&[_], Result<_, &str>); 7] = [
            (&[(IDLE, "168", 1)], Ok((168, 7))),
            (
                &[(IDLE, "169", 1)],
                Err("/u:4: sessions.idle_after_hours can't be 169 while \
                     sessions.decaying_after_days is 7 (default): \
                     a session is idle before it decays"),
            ),
            (
                &[(IDLE, "48", 1), (DECAYING, "1", 2)],
                Err("/r:2: sessions.decaying_after_days can't be 1 while \
                     sessions.idle_after_hours is 48 (/u:4): \
                     a session is idle before it decays"),
            ),
            (
                &[(DECAYING, "1", 2), (IDLE, "25", 3)],
                Err("MNEMON_X: sessions.idle_after_hours can't be 25 while \
                     sessions.decaying_after_days is 1 (/r:2): \
                     a session is idle before it decays"),
            ),
            (&[(IDLE, "200", 1), (DECAYING, "10", 2)], Ok((200, 10))),
            (
                &[(DECAYING, "31", 2)],
                Err("/r:2: sessions.decaying_after_days can't be 31 while \
                     sessions.archive_after_days is 30 (default): \
                     a session decays before it is archived"),
            ),
            // A bad pair in one file is no harm when a stronger source mends it.
            (
                &[(IDLE, "48", 1), (DECAYING, "1", 1), (DECAYING, "2", 2)],
                Ok((48, 2)),
            ),
        ];
        for (given, expected) in cases {
            assert_eq!(check(given), expected.map_err(str::to_owned));
        }
    }
}
