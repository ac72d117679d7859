//! `mnemon doctor`

use clap::Args;
#[derive(Debug, Args)]
pub(crate) struct Doctor {}
impl Doctor {
    pub(crate) fn run(&self, _context: &crate::context::Context) -> crate::failure::Outcome {
        Ok(())
    }
}
