//! `mnemon demo`

use clap::Args;
#[derive(Debug, Args)]
pub(crate) struct Demo {}
impl Demo {
    pub(crate) fn run(&self, _context: &crate::context::Context) -> crate::failure::Outcome {
        Ok(())
    }
}
