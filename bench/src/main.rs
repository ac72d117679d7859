//! How fast mnemon is, beside the limits of the machine.
//!
//! Each bench answers a question that a user could ask. A rate is given as a
//! ratio to what the disk can do, measured in turns with it in the same run,
//! so that a busy or a slow machine does not change the answer much.
//! [`benches::ALL`] lists the questions; `docs/performance.md` has a run.

mod arguments;
mod benches;
mod child;
mod corpus;
mod limit;
mod measure;
mod place;
mod plain;
mod plot;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use arguments::Arguments;
use place::Place;
use report::Figure;

/// As the command line has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Whatever goes wrong ends the run, so only its words matter.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((first, rest)) if first == child::COMMAND => child::run(rest),
        _ => run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let arguments = Arguments::parse(arguments)?;
    if arguments.help {
        let mut names: Vec<&str> = benches::ALL.iter().map(|bench| bench.name).collect();
        names.sort_unstable();
        writeln!(
            io::stdout(),
            "{}\nNames: {}",
            arguments::USAGE,
            names.join(", ")
        )?;
        return Ok(());
    }
    if let Some((report, picture)) = &arguments.plot {
        return plot::draw(report, picture);
    }
    let place = Place::new(&arguments)?;
    let mut figures: Vec<Figure> = Vec::new();
    for bench in benches::ALL {
        if arguments
            .only
            .as_ref()
            .is_some_and(|only| !bench.name.starts_with(only.as_str()))
        {
            continue;
        }
        writeln!(io::stderr(), "{}: {}", bench.name, bench.question)?;
        figures.extend((bench.run)(&place)?);
    }
    write!(io::stdout(), "{}", report::table(&figures))?;
    if let Some(file) = &arguments.json {
        std::fs::write(file, report::json(&figures, arguments.quick))?;
    }
    Ok(())
}
