//! Network file systems are refused: their locks don't keep machines apart.

use std::path::Path;

use crate::error::{Error, Result};

/// The kernel's numbers for file systems that other machines can write to.
#[cfg(target_os = "linux")]
const NETWORK: [(u64, &str); 8] = [
    (0x6969, "NFS"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB"),
    (0x517B, "SMB"),
    (0x00C3_6400, "Ceph"),
    (0x0102_1997, "9p"),
    (0x5346_414F, "AFS"),
    (0x0BD0_0BD0, "Lustre"),
];

/// Refuses a folder on such a file system.
#[cfg(target_os = "linux")]
pub(super) fn refuse(root: &Path) -> Result<()> {
    // A folder that can't be looked at gives its own error when it is used.
    let Ok(found) = rustix::fs::statfs(root) else {
        return Ok(());
    };
    let number = found.f_type.cast_unsigned() & 0xFFFF_FFFF;
    match NETWORK.iter().find(|(known, _)| *known == number) {
        Some((_, kind)) => Err(Error::NetworkFileSystem {
            root: root.into(),
            kind,
        }),
        None => Ok(()),
    }
}

/// Other systems have no such numbers; there it is the user's own care.
#[cfg(not(target_os = "linux"))]
pub(super) fn refuse(_root: &Path) -> Result<()> {
    Ok(())
}
