//! Another format for the image behind an attachment.

use super::pass_mut;
use crate::format;
use crate::frame::{Aspects, Format, FrameStructure};

/// The attachment, its view and its image get this format.
pub fn apply(frame: &mut FrameStructure, pass: u32, attachment: u32, new: Format) {
    let found = pass_mut(frame, pass).and_then(|pass| pass.attachments.get_mut(attachment as usize));
    let (Some(found), Some(info)) = (found, format::info(new)) else { return };
    found.format = new;
    found.range.aspects = Aspects(found.range.aspects.0 & info.aspects().0);
    let image = found.image;
    if let Some(image) = image.and_then(|image| frame.images.get_mut(image.0 as usize)) {
        image.format = new;
    }
}
