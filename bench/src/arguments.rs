//! The command line: few words, so they are read by hand.

use std::path::PathBuf;

use crate::{Result, benches};

pub(crate) const USAGE: &str = "\
mnemon-bench [--only NAME] [--quick] [--million] [--dir FOLDER] [--keep FOLDER] [--json FILE]
mnemon-bench --plot REPORT SVG

  --only NAME    one bench alone, or all whose names begin so
  --quick        a tenth of the work, for a first impression
  --million      a million memories too, which takes minutes to make
  --dir FOLDER   where the stores are made (default: here); put it on the disk
                 that is to be measured, not in memory
  --keep FOLDER  where the corpora for search stay for the next run
  --json FILE    the figures as JSON too
  --plot         draws how recall grows, from such a file";

/// What the caller wants.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) only: Option<String>,
    pub(crate) quick: bool,
    pub(crate) million: bool,
    pub(crate) dir: Option<PathBuf>,
    pub(crate) keep: Option<PathBuf>,
    pub(crate) json: Option<PathBuf>,
    /// A report, and where its picture goes.
    pub(crate) plot: Option<(PathBuf, PathBuf)>,
    pub(crate) help: bool,
}

impl Arguments {
    pub(crate) fn parse(words: &[String]) -> Result<Self> {
        let mut arguments = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .cloned()
                    .ok_or(format!("{word} needs a value\n{USAGE}"))
            };
            match word.as_str() {
                "--only" => arguments.only = Some(value()?),
                "--dir" => arguments.dir = Some(value()?.into()),
                "--json" => arguments.json = Some(value()?.into()),
                "--keep" => arguments.keep = Some(value()?.into()),
                "--plot" => arguments.plot = Some((value()?.into(), value()?.into())),
                "--million" => arguments.million = true,
                "--quick" => arguments.quick = true,
                "--help" | "-h" => arguments.help = true,
                _ => return Err(format!("{word} is not known\n{USAGE}").into()),
            }
        }
        if let Some(only) = &arguments.only
            && !benches::ALL
                .iter()
                .any(|bench| bench.name.starts_with(only.as_str()))
        {
            return Err(format!("there is no bench {only}; --help lists them").into());
        }
        Ok(arguments)
    }
}
