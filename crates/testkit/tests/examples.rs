//! The examples of the library do what they say.

#[path = "../../mnemon/examples/agent_context.rs"]
mod agent_context;
#[path = "../../mnemon/examples/record_verification.rs"]
mod record_verification;

#[test]
fn an_agent_reads_its_context_by_questions_and_in_one_pack() {
    agent_context::main().expect("the example runs");
}

#[test]
fn a_verification_is_recorded_whole_or_not_at_all() {
    record_verification::main().expect("the example runs");
}
