//! Conformance: what every store must do, one claim a function.
//!
//! A claim is given a way to open a store that is empty at first; opening it
//! again gives another handle on the same store, so what one handle wrote is
//! to be found by the next. The macro [`conformance`](crate::conformance!)
//! makes a test of each claim.

mod batches;
mod compaction;
mod contents;
mod embedded;
mod filters;
mod handles;
mod ids;
mod life;
mod lives;
mod order;
mod papers;
mod relations;
mod sessions;
mod stage;
mod times;

pub use batches::*;
pub use compaction::*;
pub use contents::*;
pub use embedded::*;
pub use filters::*;
pub use handles::*;
pub use ids::*;
pub use life::*;
pub use lives::*;
pub use order::*;
pub use papers::*;
pub use relations::*;
pub use sessions::*;
pub use times::*;

use mnemon::store::Store;

/// Opens the store of a test, once more each time.
pub type Open<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// A test for each claim; `$with` is called with the claim and makes the store for it.
#[macro_export]
macro_rules! conformance {
    ($with:path) => {
        $crate::conformance! { @memories $with }
        $crate::conformance! { @sets $with }
    };
    // What is sealed is handed to no embedder outside, so it is in no set.
    (@sets $with:path) => {
        $crate::conformance! { $with:
            texts_wait_until_their_vectors_are_put
            what_is_forgotten_or_sensitive_waits_for_no_vector
            a_set_says_when_it_was_complete
            a_vector_serves_all_that_say_the_same
            erasing_takes_vectors_along_unless_others_say_the_same
        }
    };
    (@memories $with:path) => {
        $crate::conformance! { $with:
            ids_are_unique_in_the_whole_store
            the_same_id_with_the_same_content_changes_nothing
            a_repeated_memory_is_compared_with_its_first_version
            the_same_id_with_other_content_is_refused
            the_id_of_a_forgotten_memory_stays_taken
            handles_are_counted_by_kind_and_session
            handles_are_never_used_again
            a_handle_that_was_asked_for_is_given_if_it_is_still_to_come
            a_huge_handle_leaves_numbers_for_the_others
            handles_are_found_in_their_session_whatever_its_case
            only_memories_of_sessions_have_handles
            a_batch_whose_last_write_fails_leaves_no_trace
            later_writes_of_a_batch_see_earlier_ones
            a_session_is_made_once_even_within_a_batch
            a_batch_without_writes_makes_no_space
            a_version_that_is_not_the_expected_one_is_refused
            a_revision_that_changes_nothing_makes_no_version
            a_batch_reaches_its_own_space_only
            a_full_session_refuses_to_grow_and_lets_go
            turns_keep_their_words
            forgetting_hides_and_restoring_brings_back
            history_tells_what_happened
            accesses_add_up_and_the_latest_counts
            filters_select_what_fits
            tags_include_the_tags_below_them
            preferences_are_found_by_their_key
            metadata_is_compared_as_text
            texts_are_searched_whatever_their_case
            neighbours_are_found_in_both_directions
            neighbours_are_named_in_links_turns_and_bodies
            neighbours_follow_what_a_memory_says_now
            every_sort_has_its_order
            huge_access_counts_come_first
            pages_follow_each_other_and_totals_ignore_them
            walks_go_space_by_space_in_the_order_of_writing
            statistics_count_what_is_there
            session_ids_are_unique_whatever_their_case
            only_a_session_that_was_made_takes_memories
            details_of_a_session_can_be_changed_and_it_can_be_closed
            a_session_tells_who_wrote_in_it
            sessions_come_with_the_latest_activity_first
            only_sessions_have_details
            an_archive_gives_back_what_it_took
            questions_find_the_summary_of_an_archived_session
            whoever_writes_to_an_archived_session_has_it_opened
            ids_that_are_put_away_stay_taken
            a_deleted_session_is_gone_until_it_is_brought_back
            the_audit_tells_what_became_of_sessions
            sessions_tell_whether_they_hold_anything_forgotten
            erasing_reaches_what_is_put_away
            a_paper_says_what_it_was_last_told
            papers_are_listed_by_sort
            what_is_entered_is_in_the_audit
            papers_of_the_store_are_nobodys
            nobody_loses_a_change_to_a_paper
            recorded_times_grow_even_if_the_clock_goes_back
            what_is_kept_together_stays_in_its_order
            created_times_keep_their_zone_and_all_their_digits
            created_times_in_the_future_are_kept
            any_text_comes_back_as_it_was
            a_text_of_a_mebibyte_fits_and_one_byte_more_does_not
            unknown_fields_of_a_body_are_kept
            metadata_of_every_shape_is_kept
            embeddings_are_kept_bit_for_bit
            what_is_compacted_is_away_and_its_names_stay_taken
            what_is_brought_back_is_as_it_was
            a_summary_comes_and_goes_with_what_it_stands_for
            the_past_has_what_was_compacted_since
            what_was_acknowledged_is_there_after_opening_again
            one_handle_sees_what_another_wrote
        }
    };
    ($with:path: $($claim:ident)*) => {
        $(
            #[test]
            fn $claim() {
                $with($crate::conformance::$claim);
            }
        )*
    };
}
