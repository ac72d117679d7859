//! The environment: the only place that reads it.

use std::ffi::OsString;
use std::path::PathBuf;

/// What the variables say.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// `MNEMON_ROOT`.
    pub(crate) root: Option<PathBuf>,
    /// `MNEMON_STORE`.
    pub(crate) store: Option<String>,
    /// `MNEMON_AGENT`.
    pub(crate) agent: Option<String>,
    /// `$XDG_DATA_HOME/mnemon`, or below the home folder.
    pub(crate) data_folder: Option<PathBuf>,
    /// `MNEMON_CONFIG`, `$XDG_CONFIG_HOME/mnemon/mnemon.toml`, or below the home folder.
    pub(crate) user_config: Option<PathBuf>,
    /// The user's home folder.
    pub(crate) home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, or `.config` below the home folder.
    pub(crate) config_folder: Option<PathBuf>,
    /// `APPDATA`, which Windows has in its place.
    pub(crate) app_data: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub(crate) claude_folder: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub(crate) codex_folder: Option<PathBuf>,
    /// `MNEMON_KEY_FILE`.
    pub(crate) key_file: Option<PathBuf>,
    /// `PAGER`, also if it is empty: then nobody wants one.
    pub(crate) pager: Option<String>,
    /// Whether `LESS` says how `less` is to behave.
    pub(crate) has_less: bool,
    /// `COLUMNS`.
    pub(crate) columns: Option<usize>,
    /// Everything that begins with `MNEMON_`, for the settings.
    pub(crate) settings: Vec<(String, String)>,
}

impl Environment {
    /// Reads the variables of this process; an empty one counts as absent.
    pub(crate) fn read() -> Self {
        let get = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let text = |name: &str| get(name).map(|value| value.to_string_lossy().into_owned());
        // The XDG rules: a relative path is to be passed over.
        let folder = |variable: &str, below_home: &str| -> Option<PathBuf> {
            let named = get(variable).map(PathBuf::from).filter(|p| p.is_absolute());
            named.or_else(|| Some(PathBuf::from(get("HOME")?).join(below_home)))
        };
        Self {
            pager: std::env::var("PAGER").ok(),
            has_less: get("LESS").is_some(),
            root: get("MNEMON_ROOT").map(PathBuf::from),
            store: text("MNEMON_STORE"),
            agent: text("MNEMON_AGENT"),
            data_folder: folder("XDG_DATA_HOME", ".local/share").map(|path| path.join("mnemon")),
            user_config: get("MNEMON_CONFIG").map(PathBuf::from).or_else(|| {
                folder("XDG_CONFIG_HOME", ".config").map(|path| path.join("mnemon/mnemon.toml"))
            }),
            home: get("HOME")
                .or_else(|| get("USERPROFILE"))
                .map(PathBuf::from),
            config_folder: folder("XDG_CONFIG_HOME", ".config"),
            app_data: get("APPDATA").map(PathBuf::from),
            claude_folder: get("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            codex_folder: get("CODEX_HOME").map(PathBuf::from),
            key_file: get("MNEMON_KEY_FILE").map(PathBuf::from),
            columns: text("COLUMNS").and_then(|columns| columns.parse().ok()),
            settings: std::env::vars_os().filter_map(setting).collect(),
        }
    }
}

/// The value of a variable that holds a secret; nobody keeps it but who asks.
pub(crate) fn secret(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// What holds a key or tells where one is.
const SECRETS: [&str; 4] = [
    "MNEMON_EMBEDDING_KEY",
    "MNEMON_KEY",
    "MNEMON_KEY_FILE",
    "MNEMON_PASSPHRASE",
];

fn setting((name, value): (OsString, OsString)) -> Option<(String, String)> {
    let name = name.into_string().ok()?;
    let ours = name.starts_with("MNEMON_") && !value.is_empty();
    // A key is no setting, and must not be where settings are shown.
    let ours = ours && !SECRETS.contains(&name.as_str());
    ours.then(|| (name, value.to_string_lossy().into_owned()))
}
