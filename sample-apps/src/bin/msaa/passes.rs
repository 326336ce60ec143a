//! The render passes: the scene with its resolves, and the postprocessing that reads it.

use crate::options::{Options, Variant};
use crate::targets::Targets;
use ash::vk;
use tilelens_samples::Error;
use tilelens_samples::gpu::Gpu;
use tilelens_samples::pass::{Attachment, DEPTH_READ, DRAWN, Pass, READ, Subpass, TESTED};
use tilelens_samples::readback::COPIED;
use tilelens_samples::room::SKY;
use vk::AttachmentLoadOp as Load;
use vk::AttachmentStoreOp as Store;

/// The pass that draws the scene. Attachment 0 is what is drawn to, 1 its depth, 2 what the colour is resolved to, 3 what the depth is
/// resolved to; the last two where the variant resolves in the pass.
pub fn scene<'g>(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>) -> Result<Pass<'g>, Error> {
    let variant = options.variant;
    let stored = |stored: bool| if stored { Store::STORE } else { Store::DONT_CARE };
    let drawn = targets.multisampled.as_ref().unwrap_or(&targets.output);
    let colour_after = if variant.resolves_in_pass() { DRAWN } else { COPIED };
    let depth_after = if variant.stores_samples_of_depth() { DEPTH_READ } else { TESTED };
    let mut attachments = vec![
        Attachment::new(drawn, Load::CLEAR, stored(!variant.resolves_in_pass()), colour_after).cleared_to(SKY),
        Attachment::new(&targets.depth, Load::CLEAR, stored(variant.stores_samples_of_depth()), depth_after),
    ];
    if variant.resolves_in_pass() {
        let after = if variant.postprocesses() { READ } else { COPIED };
        attachments.push(Attachment::new(targets.resolve_target(), Load::DONT_CARE, Store::STORE, after));
    }
    if let Some(depth) = &targets.resolved_depth {
        attachments.push(Attachment::new(depth, Load::DONT_CARE, Store::STORE, DEPTH_READ));
    }
    let subpass = Subpass {
        colours: &[0],
        depth: Some(1),
        resolves: if variant.resolves_in_pass() { &[2] } else { &[] },
        depth_resolve: targets.resolved_depth.as_ref().map(|_| 3),
        samples: (variant == Variant::SingleSampled).then_some(options.sample_flags()),
        ..Subpass::default()
    };
    Pass::new(gpu, "scene", options.size, &attachments, &[subpass])
}

/// The pass that reads colour and depth and writes every pixel of the output, which it finds as the frame before has left it.
pub fn postprocess<'g>(gpu: &'g Gpu, options: &Options, targets: &Targets<'_>) -> Result<Pass<'g>, Error> {
    let output = Attachment::new(&targets.output, Load::DONT_CARE, Store::STORE, COPIED).from(COPIED);
    let subpass = Subpass { colours: &[0], ..Subpass::default() };
    Pass::new(gpu, "postprocess", options.size, &[output], &[subpass])
}
