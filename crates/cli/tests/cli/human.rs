//! What people read.

use crate::sandbox::{Sandbox, finish};

fn store() -> Sandbox {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "Use PostgreSQL", "--session", "s", "--kind", "decision", "--tag", "db.sql", "--confidence", "high", "--body", "{\"rationale\":\"ACID\",\"alternatives\":[{\"option\":\"MySQL\",\"rejected_because\":\"Licence\"},\"Files\"]}"]);
    sandbox.json(&["remember", "日本語のとても長いテキスト which does not fit into the table because it is far too long for that", "--session", "s", "--as", "architect", "--at", "2026-01-01T00:00:00Z"]);
    sandbox.json(&[
        "remember",
        "for all",
        "--shared",
        "--at",
        "2025-12-31T00:00:00Z",
        "--id",
        "mine",
    ]);
    sandbox
}

#[test]
fn tables_fit_and_cards_tell_all() {
    let sandbox = store();
    let human = |arguments: &[&str]| sandbox.run(arguments).human(&sandbox);
    insta::assert_snapshot!(human(&["list"]), @r"
    name        kind      author     text                                                     when
    s/DEC-001   decision  user       Use PostgreSQL                                           now
    s/FACT-001  fact      architect  日本語のとても長いテキスト which does not fit into the…  2026-01-01
    mine        fact      user       for all                                                  2025-12-31
    3 memories
    ");
    insta::assert_snapshot!(human(&["list", "--session", "s", "--limit", "1"]), @r"
    name     kind      author  text            when
    DEC-001  decision  user    Use PostgreSQL  now
    1 of 2 memories; --limit and --offset show others
    ");
    insta::assert_snapshot!(human(&["list", "--tag", "nothing"]), @r"Nothing fits.");
    insta::assert_snapshot!(human(&["get", "s/DEC-001"]), @r"
    DEC-001  decision  open

    Use PostgreSQL

      id           dec_01ULID00000000000000000000
      space        session/s
      author       user
      created      2026-01-01 00:00:00 UTC (now)
      importance   0.5
      priority     0.500: half of it goes in 720 h
      confidence   0.9 (high)
      tags         db.sql
      alternatives option: MySQL; rejected_because: Licence
                   Files
      rationale    ACID
    ");
    insta::assert_snapshot!(human(&["session", "list"]), @r"
    session  state   who   memories     size  last activity
    s        active  user         2  1.5 KiB  now
    1 session
    ");
    insta::assert_snapshot!(human(&["session", "show", "s"]), @r"
    s  active

      user         user
      made         2026-01-01 00:00:00 UTC (now)
      last used    2026-01-01 00:00:00 UTC (now)
      size         1.5 KiB of 10.0 MiB (0 %)
      holds        2 memories: 1 decision, 1 fact
      by           architect: 1 memory, 0 messages, last 2026-01-01
      by           user: 1 memory, 0 messages, last now
    ");
    insta::assert_snapshot!(human(&["revise", "s/DEC-001", "--resolve", "Installed"]), @r"
    DEC-001  decision  resolved

    Use PostgreSQL

      id           dec_01ULID00000000000000000000
      space        session/s
      author       user
      created      2026-01-01 00:00:00 UTC (now)
      revised      2026-01-01 00:00:00 UTC (now), version 2
      importance   0.5
      priority     0.500: half of it goes in 720 h
      confidence   0.9 (high)
      tags         db.sql
      alternatives option: MySQL; rejected_because: Licence
                   Files
      rationale    ACID
      resolution   action_taken: Installed; resolved_at: 2026-01-01 00:00:00Z; resolved_by: user;
                   status: resolved
      resolved     true
      asked for    1 time, last 2026-01-01 00:00:00 UTC (now)
    ");
    insta::assert_snapshot!(human(&["history", "s/DEC-001"]), @r"
    dec_01ULID00000000000000000000  Use PostgreSQL

    kept by user  2026-01-01 00:00:00 UTC (now), version 1
    revised by user  2026-01-01 00:00:00 UTC (now), version 2
      body.resolution: – → action_taken: Installed; resolved_at: 2…
      body.resolved: – → true
    ");
    insta::assert_snapshot!(human(&["forget", "mine", "--reason", "not for all"]), @r"Forgot 1 memory; `mnemon unforget` brings back what `mnemon deleted` lists.");
    insta::assert_snapshot!(human(&["deleted"]), @r"
    name  text     forgotten  by    reason       recoverable
    mine  for all  now        user  not for all  for 90 d
    1 memory
    ");
    insta::assert_snapshot!(human(&["unforget", "mine", "--reason", "for all"]), @r"Brought back 1 memory.");
    insta::assert_snapshot!(human(&["remember", "one more", "--session", "s"]), @r"Kept FACT-002 (fact_01ULID00000000000000000000) in session/s.");
    insta::assert_snapshot!(human(&["init"]), @r"There is a store in [folder]/.mnemon already; it is as it was.");
}

#[test]
fn links_are_shown_by_the_name_and_the_text_of_their_other_end() {
    let sandbox = store();
    let more = [
        "remember",
        "Use SQLite",
        "--session",
        "s",
        "--kind",
        "decision",
    ];
    let links = ["--link", "supersedes:DEC-001", "--ref", "mine"];
    sandbox.json(&[&more[..], &links[..]].concat());
    let card = sandbox.run(&["get", "s/DEC-002"]).stdout;
    let ends: Vec<_> = card.lines().filter(|line| line.contains('“')).collect();
    assert_eq!(
        ends,
        [
            "  related      mine “for all”",
            "  supersedes   DEC-001 “Use PostgreSQL”"
        ]
    );
}

#[test]
fn no_escape_reaches_the_terminal() {
    let sandbox = Sandbox::with_session();
    let text = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    let remember = [
        "remember",
        "-",
        "--session",
        "s",
        "--kind",
        "finding",
        "--author",
        "a\u{202e}",
    ];
    sandbox.run_with_input(&remember, text.as_bytes());
    sandbox.json(&[
        "revise",
        "s/FIND-001",
        "--resolve",
        text,
        "--meta",
        "k=\u{1b}[1m",
    ]);
    sandbox.json(&["forget", "s/FIND-001", "--reason", text]);
    for arguments in [
        vec!["list", "--include-forgotten"],
        vec!["history", "s/FIND-001"],
        vec!["deleted"],
        vec!["session", "show", "s"],
        vec!["get", "\u{1b}[31m"],
        vec!["remember", "x", "--session", "\u{1b}[31m"],
    ] {
        let ran = sandbox.run(&arguments);
        for c in ran.stdout.chars().chain(ran.stderr.chars()) {
            assert!(
                c == '\n' || !(c.is_control() || c == '\u{202e}'),
                "{arguments:?}: {c:?}"
            );
        }
    }
}

#[test]
fn colour_is_for_terminals_only() {
    let sandbox = store();
    assert!(!sandbox.run(&["list"]).stdout.contains('\u{1b}'));
    let forced = finish(
        sandbox.command().arg("list").env("CLICOLOR_FORCE", "1"),
        b"",
    );
    assert!(forced.stdout.contains('\u{1b}'));
    let refused = finish(sandbox.command().arg("list").env("NO_COLOR", "1"), b"");
    assert!(!refused.stdout.contains('\u{1b}'));
}
