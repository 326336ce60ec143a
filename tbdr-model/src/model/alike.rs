//! Passes that every GPU must treat alike, so that what follows from one of them is worked out once.
//!
//! Alike are passes that differ in nothing but what no decision looks at: labels, names, and which images of equal properties they
//! draw to. Of one shape are those that may differ in sizes, too: of the framebuffer, the render area and the images. Much of what is
//! decided about them is the same. A pass is compared with the last [`COMPARED`] kinds only, so that the cost stays linear in the passes
//! of a frame.

use super::PassView;
use crate::frame::{Attachment, ClearAttachment, Image, Pass, Subpass, SubresourceRange};
use alloc::vec::Vec;

/// Kinds that a pass is compared with. Frames repeat a pass soon after (cascades, cube faces, ping-pong) or not at all.
const COMPARED: usize = 64;

/// The passes of a frame by kind.
#[derive(Debug, Default)]
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
        // A kind of each shape, those met last at the end.
        let mut shapes: Vec<usize> = Vec::new();
        for pass in passes {
            let of_shape = |kind: &usize| kinds.first.get(*kind).is_some_and(|first| are_of_one_shape(first, &pass));
            let shape = shapes.iter().rev().take(COMPARED).position(of_shape).map(|back| shapes.len() - 1 - back);
            let recent = kinds.first.iter().enumerate().rev().take(COMPARED);
            let of_size = recent.filter(|(_, first)| shape.is_some() && are_of_one_size(first, &pass));
            let known = of_size.map(|(kind, _)| kind).find(|kind| of_shape(kind));
            let kind = known.unwrap_or(kinds.first.len());
            if let Some(shape) = shape {
                shapes[shape..].rotate_left(1);
            } else {
                shapes.push(kind);
            }
            if known.is_none() {
                let shaped = shape.and(shapes.last()).and_then(|like| kinds.first.get(*like));
                let pass = match shaped {
                    Some(like) => pass.shaped_like(like),
                    None => pass,
                };
                kinds.first.push(pass);
            }
            kinds.of_pass.push(kind);
        }
        kinds
    }
}

/// Whether the sizes of the passes are the same, given that they are of one shape.
fn are_of_one_size(one: &PassView<'_>, other: &PassView<'_>) -> bool {
    let (a, b) = (one.pass, other.pass);
    let extent = |view: &PassView<'_>, attachment| view.image(attachment).map(|image| image.extent);
    (a.render_area, a.extent) == (b.render_area, b.extent)
        && a.view_areas == b.view_areas
        && a.attachments.iter().zip(&b.attachments).all(|(a, b)| extent(one, a) == extent(other, b))
}

/// Whether every decision about the passes is the same but for what their sizes decide. The patterns name every field: one that is
/// added has to be judged here.
fn are_of_one_shape(one: &PassView<'_>, other: &PassView<'_>) -> bool {
    let Pass {
        labels: _,
        name: _,
        dynamic,
        render_area: _,
        extent: _,
        layers,
        attachments,
        subpasses,
        dependencies,
        density_map,
        disallow_merging,
        view_areas: _,
        tile_memory,
        tile_shading,
        // What another driver has said decides nothing.
        driver_tile: _,
        driver_merging: _,
    } = one.pass;
    let pass = other.pass;
    (dynamic, layers) == (&pass.dynamic, &pass.layers)
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
        && (density_map, disallow_merging) == (&pass.density_map, &pass.disallow_merging)
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
        && barriers == &other.barriers
        && clears.len() == other.clears.len()
        && clears.iter().zip(&other.clears).all(|(a, b)| are_clears_alike(a, b))
}

/// Where a clear command clears no GPU decides by.
fn are_clears_alike(one: &ClearAttachment, other: &ClearAttachment) -> bool {
    let ClearAttachment { aspects, slot, rects: _, after_draw, conditional } = one;
    (aspects, slot) == (&other.aspects, &other.slot)
        && (after_draw, conditional) == (&other.after_draw, &other.conditional)
}

fn are_images_alike(one: &Image, other: &Image) -> bool {
    let Image {
        name: _,
        swapchain,
        format,
        dimension,
        extent: _,
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
    (format, dimension) == (&other.format, &other.dimension)
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
    use crate::frame::{Aspects, ImageRef, LoadOp};
    use crate::units::{Extent2D, Rect2D};
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
        let clears = |x: u32| {
            let rect = Rect2D { extent: Extent2D::new(x + 1, 1), ..Rect2D::default() };
            let clear = ClearAttachment {
                aspects: Aspects::COLOR,
                slot: 0,
                rects: vec![(rect, 0, 1)],
                after_draw: false,
                conditional: false,
            };
            Pass { subpasses: vec![Subpass { clears: vec![clear], ..Subpass::default() }], ..pass(0) }
        };
        let passes = [pass(0), labelled, pass(2), pass(9), loads, wide, pass(1), clears(0), clears(1)];
        let kinds = Kinds::of(passes.iter().map(|pass| PassView::new(pass, &images)));
        assert_eq!(kinds.of_pass, [0, 0, 1, 2, 3, 4, 0, 5, 5]);
        assert_eq!(kinds.first.len(), 6);
    }
}
