//! Where the master key comes from on this machine.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use mnemon::Result;
use mnemon::seal::{Keyring, Secret, Source};
use mnemon::store::local::store_id;

use crate::context::Context;
use crate::environment;
use crate::failure::{Failure, Outcome};

impl Context {
    /// The keys that this process can have: the environment first, then the key file.
    pub(crate) fn keyring(&self) -> Result<Keyring> {
        let mut sources = Vec::new();
        if let Some(text) = environment::secret("MNEMON_KEY") {
            sources.push(Source::Text(Secret::new(text)));
        }
        if let Some(passphrase) = passphrase_of_environment() {
            sources.push(Source::Passphrase(passphrase));
        }
        match self.chosen_key_file()? {
            Some(path) => sources.push(Source::File(path)),
            // Only if it is there: nobody said that it should be.
            None => sources.extend(
                self.own_key_file()
                    .filter(|path| path.exists())
                    .map(Source::File),
            ),
        }
        Ok(Keyring::new(sources, self.config()?.sealing.everything))
    }

    /// The key file that the environment or the settings name.
    pub(crate) fn chosen_key_file(&self) -> Result<Option<PathBuf>> {
        if let Some(path) = &self.environment.key_file {
            return Ok(Some(path.clone()));
        }
        let named = &self.config()?.sealing.key_file;
        Ok((!named.is_empty()).then(|| self.root.path.join(named)))
    }

    /// Where the key of this store is if nobody says otherwise: not beside what it seals.
    pub(crate) fn own_key_file(&self) -> Option<PathBuf> {
        let folder = self.environment.config_folder.as_ref()?;
        let id = store_id(&self.root.path)?;
        Some(folder.join("mnemon/keys").join(format!("{id}.key")))
    }
}

fn passphrase_of_environment() -> Option<Secret> {
    environment::secret("MNEMON_PASSPHRASE").map(Secret::new)
}

/// A passphrase, from `MNEMON_PASSPHRASE`.
pub(crate) fn passphrase() -> Outcome<Secret> {
    passphrase_of_environment().map_or_else(typed_passphrase, Ok)
}

/// A passphrase, from a line of standard input.
pub(crate) fn typed_passphrase() -> Outcome<Secret> {
    let hint = "Set MNEMON_PASSPHRASE, or pipe the passphrase in on standard input.";
    let mut line = String::new();
    let mut input = std::io::stdin().lock();
    if std::io::stdin().is_terminal() {
        // It would be shown while it is typed.
        return Err(Failure::misused("there is no passphrase", hint));
    }
    input
        .read_line(&mut line)
        .map_err(Failure::file("read", "standard input"))?;
    let text = line.trim_end_matches(['\r', '\n']).to_owned();
    if text.is_empty() {
        return Err(Failure::misused("there is no passphrase", hint));
    }
    Ok(Secret::new(text))
}
