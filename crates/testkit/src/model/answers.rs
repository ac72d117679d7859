//! What questions get: found by looking at everything.

use std::cmp::Ordering;

use mnemon::memory::{Kind, Memory, MemoryId, Reference, SessionId, Space};
use mnemon::session::{Activity, Participant, Session};
use mnemon::store::{Change, Filter, Selection, Sort, SpaceStats, Stats};
use mnemon::time::Time;

use super::state::{Details, Kept, Place, State, utc};

impl State {
    pub(super) fn find(&self, reference: &Reference) -> Option<Memory> {
        self.all()
            .find(|memory| is_meant(reference, memory))
            .cloned()
    }

    pub(super) fn neighbours(&self, of: &[Memory]) -> Vec<Memory> {
        let names = |one: &Memory, other: &Memory| {
            let mut mentions = one.mentions().into_iter();
            mentions.any(|mention| is_meant(&mention.to, other))
        };
        let is_near = |memory: &Memory| {
            of.iter()
                .any(|one| names(one, memory) || names(memory, one))
        };
        let mut near: Vec<Memory> = self.all().filter(|it| is_near(it)).cloned().collect();
        near.sort_by(|a, b| a.id.cmp(&b.id));
        near
    }

    pub(super) fn select(&self, filter: &Filter) -> Selection {
        let mut fitting: Vec<Memory> = self.all().filter(|it| filter.fits(it)).cloned().collect();
        fitting.sort_by(|a, b| compare(filter, a, b));
        Selection {
            total: fitting.len() as u64,
            memories: fitting
                .into_iter()
                .skip(filter.offset)
                .take(filter.limit)
                .collect(),
        }
    }

    /// Space after space: those that were asked for, or all in the order of their names.
    pub(super) fn walk(&self, spaces: &[Space]) -> Vec<Memory> {
        let spaces = if spaces.is_empty() {
            self.spaces_by_name()
        } else {
            spaces.to_vec()
        };
        spaces
            .iter()
            .flat_map(|space| self.all_in(space))
            .cloned()
            .collect()
    }

    pub(super) fn history(&self, id: &MemoryId) -> Vec<Change> {
        let kept: Option<&Kept> = self.memories.iter().find(|kept| kept.now.id == *id);
        kept.map(|kept| kept.changes.clone()).unwrap_or_default()
    }

    pub(super) fn sessions(&self) -> Vec<Session> {
        let mut sessions: Vec<Session> = self
            .places
            .iter()
            .filter_map(|(space, place)| {
                let details = place.session.as_ref()?;
                Some(self.session(space.session()?, space, place, details))
            })
            .collect();
        sessions.sort_by(|a, b| {
            let latest_first = b.last_activity.cmp(&a.last_activity);
            latest_first.then_with(|| a.id.cmp(&b.id))
        });
        sessions
    }

    pub(super) fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        for memory in self.all() {
            if memory.state.forgotten.is_some() {
                stats.forgotten += 1;
            } else {
                stats.memories += 1;
                *stats.by_kind.entry(memory.kind()).or_default() += 1;
            }
        }
        for space in self.spaces_by_name() {
            let log_bytes = self.places[&space].bytes;
            stats.log_bytes += log_bytes;
            stats.spaces.push(SpaceStats {
                memories: self.shown_in(&space).count() as u64,
                log_bytes,
                damaged_lines: 0,
                space,
            });
        }
        stats.archived_sessions = self.archived.len() as u64;
        stats.deleted_sessions = self.deleted.len() as u64;
        stats
    }

    pub(super) fn count(&self) -> u64 {
        self.memories.len() as u64
    }

    fn session(&self, id: &SessionId, space: &Space, place: &Place, said: &Details) -> Session {
        let recorded_micros = place.recorded_micros;
        let opened_at = self.opened_at(id);
        if let Some((archived, _)) = self.archived.get(id) {
            return Session {
                id: id.clone(),
                details: said.content.clone(),
                created_at: archived.created_at,
                detailed_at: archived.detailed_at,
                last_activity: archived.last_activity,
                opened_at,
                archived: Some(archived.clone()),
                activity: Activity {
                    by_kind: archived.by_kind.clone(),
                    participants: archived.participants.clone(),
                    log_bytes: archived.bytes,
                },
            };
        }
        Session {
            id: id.clone(),
            details: said.content.clone(),
            created_at: said.content.created_at.unwrap_or(said.created_at),
            detailed_at: said.detailed_at,
            last_activity: recorded_micros.map_or(said.detailed_at, utc),
            opened_at,
            archived: None,
            activity: self.activity(space, place.bytes),
        }
    }

    fn activity(&self, space: &Space, log_bytes: u64) -> Activity {
        let mut activity = Activity {
            log_bytes,
            ..Activity::default()
        };
        for memory in self.shown_in(space) {
            *activity.by_kind.entry(memory.kind()).or_default() += 1;
        }
        let mut names: Vec<&str> = self
            .shown_in(space)
            .filter_map(|memory| Some(memory.author.as_ref()?.as_str()))
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let theirs: Vec<&Memory> = self
                .shown_in(space)
                .filter(|memory| memory.author.as_ref().is_some_and(|it| it.as_str() == name))
                .collect();
            let turns = theirs.iter().filter(|it| it.kind() == Kind::Conversation);
            let last = theirs.iter().map(|it| it.created_at.micros()).max();
            activity.participants.push(Participant {
                name: name.to_owned(),
                messages: turns.count() as u64,
                memories: theirs.len() as u64,
                last_active: utc(last.unwrap_or(0)),
            });
        }
        activity
    }

    /// The memories of a space, those of an archived session included.
    fn all_in(&self, space: &Space) -> Vec<&Memory> {
        let archived = space.session().and_then(|id| self.archived.get(id));
        match archived {
            Some((_, aside)) => aside.kept.iter().map(|kept| &kept.now).collect(),
            None => self.all().filter(|memory| memory.space == *space).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Memory> {
        self.memories.iter().map(|kept| &kept.now)
    }

    /// The memories of a space that are not forgotten.
    fn shown_in(&self, space: &Space) -> impl Iterator<Item = &Memory> {
        self.all()
            .filter(move |memory| memory.space == *space && memory.state.forgotten.is_none())
    }

    fn spaces_by_name(&self) -> Vec<Space> {
        let mut spaces: Vec<Space> = self.places.keys().cloned().collect();
        spaces.sort_by_key(ToString::to_string);
        spaces
    }
}

fn is_meant(reference: &Reference, memory: &Memory) -> bool {
    match reference {
        Reference::Id(id) => memory.id == *id,
        Reference::Handle(session, handle) => {
            let own = memory.space.session().map(SessionId::as_str);
            own.is_some_and(|own| own.eq_ignore_ascii_case(session.as_str()))
                && memory.handle == Some(*handle)
        }
    }
}

/// Which of two comes first; what is equal comes newest first, then by id.
fn compare(filter: &Filter, a: &Memory, b: &Memory) -> Ordering {
    let created = |memory: &Memory| memory.created_at.micros();
    let last_access = |memory: &Memory| memory.state.last_access.map(Time::micros);
    let priority = |memory: &Memory| filter.at().priority(memory);
    let wanted = match filter.sort {
        Sort::Newest => created(b).cmp(&created(a)),
        Sort::Oldest => created(a).cmp(&created(b)),
        Sort::Importance => b.importance.get().total_cmp(&a.importance.get()),
        // None is less than anything, so it comes last.
        Sort::LastAccess => last_access(b).cmp(&last_access(a)),
        Sort::AccessCount => b.state.access_count.cmp(&a.state.access_count),
        Sort::Priority => priority(b).total_cmp(&priority(a)),
    };
    wanted
        .then_with(|| created(b).cmp(&created(a)))
        .then_with(|| a.id.cmp(&b.id))
}
