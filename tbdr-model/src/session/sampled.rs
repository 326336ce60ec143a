//! Which of the frame's attachments the shaders of a pass may read.

use crate::frame::{FrameStructure, Pass};
use crate::identity::Names;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// Numbers of the images that are attachments of some pass of the frame.
pub fn attachments(frame: &FrameStructure) -> BTreeSet<u32> {
    frame.passes().flat_map(|pass| &pass.attachments).filter_map(|a| a.image).map(|image| image.0).collect()
}

/// Identities of the attachments that the shaders of a pass may read, in the order of the frame's images; `None` where it is not known
/// what they reach.
pub fn of_pass(pass: &Pass, attachments: &BTreeSet<u32>, names: &Names) -> Option<Vec<String>> {
    let mut read = BTreeSet::new();
    for subpass in pass.subpasses.iter().filter(|s| s.drawn) {
        if !subpass.shader.known {
            return None;
        }
        let images = subpass.shader.images.iter().filter(|a| a.kind.reads()).filter_map(|a| a.image);
        read.extend(images.map(|image| image.0).filter(|image| attachments.contains(image)));
    }
    Some(read.into_iter().filter_map(|image| names.images.get(image as usize).cloned()).collect())
}
