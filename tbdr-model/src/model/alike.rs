//! Passes that every GPU must treat alike, so that what follows from one of them is worked out once.
//!
//! Alike are passes that differ in nothing but what no decision looks at: labels, names, and which images of equal properties they
//! draw to. A pass is compared with the last [`COMPARED`] kinds only, so that the cost stays linear in the passes of a frame.

use super::PassView;
use crate::frame::{Attachment, Image, Pass, Subpass, SubresourceRange};
use alloc::vec::Vec;

/// Kinds that a pass is compared with. Frames repeat a pass soon after (cascades, cube faces, ping-pong) or not at all.
const COMPARED: usize = 64;

/// The passes of a frame by kind.
#[derive(Clone, Debug, Default)]
pub struct Kinds<'a> {
    /// The first pass of each kind.
    pub first: Vec<PassView<'a>>,
    /// Index of each pass's kind.
    pub of_pass: Vec<usize>,
}

impl<'a> Kinds<'a> {
    /// The kinds of these passes.
    pub fn of(passes: impl Iterator<Item = PassView<'a>>) -> Self {
        let mut kinds = Self::default();
        for pass in passes {
            let known = kinds.first.iter().enumerate().rev().take(COMPARED).find(|(_, first)| are_alike(first, &pass));
            let kind = known.map_or(kinds.first.len(), |(kind, _)| kind);
            if kind == kinds.first.len() {
                kinds.first.push(pass);
            }
            kinds.of_pass.push(kind);
        }
        kinds
    }
}

/// Whether every decision about the passes is the same. The patterns name every field: one that is added has to be judged here.
fn are_alike(one: &PassView<'_>, other: &PassView<'_>) -> bool {
    let Pass {
        labels: _,
        name: _,
        dynamic,
        render_area,
        extent,
        layers,
        attachments,
        subpasses,
        dependencies,
        density_map,
        disallow_merging,
        view_areas,
        tile_memory,
        tile_shading,
        // What another driver has said decides nothing.
        driver_tile: _,
    } = one.pass;
    let pass = other.pass;
    (dynamic, render_area, extent, layers) == (&pass.dynamic, &pass.render_area, &pass.extent, &pass.layers)
        && attachments.len() == pass.attachments.len()
        && attachments.iter().zip(&pass.attachments).all(|(a, b)| {
            are_attachments_alike(a, b)
                && match (one.image(a), other.image(b)) {
                    (Some(a), Some(b)) => core::ptr::eq(a, b) || are_images_alike(a, b),
                    (None, None) => true,
                    _ => false,
                }
        })
        && subpasses.len() == pass.subpasses.len()
        && subpasses.iter().zip(&pass.subpasses).all(|(a, b)| are_subpasses_alike(a, b))
        && dependencies == &pass.dependencies
        && (density_map, disallow_merging, view_areas) == (&pass.density_map, &pass.disallow_merging, &pass.view_areas)
        && (tile_memory, tile_shading) == (&pass.tile_memory, &pass.tile_shading)
}

fn are_attachments_alike(one: &Attachment, other: &Attachment) -> bool {
    let Attachment {
        image,
        range: SubresourceRange { aspects, base_mip, mips, base_layer: _, layers },
        format,
        samples,
        load,
        store,
        stencil_load,
        stencil_store,
        initial_layout,
        stencil_initial_layout,
        final_layout,
        stencil_final_layout,
        flags,
    } = one;
    let range = &other.range;
    image.is_some() == other.image.is_some()
        && (aspects, base_mip, mips, layers) == (&range.aspects, &range.base_mip, &range.mips, &range.layers)
        && (format, samples) == (&other.format, &other.samples)
        && (load, store) == (&other.load, &other.store)
        && (stencil_load, stencil_store) == (&other.stencil_load, &other.stencil_store)
        && (initial_layout, final_layout) == (&other.initial_layout, &other.final_layout)
        && (stencil_initial_layout, stencil_final_layout)
            == (&other.stencil_initial_layout, &other.stencil_final_layout)
        && flags == &other.flags
}

/// What shaders reach plays no part: it is a matter of the frame's resources, and no GPU decides by it.
fn are_subpasses_alike(one: &Subpass, other: &Subpass) -> bool {
    let Subpass {
        color,
        resolve,
        depth,
        stencil,
        depth_resolve,
        stencil_resolve,
        input,
        preserve,
        view_mask,
        flags,
        samples: on_chip_samples,
        shading_rate,
        disallow_merging,
        drawn,
        draws,
        shader: _,
        clears,
        barriers,
    } = one;
    (color, resolve, depth, stencil) == (&other.color, &other.resolve, &other.depth, &other.stencil)
        && (depth_resolve, stencil_resolve) == (&other.depth_resolve, &other.stencil_resolve)
        && (input, preserve, view_mask) == (&other.input, &other.preserve, &other.view_mask)
        && (flags, on_chip_samples) == (&other.flags, &other.samples)
        && (shading_rate, disallow_merging) == (&other.shading_rate, &other.disallow_merging)
        && (drawn, draws) == (&other.drawn, &other.draws)
        && (clears, barriers) == (&other.clears, &other.barriers)
}

fn are_images_alike(one: &Image, other: &Image) -> bool {
    let Image {
        name: _,
        swapchain,
        format,
        dimension,
        extent,
        mips,
        layers,
        samples,
        usage,
        stencil_usage,
        flags,
        tiling,
        concurrent,
        view_formats,
        always_shown,
        reached_unseen,
        compression_control,
        driver_compression: _,
        memory,
    } = one;
    (format, dimension, extent) == (&other.format, &other.dimension, &other.extent)
        && (mips, layers, samples) == (&other.mips, &other.layers, &other.samples)
        && (usage, flags, tiling) == (&other.usage, &other.flags, &other.tiling)
        && swapchain.is_some() == other.swapchain.is_some()
        && (stencil_usage, view_formats) == (&other.stencil_usage, &other.view_formats)
        && (always_shown, reached_unseen) == (&other.always_shown, &other.reached_unseen)
        && compression_control == &other.compression_control
        && (concurrent, memory) == (&other.concurrent, &other.memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{ImageRef, LoadOp};
    use crate::units::Extent2D;
    use alloc::string::ToString;
    use alloc::vec;

    fn pass(image: u32) -> Pass {
        let color = Attachment { image: Some(ImageRef(image)), samples: 1, ..Attachment::default() };
        Pass { attachments: vec![color], extent: Extent2D::new(64, 64), ..Pass::default() }
    }

    #[test]
    fn passes_to_images_of_equal_properties_are_of_one_kind_whatever_their_names() {
        let images = [1, 1, 4].map(|samples| Image { samples, ..Image::default() });
        let labelled = Pass { labels: vec!["shadows".to_string()], ..pass(1) };
        let mut loads = pass(0);
        loads.attachments[0].load = LoadOp::Load;
        let mut wide = pass(0);
        wide.extent.width = 65;
        let passes = [pass(0), labelled, pass(2), pass(9), loads, wide, pass(1)];
        let kinds = Kinds::of(passes.iter().map(|pass| PassView::new(pass, &images)));
        assert_eq!(kinds.of_pass, [0, 0, 1, 2, 3, 4, 0]);
        assert_eq!(kinds.first.len(), 5);
    }
}
