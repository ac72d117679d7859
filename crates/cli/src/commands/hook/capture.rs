//! Keeps what was said in a conversation, each thing once, wherever the client
//! lets it be found.

use mnemon::engine::{ImportOptions, Incoming, NewSession};
use mnemon::memory::{SessionId, Space};
use mnemon::session::SessionDetails;
use mnemon::store::OnFull;
use mnemon::{Caller, Error, Mnemon, Result};
use mnemon_wire::foreign::live::{Role, Saying, Speaker};

use super::said::Said;
use super::{Client, Event, Source, transcript};
use crate::commands::import::foreign;
use crate::context::Context;
use crate::failure::Outcome;

/// Keeps what was said since the last time, and closes what is over.
pub(super) fn capture(
    context: &Context,
    engine: &Mnemon,
    caller: &Caller,
    client: Client,
    event: Event,
    said: &Said,
) -> Outcome {
    match client.source() {
        Source::Tail => tail(engine, caller, client, said)?,
        Source::Whole(program) => {
            if let Some(path) = &said.transcript {
                foreign::keep(context, engine, caller, path, program, said.project())?;
            }
        }
        Source::WholeOrHanded(program, speaker) => match &said.transcript {
            // It is written with the first thing that is said.
            Some(path) if said.prompt.is_none() && !path.exists() => {}
            Some(path) => foreign::keep(context, engine, caller, path, program, said.project())?,
            None => handed(engine, caller, speaker, said)?,
        },
        Source::Handed(speaker) => handed(engine, caller, speaker, said)?,
    }
    if event == Event::End {
        close(engine, caller, &said.session_id(client)?)?;
    }
    Ok(())
}

/// Keeps what the end of a transcript says and is not kept yet.
fn tail(engine: &Mnemon, caller: &Caller, client: Client, said: &Said) -> Result<()> {
    let Some(path) = &said.transcript else {
        return Ok(());
    };
    let session = said.session_id(client)?;
    let user = &engine.config().defaults.user;
    let turns = transcript::read(path, user)?;
    // From the newest back to the first that is known; what is older was kept before, or erased.
    let mut fresh = Vec::new();
    for turn in turns.into_iter().rev() {
        let known = match &turn.id {
            Some(id) => engine.peek(caller, id)?.is_some(),
            None => false,
        };
        if known {
            break;
        }
        fresh.push(turn);
    }
    if fresh.is_empty() {
        return Ok(());
    }
    fresh.reverse();
    if let Err(Error::SessionNotFound { .. }) = engine.session(caller, &session) {
        let new = NewSession {
            id: Some(session.clone()),
            details: details("claude-code", said),
        };
        match engine.create_session(caller, new) {
            // Two hooks at once.
            Ok(_) | Err(Error::SessionExists { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let space = Space::Session(session);
    engine.remember_all(caller, &space, fresh, OnFull::Refuse)?;
    Ok(())
}

/// Keeps the words that the hook is told.
fn handed(engine: &Mnemon, caller: &Caller, speaker: Speaker, said: &Said) -> Result<()> {
    let mut drafts = Vec::new();
    for (role, words) in [
        (Role::User, &said.prompt),
        (Role::Assistant, &said.response),
    ] {
        let Some(words) = words else { continue };
        let saying = Saying {
            speaker,
            conversation: said.conversation()?,
            moment: &said.moment,
            role,
            words,
        };
        drafts.extend(saying.drafts(&engine.config().defaults.user)?);
    }
    if drafts.is_empty() {
        return Ok(());
    }
    let session = speaker.session(said.conversation()?);
    let incoming = drafts.into_iter().map(|draft| Incoming {
        space: Space::Session(session.clone()),
        draft,
    });
    let made = (session.clone(), details(speaker.name(), said));
    let options = ImportOptions::default();
    let taken = engine.take_in(caller, Some(&made), incoming.collect(), options)?;
    match taken.refused.into_iter().next() {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// Closes the session of a conversation that is over, if anything was kept of it.
fn close(engine: &Mnemon, caller: &Caller, session: &SessionId) -> Result<()> {
    match engine.close_session(caller, session) {
        Ok(_) | Err(Error::SessionNotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn details(agent: &str, said: &Said) -> SessionDetails {
    SessionDetails {
        agents: vec![agent.into()],
        project: said.project(),
        ..SessionDetails::default()
    }
}
