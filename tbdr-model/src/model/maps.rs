//! What tile passes read beside their attachments: fragment density maps, fragment shading rate images, and attachments that shaders
//! sample while they are rendered to.
//!
//! Every GPU reads a map once per texel that stands for a part of the render area, as far as anybody can say: caches and tiles that share
//! a texel pull in opposite directions. A feedback loop reads memory as often as shaders sample: that is not known.

use super::{Movement, PassView};
use crate::frame::{Aspects, Attachment, AttachmentUse};
use crate::report::{Basis, Direction};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// The reads of each tile pass. `groups` are the subpasses of each.
pub fn reads(view: &PassView<'_>, groups: &[Vec<usize>]) -> Vec<Movement> {
    let mut found = BTreeSet::new();
    for (tile_pass, group) in groups.iter().enumerate() {
        let mut add = |attachment, cause, basis, texels| {
            let (aspect, direction) = (Aspects::COLOR, Direction::Read);
            let movement =
                Movement { tile_pass, attachment, aspect, direction, cause, basis, sample_bytes: None, texels };
            found.insert(movement);
        };
        let members = || group.iter().filter_map(|s| Some((*s, view.pass.subpasses.get(*s)?)));
        if let Some((used, map)) =
            view.pass.density_map.and_then(|used| Some((used, view.attachment(used.attachment)?)))
        {
            let (whole, own) = (view.pass.extent, view.view_extent(map));
            let texels = view.map_texels(map, [(whole.width, own.width), (whole.height, own.height)]);
            // A map of one layer stands for all views and layers.
            let layers = members().map(|(s, _)| layers(view, map, s)).max().unwrap_or(1);
            add(used.attachment, "density_map", Basis::Estimate, Some(texels.saturating_mul(layers)));
        }
        for (number, subpass) in members().filter(|(_, s)| s.drawn) {
            let rate = subpass.shading_rate.and_then(|used| Some((used, view.attachment(used.attachment)?)));
            if let Some((used, map)) = rate {
                let texels = view.map_texels(map, [(used.texel.width, 1), (used.texel.height, 1)]);
                let texels = texels.saturating_mul(layers(view, map, number));
                add(used.attachment, "shading_rate", Basis::Estimate, Some(texels));
            }
            for used in subpass.targets().chain(subpass.input.iter().flatten()).filter(|used| is_sampled(view, used)) {
                add(used.attachment, "feedback", Basis::Undecided, None);
            }
        }
    }
    found.into_iter().collect()
}

/// Layers of a map that a subpass reads.
fn layers(view: &PassView<'_>, map: &Attachment, subpass: usize) -> u64 {
    view.layers(subpass).min(u64::from(map.range.layers.max(1)))
}

/// Whether shaders may sample the attachment while it is rendered to.
fn is_sampled(view: &PassView<'_>, used: &AttachmentUse) -> bool {
    used.feedback && view.attachment(used.attachment).is_some()
}
