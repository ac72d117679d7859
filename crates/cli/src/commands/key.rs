//! `mnemon key`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mnemon::engine::Sealing;
use mnemon::memory::Space;
use mnemon::seal::{Secret, Source};
use mnemon::{Caller, Error, Mnemon};
use mnemon_wire::SealingShape;
use serde::Serialize;

use crate::context::Context;
use crate::environment;
use crate::failure::{Failure, Outcome};
use crate::human::{LABEL, count};
use crate::keys::{passphrase, typed_passphrase};

/// Make, show, change and destroy the keys of what is sealed
#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Make the master key of this store
    New(New),
    /// Show where the key comes from and how much it seals; never the key
    Show(Show),
    /// Wrap all keys by another master key
    Rotate(Rotate),
    /// Seal what is sensitive and was kept in the clear, in all its versions
    Seal(Seal),
    /// Destroy the key of a session or an agent, so that nothing that it sealed opens any more
    Destroy(Destroy),
}

/// Make the master key of this store
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon key new\n  mnemon key new --file /media/stick/mnemon.key\n  \
    MNEMON_PASSPHRASE=... mnemon key new --passphrase"
)]
pub(crate) struct New {
    /// Put it into this file; one that holds a key is used as it is
    #[arg(long, value_name = "PATH", conflicts_with = "passphrase")]
    file: Option<PathBuf>,
    /// Derive it from a passphrase
    #[arg(
        long,
        help = "Derive it from a passphrase: MNEMON_PASSPHRASE, or a line of standard input"
    )]
    passphrase: bool,
}

/// Show where the key comes from and how much it seals; never the key
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon key show\n  mnemon key show --json")]
pub(crate) struct Show {}

/// Wrap all keys by another master key
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon key rotate\n  mnemon key rotate --file new.key\n  \
    pass show mnemon | mnemon key rotate --passphrase"
)]
pub(crate) struct Rotate {
    /// Put the new key into this file, instead of in the place of the old one
    #[arg(long, value_name = "PATH", conflicts_with = "passphrase")]
    file: Option<PathBuf>,
    /// Derive the new key from a passphrase: a line of standard input
    #[arg(long)]
    passphrase: bool,
}

/// Seal what is sensitive and was kept in the clear, in all its versions
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon key seal")]
pub(crate) struct Seal {}

/// Destroy the key of a session or an agent, so that nothing that it sealed opens any more
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon key destroy --session review --yes\n  \
    mnemon key destroy --agent architect --yes"
)]
pub(crate) struct Destroy {
    /// Of this session
    #[arg(long, value_name = "S", conflicts_with_all = ["agent", "shared"])]
    session: Option<String>,
    /// Of this agent's long-term memory
    #[arg(long, value_name = "A", conflicts_with = "shared")]
    agent: Option<String>,
    /// Of the shared memory
    #[arg(long)]
    shared: bool,
    /// Yes, without a way back
    #[arg(long)]
    yes: bool,
}

#[derive(Serialize)]
struct Made<'a> {
    /// The file that holds the key, if one does.
    file: Option<&'a Path>,
    by_passphrase: bool,
    master_id: Option<String>,
}

#[derive(Serialize)]
struct SealedAnswer {
    sealed: u64,
    /// Desks of agents.
    desks: u64,
}

#[derive(Serialize)]
struct Destroyed<'a> {
    space: &'a Space,
    destroyed: bool,
}

impl Key {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match self {
            Self::New(command) => command.run(context),
            Self::Show(_) => Show::run(context),
            Self::Rotate(command) => command.run(context),
            Self::Seal(_) => Seal::run(context),
            Self::Destroy(command) => command.run(context),
        }
    }
}

impl New {
    fn run(&self, context: &Context) -> Outcome {
        let engine = context.writer()?;
        let caller = context.caller()?;
        if self.passphrase {
            let source = Source::Passphrase(passphrase()?);
            engine.make_keys_for(&caller, &source)?;
            return made(context, &engine, &caller, None);
        }
        let named = match &self.file {
            Some(path) => Some(path.clone()),
            None => context.chosen_key_file()?,
        };
        let in_environment = environment::secret("MNEMON_KEY").filter(|_| named.is_none());
        if let Some(text) = in_environment {
            engine.make_keys_for(&caller, &Source::Text(Secret::new(text)))?;
            return made(context, &engine, &caller, None);
        }
        let path = named.or_else(|| context.own_key_file()).ok_or_else(|| {
            Failure::misused("there is no place for the key", "Name one with --file.")
        })?;
        if path.exists() {
            engine.make_keys_for(&caller, &Source::File(path.clone()))?;
        } else {
            engine.make_keys_for_file(&caller, &path)?;
        }
        made(context, &engine, &caller, Some(&path))
    }
}

fn made(context: &Context, engine: &Mnemon, caller: &Caller, file: Option<&Path>) -> Outcome {
    let sealing = engine.sealing(caller)?;
    let answer = Made {
        file,
        by_passphrase: sealing.by_passphrase,
        master_id: sealing.master_id.clone(),
    };
    context.output.answer(&answer, || match file {
        Some(path) => {
            let mut told = format!(
                "The key is in {}.\nKeep a copy of it elsewhere: without it nothing opens that it sealed.\n",
                path.display()
            );
            if context.own_key_file().as_deref() != Some(path)
                && context.chosen_key_file().ok().flatten().as_deref() != Some(path)
            {
                told += "It is found only if MNEMON_KEY_FILE or sealing.key_file names it.\n";
            }
            told
        }
        None => "From now on nothing that is sealed opens without it.\n".to_owned(),
    })
}

impl Show {
    fn run(context: &Context) -> Outcome {
        let engine = context.reader()?;
        let caller = context.caller()?;
        let sealing = engine.sealing(&caller)?;
        let opens = match engine.master(&caller) {
            Ok(master) => master.map(|_| true),
            Err(Error::Crypto(_)) => Some(false),
            Err(error) => return Err(error.into()),
        };
        let shape = SealingShape::of(&sealing, opens);
        context.output.answer(&shape, || told(&sealing, opens))
    }
}

fn told(sealing: &Sealing, opens: Option<bool>) -> String {
    if !sealing.has_keys {
        return "This store has no keys; `mnemon key new` makes one.\n".into();
    }
    let source = match (&sealing.source, opens) {
        (Some(source), Some(true)) => format!("{source}, which fits"),
        (Some(source), _) => format!("{source}, which does not fit"),
        (None, _) if sealing.by_passphrase => "a passphrase, which was not given".into(),
        (None, _) => "none was given".into(),
    };
    let what = if sealing.everything {
        "everything"
    } else {
        "what is sensitive"
    };
    format!(
        "{LABEL}key{LABEL:#}     {source}\n{LABEL}seals{LABEL:#}   {what}\n{LABEL}sealed{LABEL:#}  {} in {}\n",
        count(sealing.sealed, "memory", "memories"),
        count(
            sealing.spaces.len() as u64,
            "space with a key",
            "spaces with a key"
        ),
    )
}

impl Rotate {
    fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let caller = context.caller()?;
        if self.passphrase {
            engine.rotate_keys_to_passphrase(&caller, typed_passphrase()?)?;
            return made(context, &engine, &caller, None);
        }
        let path = match &self.file {
            Some(path) => Some(path.clone()),
            None => context
                .chosen_key_file()?
                .or_else(|| context.own_key_file()),
        };
        let path = path.ok_or_else(|| {
            Failure::misused("there is no place for the key", "Name one with --file.")
        })?;
        engine.rotate_keys_to_file(&caller, &path)?;
        made(context, &engine, &caller, Some(&path))
    }
}

impl Seal {
    fn run(context: &Context) -> Outcome {
        let engine = context.reader()?;
        let caller = context.caller()?;
        let done = engine.seal_what_is_clear(&caller)?;
        let answer = SealedAnswer {
            sealed: done.sealed,
            desks: done.desks,
        };
        context.output.answer(&answer, || {
            let memories = count(done.sealed, "memory", "memories");
            match done.desks {
                0 => format!("Sealed {memories}.\n"),
                desks => format!("Sealed {memories} and {}.\n", count(desks, "desk", "desks")),
            }
        })
    }
}

impl Destroy {
    fn run(&self, context: &Context) -> Outcome {
        let space = match (&self.session, &self.agent) {
            (Some(session), _) => Space::Session(session.parse()?),
            (None, Some(agent)) => Space::Agent(agent.parse()?),
            (None, None) if self.shared => Space::Shared,
            (None, None) => {
                return Err(Failure::misused(
                    "it is not said whose key",
                    "Name a --session or an --agent, or --shared.",
                ));
            }
        };
        if !self.yes {
            return Err(Failure::misused(
                format!(
                    "nothing that is sealed in {space} would open any more, and it is not said that this is meant"
                ),
                "Add --yes to do it.",
            ));
        }
        let engine = context.reader()?;
        let destroyed = engine.destroy_key(&context.caller()?, &space)?;
        let answer = Destroyed {
            space: &space,
            destroyed,
        };
        context.output.answer(&answer, || {
            if destroyed {
                format!("The key of {space} is gone.\n")
            } else {
                format!("{space} has no key.\n")
            }
        })
    }
}
