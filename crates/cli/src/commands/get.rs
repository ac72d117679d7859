//! `mnemon get`

use clap::Args;
use mnemon::memory::Memory;
use mnemon::{Caller, Mnemon};
use mnemon_wire::{MemoriesShape, MemoryShape};

use crate::as_of::AsOf;
use crate::context::{Context, session_of};
use crate::failure::Outcome;
use crate::human::card::memory_card;
use crate::human::memories::memory_table;
use crate::input::Names;

/// Show memories by their names
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon get DEC-001 --session review\n  mnemon get review/DEC-001 --json"
)]
pub(crate) struct Get {
    /// Its id, its handle with --session, or SESSION/HANDLE; of several, those that there are
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// The session in which a bare handle is looked up
    #[arg(long, value_name = "S")]
    session: Option<String>,
    #[command(flatten)]
    as_of: AsOf,
}

impl Get {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.session.as_ref())?;
        let engine = self.as_of.reader(context)?;
        let caller = context.caller()?;
        if let [only] = &self.ids[..] {
            let memory = engine.get(&caller, only, session.as_ref())?;
            answer(context, &engine, &caller, &memory)?;
        } else {
            let memories = engine.get_many(&caller, &self.ids, session.as_ref())?;
            let skew = context.future_skew_minutes()?;
            let total = memories.len() as u64;
            let shape = MemoriesShape::of(&memories, total, skew);
            context.output.answer(&shape, || {
                let columns = context.output.columns;
                memory_table(&memories, total, session.as_ref(), columns, engine.now())
            })?;
        }
        engine.flush_accesses_if_free(&caller);
        Ok(())
    }
}

/// Prints one memory, with words for what it links to.
pub(super) fn answer(
    context: &Context,
    engine: &Mnemon,
    caller: &Caller,
    memory: &Memory,
) -> Outcome {
    let skew = context.future_skew_minutes()?;
    let faded = engine.fade(memory)?;
    let shape = MemoryShape::of(memory, skew).with_fading(&faded);
    context.output.answer(&shape, || {
        let names = Names {
            engine,
            caller,
            session: memory.space.session(),
        };
        let describe = |id: &_| names.describe(id);
        let room = context.output.columns;
        memory_card(memory, &faded, room, engine.now(), skew, describe)
    })
}
