//! `mnemon connect`, in homes of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sandbox::Sandbox;

const CLIENTS: [(&str, &str); 6] = [
    ("claude-code", "home/.claude.json"),
    (
        "claude-desktop",
        "home/.config/Claude/claude_desktop_config.json",
    ),
    ("cursor", "home/.cursor/mcp.json"),
    ("vscode", "home/.config/Code/User/mcp.json"),
    ("codex", "home/.codex/config.toml"),
    ("gemini", "home/.gemini/settings.json"),
];

/// What such a file may look like before.
fn before(client: &str) -> &'static str {
    match client {
        "codex" => "# fast\nmodel = \"x\"\n\n[mcp_servers.other] # theirs\ncommand = 'y'\n",
        "vscode" => {
            "{\n\t// my servers\n\t\"servers\": {\n\t\t\"other\": { \"command\": \"y\" }, // theirs\n\t},\n\t\"inputs\": []\n}\n"
        }
        "gemini" => "{\"theme\": \"dark\"}",
        _ => {
            "{\n    \"numStartups\": 7,\n    \"mcpServers\": {\n        \"other\": {\n            \"command\": \"y\"\n        }\n    }\n}"
        }
    }
}

pub(crate) fn put(sandbox: &Sandbox, name: &str, text: &str) -> PathBuf {
    let path = sandbox.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

pub(crate) fn text(path: &Path) -> String {
    placeless(&std::fs::read_to_string(path).unwrap())
}

/// The program that is tested lies elsewhere on every machine, maybe behind a link.
fn placeless(text: &str) -> String {
    let program = env!("CARGO_BIN_EXE_mnemon");
    let real = Path::new(program).canonicalize().unwrap();
    text.replace(program, "/bin/mnemon")
        .replace(real.to_str().unwrap(), "/bin/mnemon")
}

/// Every file below the home and what is in it.
pub(crate) fn home(sandbox: &Sandbox) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = sandbox.files().into_iter();
    files.map(|(path, (bytes, _))| (path, bytes)).collect()
}

#[test]
fn each_client_gets_its_entry_in_its_own_form() {
    let mut all = String::new();
    for (client, name) in CLIENTS {
        let sandbox = Sandbox::empty();
        let path = put(&sandbox, name, before(client));
        let answer = sandbox.json(&["connect", client]);
        assert_eq!(answer["files"][0]["change"], "written");
        let backup = answer["files"][0]["backup"].as_str().unwrap();
        assert_eq!(std::fs::read_to_string(backup).unwrap(), before(client));
        let _ = writeln!(all, "== {client}\n{}", text(&path));
    }
    insta::assert_snapshot!(all, @r#"
    == claude-code
    {
        "numStartups": 7,
        "mcpServers": {
            "other": {
                "command": "y"
            },
            "mnemon": {
                "type": "stdio",
                "command": "/bin/mnemon",
                "args": [
                    "mcp"
                ]
            }
        }
    }
    == claude-desktop
    {
        "numStartups": 7,
        "mcpServers": {
            "other": {
                "command": "y"
            },
            "mnemon": {
                "command": "/bin/mnemon",
                "args": [
                    "mcp"
                ]
            }
        }
    }
    == cursor
    {
        "numStartups": 7,
        "mcpServers": {
            "other": {
                "command": "y"
            },
            "mnemon": {
                "command": "/bin/mnemon",
                "args": [
                    "mcp"
                ]
            }
        }
    }
    == vscode
    {
    	// my servers
    	"servers": {
    		"other": { "command": "y" }, // theirs
    		"mnemon": {
    			"type": "stdio",
    			"command": "/bin/mnemon",
    			"args": [
    				"mcp"
    			]
    		},
    	},
    	"inputs": []
    }

    == codex
    # fast
    model = "x"

    [mcp_servers.other] # theirs
    command = 'y'

    [mcp_servers.mnemon]
    command = "/bin/mnemon"
    args = ["mcp"]

    == gemini
    {"theme": "dark", "mcpServers": { "mnemon": { "command": "/bin/mnemon", "args": [ "mcp" ] } }}
    "#);
}

#[test]
fn a_second_time_changes_nothing_and_removing_gives_back_every_byte() {
    for (client, name) in CLIENTS {
        let sandbox = Sandbox::empty();
        put(&sandbox, name, before(client));
        let untouched = home(&sandbox);
        sandbox.json(&["connect", client]);
        let connected = home(&sandbox);
        let again = sandbox.json(&["connect", client]);
        assert_eq!(again["files"][0]["change"], "unchanged", "{client}");
        assert_eq!(home(&sandbox), connected, "{client}");
        // With other arguments, the entry changes and the back-up does not.
        sandbox.json(&["connect", client, "--session", "s"]);
        assert!(
            text(&sandbox.path().join(name)).contains("--session"),
            "{client}"
        );
        sandbox.json(&["connect", client, "--remove"]);
        assert_eq!(home(&sandbox), untouched, "{client}");
        let nothing = sandbox.json(&["connect", client, "--remove"]);
        assert_eq!(nothing["files"][0]["change"], "unchanged", "{client}");
        assert_eq!(home(&sandbox), untouched, "{client}");
    }
}

#[test]
fn a_file_that_was_not_there_is_made_and_removed() {
    for (client, name) in CLIENTS {
        let sandbox = Sandbox::empty();
        sandbox.json(&["connect", client, "--as", "arc", "--root", "my store"]);
        let made = text(&sandbox.path().join(name));
        assert!(made.ends_with('\n'), "{client}");
        for part in ["mnemon", "--root", "my store", "--as", "arc"] {
            assert!(made.contains(part), "{client}: {made}");
        }
        if client != "codex" {
            let parsed: Value = serde_json::from_str(&made).unwrap();
            assert!(parsed.is_object());
        }
        sandbox.json(&["connect", client, "--remove"]);
        assert!(!sandbox.path().join(name).exists(), "{client}");
    }
}

#[test]
fn what_people_changed_meanwhile_stays_when_mnemon_goes() {
    let sandbox = Sandbox::empty();
    for (client, name) in CLIENTS {
        let path = put(&sandbox, name, before(client));
        sandbox.json(&["connect", client]);
        let connected = std::fs::read_to_string(&path).unwrap();
        let (from, to) = match client {
            "gemini" => ("dark", "light"),
            _ => ("other", "another"),
        };
        std::fs::write(&path, connected.replace(from, to)).unwrap();
        sandbox.json(&["connect", client, "--remove"]);
        let left = text(&path);
        assert!(
            left.contains(to) && !left.contains("mnemon"),
            "{client}: {left}"
        );
        let expected = before(client).replace(from, to);
        if client != "gemini" {
            assert_eq!(left, expected, "{client}");
        }
    }
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let sandbox = Sandbox::empty();
    put(&sandbox, "home/.cursor/mcp.json", before("cursor"));
    let untouched = home(&sandbox);
    let ran = sandbox.run(&["connect", "cursor", "--dry-run"]);
    let shown = placeless(&ran.human(&sandbox));
    insta::assert_snapshot!(shown, @r#"
    [folder]/home/.cursor/mcp.json would be written
          "mcpServers": {
              "other": {
                  "command": "y"
    +         },
    +         "mnemon": {
    +             "command": "/bin/mnemon",
    +             "args": [
    +                 "mcp"
    +             ]
              }
          }
      }
    "#);
    assert_eq!(home(&sandbox), untouched);
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    for (client, name) in CLIENTS {
        for broken in [&b"{\n  \"a\": 1\n  b = 2 ]\n"[..], b"\xff\xfe"] {
            let sandbox = Sandbox::empty();
            let path = put(&sandbox, name, "");
            std::fs::write(&path, broken).unwrap();
            let untouched = home(&sandbox);
            for arguments in [&["connect", client][..], &["connect", client, "--remove"]] {
                let (code, message) = sandbox.refusal(arguments);
                assert_eq!(code, "E_INVALID_FORMAT", "{client}");
                assert!(message.contains("it was left alone"), "{message}");
                assert!(message.contains(path.file_name().unwrap().to_str().unwrap()));
            }
            assert_eq!(home(&sandbox), untouched, "{client}");
        }
    }
    let sandbox = Sandbox::empty();
    put(&sandbox, "home/.cursor/mcp.json", "{\"mcpServers\": []}");
    let (_, message) = sandbox.refusal(&["connect", "cursor"]);
    assert!(message.contains("mcpServers is no object"), "{message}");
}

#[test]
fn the_environment_says_where_clients_look() {
    let sandbox = Sandbox::empty();
    for (variable, client, name) in [
        ("XDG_CONFIG_HOME", "vscode", "elsewhere/Code/User/mcp.json"),
        ("CLAUDE_CONFIG_DIR", "claude-code", "elsewhere/.claude.json"),
        ("CODEX_HOME", "codex", "elsewhere/config.toml"),
    ] {
        let folder = sandbox.path().join("elsewhere");
        let ended = sandbox
            .command()
            .env(variable, &folder)
            .args(["connect", client])
            .output()
            .unwrap();
        assert!(ended.status.success());
        assert!(sandbox.path().join(name).is_file(), "{client}");
    }
}

#[test]
#[cfg(unix)]
fn links_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::empty();
    let real = put(&sandbox, "dotfiles/claude.json", before("claude-code"));
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::create_dir_all(sandbox.path().join("home")).unwrap();
    let link = sandbox.path().join("home/.claude.json");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    sandbox.json(&["connect", "claude-code"]);
    assert!(link.is_symlink());
    assert!(text(&real).contains("mnemon"));
    let mode = std::fs::metadata(&real).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let backup = sandbox.path().join("dotfiles/claude.json.before-mnemon");
    let mode = std::fs::metadata(backup).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
