//! Fewer samples per pixel.

use super::pass_mut;
use crate::frame::{FrameStructure, Pass};

/// A pass whose attachments have more samples than this gets as many.
pub fn apply(frame: &mut FrameStructure, pass: u32, samples: u32) {
    let Some(pass) = pass_mut(frame, pass) else { return };
    limit(pass, samples);
    let images = pass.attachments.iter().filter_map(|a| a.image).map(|image| image.0 as usize);
    for image in images.collect::<alloc::vec::Vec<_>>() {
        if let Some(image) = frame.images.get_mut(image) {
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
