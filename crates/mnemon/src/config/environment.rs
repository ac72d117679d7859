//! Settings from environment variables.

use super::NEXT_STEP;
use super::keys::{KEYS, Key};
use super::setting::{Assignment, Origin, refuse_value};
use crate::error::{Error, Result, shorten};
use crate::nearest::nearest;

const PREFIX: &str = "MNEMON_";

/// Variables of ours that say where the store and its settings are, who asks, or hold a key.
const OTHERS: [&str; 9] = [
    "MNEMON_ROOT",
    "MNEMON_STORE",
    "MNEMON_CONFIG",
    "MNEMON_AGENT",
    "MNEMON_LOG",
    "MNEMON_EMBEDDING_KEY",
    "MNEMON_KEY",
    "MNEMON_KEY_FILE",
    "MNEMON_PASSPHRASE",
];

/// What the variables set; those of other programs are passed over.
pub(super) fn parse(variables: &[(String, String)]) -> Result<Vec<Assignment>> {
    variables
        .iter()
        .filter(|(name, _)| name.starts_with(PREFIX) && !OTHERS.contains(&name.as_str()))
        .map(|(name, given)| assign(name, given))
        .collect()
}

fn assign(name: &str, given: &str) -> Result<Assignment> {
    let key = KEYS
        .iter()
        .find(|key| key.variable() == name)
        .ok_or_else(|| refuse_name(name))?;
    let origin = Origin::Environment {
        name: name.to_owned(),
    };
    match key.rule.check_text(given) {
        Some(value) => Ok(Assignment { key, value, origin }),
        None => Err(refuse_value(key, given, &origin)),
    }
}

fn refuse_name(name: &str) -> Error {
    let ours: Vec<String> = KEYS.iter().map(Key::variable).collect();
    let known = ours.iter().map(String::as_str).chain(OTHERS);
    // Without the common prefix, or every name would resemble every other.
    let bare = |name| str::strip_prefix(name, PREFIX).unwrap_or(name);
    let suggestion = match nearest(bare(name), known.map(bare)) {
        Some(near) => format!("Did you mean {PREFIX}{near}?"),
        None => NEXT_STEP.to_owned(),
    };
    Error::Setting {
        place: shorten(name),
        key: shorten(&bare(name).to_lowercase()),
        problem: "is not a known setting".to_owned(),
        suggestion,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, given: &str) -> Result<Vec<(&'static str, String)>, String> {
        parse(&[(name.to_owned(), given.to_owned())])
            .map(|found| found.into_iter().map(|a| (a.key.name, a.value)).collect())
            .map_err(|error| format!("{error}. {}", error.hint()))
    }

    #[test]
    fn variables_set_keys() {
        for (name, given, key, value) in [
            (
                "MNEMON_STORAGE_DURABILITY",
                "os",
                "storage.durability",
                "\"os\"",
            ),
            ("MNEMON_LOCK_TIMEOUT_MS", " 7 ", "lock.timeout_ms", "7"),
            (
                "MNEMON_STORAGE_SESSION_BYTES_MAX",
                "1 MiB",
                "storage.session_bytes_max",
                "1048576",
            ),
            (
                "MNEMON_DEFAULTS_USER",
                "Zoë \"Z\"",
                "defaults.user",
                "'Zoë \"Z\"'",
            ),
        ] {
            assert_eq!(check(name, given), Ok(vec![(key, value.to_owned())]));
        }
    }

    #[test]
    fn other_variables_are_passed_over() {
        for name in OTHERS
            .into_iter()
            .chain(["PATH", "MNEMONIC", "mnemon_lock", ""])
        {
            assert_eq!(check(name, "x"), Ok(vec![]), "{name}");
        }
    }

    #[test]
    fn refusals_name_the_variable_and_the_nearest_right_one() {
        for (name, given, refusal) in [
            (
                "MNEMON_STORAGE_DURABLITY",
                "os",
                "MNEMON_STORAGE_DURABLITY: storage_durablity is not a known setting. Did you \
                 mean MNEMON_STORAGE_DURABILITY?",
            ),
            (
                "MNEMON_ROTO",
                "/x",
                "MNEMON_ROTO: roto is not a known setting. Did you mean MNEMON_ROOT?",
            ),
            (
                "MNEMON_FROBNICATE",
                "1",
                "MNEMON_FROBNICATE: frobnicate is not a known setting. `mnemon config init \
                 --print` shows every setting.",
            ),
            (
                "MNEMON_STORAGE_WRITE_ATTEMPTS",
                "many",
                "MNEMON_STORAGE_WRITE_ATTEMPTS: storage.write_attempts must be a whole number \
                 from 1 to 10 (given: many). The default is 3.",
            ),
            (
                "MNEMON_STORAGE_DURABILITY",
                "intervall",
                "MNEMON_STORAGE_DURABILITY: storage.durability must be one of \"always\", \
                 \"interval\", \"os\" (given: intervall). Did you mean \"interval\"?",
            ),
        ] {
            assert_eq!(check(name, given), Err(refusal.to_owned()));
        }
    }
}
