//! The help.

use crate::sandbox::Sandbox;

const COMMANDS: [&[&str]; 80] = [
    &["init"],
    &["session", "new"],
    &["session", "list"],
    &["session", "show"],
    &["session", "close"],
    &["session", "size"],
    &["session", "activate"],
    &["session", "archive"],
    &["session", "restore"],
    &["session", "delete"],
    &["session", "undelete"],
    &["session", "purge"],
    &["session", "summary"],
    &["session", "timeline"],
    &["session", "topics"],
    &["remember"],
    &["get"],
    &["list"],
    &["recall"],
    &["query"],
    &["related"],
    &["similar"],
    &["history"],
    &["revise"],
    &["forget"],
    &["unforget"],
    &["deleted"],
    &["erase"],
    &["audit"],
    &["import"],
    &["export"],
    &["redact"],
    &["anonymize"],
    &["compact"],
    &["verify"],
    &["repair"],
    &["embed"],
    &["reindex"],
    &["stats"],
    &["doctor"],
    &["turn"],
    &["context"],
    &["maintain"],
    &["working", "set"],
    &["working", "get"],
    &["working", "list"],
    &["working", "clear"],
    &["window", "add"],
    &["window", "pin"],
    &["window", "unpin"],
    &["window", "list"],
    &["window", "clear"],
    &["window", "budget"],
    &["snapshot", "create"],
    &["snapshot", "list"],
    &["snapshot", "show"],
    &["snapshot", "restore"],
    &["snapshot", "delete"],
    &["snapshot", "export"],
    &["snapshot", "import"],
    &["backup"],
    &["restore-backup"],
    &["mcp"],
    &["serve"],
    &["token", "new"],
    &["token", "list"],
    &["token", "revoke"],
    &["connect"],
    &["hook"],
    &["key", "new"],
    &["key", "show"],
    &["key", "rotate"],
    &["key", "seal"],
    &["key", "destroy"],
    &["config", "show"],
    &["config", "check"],
    &["config", "init"],
    &["demo"],
    &["completions"],
    &[],
];

#[test]
fn every_command_has_help_with_an_example() {
    let sandbox = Sandbox::empty();
    for command in COMMANDS {
        let ran = sandbox.run(&[command, &["--help"]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{command:?}");
        assert!(ran.stdout.contains("Example"), "{command:?}");
        assert!(ran.stdout.contains("mnemon "), "{command:?}");
    }
}

#[test]
fn the_first_page_lists_the_commands() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["--help"]).stdout, @r#"
    Memory for AI agents: plain files, found again in a millisecond

    Usage: mnemon [OPTIONS] <COMMAND>

    Commands:
      init            Make a store
      session         Make, list, show, sum up, archive and delete sessions
      remember        Keep a memory
      turn            Keep a turn, what came of it, and the agent's state, all of it or nothing
      get             Show one memory
      list            List memories
      recall          Find memories by what they say and mean
      query           Find and count memories by conditions on their fields
      context         Assemble what an agent needs for its next turn, within a token budget
      working         Hold values by name while a task goes on
      window          Keep what an agent has before its eyes within a token budget
      snapshot        Freeze what an agent holds, and go back to it
      related         Follow what a memory names, and what names it
      similar         Find memories that mean nearly the same as one
      duplicates      Find memories that say what an older one says, and link them
      history         Show what happened to a memory
      revise          Change a memory
      forget          Forget memories; they can be brought back for a while
      unforget        Bring back memories that were forgotten or compacted
      deleted         List what is forgotten or deleted and can be brought back
      erase           Remove memories for good; no file of the store keeps a byte of them
      audit           Show what was forgotten, erased, archived and deleted, by whom and why
      import          Take in memories from a file, or what another program kept
      migrate         Take over what a project of BMAD kept: sessions, conversation logs, decisions
      export          Hand out memories, to a file or to the terminal
      redact          Show a text as it would be kept, without secrets
      anonymize       Hand out a session without who and where
      compact         Move what a session needs least to its archive
      backup          Copy the whole store, as it is at one moment, while others use it
      restore-backup  Make a store from a back-up
      verify          Check every line and the index
      maintain        Do all that is due: retention, purging, archiving, care of the index, copies
      retention       Say how long what an agent has is kept, and carry it out
      repair          Set damage aside and make the index anew
      embed           Embed what waits for the service that the settings name
      reindex         Make the index anew
      stats           Count memories and bytes
      doctor          Look for what could be wrong with the store's surroundings
      mcp             Serve agents over MCP, on standard input and output
      serve           Serve programs over HTTP
      token           Make, list and revoke the tokens with which programs ask over HTTP
      connect         Add mnemon to a client of MCP, or take it out again
      key             Make, show, change and destroy the keys of what is sealed
      config          Show, check and write settings
      demo            Make a small store with a story in it, to look around in
      completions     Print completions for a shell
      man             Write the manual, a page for each command

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Everywhere:
          --root <DIR>  The store's folder [default: MNEMON_ROOT, the nearest .mnemon, or the user's
                        data folder]
          --json        Print JSON, for programs
          --no-pager    Print long answers at once, instead of in PAGER
          --as <AGENT>  Ask as this agent instead of as the user

    Examples:
      mnemon init
      mnemon session new --id review --agent architect
      mnemon remember "Use PostgreSQL" --session review --kind decision
      mnemon list --session review

    New here? `mnemon demo` makes a small store to look around in.
    "#);
    insta::assert_snapshot!(sandbox.run(&["get", "--help"]).stdout, @r#"
    Show one memory

    Usage: mnemon get [OPTIONS] <ID>...

    Arguments:
      <ID>...  Its id, its handle with --session, or SESSION/HANDLE; of several, those that there are

    Options:
          --session <S>   The session in which a bare handle is looked up
          --as-of <TIME>  Answer as at this moment, and count times from it: 2026-01-10, "2 weeks",
                          yesterday
      -h, --help          Print help

    Everywhere:
          --root <DIR>  The store's folder [default: MNEMON_ROOT, the nearest .mnemon, or the user's
                        data folder]
          --json        Print JSON, for programs
          --no-pager    Print long answers at once, instead of in PAGER
          --as <AGENT>  Ask as this agent instead of as the user

    Examples:
      mnemon get DEC-001 --session review
      mnemon get review/DEC-001 --json
    "#);
}

#[test]
fn completions_are_there_for_every_shell() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = sandbox.run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("remember"), "{shell}");
    }
}
