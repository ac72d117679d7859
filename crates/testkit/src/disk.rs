//! Disks that fail, each in the way in which real ones do.
//!
//! [`CrashDisk`] lives in memory, notes every change and shows what a power
//! cut could have left of it; [`FaultDisk`] makes chosen calls of another disk
//! fail; [`Bytes`] is a file that holds whatever a test puts into it.

mod aftermath;
mod bytes;
mod crash;
mod fault;
mod random;

pub use aftermath::{DataLoss, Loss, NameLoss};
pub use bytes::Bytes;
pub use crash::{CrashDisk, Operation};
pub use fault::{Call, Fault, FaultDisk, Lasting};
pub use random::Random;
