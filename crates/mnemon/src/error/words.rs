//! The words: a sentence that says what is wrong, and one that says what to do.

use std::fmt;

use super::Error;
use crate::tier::Tier;

#[expect(
    clippy::too_many_lines,
    reason = "a table with a row for each variant reads best in one piece"
)]
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io {
                action,
                path,
                source,
            } => {
                write!(f, "could not {action} {}: {source}", path.display())
            }
            Self::Full { path, .. } => write!(f, "no space left for {}", path.display()),
            Self::Poisoned { space, reason } => {
                write!(
                    f,
                    "writing is stopped: the log of {space} could not be synced ({reason})"
                )
            }
            Self::Corrupt {
                path,
                line: Some(line),
                problem,
            } => {
                write!(f, "{}, line {line}: {problem}", path.display())
            }
            Self::Corrupt {
                path,
                line: None,
                problem,
            } => {
                write!(f, "{}: {problem}", path.display())
            }
            Self::LogReplaced { path } => {
                write!(
                    f,
                    "{} was replaced by another program meanwhile",
                    path.display()
                )
            }
            Self::Index { path, source } => {
                write!(f, "the index {} failed: {source}", path.display())
            }
            Self::NewerFormat { path, found, known } => write!(
                f,
                "{} has format {found}, and this program knows formats up to {known}",
                path.display()
            ),
            Self::NoStore { root } => write!(f, "{} holds no store", root.display()),
            Self::NoBackup { folder } => write!(f, "{} holds no back-up", folder.display()),
            Self::NetworkFileSystem { root, kind } => write!(
                f,
                "{} is on a network file system ({kind}), where writers on other machines can't be kept apart",
                root.display()
            ),
            Self::LockTimeout {
                waited_ms,
                holder: Some(holder),
            } => {
                write!(
                    f,
                    "waited {waited_ms} ms for the lock, which is held by {holder}"
                )
            }
            Self::LockTimeout {
                waited_ms,
                holder: None,
            } => {
                write!(f, "waited {waited_ms} ms for the lock")
            }
            Self::VersionMismatch {
                id,
                expected,
                found,
            } => write!(
                f,
                "{id} was changed in between: it has version {found}, not {expected}"
            ),
            Self::IdTaken { id } => write!(f, "the id {id} is in use for other content"),
            Self::IdShelved {
                id,
                session,
                deleted,
            } => {
                let state = if *deleted { "deleted" } else { "archived" };
                write!(
                    f,
                    "the id {id} belongs to a memory of the {state} session {session}"
                )
            }
            Self::Unparsable {
                what,
                input,
                problem,
            } => {
                write!(f, "this is not {what}: {problem}")?;
                if input.is_empty() {
                    return Ok(());
                }
                write!(f, " (given: {input})")
            }
            Self::UnparsableLine { line, source } => write!(f, "line {line}: {source}"),
            Self::BadLines { first, more, .. } if more.is_empty() => write!(f, "{first}"),
            // A line each: whoever corrects a file wants to see them all at once.
            Self::BadLines {
                first,
                more,
                untold,
            } => {
                write!(f, "{} lines can't be taken:", 1 + more.len() + untold)?;
                for line in [&**first].into_iter().chain(more) {
                    write!(f, "\n  {line}")?;
                }
                if *untold > 0 {
                    write!(f, "\n  and {untold} more")?;
                }
                Ok(())
            }
            // `memories[17].text must be …`
            Self::At { place, source } if matches!(**source, Self::Rule { .. }) => {
                write!(f, "{place}.{source}")
            }
            Self::At { place, source } => write!(f, "{place}: {source}"),
            Self::UnknownMember {
                name,
                nearest: Some(near),
            } => write!(f, "{name} is not known; did you mean {near}?"),
            Self::UnknownMember {
                name,
                nearest: None,
            } => write!(f, "{name} is not known"),
            Self::Rule { field, rule, given } if given.is_empty() => {
                write!(f, "{field} must be {rule}")
            }
            Self::Rule { field, rule, given } => {
                write!(f, "{field} must be {rule} (given: {given})")
            }
            Self::Setting {
                place,
                key,
                problem,
                ..
            } => write!(f, "{place}: {key} {problem}"),
            Self::Paper { paper, problem } => write!(f, "{paper} can't be read: {problem}"),
            Self::WindowFull {
                needed_tokens: 0,
                pinned_tokens,
                budget_tokens,
            } => write!(
                f,
                "the {pinned_tokens} tokens that are pinned do not fit into {budget_tokens}"
            ),
            Self::WindowFull {
                needed_tokens,
                pinned_tokens,
                budget_tokens,
            } => write!(
                f,
                "{needed_tokens} tokens do not fit: the window may hold {budget_tokens}, and \
                 {pinned_tokens} of them are pinned"
            ),
            Self::Missing { what, .. } => write!(f, "there is no {what}"),
            Self::SessionFull {
                session,
                used_bytes,
                needed_bytes,
                limit_bytes,
            } => write!(
                f,
                "session {session} is full: it has {used_bytes} bytes, the write needs \
                 {needed_bytes} more, and the limit is {limit_bytes}"
            ),
            Self::LongTermFull {
                agent,
                used_bytes,
                needed_bytes,
                limit_bytes,
            } => {
                write!(
                    f,
                    "the long-term memory of {agent} is full: it has {used_bytes} bytes, the write \
                     needs {needed_bytes} more, and the limit is {limit_bytes}"
                )?;
                match Tier::of_quota(*limit_bytes) {
                    Some(tier) => write!(f, " (tier {tier})"),
                    None => Ok(()),
                }
            }
            Self::License {
                feature,
                needed,
                had,
            } => write!(
                f,
                "{feature} needs the tier {needed}, and the tier is {had}"
            ),
            Self::SessionNotFound { session } => write!(f, "there is no session {session}"),
            Self::SessionExists { session } => write!(f, "there is a session {session} already"),
            Self::SessionDeleted { session } => write!(f, "session {session} was deleted"),
            Self::SessionIdDeleted { session } => {
                write!(f, "there was a session {session}, which lies in the trash")
            }
            Self::SessionArchived {
                session,
                source: None,
            } => write!(f, "session {session} is archived"),
            Self::SessionArchived {
                session,
                source: Some(source),
            } => {
                write!(
                    f,
                    "session {session} is archived and does not open: {source}"
                )
            }
            Self::Compacted { id, session, since } => {
                write!(f, "{id} was compacted")?;
                if let Some(since) = since {
                    write!(f, " at {since}")?;
                }
                write!(f, " and is in the archive of session {session}")
            }
            Self::CompactionFailed { session, source } => {
                write!(f, "session {session} could not be compacted: {source}")
            }
            Self::NotFound { reference } => write!(f, "there is no memory {reference}"),
            Self::Forgotten { id } => write!(f, "{id} is forgotten"),
            Self::Damaged { id, path, line } => write!(
                f,
                "{id} can't be read: {}, line {line} does not match its checksum",
                path.display()
            ),
            Self::InvalidQuery { field, problem } => write!(f, "{field}: {problem}"),
            Self::QueryTimeout => write!(f, "the question took longer than it may"),
            Self::Embedding {
                embedder, problem, ..
            } => write!(f, "{embedder} did not embed: {problem}"),
            Self::Dimension {
                given,
                expected,
                embedder,
            } => write!(
                f,
                "the embedding has {given} numbers, and vectors of {embedder} have {expected}"
            ),
            Self::Past { moment } => write!(f, "what was at {moment} can't be changed"),
            Self::Crypto(problem) => problem.fmt(f),
            Self::Forbidden { caller, action } => write!(f, "{caller} may not {action}"),
        }
    }
}

impl Error {
    /// What is wrong, without where.
    fn innermost(&self) -> &Self {
        match self {
            Self::UnparsableLine { source, .. } | Self::At { source, .. } => source.innermost(),
            other => other,
        }
    }

    /// What to do next, in one sentence for a person.
    #[expect(
        clippy::too_many_lines,
        reason = "a table with a row for each variant reads best in one piece"
    )]
    pub fn hint(&self) -> String {
        match self {
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                "Check who owns the folder and its permissions; reading still works.".into()
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                "Check that the path is right and that its folder is there.".into()
            }
            Self::Io { .. } => "Check the disk; `mnemon doctor` looks at the store.".into(),
            Self::Full { .. } => {
                "Free some space and try again; what was acknowledged before is kept, and reading \
                 still works."
                    .into()
            }
            Self::Poisoned { .. } => {
                "Check the disk, then run `mnemon repair`, which writes that log anew.".into()
            }
            Self::Corrupt { path, .. } if path.ends_with("store.json") => {
                "Restore this file from a copy, or from another store of the same version; the \
                 logs beside it are untouched."
                    .into()
            }
            Self::Corrupt { .. } | Self::Index { .. } => {
                "Run `mnemon verify` to see the damage and `mnemon repair` to set it aside.".into()
            }
            Self::Damaged { .. } => "Run `mnemon repair --accept-edits` if the line was edited on \
                 purpose, or `mnemon repair` to set it aside."
                .into(),
            Self::LogReplaced { .. } => "Close the editor that saved it and try again.".into(),
            Self::NewerFormat { .. } => {
                "Install the newest mnemon; this one left the store as it is.".into()
            }
            Self::NoStore { root } => {
                format!(
                    "Run `mnemon init` in the folder of your project, or `mnemon --root {} init` \
                     for a store there.",
                    root.display()
                )
            }
            Self::NoBackup { .. } => {
                "Name the folder that `mnemon backup` made: it has a backup.json.".into()
            }
            Self::NetworkFileSystem { .. } => "Put the store on a local disk.".into(),
            Self::LockTimeout { .. } => {
                "Try again in a moment; `mnemon doctor` shows who holds the lock.".into()
            }
            Self::VersionMismatch { .. } => "Read the memory again and repeat the change.".into(),
            Self::IdTaken { .. } => {
                "Leave the id out to get a new one, or change the memory with `mnemon revise`."
                    .into()
            }
            Self::IdShelved {
                session,
                deleted: true,
                ..
            } => format!(
                "Leave the id out to get a new one, or bring the session back with \
                 `mnemon session undelete {session} --reason R`."
            ),
            Self::IdShelved { session, .. } => format!(
                "Leave the id out to get a new one, or bring the memory back with \
                 `mnemon session restore {session}`."
            ),
            Self::Unparsable { .. } => "Correct the input and try again.".into(),
            Self::UnparsableLine { source, .. } | Self::CompactionFailed { source, .. } => {
                source.hint()
            }
            Self::BadLines { first, .. } => match first.innermost() {
                // It is not the input that is wrong.
                other @ (Self::SessionIdDeleted { .. }
                | Self::SessionExists { .. }
                | Self::IdShelved { .. }
                | Self::IdTaken { .. }) => format!("{} Nothing was changed.", other.hint()),
                _ => "Correct the input and try again; nothing was changed.".into(),
            },
            Self::At { .. } => {
                "Correct it and hand all of them in again; nothing was changed.".into()
            }
            Self::UnknownMember { .. } => {
                "Correct the name, or put it into `body` if it is a field of your own.".into()
            }
            Self::Rule { .. } => "Correct this field and try again.".into(),
            Self::Setting { suggestion, .. } | Self::Embedding { suggestion, .. } => {
                suggestion.clone()
            }
            Self::Paper { .. } => {
                "Correct the file by hand, or move it away to begin anew.".into()
            }
            Self::WindowFull { .. } => {
                "Unpin something with `mnemon window unpin ID`, give the window more with \
                 `mnemon window budget TOKENS`, or add a shorter text."
                    .into()
            }
            Self::Missing { suggestion, .. } => (*suggestion).into(),
            Self::SessionFull { session, .. } => format!(
                "Nothing more may be compacted: `mnemon session size {session}` shows what takes the \
                 space. `mnemon erase` makes room at once (what is forgotten or settled stays for a \
                 while); or start another session, or raise storage.session_bytes_max."
            ),
            Self::LongTermFull { agent, .. } => format!(
                "`mnemon stats --agent {agent}` shows what takes the space. Erase what is not needed, \
                 or choose a higher tier."
            ),
            Self::License { needed, .. } => {
                format!("Set `tier = \"{needed}\"` in the settings once it is licensed.")
            }
            Self::Compacted { id, session, .. } => format!(
                "`mnemon unforget {id} --reason R` brings it back, and `mnemon session restore {session}` \
                 all that was compacted."
            ),
            Self::SessionNotFound { session } => format!(
                "`mnemon session list` shows the sessions; `mnemon session new --id {session}` makes this one."
            ),
            Self::SessionExists { .. } => "Choose another id, or use that session.".into(),
            Self::SessionDeleted { session } => format!(
                "`mnemon session undelete {session} --reason R` brings it back."
            ),
            Self::SessionIdDeleted { session } => format!(
                "Choose another id, bring it back with `mnemon session undelete {session} --reason R`, \
                 or remove it for good with `mnemon session purge {session} --yes`."
            ),
            Self::SessionArchived {
                session,
                source: None,
            } => format!("`mnemon session restore {session}` opens it."),
            Self::SessionArchived {
                session,
                source: Some(source),
            } => match **source {
                Self::Corrupt { .. } => format!(
                    "`mnemon verify` shows the damage; put the archive of sessions/{session} back \
                     from a copy. Its summary stays searchable."
                ),
                _ => source.hint(),
            },
            Self::Forgotten { id } => format!(
                "`mnemon history {id}` tells who forgot it, and why; `mnemon unforget {id} --reason R` \
                 brings it back."
            ),
            Self::NotFound { .. } => {
                "`mnemon list` shows what is there and `mnemon deleted` what is \
                 forgotten; a handle such as DEC-001 \
                 needs --session S, or is written S/DEC-001."
                    .into()
            }
            Self::InvalidQuery { .. } => "Correct this part of the question and ask again.".into(),
            Self::Dimension { .. } => {
                "Leave the embedding out, or set embedding.* to the model that it is of.".into()
            }
            Self::Past { .. } => "Write without --as-of, to the store as it is now.".into(),
            Self::QueryTimeout => {
                "Narrow it with a filter such as --session or --since, or allow more time in search.timeout_ms."
                    .into()
            }
            Self::Crypto(problem) => problem.hint(),
            Self::Forbidden { .. } => "Ask as the user, or as an agent that may do this.".into(),
        }
    }
}
