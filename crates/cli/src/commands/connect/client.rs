//! The clients: where each keeps its configuration, and in which form.

use std::path::PathBuf;

use clap::ValueEnum;

use super::hooks::{self, Hooks};

/// A client of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
}

/// Where a client lists its servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Servers {
    /// JSON, possibly with comments, under this name.
    Json {
        /// The member that holds the servers.
        key: &'static str,
        /// Whether an entry says what sort of server it is.
        typed: bool,
    },
    /// TOML, in `[mcp_servers.*]`.
    Toml,
}

/// The systems that keep configuration in different places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Os {
    Linux,
    Mac,
    Windows,
}

impl Os {
    /// The one on which this runs.
    pub(super) fn this() -> Self {
        if cfg!(target_os = "macos") {
            Self::Mac
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// The folders that decide where a client looks.
#[derive(Clone, Debug)]
pub(super) struct Folders {
    pub(super) os: Os,
    pub(super) home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or what stands for it.
    pub(super) config: PathBuf,
    pub(super) app_data: Option<PathBuf>,
    pub(super) claude: Option<PathBuf>,
    pub(super) codex: Option<PathBuf>,
}

impl Folders {
    /// Where programs with windows keep what they are told.
    fn applications(&self) -> PathBuf {
        match self.os {
            Os::Linux => self.config.clone(),
            Os::Mac => self.home.join("Library").join("Application Support"),
            Os::Windows => {
                let usual = || self.home.join("AppData").join("Roaming");
                self.app_data.clone().unwrap_or_else(usual)
            }
        }
    }
}

impl Client {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// The file with its servers.
    pub(super) fn config_file(self, folders: &Folders) -> PathBuf {
        let home = &folders.home;
        match self {
            Self::ClaudeCode => folders.claude.as_ref().unwrap_or(home).join(".claude.json"),
            Self::ClaudeDesktop => folders
                .applications()
                .join("Claude")
                .join("claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor").join("mcp.json"),
            Self::Vscode => folders
                .applications()
                .join("Code")
                .join("User")
                .join("mcp.json"),
            Self::Codex => {
                let own = folders.codex.clone();
                own.unwrap_or_else(|| home.join(".codex"))
                    .join("config.toml")
            }
            Self::Gemini => home.join(".gemini").join("settings.json"),
        }
    }

    /// The file with its hooks, and which they are, if they are known to us.
    pub(super) fn hooks_file(self, folders: &Folders) -> Option<(PathBuf, Hooks)> {
        let folder = |own: &Option<PathBuf>, usual: &str| {
            own.clone().unwrap_or_else(|| folders.home.join(usual))
        };
        match self {
            Self::ClaudeCode => {
                let path = folder(&folders.claude, ".claude").join("settings.json");
                Some((path, hooks::CLAUDE_CODE))
            }
            Self::Codex => {
                let path = folder(&folders.codex, ".codex").join("hooks.json");
                Some((path, hooks::CODEX))
            }
            Self::Cursor => {
                let path = folders.home.join(".cursor").join("hooks.json");
                Some((path, hooks::CURSOR))
            }
            Self::Gemini => Some((self.config_file(folders), hooks::GEMINI)),
            Self::ClaudeDesktop | Self::Vscode => None,
        }
    }

    /// How its servers are written.
    pub(super) fn servers(self) -> Servers {
        let json = |key, typed| Servers::Json { key, typed };
        match self {
            Self::ClaudeCode => json("mcpServers", true),
            Self::ClaudeDesktop | Self::Cursor | Self::Gemini => json("mcpServers", false),
            Self::Vscode => json("servers", true),
            Self::Codex => Servers::Toml,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(os: Os) -> Folders {
        Folders {
            os,
            home: "/home/ada".into(),
            config: "/home/ada/.config".into(),
            app_data: Some("/data".into()),
            claude: None,
            codex: None,
        }
    }

    #[test]
    fn every_client_has_its_file_on_every_system() {
        let everywhere = |path: &'static str| [path; 3];
        for (client, paths) in [
            (Client::ClaudeCode, everywhere("/home/ada/.claude.json")),
            (
                Client::ClaudeDesktop,
                [
                    "/home/ada/.config/Claude/claude_desktop_config.json",
                    "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
                    "/data/Claude/claude_desktop_config.json",
                ],
            ),
            (Client::Cursor, everywhere("/home/ada/.cursor/mcp.json")),
            (
                Client::Vscode,
                [
                    "/home/ada/.config/Code/User/mcp.json",
                    "/home/ada/Library/Application Support/Code/User/mcp.json",
                    "/data/Code/User/mcp.json",
                ],
            ),
            (Client::Codex, everywhere("/home/ada/.codex/config.toml")),
            (
                Client::Gemini,
                everywhere("/home/ada/.gemini/settings.json"),
            ),
        ] {
            for (os, path) in [Os::Linux, Os::Mac, Os::Windows].into_iter().zip(paths) {
                let file = client.config_file(&folders(os));
                assert_eq!(file, PathBuf::from(path), "{client:?} {os:?}");
            }
        }
    }

    #[test]
    fn clients_that_have_a_folder_of_their_own_are_followed() {
        let moved = Folders {
            claude: Some("/claude".into()),
            codex: Some("/codex".into()),
            ..folders(Os::Linux)
        };
        assert_eq!(
            Client::ClaudeCode.config_file(&moved),
            PathBuf::from("/claude/.claude.json")
        );
        assert_eq!(
            Client::ClaudeCode.hooks_file(&moved),
            Some(("/claude/settings.json".into(), hooks::CLAUDE_CODE))
        );
        assert_eq!(
            Client::Codex.config_file(&moved),
            PathBuf::from("/codex/config.toml")
        );
        assert_eq!(
            Client::Codex.hooks_file(&moved),
            Some(("/codex/hooks.json".into(), hooks::CODEX))
        );
        assert_eq!(
            Client::Cursor.hooks_file(&moved),
            Some(("/home/ada/.cursor/hooks.json".into(), hooks::CURSOR))
        );
        assert_eq!(
            Client::Gemini.hooks_file(&moved),
            Some(("/home/ada/.gemini/settings.json".into(), hooks::GEMINI))
        );
        assert_eq!(Client::Vscode.hooks_file(&moved), None);
    }
}
