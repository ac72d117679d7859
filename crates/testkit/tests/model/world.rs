//! One store on files, opened by two processes, and the model beside it.

use std::fs;
use std::path::{Path, PathBuf};

use mnemon::store::local::LocalStore;
use mnemon_testkit::model::ModelStore;
use mnemon_testkit::script::remote::{Remote, options};
use mnemon_testkit::script::{FilterSpec, Question, Step, random};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tempfile::TempDir;

/// SQLite's pages; garbage is put where a whole page was, as a failing disk does.
// Less than a page can look like other, sound content: SQLite has no checksums.
const PAGE: u64 = 4096;

/// Which process does a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    ThisProcess,
    OtherProcess,
}

/// Something that must not change any answer.
#[derive(Clone, Debug)]
pub(crate) enum Disturbance {
    /// This process closes the store and opens it again.
    Reopen,
    /// The folder of the index is deleted while both have it open.
    DeleteIndex,
    /// The file that names the index in use holds something else.
    SpoilPointer(&'static str),
    /// The index is cut short.
    Truncate(Index),
    /// Pages of the index are overwritten.
    Overwrite(Index, u64),
    /// The other process is killed.
    Kill,
    /// It is killed, and what SQLite had not put into its main file yet is lost.
    LoseWriteAheadLog,
}

pub(crate) fn disturbance() -> impl Strategy<Value = Disturbance> {
    let garbage = select(vec!["", "no-such-build", "../..", "\0\0\0\0", "1-\n"]);
    prop_oneof![
        2 => Just(Disturbance::Reopen),
        2 => Just(Disturbance::DeleteIndex),
        2 => garbage.prop_map(Disturbance::SpoilPointer),
        2 => any::<Index>().prop_map(Disturbance::Truncate),
        4 => (any::<Index>(), 1..4_u64).prop_map(|(from, pages)| Disturbance::Overwrite(from, pages)),
        1 => Just(Disturbance::Kill),
        1 => Just(Disturbance::LoseWriteAheadLog),
    ]
}

pub(crate) fn start_process() -> Remote {
    Remote::start(Path::new(env!("CARGO_BIN_EXE_second_process")))
}

pub(crate) struct World {
    root: TempDir,
    always: bool,
    local: Option<LocalStore>,
    remote: Remote,
    model: ModelStore,
}

impl World {
    pub(crate) fn new(always: bool, sealed: bool, mut remote: Remote) -> Self {
        // In memory where there is such a folder: nothing here is about the disk.
        let root = match Path::new("/dev/shm") {
            memory if memory.is_dir() => TempDir::new_in(memory),
            _ => TempDir::new(),
        }
        .unwrap();
        let local = LocalStore::create(root.path(), options(always)).unwrap();
        if sealed {
            mnemon_testkit::sealed::make_ring(&local);
        }
        remote.open(root.path(), always);
        Self {
            root,
            always,
            local: Some(local),
            remote,
            model: ModelStore::new(),
        }
    }

    pub(crate) fn into_process(mut self) -> Remote {
        self.remote.close();
        self.remote
    }

    /// Does a step on files, here or in the other process, and in the model.
    pub(crate) fn check(&mut self, step: &Step, by: By) -> Result<(), TestCaseError> {
        let found = match by {
            By::ThisProcess => step.answer(self.local.as_ref().expect("open between steps")),
            By::OtherProcess => self.remote.answer(step),
        };
        let found = however_it_lies_on_the_disk(&found);
        let expected = however_it_lies_on_the_disk(&step.answer(&self.model));
        if found == expected {
            return Ok(());
        }
        let difference = difference(&expected, &found);
        Err(TestCaseError::fail(format!(
            "{by:?} did {step:#?}\n{difference}"
        )))
    }

    /// Asks for all there is.
    pub(crate) fn check_all(&mut self, by: By) -> Result<(), TestCaseError> {
        let mut questions = vec![
            Question::Walk(Vec::new()),
            Question::Select(Box::new(FilterSpec::everything())),
            Question::Sessions,
            Question::DeletedSessions,
            Question::Stats,
        ];
        questions.extend(random::IDS.map(|id| Question::History(id.parse().unwrap())));
        questions.extend(random::IDS.map(|id| Question::Shelved(id.parse().unwrap())));
        for question in questions {
            self.check(&Step::Ask(Box::new(question)), by)?;
        }
        Ok(())
    }

    pub(crate) fn disturb(&mut self, disturbance: &Disturbance) {
        match disturbance {
            Disturbance::Reopen => {
                self.local = None;
                self.open_here();
            }
            Disturbance::DeleteIndex => drop(fs::remove_dir_all(self.root.path().join("index"))),
            Disturbance::SpoilPointer(garbage) => {
                // Without an index there is no pointer to spoil.
                let files = fs::read_dir(self.root.path().join("index"));
                for file in files.into_iter().flatten().flatten() {
                    if file.file_name().to_string_lossy().starts_with("current-") {
                        let _ = fs::write(file.path(), garbage);
                    }
                }
            }
            Disturbance::Truncate(at) => self.with_all_closed(|file| {
                let length = file.metadata().unwrap().len();
                file.set_len(at.index(usize::try_from(length).unwrap() + 1) as u64)
                    .unwrap();
            }),
            Disturbance::Overwrite(from, pages) => self.with_all_closed(|file| {
                use std::os::unix::fs::FileExt;
                let length = file.metadata().unwrap().len() / PAGE;
                let first = from.index(usize::try_from(length).unwrap() + 1) as u64;
                let garbage = vec![0xA5; usize::try_from(pages * PAGE).unwrap()];
                file.write_all_at(&garbage, first * PAGE).unwrap();
            }),
            Disturbance::Kill => self.replace_process(),
            Disturbance::LoseWriteAheadLog => {
                self.local = None;
                self.replace_process();
                for file in self.index_files() {
                    for other in ["-wal", "-shm"] {
                        let mut path = file.clone().into_os_string();
                        path.push(other);
                        let _ = fs::remove_file(path);
                    }
                }
                self.open_here();
            }
        }
    }

    fn open_here(&mut self) {
        self.local = Some(LocalStore::open(self.root.path(), options(self.always)).unwrap());
    }

    fn replace_process(&mut self) {
        self.remote = start_process();
        self.remote.open(self.root.path(), self.always);
    }

    /// Changes the index files while nobody has them open.
    fn with_all_closed(&mut self, change: impl Fn(&fs::File)) {
        self.local = None;
        self.remote.close();
        for path in self.index_files() {
            let file = fs::OpenOptions::new().write(true).open(path);
            change(&file.unwrap());
        }
        self.remote.open(self.root.path(), self.always);
        self.open_here();
    }

    fn index_files(&self) -> Vec<PathBuf> {
        let Ok(builds) = fs::read_dir(self.root.path().join("index")) else {
            return Vec::new();
        };
        builds
            .flatten()
            .map(|build| build.path().join("index.sqlite"))
            .filter(|path| path.exists())
            .collect()
    }
}

/// An answer without what tells whether something is sealed.
fn however_it_lies_on_the_disk(answer: &str) -> String {
    let tells = |line: &&str| !line.trim_start().starts_with("seal");
    answer.lines().filter(tells).collect::<Vec<_>>().join("\n")
}

/// Where two answers differ, with the lines before it.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same = expected
        .iter()
        .zip(&found)
        .take_while(|(a, b)| a == b)
        .count();
    let part = |lines: &[&str]| {
        let from = same.saturating_sub(12).min(lines.len());
        lines[from..lines.len().min(same + 12)].join("\n")
    };
    format!("expected:\n{}\nfound:\n{}", part(&expected), part(&found))
}
