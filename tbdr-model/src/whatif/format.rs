//! Another format for the image behind an attachment.

use super::Draft;
use crate::format;
use crate::frame::{Aspects, Format};

/// The attachment, its view and its image get this format.
pub fn apply(draft: &mut Draft<'_>, pass: u32, attachment: u32, new: Format) {
    let found = draft.pass_mut(pass).and_then(|pass| pass.attachments.get_mut(attachment as usize));
    let (Some(found), Some(info)) = (found, format::info(new)) else { return };
    found.format = new;
    found.range.aspects = Aspects(found.range.aspects.0 & info.aspects().0);
    let image = found.image;
    if let Some(image) = image.and_then(|image| draft.image_mut(image.0)) {
        image.format = new;
    }
}
