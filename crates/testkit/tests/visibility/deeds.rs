//! One deed for every operation of the engine, done by an agent that tries all it can.

use jiff::tz::TimeZone;
use mnemon::anonymize;
use mnemon::caller::Operation;
use mnemon::compact::Reach;
use mnemon::consolidate::DuplicateOptions;
use mnemon::context::ContextRequest;
use mnemon::engine::{MaintainOptions, NewSession};
use mnemon::memory::{Link, Revision, Space};
use mnemon::recall::aggregate::SummaryOptions;
use mnemon::recall::related::RelatedOptions;
use mnemon::recall::similar::SimilarOptions;
use mnemon::recall::{Query, Question};
use mnemon::retention::RetentionPolicy;
use mnemon::store::{Located, OnFull, RepairOptions};
use mnemon::{Caller, Gate};

use super::desks;
use super::keys;
use super::town::{AGENTS, Town, told};
use super::tricks::{import, judged, query, some_draft, take_in, transact, with_stolen};

/// Something that an agent does.
pub(crate) struct Deed {
    pub(crate) operation: Operation,
    /// How often it is done, beside others.
    pub(crate) weight: usize,
    /// Gives all that the agent is told.
    pub(crate) run: fn(&mut Town, &Caller) -> String,
}

const fn deed(operation: Operation, weight: usize, run: fn(&mut Town, &Caller) -> String) -> Deed {
    Deed {
        operation,
        weight,
        run,
    }
}

pub(crate) const WHY: &str = "because of a test";

/// Everything is alike, so that links lead wherever they may.
fn duplicates(town: &mut Town) -> DuplicateOptions {
    DuplicateOptions {
        filter: town.filter(),
        likeness_min: 0.0,
    }
}

pub(crate) const DEEDS: &[Deed] = &[
    deed(Operation::Get, 90, |town, me| {
        let name = town.name();
        told(town.engine.get(me, &name, None))
    }),
    deed(Operation::GetMany, 20, |town, me| {
        let names = [town.name(), town.name()];
        told(town.engine.get_many(me, &names, None))
    }),
    deed(Operation::Find, 90, |town, me| {
        let name = town.name();
        told(town.engine.find(me, &name, None))
    }),
    deed(Operation::Peek, 90, |town, me| {
        let id = town.id();
        town.asked.push(id.to_string());
        told(town.engine.peek(me, &id))
    }),
    deed(Operation::Locate, 60, |town, me| {
        let name = town.name();
        told(town.engine.locate(me, &name, None))
    }),
    deed(Operation::History, 60, |town, me| {
        let name = town.name();
        told(town.engine.history(me, &name, None))
    }),
    deed(Operation::List, 60, |town, me| {
        let filter = town.filter();
        told(town.engine.list(me, &filter))
    }),
    deed(Operation::ListEverywhere, 10, |town, me| {
        let filter = town.filter();
        told(town.engine.list_everywhere(me, &filter))
    }),
    deed(Operation::ListForgotten, 10, |town, me| {
        let filter = town.filter();
        told(town.engine.list_forgotten(me, &filter))
    }),
    deed(Operation::Recall, 40, |town, me| {
        let filter = town.filter();
        let question = Question::parse(&town.words()).unwrap();
        told(town.engine.recall(me, &Query::new(question, filter)))
    }),
    deed(Operation::Query, 20, query),
    deed(Operation::Related, 40, |town, me| {
        let (name, filter) = (town.name(), town.filter());
        let options = RelatedOptions {
            depth: 3,
            ..RelatedOptions::new(filter)
        };
        told(town.engine.related(me, &name, None, &options))
    }),
    deed(Operation::Similar, 20, |town, me| {
        let filter = town.filter();
        let Some(memory) = town.stolen() else {
            return String::new();
        };
        let options = SimilarOptions {
            min_similarity: 0.0,
            ..SimilarOptions::new(filter)
        };
        told(town.engine.similar(me, &memory, &options))
    }),
    deed(Operation::Duplicates, 10, |town, me| {
        let options = duplicates(town);
        told(town.engine.duplicates(me, &options))
    }),
    deed(Operation::LinkDuplicates, 5, |town, me| {
        let options = duplicates(town);
        told(town.engine.link_duplicates(me, &options))
    }),
    deed(Operation::UnlinkDuplicates, 10, |town, me| {
        let Some(memory) = town.stolen() else {
            return String::new();
        };
        told(town.engine.unlink_duplicates(me, &[memory]))
    }),
    deed(Operation::Context, 6, |town, me| {
        let request = ContextRequest {
            topic: Some(town.words()),
            ..ContextRequest::new(town.session())
        };
        let topic = request.topic.clone();
        town.asked.extend(topic);
        let words = |text: &str| text.split_whitespace().count();
        told(town.engine.context(me, &request, words))
    }),
    deed(Operation::Topics, 5, |town, me| {
        let filter = town.filter();
        told(town.engine.topics(me, &filter))
    }),
    deed(Operation::Timeline, 5, |town, me| {
        let filter = town.filter();
        told(town.engine.timeline(me, &filter))
    }),
    deed(Operation::ByAgent, 5, |town, me| {
        let filter = town.filter();
        told(town.engine.by_agent(me, &filter))
    }),
    deed(Operation::Summary, 5, |town, me| {
        let filter = town.filter();
        told(town.engine.summary(me, &filter, &SummaryOptions::default()))
    }),
    deed(Operation::SessionTopics, 4, |town, me| {
        let session = town.session();
        told(town.engine.session_topics(me, &session))
    }),
    deed(Operation::SessionTimeline, 4, |town, me| {
        let session = town.session();
        told(town.engine.session_timeline(me, &session))
    }),
    deed(Operation::SessionSummary, 4, |town, me| {
        let session = town.session();
        let options = SummaryOptions::default();
        told(town.engine.session_summary(me, &session, &options))
    }),
    deed(Operation::AllOf, 10, |town, me| {
        let session = town.session();
        told(town.engine.all_of(me, &session))
    }),
    deed(Operation::SessionSize, 5, |town, me| {
        let session = town.session();
        told(town.engine.session_size(me, &session))
    }),
    deed(Operation::Session, 20, |town, me| {
        let session = town.session();
        told(town.engine.session(me, &session))
    }),
    deed(Operation::Sessions, 10, |town, me| {
        told(town.engine.sessions(me))
    }),
    deed(Operation::DeletedSession, 10, |town, me| {
        let session = town.session();
        told(town.engine.deleted_session(me, &session))
    }),
    deed(Operation::DeletedSessions, 10, |town, me| {
        told(town.engine.deleted_sessions(me))
    }),
    deed(Operation::OverdueSessions, 10, |town, me| {
        told(town.engine.overdue_sessions(me))
    }),
    deed(Operation::Stats, 5, |town, me| told(town.engine.stats(me))),
    deed(Operation::Export, 4, |town, me| {
        let spaces = if town.one_in(2) {
            vec![town.space()]
        } else {
            Vec::new()
        };
        let mut all = Vec::new();
        let exported = town.engine.export(me, &spaces, &mut |memory| {
            all.push(memory);
            Ok(())
        });
        told(exported.map(|()| all))
    }),
    deed(Operation::Anonymize, 2, |town, me| {
        let session = town.session();
        let anonymized = town
            .engine
            .anonymize(me, &session, anonymize::Options::default());
        told(anonymized)
    }),
    deed(Operation::Audit, 4, |town, me| told(town.engine.audit(me))),
    deed(Operation::PlanCompaction, 3, |town, me| {
        let session = town.session();
        told(town.engine.plan_compaction(me, &session, Reach::Aggressive))
    }),
    deed(Operation::CheckReferences, 30, |town, me| {
        let mut draft = town.public_draft();
        let id = town.id();
        town.asked.push(id.to_string());
        draft.links = vec![Link::related(id)];
        told(town.engine.check_references(me, &draft))
    }),
    deed(Operation::Embedding, 5, |town, me| {
        told(town.engine.embedding(me))
    }),
    deed(Operation::FillingOf, 5, |town, me| {
        let space = town.space();
        town.asked.push(space.to_string());
        told(town.engine.filling_of(me, &space))
    }),
    deed(Operation::LongTermStats, 5, |town, me| {
        let Space::Agent(agent) = town.space() else {
            return String::new();
        };
        town.asked.push(agent.to_string());
        told(town.engine.long_term_stats(me, &agent))
    }),
    deed(Operation::Retention, 5, |town, me| {
        let agent = town.pick(&AGENTS).0.parse().unwrap();
        told(town.engine.retention(me, &agent))
    }),
    deed(Operation::SetRetention, 2, |town, me| {
        let (agent, mark) = *town.pick(&AGENTS);
        let is_own = agent == me.name();
        let policy = RetentionPolicy {
            exempt_tags: vec![mark.parse().unwrap()],
            ..RetentionPolicy::default()
        };
        let set = town
            .engine
            .set_retention(me, &agent.parse().unwrap(), &policy);
        assert!(is_own || set.is_err(), "{me} set the policy of {agent}");
        told(set)
    }),
    deed(Operation::RunRetention, 1, |town, me| {
        let agent = town.pick(&AGENTS).0.parse().unwrap();
        let agent = town.one_in(2).then_some(&agent);
        told(town.engine.run_retention(me, agent, false))
    }),
    deed(Operation::Require, 5, |town, me| {
        told(town.engine.require(me, Gate::SemanticSearch))
    }),
    deed(Operation::Subscribe, 3, |town, me| {
        let all = town.engine.subscribe(me, 2000, Some(0));
        told(all.map(|all| std::iter::from_fn(|| all.try_next()).collect::<Vec<_>>()))
    }),
    deed(Operation::Flush, 2, |town, me| told(town.engine.flush(me))),
    deed(Operation::FlushAccessesIfFree, 2, |town, me| {
        town.engine.flush_accesses_if_free(me);
        String::new()
    }),
    deed(Operation::Remember, 25, |town, me| {
        let (space, draft, is_fair) = some_draft(town, me);
        let kept = town.engine.remember(me, &space, draft);
        told(judged(town, is_fair, kept.map(|it| it.id)))
    }),
    deed(Operation::RememberAll, 8, |town, me| {
        let (space, draft, is_fair) = some_draft(town, me);
        let kept = town
            .engine
            .remember_all(me, &space, vec![draft], OnFull::Refuse);
        told(judged(town, is_fair, kept.map(|it| it[0].id.clone())))
    }),
    deed(Operation::Transact, 8, transact),
    deed(Operation::Revise, 20, |town, me| {
        with_stolen(town, me, |town, memory| {
            let revision = Revision {
                importance: 0.5.try_into().ok(),
                pinned: Some(!memory.pinned),
                ..Revision::default()
            };
            town.engine
                .revise(me, memory, None, revision)
                .map(|it| format!("{it:?}"))
        })
    }),
    deed(Operation::Forget, 8, |town, me| {
        with_stolen(town, me, |town, memory| {
            let forgotten = town.engine.forget(me, std::slice::from_ref(memory), WHY);
            forgotten.map(|it| format!("{it:?}"))
        })
    }),
    deed(Operation::ForgetLocated, 4, |town, me| {
        with_stolen(town, me, |town, memory| {
            let located = town.engine.locate(&town.user, memory.id.as_str(), None)?;
            let located = Located {
                memory: memory.clone(),
                ..located
            };
            let forgotten = town.engine.forget_located(me, &[located], WHY);
            forgotten.map(|it| format!("{it:?}"))
        })
    }),
    deed(Operation::Unforget, 8, |town, me| {
        with_stolen(town, me, |town, memory| {
            let back = town.engine.unforget(me, std::slice::from_ref(memory), WHY);
            back.map(|it| format!("{it:?}"))
        })
    }),
    deed(Operation::UnforgetNamed, 6, |town, me| {
        let name = town.name();
        told(town.engine.unforget_named(me, &[name], None, WHY))
    }),
    deed(Operation::Erase, 1, |town, me| {
        with_stolen(town, me, |town, memory| {
            let erased = town.engine.erase(me, std::slice::from_ref(memory), WHY);
            erased.map(|it| format!("{it:?}"))
        })
    }),
    deed(Operation::EraseIds, 1, |town, me| {
        with_stolen(town, me, |town, memory| {
            let erased = town.engine.erase_ids(me, vec![memory.id.clone()], WHY);
            erased.map(|it| format!("{it:?}"))
        })
    }),
    deed(Operation::Import, 3, import),
    deed(Operation::TakeIn, 3, take_in),
    deed(Operation::CreateSession, 2, |town, me| {
        let session = town.session();
        let new = NewSession {
            id: Some(session),
            ..NewSession::default()
        };
        told(town.engine.create_session(me, new))
    }),
    deed(Operation::CloseSession, 2, |town, me| {
        let session = town.session();
        told(town.engine.close_session(me, &session))
    }),
    deed(Operation::ActivateSession, 2, |town, me| {
        let session = town.session();
        told(town.engine.activate_session(me, &session))
    }),
    deed(Operation::ArchiveSession, 1, |town, me| {
        let session = town.session();
        told(town.engine.archive_session(me, &session, Some(WHY)))
    }),
    deed(Operation::RestoreSession, 2, |town, me| {
        let session = town.session();
        told(town.engine.restore_session(me, &session))
    }),
    deed(Operation::DeleteSession, 1, |town, me| {
        let session = town.session();
        told(town.engine.delete_session(me, &session, WHY))
    }),
    deed(Operation::UndeleteSession, 4, |town, me| {
        let session = town.session();
        told(town.engine.undelete_session(me, &session, WHY))
    }),
    deed(Operation::PurgeSession, 2, |town, me| {
        let session = town.session();
        told(town.engine.purge_session(me, &session))
    }),
    deed(Operation::Compact, 1, |town, me| {
        let session = town.session();
        told(town.engine.compact(me, &session, Reach::Aggressive))
    }),
    deed(Operation::CompactWhatIsDue, 2, |town, me| {
        let reports = town.engine.compact_what_is_due(me).into_iter();
        reports.map(told).collect()
    }),
    deed(Operation::BringBack, 2, |town, me| {
        let (session, id) = (town.session(), town.id());
        town.asked.push(id.to_string());
        let ids = [id];
        let some = town.one_in(2).then_some(&ids[..]);
        told(town.engine.bring_back(me, &session, some, WHY))
    }),
    deed(Operation::EmbedPending, 2, |town, me| {
        told(town.engine.embed_pending(me, 10, None, &mut |_| ()))
    }),
    deed(Operation::MaintainOverdue, 1, |town, me| {
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        told(town.engine.maintain_overdue(me, &TimeZone::UTC, until))
    }),
    deed(Operation::Verify, 1, |town, me| {
        told(town.engine.verify(me, &mut |_| ()))
    }),
    deed(Operation::Repair, 1, |town, me| {
        told(
            town.engine
                .repair(me, RepairOptions::default(), &mut |_| ()),
        )
    }),
    deed(Operation::Reindex, 1, |town, me| {
        told(town.engine.reindex(me, &mut |_| ()))
    }),
    deed(Operation::Maintain, 1, |town, me| {
        told(town.engine.maintain(me, &MaintainOptions::default()))
    }),
    deed(Operation::MaintainDue, 1, |town, me| {
        told(town.engine.maintain_due(me, &TimeZone::UTC))
    }),
    deed(Operation::SnapshotRoutine, 5, desks::snapshot_routine),
    deed(
        Operation::SetSnapshotRoutine,
        5,
        desks::set_snapshot_routine,
    ),
    deed(Operation::Sealing, 5, keys::sealing),
    deed(Operation::Master, 1, keys::master),
    deed(Operation::MakeKeysForFile, 1, keys::make_keys_for_file),
    deed(Operation::MakeKeysFor, 1, keys::make_keys_for),
    deed(Operation::RotateKeysToFile, 1, keys::rotate_keys_to_file),
    deed(
        Operation::RotateKeysToPassphrase,
        1,
        keys::rotate_keys_to_passphrase,
    ),
    deed(Operation::DestroyKey, 1, keys::destroy_key),
    deed(Operation::SealWhatIsClear, 1, keys::seal_what_is_clear),
    deed(Operation::NewToken, 1, keys::new_token),
    deed(Operation::Tokens, 1, keys::tokens),
    deed(Operation::BeginRequest, 1, keys::begin_request),
    deed(Operation::EndRequest, 1, keys::end_request),
    deed(Operation::DropOldRequests, 1, keys::drop_old_requests),
    deed(Operation::RevokeToken, 1, keys::revoke_token),
    deed(Operation::Desk, 20, desks::desk),
    deed(Operation::Working, 20, desks::working),
    deed(Operation::Window, 20, desks::window),
    deed(Operation::SetWorking, 10, desks::set_working),
    deed(Operation::DropWorking, 5, desks::drop_working),
    deed(Operation::ClearWorking, 5, desks::clear_working),
    deed(Operation::AddToWindow, 10, desks::add_to_window),
    deed(Operation::PinInWindow, 5, desks::pin_in_window),
    deed(Operation::ClearWindow, 3, desks::clear_window),
    deed(Operation::SetWindowBudget, 3, desks::set_window_budget),
    deed(Operation::Snapshot, 5, desks::snapshot),
    deed(Operation::KeepSnapshot, 3, desks::keep_snapshot),
    deed(Operation::Snapshots, 10, desks::snapshots),
    deed(Operation::SnapshotStats, 3, desks::snapshot_stats),
    deed(Operation::FindSnapshot, 10, desks::find_snapshot),
    deed(Operation::ExportSnapshot, 5, desks::export_snapshot),
    deed(Operation::ImportSnapshot, 5, desks::import_snapshot),
    deed(Operation::RestoreSnapshot, 5, desks::restore_snapshot),
    deed(Operation::DeleteSnapshot, 8, desks::delete_snapshot),
    deed(Operation::KeepTurn, 5, desks::keep_turn),
    deed(Operation::BackUp, 2, desks::back_up),
];
