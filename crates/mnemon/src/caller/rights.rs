//! Rights: which role each operation needs. The one table that says so.

use super::{Caller, Role};
use crate::error::{Error, Result};

/// Makes the table: under each role the operations that need it.
macro_rules! operations {
    ($($role:ident: $($operation:ident $name:literal)+;)+) => {
        /// Something that [`Mnemon`](crate::Mnemon) does for a caller.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each is the function of the same name")]
        pub enum Operation { $($($operation,)+)+ }

        impl Operation {
            /// All of them.
            pub const ALL: &[Self] = &[$($(Self::$operation,)+)+];

            /// The name of its function.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$operation => $name,)+)+ }
            }

            /// The role that it needs.
            pub fn needs(self) -> Role {
                match self { $($(Self::$operation)|+ => Role::$role,)+ }
            }
        }
    };
}

operations! {
    Reader:
        Get "get" GetMany "get_many" Find "find" Peek "peek" List "list" History "history" Stats "stats"
        Recall "recall" Query "query" Related "related" Similar "similar" Duplicates "duplicates" Context "context"
        Topics "topics" Timeline "timeline" ByAgent "by_agent" Summary "summary"
        SessionTopics "session_topics" SessionTimeline "session_timeline"
        SessionSummary "session_summary" AllOf "all_of" SessionSize "session_size"
        Session "session" Sessions "sessions" DeletedSession "deleted_session"
        DeletedSessions "deleted_sessions" OverdueSessions "overdue_sessions"
        Locate "locate" ListEverywhere "list_everywhere" ListForgotten "list_forgotten"
        Export "export" Anonymize "anonymize" Audit "audit" PlanCompaction "plan_compaction"
        CheckReferences "check_references" Embedding "embedding" FillingOf "filling_of"
        LongTermStats "long_term_stats" Retention "retention" Require "require" Subscribe "subscribe"
        Flush "flush" FlushAccessesIfFree "flush_accesses_if_free" Sealing "sealing"
        Desk "desk" Working "working" Window "window" Snapshots "snapshots"
        FindSnapshot "find_snapshot" ExportSnapshot "export_snapshot"
        SnapshotRoutine "snapshot_routine"
        SnapshotStats "snapshot_stats";
    Writer:
        Remember "remember" RememberAll "remember_all" Transact "transact" Revise "revise"
        Forget "forget" ForgetLocated "forget_located" Unforget "unforget"
        UnforgetNamed "unforget_named" Erase "erase" EraseIds "erase_ids" Import "import" TakeIn "take_in"
        CreateSession "create_session" CloseSession "close_session"
        ActivateSession "activate_session" ArchiveSession "archive_session"
        RestoreSession "restore_session" DeleteSession "delete_session"
        UndeleteSession "undelete_session" Compact "compact"
        CompactWhatIsDue "compact_what_is_due" BringBack "bring_back"
        SetRetention "set_retention" RunRetention "run_retention"
        EmbedPending "embed_pending" MaintainOverdue "maintain_overdue" KeepTurn "keep_turn"
        LinkDuplicates "link_duplicates" UnlinkDuplicates "unlink_duplicates"
        SetWorking "set_working" DropWorking "drop_working" ClearWorking "clear_working"
        AddToWindow "add_to_window" PinInWindow "pin_in_window" ClearWindow "clear_window"
        SetWindowBudget "set_window_budget" Snapshot "snapshot" KeepSnapshot "keep_snapshot"
        RestoreSnapshot "restore_snapshot" DeleteSnapshot "delete_snapshot"
        ImportSnapshot "import_snapshot" SetSnapshotRoutine "set_snapshot_routine"
        BeginRequest "begin_request" EndRequest "end_request";
    Admin:
        Verify "verify" Repair "repair" Reindex "reindex" Maintain "maintain" MaintainDue "maintain_due"
        PurgeSession "purge_session" Master "master" MakeKeysForFile "make_keys_for_file"
        MakeKeysFor "make_keys_for" RotateKeysToFile "rotate_keys_to_file"
        RotateKeysToPassphrase "rotate_keys_to_passphrase" DestroyKey "destroy_key"
        SealWhatIsClear "seal_what_is_clear" BackUp "back_up"
        NewToken "new_token" Tokens "tokens" RevokeToken "revoke_token"
        DropOldRequests "drop_old_requests";
}

impl Operation {
    /// What it is called in a refusal.
    fn deed(self) -> String {
        match self {
            Self::Master => "use the master key".into(),
            Self::MakeKeysForFile | Self::MakeKeysFor => "make keys".into(),
            Self::RotateKeysToFile | Self::RotateKeysToPassphrase => "change the master key".into(),
            Self::BackUp => "take or bring back a back-up".into(),
            other => other.name().replace('_', " "),
        }
    }
}

impl Caller {
    /// Refuses what the caller's role does not reach.
    pub fn may(&self, operation: Operation) -> Result<()> {
        let needed = operation.needs();
        if self.role >= needed {
            return Ok(());
        }
        let deed = operation.deed();
        let (own, needed) = (self.role.as_str(), needed.as_str());
        Err(self.forbidden(format!(
            "{deed}: a {own} asks, and the role {needed} is needed"
        )))
    }

    /// The refusal of something that the caller may not do.
    pub(crate) fn forbidden(&self, action: impl Into<String>) -> Error {
        Error::Forbidden {
            caller: self.name().to_owned(),
            action: action.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_in_the_table_once_and_each_role_may_do_what_lesser_ones_may() {
        let mut names: Vec<&str> = Operation::ALL.iter().map(|it| it.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Operation::ALL.len());
        let reader = Caller {
            role: Role::Reader,
            ..Caller::user("ada")
        };
        let writer = Caller::agent("ada".parse().unwrap());
        let admin = Caller::user("ada");
        for operation in Operation::ALL {
            let may = [&reader, &writer, &admin].map(|it| it.may(*operation).is_ok());
            assert!(may.is_sorted(), "{}", operation.name());
            assert!(may[2]);
        }
        let refused = writer.may(Operation::PurgeSession).unwrap_err();
        assert_eq!(refused.code().as_str(), "E_FORBIDDEN");
        assert_eq!(
            refused.to_string(),
            "ada may not purge session: a writer asks, and the role admin is needed"
        );
    }
}
