//! Attachments that a pass moves although no draw and no clear command touches them: a line beneath the pass.

use std::collections::BTreeSet;
use tbdr_model::report::{Frame, TilePass};
use tbdr_model::text::shown;

/// Characters of an image's name.
const LONGEST: usize = 40;

/// The line of a tile pass, once per render pass: `told` holds those that were told of.
pub(super) fn line(frame: &Frame, pass: &TilePass, told: &mut BTreeSet<u32>) -> Option<String> {
    let [source] = pass.source_passes[..] else { return None };
    let attachments = &frame.passes.get(source as usize)?.attachments;
    let mut names = Vec::new();
    for entry in &pass.entries {
        let Some(attachment) = attachments.get(entry.attachment as usize) else { continue };
        if attachment.never_written.contains(&entry.aspect) && attachment.never_read.contains(&entry.aspect) {
            let name = format!("{} ({})", shown(&attachment.image, LONGEST), entry.aspect);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    (!names.is_empty() && told.insert(source)).then(|| format!("no draw tests, blends or writes {}", names.join(", ")))
}
