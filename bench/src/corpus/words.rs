//! The words that the corpus is made of.

/// Topics, each with what it is divided into.
pub(super) const TOPICS: [(&str, &[&str]); 10] = [
    (
        "authentication",
        &["tokens", "sessions", "passwords", "single-sign-on"],
    ),
    ("storage", &["indexes", "migrations", "backups", "schema"]),
    (
        "deployment",
        &["containers", "rollback", "canary", "secrets"],
    ),
    ("testing", &["flaky", "coverage", "fixtures", "end-to-end"]),
    ("performance", &["latency", "memory", "caching", "startup"]),
    (
        "interface",
        &["forms", "navigation", "accessibility", "colours"],
    ),
    ("billing", &["invoices", "refunds", "currencies", "limits"]),
    ("search", &["ranking", "stemming", "filters", "suggestions"]),
    (
        "documentation",
        &["tutorials", "reference", "changelog", "examples"],
    ),
    ("monitoring", &["alerts", "dashboards", "traces", "logs"]),
];

pub(super) const AGENTS: [&str; 8] = [
    "architect",
    "developer",
    "tester",
    "analyst",
    "reviewer",
    "operator",
    "writer",
    "maria",
];

pub(super) const COMPONENTS: [&str; 12] = [
    "gateway",
    "worker",
    "scheduler",
    "frontend",
    "database",
    "queue",
    "cache",
    "mailer",
    "importer",
    "exporter",
    "console",
    "library",
];

pub(super) const FILES: [&str; 8] = [
    "src/gateway/route.rs",
    "src/worker/retry.rs",
    "src/store/schema.sql",
    "web/form.ts",
    "deploy/values.yaml",
    "docs/guide.md",
    "tests/refund.rs",
    "src/cache/evict.rs",
];

pub(super) const SENTENCES: [&str; 24] = [
    "The {component} drops requests about {topic} when more than {number} of them arrive at once.",
    "We agreed with {agent} to move {topic} out of the {component} before the next release.",
    "{agent} prefers short answers with the command first and the reasons for {topic} after it.",
    "The tests for {topic} in {file} fail about once in {number} runs because they wait for a clock.",
    "Restarting the {component} after a change to {topic} takes {number} seconds; plan for it.",
    "In {file} the timeout is {number} milliseconds, which is too little for {topic} over a slow line.",
    "The user asked why {topic} needs the {component} at all, and {agent} will look into it.",
    "{topic} is done in two steps: first the {component} checks the input, then it writes {number} rows.",
    "A retry without a pause in {file} made the {component} busy for {number} minutes last night.",
    "Before touching {topic}, run the script that copies the {component} to a safe place.",
    "Since the upgrade the {component} uses {number} megabytes less for the same {topic} load.",
    "{agent} found that {file} reads the settings for {topic} twice and believes the older ones.",
    "Keep the names in {topic} as they are; people have scripts that look for them in the {component}.",
    "The review of {topic} left {number} open questions, most of them about the {component}.",
    "Whoever changes {file} has to tell {agent}, who keeps the list of what depends on it.",
    "A customer with {number} projects sees an empty page where {topic} should be.",
    "The plan is to try the new {component} with one team first and look at {topic} after a week.",
    "Errors of the {component} now say what to do next, which {agent} asked for in {topic}.",
    "The branch for {topic} touches {number} files, so it is cut into smaller pieces.",
    "For dates in {topic} always use the zone of the user, never the one of the {component}.",
    "The {component} keeps {number} connections open; half of them do nothing for {topic}.",
    "{agent} wrote down how to bring {topic} back when the {component} was lost, in {file}.",
    "Nobody could repeat the problem with {topic} after {number} tries, so it is watched for now.",
    "The old way of {topic} stays until {agent} has moved the last user off the {component}.",
];
