//! `mnemon init`

use std::path::PathBuf;

use clap::Args;
use mnemon::store::local::{LocalOptions, LocalStore};
use serde::Serialize;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::shell::quoted;
use crate::root::ChosenBy;

/// Make a store: in ./.mnemon, or in --root
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon init\n  mnemon --root ~/memory init")]
pub(crate) struct Init {}

#[derive(Serialize)]
struct Answer {
    root: PathBuf,
}

impl Init {
    pub(crate) fn run(context: &Context) -> Outcome {
        let root = context.root.for_init(&context.here);
        let existed = root.join("store.json").exists();
        // A broken settings file must not keep a store from being made.
        let store = LocalStore::create(&root, LocalOptions::default())?;
        let answer = Answer {
            root: store.root().to_owned(),
        };
        context.output.answer(&answer, || {
            let root = answer.root.display();
            if existed {
                format!("There is a store in {root} already; it is as it was.")
            } else {
                // Whoever named a folder has to go on doing so.
                let named = match context.root.chosen_by {
                    ChosenBy::Option => format!(" --root {}", quoted(&root.to_string())),
                    _ => String::new(),
                };
                format!(
                    "Made a store in {root}.\n\nNext:\n  \
                     mnemon{named} session new --id first\n  \
                     mnemon{named} remember \"What is worth keeping\" --session first"
                )
            }
        })
    }
}
