//! Fewer samples per pixel.

use super::Draft;
use crate::frame::Pass;

/// A pass whose attachments have more samples than this gets as many.
pub fn apply(draft: &mut Draft<'_>, pass: u32, samples: u32) {
    let Some(pass) = draft.pass_mut(pass) else { return };
    limit(pass, samples);
    let images = pass.attachments.iter().filter_map(|a| a.image).map(|image| image.0);
    for image in images.collect::<alloc::vec::Vec<_>>() {
        if let Some(image) = draft.image_mut(image) {
            image.samples = image.samples.min(samples);
        }
    }
}

/// The same of a pass alone.
pub fn limit(pass: &mut Pass, samples: u32) {
    for attachment in &mut pass.attachments {
        attachment.samples = attachment.samples.min(samples);
    }
    for subpass in &mut pass.subpasses {
        subpass.samples = subpass.samples.min(samples);
        if subpass.draws.samples >= samples {
            // Bit n is n samples.
            subpass.draws.samples = samples;
        }
    }
}
