//! Which folder the store is in.

use std::path::{Path, PathBuf};

use crate::environment::Environment;

/// The name of a project's own store.
const FOLDER: &str = ".mnemon";

/// What a back-up has beside a store's own files.
const BACKUP_FILE: &str = "backup.json";

/// A folder, and why it was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    pub(crate) chosen_by: ChosenBy,
}

/// Why a folder was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChosenBy {
    Option,
    Variable,
    Nearest,
    Around,
    DataFolder,
}

impl ChosenBy {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Option => "--root",
            Self::Variable => "MNEMON_ROOT",
            Self::Nearest => "the nearest .mnemon folder",
            Self::Around => "the store that this folder belongs to",
            Self::DataFolder => "the user's data folder",
        }
    }
}

impl Root {
    /// `--root`, else `MNEMON_ROOT`, else the nearest `.mnemon` upwards, else the data folder.
    ///
    /// Whoever is in a store's own folder means that store.
    pub(crate) fn find(option: Option<&Path>, environment: &Environment, here: &Path) -> Self {
        let (path, chosen_by) = if let Some(path) = option {
            (here.join(path), ChosenBy::Option)
        } else if let Some(path) = &environment.root {
            (here.join(path), ChosenBy::Variable)
        } else if let Some(nearest) = nearest(here) {
            nearest
        } else {
            let data = environment.data_folder.clone();
            (
                data.unwrap_or_else(|| here.join(FOLDER)),
                ChosenBy::DataFolder,
            )
        };
        Self { path, chosen_by }
    }

    /// Where `init` makes a store: where one was asked for, else right here.
    pub(crate) fn for_init(&self, here: &Path) -> PathBuf {
        match self.chosen_by {
            ChosenBy::Option | ChosenBy::Variable => self.path.clone(),
            ChosenBy::Nearest | ChosenBy::Around | ChosenBy::DataFolder => here.join(FOLDER),
        }
    }
}

fn nearest(here: &Path) -> Option<(PathBuf, ChosenBy)> {
    here.ancestors().find_map(|folder| {
        let own = folder.join(FOLDER);
        if own.is_dir() {
            Some((own, ChosenBy::Nearest))
        } else {
            is_store(folder).then(|| (folder.to_owned(), ChosenBy::Around))
        }
    })
}

/// Whether a folder is a store itself, as that of the demo is. A back-up looks like one, and would
/// not be what was backed up any more if somebody asked it.
fn is_store(folder: &Path) -> bool {
    if folder.join(BACKUP_FILE).exists() {
        return false;
    }
    let about = std::fs::read_to_string(folder.join("store.json"));
    about.is_ok_and(|about| about.contains("\"store_id\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_comes_before_the_variable_and_both_before_the_data_folder() {
        let here = Path::new("/nowhere/to/be/found");
        let mut environment = Environment {
            root: Some("/variable".into()),
            data_folder: Some("/data/mnemon".into()),
            ..Environment::default()
        };
        let path = |option: Option<&str>, environment: &Environment| {
            let root = Root::find(option.map(Path::new), environment, here);
            (root.path, root.chosen_by)
        };
        assert_eq!(
            path(Some("x"), &environment),
            (here.join("x"), ChosenBy::Option)
        );
        assert_eq!(
            path(None, &environment),
            ("/variable".into(), ChosenBy::Variable)
        );
        environment.root = None;
        assert_eq!(
            path(None, &environment),
            ("/data/mnemon".into(), ChosenBy::DataFolder)
        );
    }
}
