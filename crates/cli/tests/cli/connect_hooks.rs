//! The hooks that `mnemon connect` adds, in homes of its own.

use crate::connect::{home, put, text};
use crate::sandbox::Sandbox;

#[test]
fn hooks_are_added_by_choice_beside_those_of_others() {
    let sandbox = Sandbox::empty();
    let settings = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ]\n  }\n}\n";
    let path = put(&sandbox, "home/.claude/settings.json", settings);
    sandbox.json(&["connect", "claude-code"]);
    assert_eq!(text(&path), settings);
    sandbox.json(&["connect", "claude-code", "--hooks"]);
    insta::assert_snapshot!(text(&path), @r#"
    {
      "model": "opus",
      "hooks": {
        "Stop": [
          { "hooks": [{ "type": "command", "command": "say done" }] },
          {
            "hooks": [
              {
                "type": "command",
                "command": "/bin/mnemon hook stop",
                "timeout": 10
              }
            ]
          }
        ],
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/bin/mnemon hook session-start",
                "timeout": 10
              }
            ]
          }
        ],
        "PreCompact": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/bin/mnemon hook pre-compact",
                "timeout": 10
              }
            ]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/bin/mnemon hook session-end",
                "timeout": 10
              }
            ]
          }
        ]
      }
    }
    "#);
    let with = home(&sandbox);
    sandbox.json(&["connect", "claude-code", "--hooks"]);
    assert_eq!(home(&sandbox), with);
    sandbox.json(&["connect", "claude-code", "--remove"]);
    assert_eq!(text(&path), settings);
    assert!(!sandbox.path().join("home/.claude.json").exists());

    sandbox.json(&["connect", "codex", "--hooks"]);
    let path = sandbox.path().join("home/.codex/hooks.json");
    let own: serde_json::Value = serde_json::from_str(&text(&path)).unwrap();
    let events: Vec<&String> = own["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, ["PreCompact", "SessionStart", "Stop"]);
    let stop = &own["hooks"]["Stop"][0]["hooks"][0]["command"];
    assert_eq!(stop, "/bin/mnemon hook stop --client codex");
    let with = home(&sandbox);
    sandbox.json(&["connect", "codex", "--hooks"]);
    assert_eq!(home(&sandbox), with);
    sandbox.json(&["connect", "codex", "--remove"]);
    assert!(!path.exists());

    let ran = sandbox.run(&["connect", "vscode", "--hooks"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("hooks are not supported for vscode"));
}

#[test]
fn gemini_has_its_hooks_beside_its_servers() {
    let sandbox = Sandbox::empty();
    let settings = "{\n  // mine\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"AfterAgent\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }\n    ]\n  }\n}\n";
    let path = put(&sandbox, "home/.gemini/settings.json", settings);
    let untouched = home(&sandbox);
    let answer = sandbox.json(&["connect", "gemini", "--hooks", "--dry-run"]);
    assert_eq!(answer["files"].as_array().unwrap().len(), 1);
    assert_eq!(home(&sandbox), untouched);
    sandbox.json(&["connect", "gemini", "--hooks"]);
    insta::assert_snapshot!(text(&path), @r#"
    {
      // mine
      "theme": "dark",
      "hooks": {
        "AfterAgent": [
          { "hooks": [{ "type": "command", "command": "say done" }] },
          {
            "hooks": [
              {
                "name": "mnemon",
                "type": "command",
                "command": "/bin/mnemon hook stop --client gemini",
                "timeout": 10000
              }
            ]
          }
        ],
        "SessionStart": [
          {
            "hooks": [
              {
                "name": "mnemon",
                "type": "command",
                "command": "/bin/mnemon hook session-start --client gemini",
                "timeout": 10000
              }
            ]
          }
        ],
        "PreCompress": [
          {
            "hooks": [
              {
                "name": "mnemon",
                "type": "command",
                "command": "/bin/mnemon hook pre-compact --client gemini",
                "timeout": 10000
              }
            ]
          }
        ],
        "SessionEnd": [
          {
            "hooks": [
              {
                "name": "mnemon",
                "type": "command",
                "command": "/bin/mnemon hook session-end --client gemini",
                "timeout": 10000
              }
            ]
          }
        ]
      },
      "mcpServers": {
        "mnemon": {
          "command": "/bin/mnemon",
          "args": [
            "mcp"
          ]
        }
      }
    }
    "#);
    let with = home(&sandbox);
    let again = sandbox.json(&["connect", "gemini", "--hooks"]);
    assert_eq!(again["files"][0]["change"], "unchanged");
    assert_eq!(home(&sandbox), with);
    sandbox.json(&["connect", "gemini", "--remove"]);
    assert_eq!(home(&sandbox), untouched);

    // The servers first and the hooks later is the same, and so is the way back.
    sandbox.json(&["connect", "gemini"]);
    sandbox.json(&["connect", "gemini", "--hooks"]);
    assert_eq!(home(&sandbox), with);
    let changed = std::fs::read_to_string(&path)
        .unwrap()
        .replace("dark", "light");
    std::fs::write(&path, changed).unwrap();
    sandbox.json(&["connect", "gemini", "--remove"]);
    let left = text(&path);
    assert!(!left.contains("mnemon"), "{left}");
    for kept in ["// mine", "light", "say done"] {
        assert!(left.contains(kept), "{left}");
    }

    let sandbox = Sandbox::empty();
    sandbox.json(&["connect", "gemini", "--hooks"]);
    sandbox.json(&["connect", "gemini", "--remove"]);
    assert!(!sandbox.path().join("home/.gemini/settings.json").exists());
}

#[test]
fn cursor_has_its_hooks_in_a_file_with_a_version() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["connect", "cursor", "--hooks"]);
    let path = sandbox.path().join("home/.cursor/hooks.json");
    insta::assert_snapshot!(text(&path), @r#"
    {
      "version": 1,
      "hooks": {
        "sessionStart": [
          {
            "command": "/bin/mnemon hook session-start --client cursor",
            "timeout": 10
          }
        ],
        "beforeSubmitPrompt": [
          {
            "command": "/bin/mnemon hook prompt --client cursor",
            "timeout": 10
          }
        ],
        "afterAgentResponse": [
          {
            "command": "/bin/mnemon hook response --client cursor",
            "timeout": 10
          }
        ],
        "sessionEnd": [
          {
            "command": "/bin/mnemon hook session-end --client cursor",
            "timeout": 10
          }
        ]
      }
    }
    "#);
    let with = home(&sandbox);
    sandbox.json(&["connect", "cursor", "--hooks"]);
    assert_eq!(home(&sandbox), with);
    sandbox.json(&["connect", "cursor", "--remove"]);
    assert!(!path.exists());
    assert!(!sandbox.path().join("home/.cursor/mcp.json").exists());

    let theirs = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./audit.sh\" }], // ours\n    \"sessionStart\": [{ \"command\": \"./hello.sh\" }]\n  }\n}\n";
    put(&sandbox, "home/.cursor/hooks.json", theirs);
    sandbox.json(&["connect", "cursor", "--hooks"]);
    let both = text(&path);
    assert!(both.contains("./hello.sh") && both.contains("hook session-start --client cursor"));
    assert_eq!(both.matches("\"version\"").count(), 1);
    // What the store is called stays one word for the shell.
    sandbox.json(&["connect", "cursor", "--hooks", "--root", "my store"]);
    assert!(text(&path).contains("my store' hook prompt --client cursor"));
    assert_eq!(text(&path).matches("hook prompt").count(), 1);
    sandbox.json(&["connect", "cursor", "--remove"]);
    assert_eq!(text(&path), theirs);
}
