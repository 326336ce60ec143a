//! Why a subpass cannot join the open hardware render
//! (Mesa 25.0.7, src/imagination/vulkan/pvr_hw_pass.c; the statuses are this project's reading of them).

use super::schedule::{Allocation, Builder, State, colors, depth_of, is_input, predecessors, resolve_of};
use crate::frame::Subpass;
use crate::gpu::merge::{MergeStatus, Verdict};
use alloc::collections::BTreeSet;
use alloc::format;

/// Colours that the PBE writes at the end of one render.
pub const MOST_OUTPUTS: usize = 8;

/// Storage for the subpass in the open render, or why there is none.
pub fn refusal(builder: &Builder<'_>, index: usize) -> Result<Allocation, Verdict> {
    let no = |status, note| Err(Verdict::new(status, note));
    let (Some(subpass), Some(render)) = (builder.pass.subpasses.get(index), builder.schedule.renders.last()) else {
        return no(MergeStatus::Unspecified, "not a subpass".into());
    };
    if render.view_mask != subpass.view_mask {
        let note = format!("view mask {:#x} after {:#x}", subpass.view_mask, render.view_mask);
        return no(MergeStatus::ViewsMismatch, note);
    }
    // The hardware copies depth to colour storage, stencil it does not.
    let with_stencil = |depth: &u32| is_input(subpass, *depth) && builder.state(*depth).is_some_and(|s| s.stencil);
    if let Some(depth) = builder.depth.into_iter().chain(depth_of(subpass)).find(with_stencil) {
        let note = format!("attachment {depth} has stencil and is read as input attachment: it has to be in memory");
        return no(MergeStatus::IncompatibleInputAttachment, note);
    }
    let samples = builder.samples(subpass);
    if render.samples != samples {
        let note = format!("{samples} samples per pixel after {}", render.samples);
        return no(MergeStatus::SamplesMismatch, note);
    }
    if let Some(why) = depth_conflict(builder, subpass) {
        return no(MergeStatus::DepthStencilCount, why);
    }
    flush(builder, subpass, index)?;
    pending_resolve(builder, subpass)?;
    let outputs = outputs(builder, subpass, index);
    if outputs > MOST_OUTPUTS {
        let note = format!("{outputs} colour attachments would be written at its end, {MOST_OUTPUTS} can be");
        return no(MergeStatus::TooManyAttachments, note);
    }
    builder.allocate(subpass)
}

/// Why the depth buffer cannot change to the subpass' attachment within the render.
fn depth_conflict(builder: &Builder<'_>, subpass: &Subpass) -> Option<alloc::string::String> {
    let (old, new) = (builder.depth?, depth_of(subpass)?);
    if old == new {
        return None;
    }
    let (held, next) = (builder.state(old)?, builder.state(new)?);
    // A single use left, as input of this subpass, is met by the copy in colour storage.
    let last_use = is_input(subpass, old) && held.remaining == 1;
    let stays = (held.remaining > 0 && !last_use) || (held.stencil && held.stencil_remaining > 0);
    let loads = |state: &State| {
        let load = crate::frame::LoadOp::Load;
        state.load == load || (state.stencil && state.stencil_load == load)
    };
    if stays {
        Some(format!("depth/stencil changes from attachment {old}, which is still used, to attachment {new}"))
    } else if loads(next) {
        Some(format!("depth/stencil changes to attachment {new}, which would have to be loaded within the render"))
    } else {
        None
    }
}

/// Whether a dependency on a subpass of the render asks for memory in between.
fn flush(builder: &Builder<'_>, subpass: &Subpass, index: usize) -> Result<(), Verdict> {
    let open = builder.schedule.renders.len().checked_sub(1);
    let samples = |a: u32| builder.pass.attachments.get(a as usize).map_or(1, |a| a.samples);
    let multisampled = subpass.input.iter().flatten().map(|i| i.attachment).find(|a| samples(*a) > 1);
    let inside = |source: &usize| builder.render_of.get(*source).copied().flatten() == open;
    for (source, local) in predecessors(builder.pass, index).filter(|(source, _)| inside(source)) {
        if !local {
            let note = format!("the dependency from subpass {source} is not by region or leaves framebuffer space");
            return Err(Verdict::new(MergeStatus::Dependencies, note));
        }
        if let Some(input) = multisampled {
            let note =
                format!("attachment {input} is multisampled, read as input and depended on from subpass {source}");
            return Err(Verdict::new(MergeStatus::Unspecified, note));
        }
    }
    Ok(())
}

/// Whether the subpass touches what the render resolves at its end.
fn pending_resolve(builder: &Builder<'_>, subpass: &Subpass) -> Result<(), Verdict> {
    let open = builder.schedule.renders.len().checked_sub(1);
    let target = |a: &u32| builder.state(*a).is_some_and(|s| s.resolves_in == open);
    let source = |a: &u32| builder.state(*a).is_some_and(|s| s.resolved_in == open);
    if let Some(input) = subpass.input.iter().flatten().map(|i| i.attachment).find(target) {
        let note = format!("attachment {input} is resolved in the render and read as input attachment");
        return Err(Verdict::new(MergeStatus::ResolveAttachmentReuse, note));
    }
    let resolves = (0..subpass.color.len()).filter_map(|slot| resolve_of(subpass, slot));
    if let Some(a) = colors(subpass).find(|a| target(a) || source(a)).or_else(|| resolves.into_iter().find(target)) {
        let note = format!("attachment {a} takes part in a resolve that is made at the end of the render");
        return Err(Verdict::new(MergeStatus::Unspecified, note));
    }
    Ok(())
}

/// Colours of the render and the subpass that are still read after the subpass.
fn outputs(builder: &Builder<'_>, subpass: &Subpass, index: usize) -> usize {
    let slots = builder.schedule.renders.last().into_iter().flat_map(|render| &render.slots);
    let before = slots.filter_map(|slot| builder.pass.subpasses.get(slot.subpass)).flat_map(colors);
    let live = |a: &u32| builder.state(*a).is_some_and(|s| s.last_read.is_some_and(|last| last > index));
    before.chain(colors(subpass)).filter(live).collect::<BTreeSet<u32>>().len()
}
