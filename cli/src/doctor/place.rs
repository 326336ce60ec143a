//! The output folder: whether it can be written, and how much room there is.

use super::finding::Findings;
use std::path::Path;

/// Less room than this is told; captures of real programs have some tens of MiB.
#[cfg(unix)]
const ROOM: u64 = 100 << 20;

/// Examines the output folder without making it.
pub fn examine(folder: &Path, findings: &mut Findings) {
    let shown = folder.display();
    let remedy = "choose another folder with --out or the setting `output_dir`";
    if let Ok(found) = folder.metadata() {
        if !found.is_dir() {
            return findings.problem("output-folder", format!("the output folder {shown} is no folder"), remedy);
        }
    }
    // Where it is missing, the nearest folder above it is the one that must be written to.
    let absolute = match std::path::absolute(folder) {
        Ok(absolute) => absolute,
        Err(error) => return findings.problem("output-folder", format!("the output folder {shown}: {error}"), remedy),
    };
    let Some(nearest) = absolute.ancestors().find(|path| path.symlink_metadata().is_ok()) else {
        return findings.problem(
            "output-folder",
            format!("nothing of the output folder's path {shown} exists"),
            remedy,
        );
    };
    if let Err(error) = tempfile::tempfile_in(nearest) {
        let what = format!("the output folder {shown} cannot be written: {}: {error}", nearest.display());
        return findings.problem("output-folder", what, remedy);
    }
    let made = if nearest == absolute { "can be written" } else { "does not exist yet and can be made" };
    findings.ok("output-folder", format!("the output folder {shown} {made}"));
    #[cfg(unix)]
    if let Ok(space) = rustix::fs::statvfs(nearest) {
        let free = space.f_bavail.saturating_mul(space.f_frsize);
        if free < ROOM {
            let what = format!("only {} MiB are free for the output folder {shown}", free >> 20);
            findings.warning(
                "output-space",
                what,
                "free space, choose another folder with --out, or record fewer frames (--frames)",
            );
        }
    }
}
