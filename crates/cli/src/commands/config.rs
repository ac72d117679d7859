//! `mnemon config`

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use mnemon::config::{self, Setting};
use serde::Serialize;
use serde_json::Value as Json;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::table::{Column, Table};
use crate::human::{GOOD, LABEL, NAME};

/// Show, check and write settings
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show every setting and where it comes from
    Show(Show),
    /// Check the settings that hold here, or a file
    Check(Check),
    /// Write a file with every setting and its default
    Init(Init),
}

/// Show every setting and where it comes from
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon config show")]
pub(crate) struct Show {}

/// Check the settings that hold here, or a file
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon config check\n  mnemon config check ./mnemon.toml")]
pub(crate) struct Check {
    /// A file to check on its own
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Write a file with every setting and its default
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon config init\n  mnemon config init --user\n  \
    mnemon config init --print"
)]
pub(crate) struct Init {
    /// The user's file instead of the store's
    #[arg(long)]
    user: bool,
    /// Only show what it would write
    #[arg(long, conflicts_with = "user")]
    print: bool,
}

#[derive(Serialize)]
struct SettingAnswer<'a> {
    key: &'a str,
    value: Json,
    origin: String,
    default: Json,
    comment: &'a str,
}

#[derive(Serialize)]
struct Settings<'a> {
    settings: Vec<SettingAnswer<'a>>,
}

#[derive(Serialize)]
struct Shown {
    text: String,
}

#[derive(Serialize)]
struct Checked {
    ok: bool,
}

#[derive(Serialize)]
struct Written {
    file: PathBuf,
}

impl Config {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match self {
            Self::Show(_) => show(context),
            Self::Check(command) => command.run(context),
            Self::Init(command) => command.run(context),
        }
    }
}

fn show(context: &Context) -> Outcome {
    let settings = &context.loaded()?.settings;
    let answer = Settings {
        settings: settings.iter().map(setting).collect(),
    };
    context.output.answer(&answer, || {
        let mut table = Table::new(vec![
            Column::new("setting").styled(NAME),
            Column::new("value"),
            Column::new("from").styled(LABEL).flexible(),
        ]);
        for setting in settings {
            table.row(&[
                setting.key.into(),
                setting.value.clone(),
                setting.origin.to_string(),
            ]);
        }
        table.render(context.output.columns)
    })
}

fn setting(setting: &Setting) -> SettingAnswer<'_> {
    SettingAnswer {
        key: setting.key,
        value: json_of(&setting.value),
        origin: setting.origin.to_string(),
        default: json_of(&setting.default),
        comment: setting.comment,
    }
}

/// A value as programs like it: settings are told as they stand in the file, in TOML.
fn json_of(toml: &str) -> Json {
    let value: toml_edit::Value = toml.parse().expect("settings are told in TOML");
    json_of_value(&value)
}

fn json_of_value(value: &toml_edit::Value) -> Json {
    use toml_edit::Value;
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(flag) => Json::from(*flag.value()),
        Value::Datetime(time) => Json::from(time.value().to_string()),
        Value::Array(values) => values.iter().map(json_of_value).collect(),
        Value::InlineTable(members) => members
            .iter()
            .map(|(name, value)| (name, json_of_value(value)))
            .collect(),
    }
}

impl Check {
    fn run(&self, context: &Context) -> Outcome {
        match &self.file {
            Some(path) => {
                let bytes = std::fs::read(path).map_err(Failure::file("read", path))?;
                let text = String::from_utf8_lossy(&bytes);
                config::check_text(&text, path)?;
            }
            None => {
                context.loaded()?;
            }
        }
        context.output.answer(&Checked { ok: true }, || {
            format!("{GOOD}Fine.{GOOD:#} Every setting is known and possible.")
        })
    }
}

impl Init {
    fn run(&self, context: &Context) -> Outcome {
        if self.print {
            let shown = Shown {
                text: config::template(),
            };
            return context.output.answer(&shown, || shown.text.clone());
        }
        let path = if self.user {
            context.user_config().cloned().ok_or_else(|| {
                Failure::misused(
                    "there is no folder for the user's settings",
                    "Set HOME, XDG_CONFIG_HOME or MNEMON_CONFIG.",
                )
            })?
        } else {
            context.root_config()
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        }
        // Never over a file that is there: it may hold somebody's settings.
        if path.exists() {
            return Err(Failure::misused(
                format!("{} is there already, and stays as it is", path.display()),
                "`mnemon config check` tells what is wrong with it; `mnemon config init --print` shows \
                 every setting.",
            ));
        }
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(Failure::file("create", &path))?;
        file.write_all(config::template().as_bytes())
            .map_err(Failure::file("write", &path))?;
        let answer = Written { file: path };
        context
            .output
            .answer(&answer, || format!("Wrote {}.", answer.file.display()))
    }
}
