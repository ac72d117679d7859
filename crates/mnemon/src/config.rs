//! Settings: one table of keys, and everything that follows from it.
//!
//! `keys` is the table; checks, `config show`, `config init` and the names of
//! environment variables come from it. A new setting is one row there and one
//! field in `shape`.
//!
//! Invariant: a [`Config`] that [`load`] returns holds possible values only.
//! Nothing here reads the environment: the caller passes what it wants seen.

use std::path::Path;

mod bytes;
mod environment;
mod file;
mod keys;
mod merge;
mod rule;
mod setting;
mod shape;
mod template;

pub use setting::{Origin, Setting};
pub use shape::{
    Config, DefaultsConfig, Durability, EmbeddingConfig, LimitsConfig, LockConfig, LogConfig,
    LogLevel, PrivacyConfig, Provider, SealingConfig, SearchConfig, ServerConfig, SessionsConfig,
    StorageConfig,
};
pub use template::template;

use crate::error::{Error, Result};

/// What to do when no known name is near the one that was given.
const NEXT_STEP: &str = "`mnemon config init --print` shows every setting.";

/// Where settings may come from; each one overrules those before it.
#[derive(Clone, Debug, Default)]
pub struct Sources<'a> {
    /// The file in the user's configuration folder; it need not exist.
    pub user_file: Option<&'a Path>,
    /// The file in the store's root; it need not exist.
    pub root_file: Option<&'a Path>,
    /// Names and values; those that do not begin with `MNEMON_` are passed over.
    pub environment: Vec<(String, String)>,
}

/// The settings that hold, and where each comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The settings as the library uses them.
    pub config: Config,
    /// Every key, in the order of the table.
    pub settings: Vec<Setting>,
}

/// Reads the sources, checks them and lays them over the defaults.
pub fn load(sources: &Sources<'_>) -> Result<Loaded> {
    let mut found = Vec::new();
    if let Some(path) = sources.user_file
        && let Some(bytes) = read(path)?
    {
        found.extend(file::parse_bytes(&bytes, path, |path, line| {
            Origin::UserFile { path, line }
        })?);
    }
    if let Some(path) = sources.root_file
        && let Some(bytes) = read(path)?
    {
        found.extend(file::parse_bytes(&bytes, path, |path, line| {
            Origin::RootFile { path, line }
        })?);
    }
    found.extend(environment::parse(&sources.environment)?);
    merge::merge(found)
}

/// What [`load`] makes of this text as the root's file and nothing else; `place` names it in errors.
pub fn check_text(text: &str, place: &Path) -> Result<Loaded> {
    merge::merge(file::parse(text, place, |path, line| Origin::RootFile {
        path,
        line,
    })?)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::keys::{KEYS, Key};
    use super::rule::Rule;
    use super::*;
    use crate::redact::Subject;

    /// Removed when the test ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("mnemon-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn check(text: &str) -> Result<Loaded, String> {
        check_text(text, Path::new("m.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_the_ones_promised() {
        let config = Config::default();
        assert_eq!(config.storage.durability, Durability::Always);
        assert_eq!(config.storage.session_bytes_max, 10_485_760);
        assert_eq!(config.storage.warn_percent, 80);
        assert_eq!(config.storage.write_attempts, 3);
        assert_eq!(config.storage.retry_backoff_ms, 100);
        assert_eq!(config.storage.buffer_bytes_max, 1_048_576);
        assert_eq!(config.lock.timeout_ms, 5_000);
        assert_eq!(config.lock.retry_backoff_ms_max, 20);
        assert_eq!(config.limits.session_entry_bytes_max, 1_048_576);
        assert_eq!(config.limits.long_term_entry_bytes_max, 10_485_760);
        assert_eq!(config.limits.future_skew_minutes, 5);
        assert_eq!(config.sessions.idle_after_hours, 24);
        assert_eq!(config.sessions.decaying_after_days, 7);
        assert_eq!(config.decay, crate::decay::Settings::default());
        assert_eq!(config.compaction, crate::compact::Settings::default());
        assert_eq!(config.privacy.redact, [Subject::Secrets]);
        assert_eq!(config.privacy.patterns, []);
        assert_eq!(config.privacy.session_recovery_days, 30);
        assert_eq!(config.privacy.long_term_recovery_days, 90);
        assert_eq!(config.defaults.user, "user");
        assert_eq!(load(&Sources::default()).unwrap().config, config);
    }

    #[test]
    fn stronger_sources_overrule_weaker_ones() {
        let folder = Folder::new("config-precedence");
        for (in_user, in_root, in_environment, holds) in [
            (None, None, None, 5_000),
            (Some(1), None, None, 1),
            (None, Some(2), None, 2),
            (None, None, Some(3), 3),
            (Some(1), Some(2), None, 2),
            (Some(1), None, Some(3), 3),
            (None, Some(2), Some(3), 3),
            (Some(1), Some(2), Some(3), 3),
        ] {
            let text = |value: Option<u32>| {
                value.map_or(String::new(), |v| format!("\n[lock]\ntimeout_ms = {v}\n"))
            };
            let user = folder.file("user.toml", text(in_user));
            let root = folder.file("root.toml", text(in_root));
            let variable = "MNEMON_LOCK_TIMEOUT_MS".to_owned();
            let loaded = load(&Sources {
                user_file: Some(&user),
                root_file: Some(&root),
                environment: in_environment
                    .map(|v: u32| (variable.clone(), v.to_string()))
                    .into_iter()
                    .collect(),
            })
            .unwrap();
            let origin = match holds {
                1 => Origin::UserFile {
                    path: user,
                    line: 3,
                },
                2 => Origin::RootFile {
                    path: root,
                    line: 3,
                },
                3 => Origin::Environment { name: variable },
                _ => Origin::Default,
            };
            assert_eq!(loaded.config.lock.timeout_ms, holds);
            let mut settings = loaded.settings.iter();
            let setting = settings.find(|it| it.key == "lock.timeout_ms").unwrap();
            assert_eq!(
                (setting.key, &setting.value, &setting.origin),
                ("lock.timeout_ms", &holds.to_string(), &origin)
            );
            assert_eq!(setting.default, "5000");
        }
    }

    #[test]
    fn a_missing_file_is_fine_and_an_unreadable_one_is_not() {
        let folder = Folder::new("config-missing");
        let sources = |path| Sources {
            root_file: Some(path),
            ..Sources::default()
        };
        let missing = folder.0.join("none.toml");
        assert_eq!(load(&sources(&missing)).unwrap().config, Config::default());
        let error = load(&sources(&folder.0)).unwrap_err();
        assert!(matches!(&error, Error::Io { path, .. } if *path == folder.0));
        let binary = folder.file("binary.toml", b"[lock]\n# \xff\n");
        assert_eq!(
            load(&sources(&binary)).unwrap_err().to_string(),
            format!(
                "{}:2: the file is not TOML: invalid UTF-8",
                binary.display()
            )
        );
    }

    /// Values that the rule allows (other than the default), breaks by type, and breaks by size.
    #[expect(clippy::too_many_lines, reason = "a row for each rule")]
    fn samples(key: &Key) -> (Vec<String>, Vec<&'static str>, Vec<String>) {
        match key.rule {
            Rule::Whole { min, max, .. } => (
                vec![min.to_string(), max.to_string()],
                vec!["\"7\"", "7.0", "true", "[7]", "{}", "2026-01-01"],
                vec![
                    (min - 1).to_string(),
                    (max + 1).to_string(),
                    "9223372036854775808".to_owned(),
                ],
            ),
            Rule::Bytes { min, max, .. } => (
                vec![
                    min.to_string(),
                    max.to_string(),
                    "\"512 KiB\"".to_owned(),
                    "'60MB'".to_owned(),
                ],
                vec!["\"ten MiB\"", "\"\"", "1e6", "false", "[1]", "{}"],
                vec![
                    (min - 1).to_string(),
                    max.checked_add(1)
                        .map_or("9223372036854775808".to_owned(), |n| n.to_string()),
                    "\"99999999 TiB\"".to_owned(),
                ],
            ),
            Rule::Choice { words, .. } => (
                words.iter().map(|word| format!("'{word}'")).collect(),
                vec!["1", "true", "[]", "['always']", "{}"],
                vec!["'sometimes'".to_owned(), "''".to_owned()],
            ),
            Rule::Tags => (
                vec!["['a', 'b.c']".to_owned()],
                vec!["1", "'a'", "[1]", "{}"],
                vec!["['a b']".to_owned(), "['']".to_owned()],
            ),
            Rule::Hosts => (
                vec!["['memory.example.com', '[::1]:80']".to_owned()],
                vec!["1", "'a'", "[1]", "{}"],
                vec!["['']".to_owned(), "['a/b']".to_owned(), "['A']".to_owned()],
            ),
            Rule::Origins => (
                vec!["['https://app.example.com', 'http://localhost:3000']".to_owned()],
                vec!["1", "'https://a'", "[1]", "{}"],
                ["a", "*", "null", "https://", "https://a/", "ftp://a"]
                    .map(|bad| format!("['{bad}']"))
                    .into(),
            ),
            Rule::Schedule { .. } => (
                vec!["'@weekly'".to_owned(), "'*/5 1-3 * jan mon'".to_owned()],
                vec!["1", "true", "[]", "{}"],
                vec![
                    "' '".to_owned(),
                    "'* * * *'".to_owned(),
                    "'61 * * * *'".to_owned(),
                ],
            ),
            Rule::Text { chars_max, default } => (
                vec!["'x'".to_owned(), format!("'{}'", "ö".repeat(chars_max))],
                vec!["1", "true", "[]", "{}"],
                [
                    "' '".to_owned(),
                    "\"a\\u0007\"".to_owned(),
                    format!("'{}'", "ö".repeat(chars_max + 1)),
                ]
                .into_iter()
                .chain((!default.is_empty()).then(|| "''".to_owned()))
                .collect(),
            ),
            Rule::Variable { default } => (
                vec!["'OPENAI_API_KEY'".to_owned(), format!("'{default}'")],
                vec!["1", "true", "[]", "{}"],
                ["''", "'sk-1'", "'1A'", "'MNEMON_KEY'", "'A B'"]
                    .map(ToOwned::to_owned)
                    .to_vec(),
            ),
            Rule::Flag { .. } => (
                vec!["true".to_owned(), "false".to_owned()],
                vec!["1", "'true'", "[]", "{}"],
                vec![],
            ),
            Rule::Number { min, max, .. } => (
                vec![format!("{min:?}"), format!("{max:?}")],
                vec!["'0.5'", "true", "[0.5]", "{}"],
                vec![
                    format!("{:?}", min - 0.1),
                    format!("{:?}", max + 0.1),
                    "nan".to_owned(),
                    "inf".to_owned(),
                ],
            ),
            Rule::Words { words, .. } => (
                words
                    .iter()
                    .map(|word| format!("['{word}']"))
                    .chain(["[]".to_owned()])
                    .collect(),
                vec!["1", "'secrets'", "[1]", "{}", "[['secrets']]"],
                vec!["['everything']".to_owned(), "['']".to_owned()],
            ),
            Rule::Patterns => (
                vec!["['ticket=ACME-[0-9]+']".to_owned(), "[]".to_owned()],
                vec!["1", "'a=b'", "[1]", "{}"],
                ["ticket", "Ticket=x", "=x", "x=", "x=(", "x=a*", "x y=z"]
                    .map(|bad| format!("['{bad}']"))
                    .into(),
            ),
        }
    }

    #[test]
    fn every_key_takes_what_its_rule_allows_and_nothing_else() {
        for key in KEYS {
            let (good, wrong_type, out_of_range) = samples(key);
            let mut changed = 0;
            for value in good {
                // Elsewhere the other key of a pair would be in the way.
                let companion = match key.name {
                    "storage.sync_interval_ms" => "storage.durability = 'interval'\n",
                    "sessions.idle_after_hours" => {
                        "sessions.decaying_after_days = 3650\n\
                         sessions.archive_after_days = 3650\n"
                    }
                    "sessions.decaying_after_days" => "sessions.archive_after_days = 3650\n",
                    "sessions.archive_after_days" => {
                        "sessions.idle_after_hours = 1\nsessions.decaying_after_days = 1\n"
                    }
                    "compaction.gentle_at_percent" => "compaction.aggressive_at_percent = 100\n",
                    "compaction.aggressive_at_percent" => "compaction.gentle_at_percent = 1\n",
                    "compaction.gentle_percent" => "compaction.aggressive_percent = 100\n",
                    "compaction.aggressive_percent" => "compaction.gentle_percent = 1\n",
                    "compaction.faded_below" => "compaction.keep_priority_above = 1.0\n",
                    "compaction.keep_priority_above" => "compaction.faded_below = 0.0\n",
                    "embedding.provider" => {
                        "embedding.url = 'http://localhost'\nembedding.model = 'm'\n\
                         embedding.dimension = 8\n"
                    }
                    "backup.schedule" => "backup.folder = '/b'\n",
                    _ => "",
                };
                let without = check(companion).unwrap();
                let with = check(&format!("{companion}{} = {value}", key.name)).unwrap();
                changed += usize::from(with.config != without.config);
            }
            assert!(changed > 0, "{} reaches no field", key.name);
            for value in wrong_type
                .into_iter()
                .chain(out_of_range.iter().map(String::as_str))
            {
                let refusal = check(&format!("\n{} = {value}", key.name)).unwrap_err();
                let expected = format!("m.toml:2: {} {}", key.name, key.rule.demand());
                assert!(refusal.starts_with(&expected), "{value}: {refusal}");
            }
        }
    }

    #[test]
    fn a_service_needs_an_address_a_model_and_a_dimension() {
        let whole = "provider = 'openai'\nurl = 'https://h/v1'\nmodel = 'm'\ndimension = 8\n";
        let with =
            |old: &str, new: &str| check(&format!("[embedding]\n{}", whole.replace(old, new)));
        assert_eq!(
            with("x", "x").unwrap().config.embedding.provider,
            Provider::OpenAi
        );
        for (old, key) in [
            ("url = 'https://h/v1'", "embedding.url is \"\""),
            ("model = 'm'", "embedding.model is \"\""),
            ("dimension = 8", "embedding.dimension is 0"),
        ] {
            let refusal = with(old, "").unwrap_err();
            let begin = format!("m.toml:2: embedding.provider can't be \"openai\" while {key}");
            assert!(refusal.starts_with(&begin), "{refusal}");
        }
        for url in [
            "h/v1",
            "ftp://h",
            "https://",
            "https://me:secret@h/v1",
            "https://h/v1?key=secret",
            "https://h/#secret",
            "https://h h/",
        ] {
            let refusal = with("https://h/v1", url).unwrap_err();
            assert!(
                refusal.starts_with("m.toml:3: embedding.url must be"),
                "{refusal}"
            );
            assert!(!refusal.contains("secret"), "{refusal}");
        }
    }

    #[test]
    fn a_key_in_place_of_its_variable_is_not_repeated() {
        let refusal = check("embedding.key_env = 'sk-secret'").unwrap_err();
        assert!(!refusal.contains("secret"), "{refusal}");
    }

    #[test]
    fn the_interval_belongs_to_its_durability() {
        for (text, durability) in [
            ("storage.durability = 'os'", Durability::Os),
            ("storage.sync_interval_ms = 5", Durability::Always),
            (
                "storage.durability = 'interval'",
                Durability::Interval { every_ms: 1_000 },
            ),
            (
                "[storage]\nsync_interval_ms = 5\ndurability = 'interval'",
                Durability::Interval { every_ms: 5 },
            ),
        ] {
            let config = check(text).unwrap().config;
            assert_eq!(config.storage.durability, durability, "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_itself_a_file() {
        let text = "storage.session_bytes_max = '1 MiB'\ndefaults.user = \"\\\"it's\\\" me\"";
        let loaded = check(text).unwrap();
        assert_eq!(loaded.settings.len(), KEYS.len());
        let shown: Vec<_> = loaded
            .settings
            .iter()
            .map(|setting| format!("{} = {}", setting.key, setting.value))
            .collect();
        assert_eq!(check(&shown.join("\n")).unwrap().config, loaded.config);
        assert_eq!(loaded.config.defaults.user, "\"it's\" me");
    }
}
